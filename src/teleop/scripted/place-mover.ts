/**
 * A patient operator who brings something to a place, as a script: the tool itself, or a thing that it pushes. It reads
 * the policy's observation and nothing else.
 */
import { type ActionSpec, clamp, frameSize, type ObservationSpec, Rng } from '../../model/index.ts';
import type { TeleopCommand, TeleopSource } from '../teleop-source.ts';

/** A displacement between two places in the observation: its field, and the distance per unit, m. */
export interface SeenWay {
  readonly field: string;
  readonly scaleM: number;
}

/** Observation, action, and the habits of the operator's hand. */
export interface PlaceMoverOptions {
  readonly observation: ObservationSpec;
  /** Cartesian, with x and y, and z for vertical motion; a scale is the motion per policy step at action 1, m. */
  readonly action: ActionSpec;
  /** From the tool to the moved thing; absent: the tool itself is moved. */
  readonly toThing?: SeenWay | undefined;
  /** From the moved thing to its goal. */
  readonly toGoal: SeenWay;
  /** Middle of a pushed thing to the tool point when they touch, m. */
  readonly standoffM: number;
  /** Half the width of the side that the tool pushes with, m: a thing within it counts as on the line of the push. */
  readonly faceM: number;
  /** Height above the thing at which the tool passes over it, m. */
  readonly clearM: number;
  /** Standard deviation of the hand's tremor, in action units. */
  readonly tremor: number;
  readonly seed: number;
}

const AXES = ['x', 'y', 'z'] as const;
/** Additional distance of the tool behind a thing, m. */
const ROOM_M = 0.015;
/** Distance from the line of the push beyond which nothing is pushed, m. */
const IN_LINE_M = 0.03;
/** Forward speed while pushing, as a share of a full action. */
const PUSH_SHARE = 0.7;

export class PlaceMover implements TeleopSource {
  readonly name = 'demonstrator';
  readonly decidedBy = 'scripted';
  readonly #options: PlaceMoverOptions;
  readonly #rng: Rng;
  /** For each of `AXES`: its index in the action, −1 if there is none, and its scale. */
  readonly #axes: readonly { readonly index: number; readonly scale: number }[];
  readonly #thingAt: number;
  readonly #goalAt: number;
  readonly #toThingM: Float64Array = new Float64Array(3);
  readonly #toGoalM: Float64Array = new Float64Array(3);
  readonly #wayM: Float64Array = new Float64Array(3);
  /** Largest motion in the plane per step, m. */
  readonly #stepM: number;

  /** Throws `TypeError` if a displacement that it needs is not observed. */
  constructor(options: PlaceMoverOptions) {
    const { observation, action, toThing, toGoal, seed } = options;
    this.#options = options;
    this.#rng = new Rng(seed);
    this.#axes = AXES.map((axis) => {
      const index = action.dimensions.findIndex(({ name }) => name === axis);
      return { index, scale: action.dimensions[index]?.scale ?? 1 };
    });
    this.#stepM = Math.min(this.#axes[0]!.scale, this.#axes[1]!.scale);
    this.#thingAt = toThing === undefined ? -1 : fieldAt(observation, toThing.field);
    this.#goalAt = fieldAt(observation, toGoal.field);
  }

  reset(): void {
    // Stateless: its actions depend on the observation only.
  }

  close(): void {
    // Nothing is held open.
  }

  poll(observation: Float32Array, _nowS: number, out: TeleopCommand): void {
    const { toThing, toGoal, tremor } = this.#options;
    for (let k = 0; k < 3; k++) {
      this.#toGoalM[k] = observation[this.#goalAt + k]! * toGoal.scaleM;
      this.#toThingM[k] = toThing === undefined ? 0 : observation[this.#thingAt + k]! * toThing.scaleM;
    }
    if (toThing === undefined) this.#wayM.set(this.#toGoalM);
    else this.#push();
    out.active = true;
    out.phase = 'correct';
    out.action.fill(0);
    // A push keeps its direction, which clamping each axis separately would bend; the tool alone may take any path.
    const most = toThing === undefined ? 1 : this.#longest();
    for (let k = 0; k < 3; k++) {
      const { index, scale } = this.#axes[k]!;
      if (index < 0) continue;
      out.action[index] = clamp(this.#wayM[k]! / scale / most + tremor * this.#rng.normal(), -1, 1);
    }
  }

  /** Returns the number of full actions along the longest axis of the way, at least 1. */
  #longest(): number {
    let most = 1;
    for (const [k, { index, scale }] of this.#axes.entries()) {
      if (index >= 0) most = Math.max(most, Math.abs(this.#wayM[k]! / scale));
    }
    return most;
  }

  /**
   * Goes behind the thing, as seen from its goal, and then along the line between the two. The action depends on the
   * observation only, and mostly without a jump: otherwise it could not be learned from demonstrations.
   */
  #push(): void {
    const { standoffM, faceM } = this.#options;
    const [gx, gy] = [this.#toGoalM[0]!, this.#toGoalM[1]!];
    const [tx, ty, tz] = [this.#toThingM[0]!, this.#toThingM[1]!, this.#toThingM[2]!];
    const leftM = Math.max(1e-6, Math.hypot(gx, gy));
    const [ux, uy] = [gx / leftM, gy / leftM];
    // Distance of the tool behind the thing, and of the thing from the line of the push.
    const behindM = tx * ux + ty * uy;
    const wideM = Math.hypot(tx - behindM * ux, ty - behindM * uy);
    const besideM = Math.max(0, wideM - faceM);
    const share = wideM === 0 ? 0 : besideM / wideM;
    const [bx, by] = [share * (tx - behindM * ux), share * (ty - behindM * uy)];
    const hasZ = this.#axes[2]!.index >= 0;
    const roomM = standoffM + ROOM_M;
    const isBehind = behindM >= standoffM / 2 && (besideM < IN_LINE_M || (!hasZ && behindM >= standoffM));
    if (!isBehind) {
      if (hasZ) this.#goOver(tx - roomM * ux, ty - roomM * uy, tz);
      else this.#goRound([ux, uy], [bx, by], roomM - behindM);
      return;
    }
    // The better it is in line, and as low as the thing, the more it pushes; else it goes to the point behind it.
    const pushed = inLine(besideM) * (hasZ ? inLine(Math.abs(tz)) : 1);
    const push = Math.min(leftM + Math.max(0, behindM - standoffM), PUSH_SHARE * this.#stepM);
    const ahead = pushed * push + (1 - pushed) * clamp(behindM - roomM, 0, this.#stepM);
    this.#wayM.set([ahead * ux + bx, ahead * uy + by, tz]);
  }

  /** Goes up, over to `x`, `y`, and down. */
  #goOver(x: number, y: number, z: number): void {
    const { clearM } = this.#options;
    const isThere = Math.hypot(x, y) < IN_LINE_M / 2;
    const upM = isThere ? z : z + clearM;
    // Up first: the tool would sweep the thing away.
    const isHigh = isThere || upM < clearM / 3;
    this.#wayM.set(isHigh ? [x, y, upM] : [0, 0, upM]);
  }

  /**
   * Goes round the thing in the plane: sideways until there is room beside it, then back by `backM`. `u`: direction of
   * the push; `b`: displacement to its line.
   */
  #goRound([ux, uy]: readonly [number, number], [bx, by]: readonly [number, number], backM: number): void {
    const besideM = Math.hypot(bx, by);
    const [sx, sy] = besideM < 1e-6 ? [-uy, ux] : [-bx / besideM, -by / besideM];
    const outM = Math.max(0, 2 * this.#options.standoffM - besideM);
    const back = outM > this.#options.standoffM / 2 ? 0 : backM;
    this.#wayM.set([sx * outM - ux * back, sy * outM - uy * back, 0]);
  }
}

/** Returns 1 for a thing nearly in line, 0 from `IN_LINE_M` on. */
function inLine(offM: number): number {
  return clamp(2 - (2 * offM) / IN_LINE_M, 0, 1);
}

/** Returns the offset of the field `name` in the newest frame. Throws `TypeError` if there is none. */
export function fieldAt(spec: ObservationSpec, name: string): number {
  let at = frameSize(spec) * (spec.frames - 1);
  for (const field of spec.fields) {
    if (field.name === name) return at;
    at += field.size;
  }
  throw new TypeError(`the demonstrator needs the observation field "${name}"`);
}
