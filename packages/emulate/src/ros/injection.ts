/**
 * Faults on demand, for tests and to try Rein's reaction. All of them are off until requested by the topic `~/inject` or a
 * parameter, and each is reported on the terminal.
 */

import type { Clock } from '../../../../src/model/index.ts';

/** One fault, or the end of all. */
export type Injection =
  /** Stops publishing `joint_states` (or `odom`). */
  | { readonly kind: 'silence' }
  /** Freezes the readings; stamps are still new. */
  | { readonly kind: 'freeze' }
  /** Offsets an encoder from now on. */
  | { readonly kind: 'jump'; readonly joint: string; readonly byRad: number }
  /** Omits one joint from the readings. */
  | { readonly kind: 'lose'; readonly joint: string }
  /** One joint reads NaN. */
  | { readonly kind: 'nan'; readonly joint: string }
  /** Ignores commands, and refuses to switch controllers. */
  | { readonly kind: 'refuse' }
  /** Sets `/clock` back by so much, once. */
  | { readonly kind: 'clock_back'; readonly byS: number }
  /** Ends all injected faults. */
  | { readonly kind: 'clear' };

const HELP =
  'it must be one of: silence, freeze, jump <joint> <rad>, lose <joint>, nan <joint>, refuse, clock_back <s>, clear';

/** Parses a command sent to `~/inject`; returns a reason if it is invalid. */
export function parseInjection(text: string, jointNames: readonly string[]): Injection | string {
  const [kind = '', first = '', second = '', ...rest] = text.trim().split(/\s+/);
  if (rest.length > 0) return `"${text}" is not understood: ${HELP}`;
  switch (kind) {
    case 'silence':
    case 'freeze':
    case 'refuse':
    case 'clear':
      return first === '' ? { kind } : `"${text}" is not understood: ${HELP}`;
    case 'jump': {
      const byRad = Number(second);
      if (!jointNames.includes(first)) return unknownJoint(first, jointNames);
      if (second === '' || !Number.isFinite(byRad)) return `"${text}" needs a number of radians: ${HELP}`;
      return { kind, joint: first, byRad };
    }
    case 'lose':
    case 'nan':
      return jointNames.includes(first) ? { kind, joint: first } : unknownJoint(first, jointNames);
    case 'clock_back': {
      const byS = Number(first);
      return byS > 0 && Number.isFinite(byS) ? { kind, byS } : `"${text}" needs seconds > 0: ${HELP}`;
    }
    default:
      return `"${text}" is not understood: ${HELP}`;
  }
}

function unknownJoint(name: string, jointNames: readonly string[]): string {
  return `there is no joint "${name}"; joints: ${jointNames.join(', ')}`;
}

/** Faults injected at present. */
export class Trouble {
  isSilent = false;
  isFrozen = false;
  isRefusing = false;
  /** Offsets by joint, rad. */
  readonly offsetsRad: Map<string, number> = new Map();
  readonly lost: Set<string> = new Set();
  readonly notFinite: Set<string> = new Set();

  /** Applies an injection; `clock_back` is handled by the clock. */
  apply(injection: Injection): void {
    switch (injection.kind) {
      case 'silence':
        this.isSilent = true;
        return;
      case 'freeze':
        this.isFrozen = true;
        return;
      case 'refuse':
        this.isRefusing = true;
        return;
      case 'jump':
        this.offsetsRad.set(injection.joint, (this.offsetsRad.get(injection.joint) ?? 0) + injection.byRad);
        return;
      case 'lose':
        this.lost.add(injection.joint);
        return;
      case 'nan':
        this.notFinite.add(injection.joint);
        return;
      case 'clear':
        this.#clear();
    }
  }

  #clear(): void {
    this.isSilent = false;
    this.isFrozen = false;
    this.isRefusing = false;
    this.offsetsRad.clear();
    this.lost.clear();
    this.notFinite.clear();
  }
}

const PAUSE_S = 1;

/** Prints complaints of the simulator: the same one at most once a second. */
export class Complaints {
  readonly #say: (message: string) => void;
  readonly #clock: Clock;
  readonly #saidAtS: Map<string, number> = new Map();

  constructor(say: (message: string) => void, clock: Clock) {
    this.#say = say;
    this.#clock = clock;
  }

  say(message: string): void {
    const nowS = this.#clock.nowS();
    const saidAtS = this.#saidAtS.get(message);
    if (saidAtS !== undefined && nowS - saidAtS < PAUSE_S) return;
    // Those with numbers in them are many: old ones are forgotten.
    if (this.#saidAtS.size > 100) this.#saidAtS.clear();
    this.#saidAtS.set(message, nowS);
    this.#say(message);
  }
}
