/**
 * A patient operator who inserts a peg by feel, as a script: go above the estimate, touch the plate, search in a spiral
 * while pressing gently, push when the peg drops. It reads the policy's observation and nothing else.
 */
import { type ActionSpec, clamp, frameSize, type ObservationSpec, Rng } from '../../model/index.ts';

/** The dimensions that the hand moves, in the order in which tremor is drawn. */
const INSERTER_AXES = ['x', 'y', 'z', 'yaw'] as const;

/** Observation, action, and the habits of the operator's hand. */
export interface PegInserterOptions {
  readonly observation: ObservationSpec;
  /** Cartesian, with x, y, z and yaw in any order; a scale is the motion per policy step at action 1, m or rad. */
  readonly action: ActionSpec;
  /** Distance between the spiral's arms, m: less than the hole's tolerance. */
  readonly spiralPitchM: number;
  /** Distance along the spiral per policy step, m. */
  readonly searchStepM: number;
  /** Radius at which the spiral starts again, m. */
  readonly searchRadiusM: number;
  /** Standard deviation of the hand's tremor, in action units. */
  readonly tremor: number;
  readonly seed: number;
}

/** Quantities derived from one observation. SI units, base frame. */
interface Percept {
  readonly offsetM: Float64Array;
  yawOffsetRad: number;
  readonly forceN: Float64Array;
  torqueZNm: number;
}

type Phase = 'lift' | 'approach' | 'touch' | 'search' | 'push';

const PRESS_FORCE_N = 7;
const TOUCH_FORCE_N = 2.5;
/** Height above the estimate at which the operator stops looking and starts feeling, m. */
const FEEL_HEIGHT_M = 0.006;
/** A drop of the tip by this much below the plate means that the peg has found the hole, m. */
const DROP_M = 0.0012;
const VERTICAL_STIFFNESS_N_PER_M = 2500;
/** Sideways force above what friction explains: an edge of the peg has caught the hole's mouth. */
const CAUGHT_FORCE_N = 8;
/** Share of the distance to the spiral's next point made per step: friction holds the peg back, and haste overshoots. */
const SEARCH_GAIN = 0.7;

export class PegInserter {
  readonly #options: PegInserterOptions;
  readonly #percept: Percept = {
    offsetM: new Float64Array(3),
    yawOffsetRad: 0,
    forceN: new Float64Array(3),
    torqueZNm: 0,
  };
  readonly #fields: Readonly<Record<string, number>>;
  /** For each of `INSERTER_AXES`: its index in the action, and its scale. */
  readonly #axes: readonly { readonly index: number; readonly scale: number }[];
  readonly #lastFrame: number;
  readonly #rng: Rng;
  #phase: Phase = 'approach';
  #spiralAngleRad = 0;
  #plateOffsetM = 0;
  #liftSteps = 0;
  #deepestM = 0;
  #stepsWithoutProgress = 0;

  constructor(options: PegInserterOptions) {
    this.#options = options;
    this.#rng = new Rng(options.seed);
    this.#axes = INSERTER_AXES.map((name) => axisOf(options.action, name));
    this.#lastFrame = frameSize(options.observation) * (options.observation.frames - 1);
    this.#fields = fieldOffsets(options.observation, ['hole_offset', 'yaw_offset', 'force', 'torque']);
  }

  /** Begins an insertion: from above at the start of an episode, with a lift first when taking over in contact. */
  begin(start: 'above' | 'in contact'): void {
    this.#phase = start === 'above' ? 'approach' : 'lift';
    this.#liftSteps = 0;
    this.#spiralAngleRad = this.#rng.uniformIn(0, 2 * Math.PI);
  }

  /** True while it only brings the arm back to where the task can be started again. */
  get isRecovering(): boolean {
    return this.#phase === 'lift';
  }

  /** One step: reads `observation` ([O]) and writes actions in [−1, 1] into `out`, in the order of the action's dimensions. */
  act(observation: Float32Array, out: Float64Array | Float32Array): void {
    const seen = this.#perceive(observation);
    this.#advance(seen);
    const { tremor } = this.#options;
    const [dx, dy, dz] = this.#motion(seen);
    // While pushing, a wiggle and the walls' torque find the yaw; before, only the estimate is known.
    const turn =
      this.#phase === 'push'
        ? 0.02 * Math.sin(this.#stepsWithoutProgress * 2) + 0.01 * seen.torqueZNm
        : seen.yawOffsetRad;
    const wanted = [dx, dy, dz, turn];
    for (const [k, { index, scale }] of this.#axes.entries()) {
      out[index] = clamp(wanted[k]! / scale + tremor * this.#rng.normal(), -1, 1);
    }
  }

  #perceive(observation: Float32Array): Percept {
    const seen = this.#percept;
    const at = this.#lastFrame;
    for (let k = 0; k < 3; k++) {
      seen.offsetM[k] = observation[at + this.#fields['hole_offset']! + k]! * 0.03;
      seen.forceN[k] = 10 * Math.atanh(clamp(observation[at + this.#fields['force']! + k]!, -0.9999, 0.9999));
    }
    seen.yawOffsetRad = observation[at + this.#fields['yaw_offset']!]! * 0.2;
    seen.torqueZNm = 0.5 * Math.atanh(clamp(observation[at + this.#fields['torque']! + 2]!, -0.9999, 0.9999));
    return seen;
  }

  /** Advances to the next phase when this one is done. `offsetM[2]` is negative while the tip is above the estimate. */
  #advance(seen: Percept): void {
    const heightM = -seen.offsetM[2]!;
    const lateralM = Math.hypot(seen.offsetM[0]!, seen.offsetM[1]!);
    const pressing = seen.forceN[2]! > TOUCH_FORCE_N;
    if (this.#phase === 'lift' && ++this.#liftSteps > 3) this.#phase = 'approach';
    if (this.#phase === 'approach' && heightM < FEEL_HEIGHT_M && lateralM < 0.003) this.#phase = 'touch';
    if (this.#phase === 'touch' && pressing) {
      this.#phase = 'search';
      this.#plateOffsetM = heightM;
    }
    // Without resistance well below the estimate the peg went straight in.
    if (this.#phase === 'touch' && heightM < -0.003) this.#startPush(heightM);
    if (this.#phase === 'search') {
      if (pressing && heightM > this.#plateOffsetM) this.#plateOffsetM = heightM;
      const caught = Math.hypot(seen.forceN[0]!, seen.forceN[1]!) > CAUGHT_FORCE_N;
      if (heightM < this.#plateOffsetM - DROP_M || caught) this.#startPush(heightM);
    } else if (this.#phase === 'push') this.#watchProgress(heightM);
  }

  #startPush(heightM: number): void {
    this.#phase = 'push';
    this.#deepestM = heightM;
    this.#stepsWithoutProgress = 0;
  }

  /** A push without progress missed the hole: lift and start again. */
  #watchProgress(heightM: number): void {
    if (heightM < this.#deepestM - 0.0004) {
      this.#deepestM = heightM;
      this.#stepsWithoutProgress = 0;
    } else if (++this.#stepsWithoutProgress > 6) this.begin('in contact');
  }

  #motion(seen: Percept): [number, number, number] {
    const [x, y, z] = [seen.offsetM[0]!, seen.offsetM[1]!, seen.offsetM[2]!];
    switch (this.#phase) {
      case 'lift':
        return [x / 2, y / 2, 0.004];
      case 'approach': {
        const near = Math.hypot(x, y) < 0.008;
        return [x, y, near ? Math.max(z + FEEL_HEIGHT_M * 0.7, -0.01) : 0];
      }
      case 'touch':
        return [x, y, -0.003];
      case 'search': {
        const [sx, sy] = this.#spiral();
        const press = clamp((PRESS_FORCE_N - seen.forceN[2]!) / (2 * VERTICAL_STIFFNESS_N_PER_M), -0.002, 0.0015);
        return [SEARCH_GAIN * (x + sx), SEARCH_GAIN * (y + sy), -press];
      }
      case 'push': {
        // Yields to the walls: moves along their force.
        const give = 1 / (2 * VERTICAL_STIFFNESS_N_PER_M);
        return [give * seen.forceN[0]!, give * seen.forceN[1]!, -0.006];
      }
    }
  }

  /** Next point of an Archimedean spiral about the estimate, m. */
  #spiral(): [number, number] {
    const { spiralPitchM, searchStepM, searchRadiusM } = this.#options;
    let radiusM = (spiralPitchM * this.#spiralAngleRad) / (2 * Math.PI);
    this.#spiralAngleRad += Math.min(searchStepM / Math.max(radiusM, spiralPitchM / 2), 1.5);
    radiusM = (spiralPitchM * this.#spiralAngleRad) / (2 * Math.PI);
    if (radiusM > searchRadiusM) this.#spiralAngleRad = 0;
    return [radiusM * Math.cos(this.#spiralAngleRad), radiusM * Math.sin(this.#spiralAngleRad)];
  }
}

function axisOf(action: ActionSpec, name: string): { index: number; scale: number } {
  const index = action.dimensions.findIndex((dimension) => dimension.name === name);
  if (action.kind !== 'cartesian' || index < 0) {
    throw new TypeError(`the scripted operator needs the cartesian action dimension "${name}"`);
  }
  return { index, scale: action.dimensions[index]!.scale };
}

function fieldOffsets(spec: ObservationSpec, names: readonly string[]): Record<string, number> {
  const offsets: Record<string, number> = {};
  let at = 0;
  for (const field of spec.fields) {
    offsets[field.name] = at;
    at += field.size;
  }
  for (const name of names) {
    if (!(name in offsets)) throw new TypeError(`the scripted operator needs the observation field "${name}"`);
  }
  return offsets;
}
