/** Plan of a check's trials: drawn from one seed, so that the same seed makes the same trials on any number of threads. */
import { type ActionSpec, isFree, jointActionUnit, Rng, type RobotModel } from '../../model/index.ts';
import { ADVERSARIES, type AdversaryName } from '../result.ts';
import { CORNER_S } from './attacker.ts';

/** Difference of a trial's plant from the nominal one. */
export type PlantVariant = (typeof PLANT_VARIANTS)[number];
export const PLANT_VARIANTS = [
  'nominal',
  'light',
  'heavy',
  'friction',
  'delay',
  'wall',
  'payload',
  'halfPayload',
] as const;

/** Description of each variant, for display. */
export const VARIANT_WORDS: Readonly<Record<PlantVariant, string>> = {
  nominal: 'as described',
  light: 'tool link with half its modelled mass',
  heavy: 'tool link with 1.5 times its modelled mass',
  friction: 'dry friction in every joint',
  delay: 'delayed references',
  wall: 'a rigid wall within reach',
  payload: 'the heaviest load, not modelled',
  halfPayload: 'half the heaviest load, not modelled',
};

export interface TrialPlan {
  readonly index: number;
  readonly adversary: AdversaryName;
  readonly space: 'joint' | 'cartesian';
  readonly variant: PlantVariant;
  readonly ticksPerStep: number;
  readonly jitter: 'none' | 'wild';
  /** Ticks of the whole trial; a climber's are cut into attempts. */
  readonly ticks: number;
  /** Attempts of a climber; 1 for all others. */
  readonly attempts: number;
  /** `wall`: a cartesian push straight into the wall of its variant. */
  readonly into?: 'wall';
  /** Measured stops: commands end at random moments, by silence or NaN. */
  readonly stops: 'none' | 'silence' | 'nan';
}

const TICKS = 500;
const CLIMB_ATTEMPTS = 16;
const CLIMB_TICKS = 250;
/**
 * Size of a check from which on it includes a drift; one corner for each as many ticks, up to `CORNERS`, and one more
 * drift for each `DRIFT_EVERY_TICKS`.
 */
const DRIFT_FROM_TICKS = 2000;
const CORNERS = 8;
const DRIFT_EVERY_TICKS = 100_000;
/** Decision period of a drift, s. */
const DRIFT_STEP_S = 0.06;
/** Policy steps in ticks; longer ones only where they stay below 0.1 s. */
const STEPS = [1, 3, 10] as const;
const LONGEST_STEP_S = 0.1;

/** Plans trials for at least `ticks` ticks, plus drifts. */
export function planTrials(
  model: RobotModel,
  ticks: number,
  seed: number,
  variants: readonly PlantVariant[],
): TrialPlan[] {
  const rng = new Rng(seed).fork('plan');
  const steps = STEPS.filter((count) => count === 1 || count / model.controlHz <= LONGEST_STEP_S + 1e-9);
  const names = ADVERSARIES.filter((name) => name !== 'drifting' && (name !== 'farStart' || canStartFar(model)));
  const plans: TrialPlan[] = [];
  let planned = 0;
  for (let index = 0; planned < ticks; index++) {
    const adversary = names[index % names.length]!;
    const isClimber = adversary === 'climbMargin' || adversary === 'climbEnergy';
    const isJointOnly = model.base !== undefined || adversary === 'rawVelocity' || adversary === 'farStart';
    const space = rng.uniform() < 0.5 || isJointOnly ? 'joint' : 'cartesian';
    const jitter = rng.uniform() < 0.35 ? 'wild' : 'none';
    const variant = variants[rng.uniform() < 0.3 ? 0 : rng.int(variants.length)]!;
    const ticksPerStep = steps[rng.int(steps.length)]!;
    const toss = rng.uniform();
    const mayStop = !isClimber && adversary !== 'farStart' && adversary !== 'replay' && jitter === 'none';
    const left = Math.max(1, ticks - planned);
    const whole = isClimber ? CLIMB_ATTEMPTS * CLIMB_TICKS : TICKS;
    // A small check still includes every adversary, in shorter trials.
    const share = Math.min(1, ticks / (names.length * 1000));
    const attempts = isClimber ? Math.max(2, Math.round(CLIMB_ATTEMPTS * share)) : 1;
    const size = isClimber ? attempts * CLIMB_TICKS : Math.max(120, Math.round(whole * share));
    const stops = !mayStop || toss < 0.2 ? 'none' : toss < 0.65 ? 'silence' : 'nan';
    const trialTicks = isClimber ? size : Math.min(size, Math.max(120, left));
    plans.push({ index, adversary, space, variant, ticksPerStep, jitter, ticks: trialTicks, attempts, stops });
    planned += trialTicks;
  }
  return ticks < DRIFT_FROM_TICKS || model.base !== undefined
    ? plans
    : [...plans, ...drifts(model, ticks, plans, variants)];
}

/** Additional trials: calm, loaded and long enough, as other effects in a trial would hide how far the arm leans out. */
function drifts(
  model: RobotModel,
  ticks: number,
  { length: from }: readonly TrialPlan[],
  variants: readonly PlantVariant[],
): TrialPlan[] {
  const corners = Math.min(CORNERS, Math.ceil(ticks / DRIFT_FROM_TICKS));
  return Array.from({ length: Math.ceil(ticks / DRIFT_EVERY_TICKS) }, (_, i) => ({
    index: from + i,
    adversary: 'drifting',
    space: i % 2 === 0 ? 'cartesian' : 'joint',
    variant: variants.includes('payload') ? 'payload' : 'nominal',
    ticksPerStep: Math.max(1, Math.round(DRIFT_STEP_S * model.controlHz)),
    jitter: 'none',
    ticks: Math.ceil(corners * CORNER_S * model.controlHz),
    attempts: 1,
    stops: 'none',
  }));
}

/** Step from rest that exceeds the start guard's limit for a first target. */
export const FAR_SCALE_RAD = 0.2;
const FAR_RAD = 0.1;

/** True if a first target can be too far at all: a shorter leash pulls it near. */
export function canStartFar(model: RobotModel): boolean {
  return model.leashRad > FAR_RAD * 1.4 && model.joints.some((joint) => !isFree(joint));
}

/** Returns the action space of a trial: twice full speed for one step, but (except `farStart`) no farther than a start may be. */
export function actionSpecOf(model: RobotModel, plan: TrialPlan): ActionSpec {
  const stepS = plan.ticksPerStep / model.controlHz;
  if (plan.space === 'joint') {
    const dimensions = model.joints.map((joint) => {
      const far = plan.adversary === 'farStart' && !isFree(joint);
      const fast = 2 * joint.velocityMaxRadPerS * stepS;
      const scale = far ? FAR_SCALE_RAD : isFree(joint) ? fast : Math.min(fast, FAR_RAD, model.leashRad);
      return { name: joint.name, scale, unit: jointActionUnit(joint) };
    });
    return { kind: 'joint', dimensions };
  }
  const scaleM = Math.min(0.02, model.leashM, 2 * stepS);
  const scaleRad = Math.min(0.08, model.leashRad, 4 * stepS);
  const dimensions = (['x', 'y', 'z'] as const).map((name) => ({ name, scale: scaleM, unit: 'm' as const }));
  return { kind: 'cartesian', dimensions: [...dimensions, { name: 'yaw', scale: scaleRad, unit: 'rad' }] };
}
