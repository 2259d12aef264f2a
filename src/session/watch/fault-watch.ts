/** Turns the fault flags of guard frames into events: one when a fault appears, one when it is gone. */
import type { GuardFrame, JointModel } from '../../core/index.ts';
import { type Fault, type FaultFigures, faultsOf, isAtLeast, sentenceOf } from '../../safety/index.ts';
import type { SessionEvent } from '../session-types.ts';

/** A warning that comes and goes is told again after this, and then after twice as long each time, s. */
const FIRST_PAUSE_S = 5;
const LONGEST_PAUSE_S = 300;

/** What was told of a warning. */
interface Told {
  readonly atS: number;
  readonly pauseS: number;
  /** How often it has come since. */
  count: number;
}

export class FaultWatch {
  readonly #emit: (event: SessionEvent) => void;
  readonly #joints: readonly JointModel[];
  readonly #told = new Map<number, Told>();
  #flags = 0;

  constructor(joints: readonly JointModel[], emit: (event: SessionEvent) => void) {
    this.#joints = joints;
    this.#emit = emit;
  }

  /** Takes a frame. Cheap while its flags do not change. */
  see(frame: FaultFigures & Pick<GuardFrame, 'faultFlags'>, nowS: number): void {
    const flags = frame.faultFlags;
    if (flags === this.#flags) return;
    const before = this.#flags;
    this.#flags = flags;
    for (const fault of faultsOf(flags & ~before)) this.#appeared(fault, frame, nowS);
    for (const fault of faultsOf(before & ~flags)) this.#cleared(fault);
  }

  #appeared(fault: Fault, figures: FaultFigures, nowS: number): void {
    const { row, flag, remedy } = fault;
    const message = isStop(fault) ? sentenceOf(fault, figures, this.#joints) : this.#warning(fault, nowS);
    if (message === undefined) return;
    this.#emit({ level: isStop(fault) ? 'error' : 'warn', name: flag, row, message, remedy });
  }

  /** One that always comes warns of nothing: it is told ever less often, with how often it came; `undefined`: not now. */
  #warning({ bit, sentence }: Fault, nowS: number): string | undefined {
    const told = this.#told.get(bit);
    if (told === undefined || nowS - told.atS > 2 * told.pauseS) {
      this.#told.set(bit, { atS: nowS, pauseS: FIRST_PAUSE_S, count: 0 });
      return sentence;
    }
    told.count++;
    if (nowS - told.atS < told.pauseS) return undefined;
    this.#told.set(bit, { atS: nowS, pauseS: Math.min(2 * told.pauseS, LONGEST_PAUSE_S), count: 0 });
    if (told.count === 1) return sentence;
    return `${sentence} ${told.count} times in the last ${Math.round(nowS - told.atS)} s.`;
  }

  /** Warnings go as they came; the end of a stop is worth a word. */
  #cleared(fault: Fault): void {
    if (!isStop(fault)) return;
    const { row, flag, sentence } = fault;
    this.#emit({ level: 'info', name: `${flag}Cleared`, row, message: `No more: ${sentence}`, remedy: '' });
  }
}

function isStop(fault: Fault): boolean {
  return isAtLeast(fault.action, 'cat2');
}
