/** Excursions of the simulated arm beyond its limits, and the margins that would have covered them. */
import { grouped, isFree, type JointModel, limitMarginOf, type RobotModel, significant } from '../model/index.ts';
import { turnUnitOf } from './limits.ts';
import {
  ARM_KINDS,
  type ArmExcursion,
  type ArmKind,
  type ArmResult,
  type MarginAdvice,
  type WorstMoment,
} from './result.ts';
import type { Tally } from './tally.ts';
import type { TrialOutcome } from './trial-outcome.ts';
import { roundedUp } from './upper-bound.ts';

/** Name of each kind in a table. */
export const ARM_WORDS: Readonly<Record<ArmKind, string>> = {
  armPosition: 'joint measured beyond its limit',
  armSpeed: 'joint measured too fast',
  armToolSpeed: 'tool or point measured too fast',
  armWorkspace: 'tool measured outside its box',
  armContact: 'links measured touching (MuJoCo)',
};

/** Facts about the robot besides its model. */
export interface About {
  /** Names of joints whose servos no file describes. */
  readonly assumedServos?: readonly string[] | undefined;
  /** Largest distance outside its box at which the arm may stand, m. */
  readonly sagMaxM?: number | undefined;
  /**
   * True if no stage of the chain was left out; else no margin is advised, as none would cover what the chain was to
   * stop. Default: true.
   */
  readonly isWhole?: boolean | undefined;
}

/** Summarises the arm's excursions in `outcomes`, whose sum is the tally. `hasEnergy`: the plant has masses. */
export function armOf(
  model: RobotModel,
  outcomes: readonly TrialOutcome[],
  { ticks, arm: counts }: Tally,
  about: About & { readonly hasEnergy: boolean },
): ArmResult {
  const { hasEnergy, assumedServos = [], isWhole = true } = about;
  const sagMaxM = about.sagMaxM ?? null;
  const applies = hasEnergy && model.base === undefined;
  const payloadMaxKg = model.payloadMaxKg ?? null;
  if (!applies) return { applies, payloadMaxKg, sagMaxM, excursions: [], margins: [] };
  const units: Readonly<Record<ArmKind, string>> = {
    armPosition: turnUnitOf(model),
    armSpeed: '1',
    armToolSpeed: '1',
    armWorkspace: 'm',
    armContact: 'm',
  };
  const kinds = ARM_KINDS.filter((kind) => kind !== 'armToolSpeed' || model.toolSpeedMaxMPerS !== undefined);
  const excursions = kinds.map((kind): ArmExcursion => {
    const { count, worst } = counts[kind];
    const first = outcomes.find(({ arm }) => arm[kind].count > 0)?.name ?? null;
    return { kind, count, worst, ticks, unit: units[kind], first, worstAt: worstOf(model, outcomes, kind) };
  });
  const margins = excursions
    .filter(({ worst }) => isWhole && worst > 0)
    .map((each) => placed(adviceOn(model, each, assumedServos), each));
  return { applies, payloadMaxKg, sagMaxM, excursions, margins };
}

/** Returns the moment of the largest excursion of `kind`. */
function worstOf({ joints }: RobotModel, outcomes: readonly TrialOutcome[], kind: ArmKind): WorstMoment | null {
  let [trial, worst]: [TrialOutcome | undefined, number] = [undefined, 0];
  for (const each of outcomes) if (each.arm[kind].worst > worst) [trial, worst] = [each, each.arm[kind].worst];
  if (trial === undefined) return null;
  const { worstTick: tick, worstJoint } = trial.arm[kind];
  return { trial: trial.name, tick, joint: joints[worstJoint]?.name ?? null };
}

/** Returns `advice` with the trial in which its excursion was worst. */
function placed(advice: MarginAdvice, { worstAt }: ArmExcursion): MarginAdvice {
  if (worstAt === null) return advice;
  const { trial, tick } = worstAt;
  const { adversary, space, index, plant } = trial;
  return {
    ...advice,
    message: `${advice.message} Worst in tick ${tick} of trial ${index}: ${adversary}, ${space}, ${plant}.`,
  };
}

/**
 * Returns the setting that keeps an equally large excursion within the robot's real limits; where its servos are
 * assumed, the data to find out.
 */
function adviceOn(model: RobotModel, excursion: ArmExcursion, assumedServos: readonly string[]): MarginAdvice {
  const { key, did, set, unit, to } = marginOf(model, excursion);
  const joint = excursion.worstAt?.joint ?? null;
  const assumed = joint === null ? assumedServos : assumedServos.filter((name) => name === joint);
  if (assumed.length === 0) return { key, message: `${did}: ${to}.`, set, unit };
  return { key, message: `${did}, with servos that are assumed: ${servosText(assumed)}.`, set: null, unit };
}

/** Advice on servos that no file describes. */
function servosText(names: readonly string[]): string {
  const joints = `joint${names.length === 1 ? '' : 's'} ${names.join(', ')}`;
  return `give stiffnessNmPerRad and dampingNmSPerRad of ${joints} in a limits file before a margin is set for this`;
}

/** `own`: the joint that was worst, where the file may give it its own margin: a finger of some centimetres has no room for an arm's. */
function limitMarginText(model: RobotModel, own: JointModel | undefined, set: number): string {
  const { joints, limitMarginRad } = model;
  const tight = joints.find((joint) => !isFree(joint) && joint.positionMaxRad - joint.positionMinRad <= 2 * set);
  const isOwn = own !== undefined && (own.limitMarginRad !== undefined || tight !== undefined);
  if (!isOwn) return `set limitMarginRad to ${set} instead of ${limitMarginRad}`;
  const why = tight === undefined ? '' : `, as the range of joint "${tight.name}" is too small for that margin`;
  return `set limitMarginRad of joint "${own.name}" to ${set} instead of ${limitMarginOf(own, model)}${why}`;
}

interface Margin extends Omit<MarginAdvice, 'message' | 'set'> {
  readonly set: number;
  /** The excursion, and the value to set. */
  readonly did: string;
  readonly to: string;
}

/** Returns the margin that covers an excursion. */
function marginOf(model: RobotModel, { kind, worst, unit, worstAt }: ArmExcursion): Margin {
  const joint = worstAt?.joint == null ? 'A joint' : `Joint "${worstAt.joint}"`;
  if (kind === 'armPosition') {
    const own = model.joints.find(({ name }) => name === worstAt?.joint);
    const set = roundedUp((own === undefined ? model.limitMarginRad : limitMarginOf(own, model)) + worst);
    const did = `${joint} went ${significant(worst)} ${unit} beyond its limit`;
    return { key: 'limitMarginRad', did, to: limitMarginText(model, own, set), set, unit };
  }
  if (kind === 'armSpeed') {
    const set = Math.floor(100 / (1 + worst)) / 100;
    const did = `${joint} was ${significant(100 * worst)} % faster than velocityMaxRadPerS`;
    const to = `if that is the mechanical limit of the joint, set ${set} times it`;
    return { key: 'velocityMaxRadPerS', did, to, set, unit };
  }
  if (kind === 'armToolSpeed') {
    const limit = model.toolSpeedMaxMPerS!;
    const set = Math.floor((100 * limit) / (1 + worst)) / 100;
    const did = `A point of the arm was ${significant(100 * worst)} % faster than toolSpeedMaxMPerS`;
    const to = `if the arm itself must keep it, set ${set} instead of ${limit}`;
    return { key: 'toolSpeedMaxMPerS', did, to, set, unit: 'm/s' };
  }
  if (kind === 'armContact') {
    const clearanceM = model.collision?.clearanceM ?? 0;
    const set = roundedUp(clearanceM + worst);
    const did = `The arm, whose reference keeps a clearance of ${significant(1e3 * clearanceM)} mm, was in contact ${significant(1e3 * worst)} mm deep`;
    return { key: 'clearanceM', did, to: `set collision.clearanceM to ${set} instead of ${clearanceM}`, set, unit };
  }
  const set = roundedUp(worst);
  const did = `The tool left its box by ${significant(1e3 * worst)} mm`;
  return { key: 'workspace', did, to: `move each wall of workspace inward by ${significant(1e3 * set)} mm`, set, unit };
}

/** Returns the arm's part of the verdict. */
export function armWords({ applies, payloadMaxKg, sagMaxM, excursions, margins }: ArmResult): string {
  if (!applies) return '';
  const load = payloadMaxKg === null || payloadMaxKg === 0 ? '' : ` with up to ${payloadMaxKg} kg of unknown load`;
  const words = excursions.flatMap(({ kind, count, worst, unit }) => {
    if (worst === 0) return [];
    if (kind === 'armPosition') return [`${significant(worst)} ${unit} beyond a joint's limit`];
    if (kind === 'armSpeed') return [`${significant(100 * worst)} % too fast`];
    if (kind === 'armToolSpeed') return [`${significant(100 * worst)} % over its tool speed`];
    if (kind === 'armContact') return [`${significant(1e3 * worst)} mm deep into contact (${grouped(count)} ticks)`];
    const limit = sagMaxM == null ? '' : ` (at rest at most ${significant(1e3 * sagMaxM)}, from the sag of its servos)`;
    return [`${significant(1e3 * worst)} mm out of its box${limit}`];
  });
  if (words.length === 0) return `; the simulated arm${load} stayed within them too`;
  const listed = margins.length === 0 ? '' : ' (margins to set are listed)';
  return `; the simulated arm${load} strayed up to ${words.join(', ')}${listed}`;
}
