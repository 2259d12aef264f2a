/**
 * Maps keys to dimensions of the action, and decides for how long a press counts. A terminal repeats a held key only
 * after 250–500 ms, then about 30 times a second, and never reports a release; so a first press counts until its first
 * repetition is due, and a repeated one until the next is overdue.
 */
import { type ActionSpec, clamp, TOOL_AXES, toolAxisOf } from '../model/index.ts';
import type { Key } from './key-parser.ts';

/** Durations for which a press counts. */
export interface HoldWindows {
  /** From the first press, s: longer than the terminal's delay before it repeats, or motion stutters. */
  readonly firstS: number;
  /** From each repetition, s: several periods of the repetition. */
  readonly repeatS: number;
}

export const DEFAULT_HOLD_WINDOWS: HoldWindows = { firstS: 0.6, repeatS: 0.15 };

/** Keys for + and −: for the tool's axes in the order of `TOOL_AXES`, then for additional joints; for a joint action in its order. */
const KEY_PAIRS: readonly (readonly [string, string])[] = [
  ['w', 's'],
  ['a', 'd'],
  ['r', 'f'],
  ['q', 'e'],
  ['i', 'k'],
  ['j', 'l'],
  ['u', 'o'],
  ['y', 'h'],
];
/** Aliases of the same keys, for arrow keys. */
const ALIASES: Readonly<Record<string, string>> = {
  up: 'w',
  down: 's',
  left: 'a',
  right: 'd',
  pageUp: 'r',
  pageDown: 'f',
};

interface Press {
  readonly dimension: number;
  readonly sign: 1 | -1;
  readonly phase: 'recover' | 'correct';
  readonly atS: number;
  readonly untilS: number;
}

/** The motion keys in effect: at most one per dimension, the newest. */
export class MotionKeys {
  readonly #windows: HoldWindows;
  readonly #directions: ReadonlyMap<string, { readonly dimension: number; readonly sign: 1 | -1 }>;
  readonly #presses: (Press | undefined)[];

  constructor(action: ActionSpec, windows: HoldWindows) {
    this.#windows = windows;
    this.#presses = new Array(action.dimensions.length).fill(undefined);
    const directions = new Map<string, { dimension: number; sign: 1 | -1 }>();
    let next = action.kind === 'cartesian' ? TOOL_AXES.length : 0;
    action.dimensions.forEach(({ name }, dimension) => {
      const axis = toolAxisOf(action.kind, name);
      const pair = KEY_PAIRS[axis < 0 ? next++ : axis];
      if (pair === undefined) return;
      directions.set(pair[0], { dimension, sign: 1 });
      directions.set(pair[1], { dimension, sign: -1 });
    });
    this.#directions = directions;
  }

  /** True for a key that moves a dimension of this action. */
  has(key: Key): boolean {
    return this.#directions.has(ALIASES[key.name] ?? key.name);
  }

  /** Records a press or repetition at `nowS`. The opposite direction ends at once. Shift marks it as recovery. */
  press(key: Key, nowS: number): void {
    const direction = this.#directions.get(ALIASES[key.name] ?? key.name);
    if (direction === undefined) return;
    const { dimension, sign } = direction;
    const before = this.#presses[dimension];
    const isRepeat = before !== undefined && before.sign === sign && nowS < before.untilS;
    const untilS = nowS + (isRepeat ? this.#windows.repeatS : this.#windows.firstS);
    this.#presses[dimension] = { dimension, sign, phase: key.hasShift ? 'recover' : 'correct', atS: nowS, untilS };
  }

  /** All keys count as released. */
  release(): void {
    this.#presses.fill(undefined);
  }

  /** Writes ±`scale` into `out` for each dimension with a key in effect at `nowS`, 0 elsewhere. Returns the phase. */
  fill(out: Float32Array, scale: number, nowS: number): 'recover' | 'correct' {
    let phase: 'recover' | 'correct' = 'correct';
    out.fill(0);
    for (const press of this.#presses) {
      // After a clock went back, the age of a press is unknown.
      if (press === undefined || nowS >= press.untilS || nowS < press.atS) continue;
      out[press.dimension] = clamp(press.sign * scale, -1, 1);
      if (press.phase === 'recover') phase = 'recover';
    }
    return phase;
  }

  /** Returns the legend of each dimension with keys, e.g. `w/s x`. */
  help(action: ActionSpec): string {
    return action.dimensions
      .map(({ name }, dimension) => {
        const keys = [...this.#directions].filter(([, d]) => d.dimension === dimension).map(([key]) => key);
        return keys.length === 0 ? '' : `${keys.join('/')} ${name}`;
      })
      .filter((line) => line !== '')
      .join('  ');
  }
}
