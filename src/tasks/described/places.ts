/**
 * Named places of a described task: the tool, the base, the goal, and bodies and sites of its scene. Randomised or measured
 * places arrive as signals of the driver; the task itself knows no simulator.
 */

import { placeSignals } from '../../plant/index.ts';
import type { GuardFrame } from '../../rows/index.ts';

/** Writes the position of a place, [3] m, base frame. No allocation. */
export type PlaceReader = (frame: GuardFrame, out: Float64Array) => void;

/** Position of the goal in a task's file. */
export interface GoalConfig {
  readonly atM: readonly [number, number, number];
  readonly spreadM: readonly [number, number, number];
}

/** Places that exist in every scene. */
export const OWN_PLACES = ['tool', 'base', 'goal'] as const;

/** True if the goal or body is drawn anew in each episode. */
export function isDrawn({ spreadM }: Pick<GoalConfig, 'spreadM'>): boolean {
  return spreadM.some((spread) => spread > 0);
}

/** Places that a task uses, and the signals that they need. */
export class Places {
  /** In the driver's signal order. */
  readonly signalNames: readonly string[];
  readonly #goal: GoalConfig | undefined;
  readonly #signals: ReadonlyMap<string, number>;

  /** `used`: names of places, repeated for each use. */
  constructor(used: readonly string[], goal: GoalConfig | undefined) {
    const things = [...new Set(used)].filter((name) => !OWN_PLACES.includes(name as never));
    const drawn = goal !== undefined && isDrawn(goal) && used.includes('goal') ? placeSignals('goal').slice(0, 3) : [];
    this.#goal = goal;
    this.signalNames = [...drawn, ...things.flatMap(placeSignals)];
    this.#signals = new Map(this.signalNames.map((name, i) => [name, i]));
  }

  /** Returns a reader of the position of place `name`. Throws `RangeError` if the task has no such place. */
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

  /** Index of the signal with the yaw (about z, rad) of `name`. Throws `RangeError` if there is none. */
  yawSignal(name: string): number {
    const index = this.#signals.get(placeSignals(name)[3]);
    if (index === undefined) throw new RangeError(`the place ${name} has no yaw`);
    return index;
  }
}

/** Distance between two places along some axes, m. Owns buffers: create one per use; not thread-safe. */
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
