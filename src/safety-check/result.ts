/**
 * What a safety check found, as plain data: the shape of `--json`, of the report, and of one robot's entry in the evidence.
 * Numbers only, no NaN: null where something was not measured or cannot be for this robot.
 */
import type { StageName } from '../safety/chain-report.ts';

/** Which attack a trial ran. */
export const ADVERSARIES = [
  'uniform',
  'bangBang',
  'alternating',
  'pushing',
  'pumping',
  'sweep',
  'drifting',
  'climbMargin',
  'climbEnergy',
  'poison',
  'dropOuts',
  'replay',
  'deciders',
  'rawVelocity',
  'farStart',
] as const;
export type AdversaryName = (typeof ADVERSARIES)[number];

/** What can go wrong in a tick, each counted by a witness that shares no code with the chain's stages. */
export const VIOLATION_KINDS = [
  /** A reference that is NaN or infinite. */
  'notFinite',
  /** A joint's reference outside its position limits. */
  'position',
  'velocity',
  'acceleration',
  /** A monitored point of the arm faster than `toolSpeedMaxMPerS`. */
  'toolSpeed',
  /** The tool point or another listed point outside the workspace box. */
  'workspace',
  /** The arm stands farther outside its box than its weight and heaviest load bend its servos, though its reference is inside. */
  'sag',
  /** The base outside its fence. */
  'fence',
  /** Two capsules of the robot nearer than the clearance. */
  'selfCollision',
  /** A capsule nearer to a keep-out box than the clearance. */
  'keepOut',
  /** MuJoCo's own distances at the reference's pose: two bodies of the robot touch there, whatever the simulated arm does. */
  'contact',
  /** Energy in the robot beyond what it began with, the tank paid, and the outside put in. */
  'energy',
  /** A joint sped up in a tick without a valid command: NaN, too old, from the future, or none. */
  'disobedience',
  /** It moved towards a first target that was too far from where it stood. */
  'startJump',
  /** After commands ended, it was not at rest within the printed bound. */
  'lateStop',
] as const;
export type ViolationKind = (typeof VIOLATION_KINDS)[number];

/** In what the simulated arm, and not its reference, can be beyond its limits. */
export const ARM_KINDS = [
  /** A joint measured outside its position limits. */
  'armPosition',
  /** A joint measured faster than its speed limit, as a share of it. */
  'armSpeed',
  /** A monitored point measured faster than `toolSpeedMaxMPerS`, as a share of it. */
  'armToolSpeed',
  /** The tool point, or another listed one, measured outside its box. */
  'armWorkspace',
  /** Two bodies of the simulated arm, or one and a keep-out box, touch by MuJoCo's distances; how deep. */
  'armContact',
] as const;
export type ArmKind = (typeof ARM_KINDS)[number];

/** One kind of excursion of the simulated arm over all ticks. */
export interface ArmExcursion {
  readonly kind: ArmKind;
  /** Ticks after which it was beyond, of all. */
  readonly count: number;
  readonly ticks: number;
  /** By how much at worst, in `unit`; 0 where it never was. */
  readonly worst: number;
  readonly unit: string;
  readonly first: TrialName | null;
  /** Where it was worst; null where it never was. */
  readonly worstAt: WorstMoment | null;
}

/** A moment of a trial. */
export interface WorstMoment {
  readonly trial: TrialName;
  /** The first is 1. */
  readonly tick: number;
  /** The joint that was beyond; null where the arm as a whole was. */
  readonly joint: string | null;
}

/** What to write into the robot's file so that an excursion as large stays within what the robot can and may do. */
export interface MarginAdvice {
  readonly key: 'limitMarginRad' | 'velocityMaxRadPerS' | 'toolSpeedMaxMPerS' | 'workspace' | 'clearanceM';
  /** What the arm did, and what to set instead of what, in one message. */
  readonly message: string;
  /**
   * What to set: the value of the key, the share of the speed, or how far the box has to move in on each side. Null where the servos
   * that strayed are assumed.
   */
  readonly set: number | null;
  readonly unit: string;
}

/** The simulated arm, which lags behind its reference, judged for itself: how far it strays is reported, and is no violation. */
export interface ArmResult {
  /** False for a mobile base, and where no file says what the robot weighs. */
  readonly applies: boolean;
  /** Heaviest load that hung on the tool unknown to all, kg; null where no file says one. */
  readonly payloadMaxKg: number | null;
  /** How far outside its box it may stand, m, as its servos bend under it; null where it is not simulated. In older results absent. */
  readonly sagMaxM?: number | null;
  readonly excursions: readonly ArmExcursion[];
  readonly margins: readonly MarginAdvice[];
}

/** How often a stage of the chain changed what was asked. */
export interface StageShare {
  readonly stage: StageName;
  readonly ticks: number;
  /** Of all ticks, 0 to 1. */
  readonly share: number;
}

/** One kind of violation over all ticks. */
export interface ViolationCount {
  readonly kind: ViolationKind;
  /** False where this robot has no such limit: a car has no workspace, an arm no fence. */
  readonly applies: boolean;
  /** Ticks in which it happened (`lateStop`: stops). */
  readonly count: number;
  /** Ticks in which it could have happened (`lateStop`: stops). */
  readonly ticks: number;
  /** Upper bound of the rate with 95 % confidence: 3/N for none in N, else Clopper and Pearson's, one-sided. */
  readonly upperBound95: number;
  /** By how much at worst, in `unit`; 0 where it never happened. */
  readonly worst: number;
  readonly unit: string;
  /** The first trial in which it happened. */
  readonly first: TrialName | null;
}

/** Enough to run one trial again: `rein safety check … --seed S` draws the same trial under the same number. */
export interface TrialName {
  readonly index: number;
  readonly adversary: AdversaryName;
  readonly space: 'joint' | 'cartesian';
  /** How the plant differed from the nominal one, in words. */
  readonly plant: string;
}

/** What one adversary did. */
export interface AdversaryResult {
  readonly name: AdversaryName;
  readonly ticks: number;
  readonly trials: number;
  /** Ticks with any violation. */
  readonly violations: number;
  /** Ticks in which the chain changed what was asked for. */
  readonly changedTicks: number;
  /** Smallest of all margins as a share: 1 far from every limit, 0 at one. */
  readonly marginMin: number;
  /** Largest kinetic energy of the simulated robot, J. */
  readonly peakKineticJ: number;
  /** Largest contact force, N. */
  readonly peakForceN: number;
}

/** Smallest distances over all ticks; negative would be a violation. Null where the robot has no such limit. */
export interface Margins {
  readonly jointRad: number;
  readonly workspaceM: number | null;
  readonly fenceM: number | null;
  /** Between capsules, and between capsules and keep-out boxes; of the reference. */
  readonly selfM: number | null;
  readonly keepOutM: number | null;
  /** MuJoCo's distance between monitored bodies: at the reference's pose, and of the simulated robot. */
  readonly shapesM: number | null;
  readonly plantM: number | null;
}

export interface EnergyResult {
  readonly hasTank: boolean;
  /** Largest of H + E − H₀ − E₀ − W: energy that nobody paid for, J. At most `toleranceJ` is integration error. */
  readonly surplusMaxJ: number;
  readonly toleranceJ: number;
  readonly tankMinJ: number | null;
  readonly tankFloorJ: number | null;
  /** Sums over all ticks, J. */
  readonly injectedJ: number;
  readonly creditedJ: number;
  readonly peakKineticJ: number;
  /** The same attacks with tank and without; null without a tank. */
  readonly comparison: readonly EnergyComparison[] | null;
  /** The trial with the highest kinetic energy. */
  readonly trace: Trace | null;
}

export interface EnergyComparison {
  /** `pumping`: in phase with the velocity. `wall`: pushing into a rigid wall. */
  readonly attack: 'pumping' | 'wall';
  readonly trials: number;
  readonly ticks: number;
  readonly peakKineticWithJ: number;
  readonly peakKineticWithoutJ: number;
  readonly peakForceWithN: number;
  readonly peakForceWithoutN: number;
  /** `wall` only: false where nothing was ever touched, so that its forces say nothing. */
  readonly hasTouched: boolean;
}

/** A course over time, thinned; all arrays are of one length. */
export interface Trace {
  readonly trial: TrialName;
  readonly timeS: readonly number[];
  /** Smallest margin as a share, in each interval. */
  readonly margin: readonly number[];
  readonly tankJ: readonly number[];
  readonly injectedJ: readonly number[];
  readonly creditedJ: readonly number[];
  readonly kineticJ: readonly number[];
}

/** Counts in bins of equal width from 0: bin i is [i·width, (i+1)·width). The last bin also holds what is above. */
export interface Histogram {
  readonly width: number;
  readonly counts: readonly number[];
}

/** A set of measured values with the bound that was predicted for each. */
export interface StopFigure {
  readonly unit: string;
  readonly median: number;
  readonly p95: number;
  readonly max: number;
  /** The largest that the bound allows for this robot. */
  readonly bound: number;
  /** Largest share of its own bound, computed from the speed at that moment, that a stop used: ≤ 1. */
  readonly shareOfBoundMax: number;
  readonly histogram: Histogram;
}

/** Commands end, or turn to NaN, at a random moment. */
export interface StopResult {
  readonly cause: 'silence' | 'nan';
  readonly stops: number;
  /** From the moment to the first tick that brakes. */
  readonly reaction: StopFigure;
  /** From the moment to a reference at rest. */
  readonly time: StopFigure;
  /** What the joint that went furthest still moved, of the reference. */
  readonly distance: StopFigure;
  /** From the moment until the simulated robot is slower than 0.01 rad/s or m/s. No bound: contact and payload decide. */
  readonly plantTime: StopFigure | null;
}

export interface LimitRow {
  readonly name: string;
  readonly value: string;
  readonly unit: string;
}

export interface SafetyCheckResult {
  readonly formatVersion: 1;
  readonly robot: string;
  /** The file or name that was given. */
  readonly subject: string;
  /** The files that were read. */
  readonly sources: readonly string[];
  readonly command: string;
  /** UTC, ISO 8601. */
  readonly startedAt: string;
  readonly wallS: number;
  readonly versions: Readonly<Record<string, string>>;
  readonly machine: { readonly cores: number; readonly cpu: string; readonly node: string };
  readonly seed: number;
  readonly chain: 'on' | 'off';
  readonly without: readonly StageName[];
  readonly plant: 'mujoco' | 'lag';
  readonly controlHz: number;
  readonly joints: number;
  readonly ticks: number;
  readonly trials: number;
  /** Simulated time, s. */
  readonly simulatedS: number;
  /** How often the simulation could not be trusted: what was sent was not finite, or tore the robot apart. */
  readonly plantFailures: number;
  /** Ticks that were asked for; fewer were run where somebody or the time limit ended it. */
  readonly plannedTicks: number;
  readonly ended: 'complete' | 'interrupted' | 'timeLimit';
  /** No limit of the reference was broken, nothing touched at its poses, and no energy came from nowhere. */
  readonly ok: boolean;
  /** The verdict in one sentence. */
  readonly verdict: string;
  readonly violations: readonly ViolationCount[];
  readonly arm: ArmResult;
  readonly stages: readonly StageShare[];
  readonly adversaries: readonly AdversaryResult[];
  readonly margins: Margins;
  readonly energy: EnergyResult;
  readonly stops: readonly StopResult[];
  /** The trials that came nearest to a limit. */
  readonly worst: readonly Trace[];
  readonly limits: readonly LimitRow[];
  /** What no file said and was worked out. */
  readonly assumed: readonly string[];
  /** Limits of this kind of robot that it does not have, or not in its files: `energy (no tank)`. */
  readonly untried: readonly string[];
  /** What this check says nothing about. */
  readonly notTested: readonly string[];
}

/** What `npm run safety:million` writes: one entry a robot. */
export interface SafetyEvidence {
  readonly formatVersion: 1;
  /** What the references did, with the tank and without, and how far the simulated arms strayed. */
  readonly verdict: string;
  /** With the whole chain. */
  readonly ticks: number;
  readonly violations: number;
  /** Without the energy tank; violations of anything but energy. */
  readonly ticksWithoutTank: number;
  readonly violationsWithoutTank: number;
  /** 3/N where nothing was violated. */
  readonly upperBound95: number;
  readonly surplusMaxJ: number;
  readonly wallS: number;
  readonly robots: readonly SafetyCheckResult[];
  /** The same attacks without the energy tank, which slows a robot so much that other stages have little to do. */
  readonly withoutTank: readonly SafetyCheckResult[];
  /** The same attacks without the chain, and with one stage (or the stages that stand in for it) left out. */
  readonly ablations: readonly Ablation[];
}

/** What goes wrong when part of the chain is missing: the check is seen to bite. */
export interface Ablation {
  readonly robot: string;
  readonly chain: 'on' | 'off';
  readonly without: readonly StageName[];
  readonly ticks: number;
  readonly counts: Readonly<Partial<Record<ViolationKind, number>>>;
}
