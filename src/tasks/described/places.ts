/**
 * Named places that a described task is about: the tool, the base, the goal, and bodies and sites of its scene. What is drawn or
 * measured arrives as signals of the driver; the task itself knows no simulator.
 */
import type { GuardFrame } from '../../core/index.ts';
import { placeSignals } from '../../plant/index.ts';

/** Writes where a place is, [3] m, base frame. No allocation. */
export type PlaceReader = (frame: GuardFrame, out: Float64Array) => void;

/** The goal of a task's file, as far as it says where it is. */
export interface GoalConfig {
  readonly atM: readonly [number, number, number];
  readonly spreadM: readonly [number, number, number];
}

/** Places that are there whatever the scene. */
export const OWN_PLACES = ['tool', 'base', 'goal'] as const;

/** Whether it is drawn anew in each episode. */
export function isDrawn({ spreadM }: Pick<GoalConfig, 'spreadM'>): boolean {
  return spreadM.some((spread) => spread > 0);
}

/** The places that a task uses, and the signals that they need. */
export class Places {
  /** In the order of the driver's signals. */
  readonly signalNames: readonly string[];
  readonly #goal: GoalConfig | undefined;
  readonly #signals: ReadonlyMap<string, number>;

  /** `used`: names of places, each as often as it is used. */
  constructor(used: readonly string[], goal: GoalConfig | undefined) {
    const things = [...new Set(used)].filter((name) => !OWN_PLACES.includes(name as never));
    const drawn = goal !== undefined && isDrawn(goal) && used.includes('goal') ? placeSignals('goal').slice(0, 3) : [];
    this.#goal = goal;
    this.signalNames = [...drawn, ...things.flatMap(placeSignals)];
    this.#signals = new Map(this.signalNames.map((name, i) => [name, i]));
  }

  /** Where the place called `name` is. Throws `RangeError` for one that the task does not have. */
  at(name: string): PlaceReader {
    if (name === 'tool') {
      return ({ measuredTcp }, out) => {
        for (let k = 0; k < 3; k++) out[k] = measuredTcp[k]!;
      };
    }
    if (name === 'base') {
      return (_frame, out) => {
        out.fill(0, 0, 3);
      };
    }
    const first = this.#signals.get(placeSignals(name)[0]);
    if (first !== undefined) {
      return ({ robot }, out) => {
        for (let k = 0; k < 3; k++) out[k] = robot.signals[first + k]!;
      };
    }
    const goal = this.#goal;
    if (name !== 'goal' || goal === undefined) throw new RangeError(`there is no place called ${name}`);
    return (_frame, out) => {
      out.set(goal.atM);
    };
  }

  /** The signal that says how the thing called `name` is turned about z, rad. Throws `RangeError` for what has none. */
  yawSignal(name: string): number {
    const index = this.#signals.get(placeSignals(name)[3]);
    if (index === undefined) throw new RangeError(`nothing says how ${name} is turned`);
    return index;
  }
}

/** Distance between two places along some axes, m. Keeps buffers: one for each use, not for two threads. */
export function distanceBetween(
  from: PlaceReader,
  to: PlaceReader,
  axes: readonly number[],
): (frame: GuardFrame) => number {
  const a = new Float64Array(3);
  const b = new Float64Array(3);
  return (frame) => {
    from(frame, a);
    to(frame, b);
    let square = 0;
    for (let i = 0; i < axes.length; i++) square += (a[axes[i]!]! - b[axes[i]!]!) ** 2;
    return Math.sqrt(square);
  };
}
