/** Safety chain under commands, with all other data of a tick prepared beforehand: only the chain is measured. */
import { type ActionSpec, jointActionUnit, Rng, type RobotModel, servosLead } from '../../src/model/index.ts';
import { type ActionCommand, createRobotState, type RobotState } from '../../src/rows/index.ts';
import { type ChainReport, createChainReport } from '../../src/safety/chain-report.ts';
import { Clearances, createTickTimes, NOW, PASSED, SafetyChain, type TickTimes } from '../../src/safety/index.ts';

/** `typical`: slow swings of a policy. `adversarial`: full strokes back and forth, irregular periods, an occasional NaN. */
export const CHAIN_LOADS = ['typical', 'adversarial'] as const;
export type ChainLoadName = (typeof CHAIN_LOADS)[number];

export interface ChainLoadOptions {
  readonly model: RobotModel;
  readonly load: ChainLoadName;
  readonly ticks: number;
  readonly seed: number;
}

const POLICY_PERIOD_S = 0.1;
const LEASE_S = 0.15;
/** Full deflection, as in tasks. */
const SCALE_RAD = 0.08;
/** Interval of broken commands: never three within a second, which would latch the stop. */
const BROKEN_EVERY = 11;
/** Steps per radian of phase of a typical swing: so many that joints reach their limits and tools the walls. */
const SWING_STEPS = 20;
/** Duration of an episode, after which a new one begins with a full tank, s. */
const EPISODE_S = 5;

/** Number of distances monitored by the chain of `model`. */
export function constraintRows(model: RobotModel): number {
  return new Clearances(model).rows.length;
}

export class ChainLoad {
  readonly chain: SafetyChain;
  readonly report: ChainReport = createChainReport();
  readonly #state: RobotState;
  readonly #command: ActionCommand;
  readonly #actions: Float64Array;
  readonly #ticksPerStep: number;
  readonly #ticksPerEpisode: number;
  /** [n] Damping over stiffness of each servo, s; and the set-points' lead factor: control rate, or 0 if they do not lead. */
  readonly #lagS: Float64Array;
  readonly #leads: number;
  readonly #lastSent: Float64Array;
  /** [ticks] Time and period of each tick. */
  readonly #nowS: Float64Array;
  /** [ticks] Those times as existing objects: storing a number in a field may itself allocate. */
  readonly #stampS: readonly unknown[];
  readonly #dtS: Float64Array;
  readonly #times: TickTimes = createTickTimes();

  /** Throws `RangeError` if the robot's home pose is not a valid start. */
  constructor({ model, load, ticks, seed }: ChainLoadOptions) {
    const action = jointAction(model);
    const rng = new Rng(seed);
    this.#ticksPerStep = Math.max(1, Math.round(POLICY_PERIOD_S * model.controlHz));
    this.#ticksPerEpisode = load === 'typical' ? EPISODE_S * model.controlHz : Number.MAX_SAFE_INTEGER;
    this.chain = new SafetyChain({ model, action, policyPeriodS: POLICY_PERIOD_S });
    this.#state = createRobotState(model.joints.length, 0);
    this.#state.positionRad.set(model.homeRad);
    this.#lastSent = Float64Array.from(model.homeRad);
    this.#lagS = Float64Array.from(model.joints, (joint) => joint.dampingNmSPerRad / joint.stiffnessNmPerRad);
    this.#leads = servosLead(model) ? model.controlHz : 0;
    const seeded = this.chain.seed(model.homeRad);
    if (seeded !== 'ok') throw new RangeError(`the home pose of ${model.name} is no start: ${seeded}`);
    const size = action.dimensions.length;
    this.#command = {
      seq: 0,
      decider: 'policy',
      issuedAtS: 0.5,
      leaseS: LEASE_S,
      policyVersion: 0,
      policyRun: 0,
      action: new Float64Array(size),
    };
    const steps = Math.ceil(ticks / this.#ticksPerStep) + 1;
    this.#actions = load === 'typical' ? smooth(steps, size) : strokes(steps, size, rng);
    const periodS = 1 / model.controlHz;
    this.#nowS = new Float64Array(ticks);
    const stampS: unknown[] = [null];
    this.#dtS = new Float64Array(ticks);
    for (let k = 0, now = 0.5; k < ticks; k++) {
      const dt = load === 'typical' ? periodS : periodS * rng.uniformIn(0.4, 2.2);
      this.#nowS[k] = now;
      stampS[k] = now;
      this.#dtS[k] = dt;
      now += dt;
    }
    this.#stampS = stampS;
  }

  /** Prepares the inputs of a tick besides the chain: the command and the robot's state. */
  prepare(tick: number): void {
    const command = this.#command;
    if (tick % this.#ticksPerStep === 0) {
      const at = command.action.length * (tick / this.#ticksPerStep);
      for (let k = 0; k < command.action.length; k++) command.action[k] = this.#actions[at + k]!;
      command.seq++;
      command.issuedAtS = this.#stampS[tick] as number;
    }
    if (tick % this.#ticksPerEpisode === 0) this.chain.refillTank();
    const q = this.#state.positionRad;
    // A reading with an old time counts as none.
    this.#state.measuredAtS = this.#stampS[tick] as number;
    const sent = this.chain.sentRad;
    const dtS = this.#dtS[tick]!;
    // A servo without mass: damper·q̇ = spring·(set-point − q), which is passive and does not oscillate.
    for (let i = 0; i < q.length; i++) {
      const lagS = this.#lagS[i]!;
      const setPoint = sent[i]! + this.#leads * lagS * (sent[i]! - this.#lastSent[i]!);
      q[i] = setPoint + (q[i]! - setPoint) * Math.exp(-dtS / lagS);
      this.#lastSent[i] = sent[i]!;
    }
  }

  apply(tick: number): void {
    this.#times[NOW] = this.#nowS[tick]!;
    this.#times[PASSED] = this.#dtS[tick]!;
    this.chain.apply(this.#command, this.#state, this.#times, this.report);
  }
}

function jointAction(model: RobotModel): ActionSpec {
  const dimensions = model.joints.map((joint) => {
    return { name: joint.name, scale: SCALE_RAD, unit: jointActionUnit(joint) };
  });
  return { kind: 'joint', dimensions };
}

function smooth(steps: number, size: number): Float64Array {
  return Float64Array.from(
    { length: steps * size },
    (_, k) => 0.6 * Math.sin(Math.floor(k / size) / SWING_STEPS + (k % size)),
  );
}

/** Full strokes that keep their direction for some steps, so that the arm reaches its walls. */
function strokes(steps: number, size: number, rng: Rng): Float64Array {
  const out = new Float64Array(steps * size);
  const direction = new Float64Array(size).fill(1);
  for (let step = 0; step < steps; step++) {
    if (rng.uniform() < 0.1) for (let k = 0; k < size; k++) direction[k] = Math.sign(rng.uniformIn(-1, 1)) || 1;
    for (let k = 0; k < size; k++) out[step * size + k] = direction[k]!;
    if (step % BROKEN_EVERY === BROKEN_EVERY - 1) out[step * size] = Number.NaN;
  }
  return out;
}
