/**
 * Result of a safety check as plain data: the format of `--json`, of the report, and of one robot's entry in the
 * evidence. Numbers only, no NaN: null where a value was not measured or does not exist for this robot.
 */
import type { StageName } from '../safety/chain-report.ts';

/** Attack of a trial. */
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

/** Violations that can occur in a tick, each counted by a witness that shares no code with the chain's stages. */
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
  /** The arm stands farther outside its box than its weight and heaviest load deflect its servos, though its reference is inside. */
  'sag',
  /** The base outside its fence. */
  'fence',
  /** Two capsules of the robot nearer than the clearance. */
  'selfCollision',
  /** A capsule nearer to a keep-out box than the clearance. */
  'keepOut',
  /** By MuJoCo's distances at the reference's pose, two bodies of the robot touch, independent of the simulated arm. */
  'contact',
  /** Energy in the robot beyond its initial energy, the tank's payments, and external work. */
  'energy',
  /** A joint sped up in a tick without a valid command: NaN, too old, from the future, or none. */
  'disobedience',
  /** The robot moved towards a first target that was too far from its pose. */
  'startJump',
  /** The robot was not at rest within the printed bound after commands ended. */
  'lateStop',
] as const;
export type ViolationKind = (typeof VIOLATION_KINDS)[number];

/** Excursions of the simulated arm, not its reference, beyond its limits. */
export const ARM_KINDS = [
  /** A joint measured outside its position limits. */
  'armPosition',
  /** A joint measured faster than its speed limit, as a share of it. */
  'armSpeed',
  /** A monitored point measured faster than `toolSpeedMaxMPerS`, as a share of it. */
  'armToolSpeed',
  /** The tool point, or another listed one, measured outside its box. */
  'armWorkspace',
  /** By MuJoCo's distances, two bodies of the simulated arm touch, or one and a keep-out box; the amount is the depth. */
  'armContact',
] as const;
export type ArmKind = (typeof ARM_KINDS)[number];

/** One kind of excursion of the simulated arm over all ticks. */
export interface ArmExcursion {
  readonly kind: ArmKind;
  /** Number of ticks after which it was beyond, and number of all ticks. */
  readonly count: number;
  readonly ticks: number;
  /** Largest amount, in `unit`; 0 where it never was. */
  readonly worst: number;
  readonly unit: string;
  readonly first: TrialName | null;
  /** Moment of the largest amount; null where it never was. */
  readonly worstAt: WorstMoment | null;
}

/** A moment of a trial. */
export interface WorstMoment {
  readonly trial: TrialName;
  /** Tick of the trial, from 1. */
  readonly tick: number;
  /** The joint that was beyond; null where the arm as a whole was. */
  readonly joint: string | null;
}

/** Setting for the robot's file that keeps an equally large excursion within the robot's real limits. */
export interface MarginAdvice {
  readonly key: 'limitMarginRad' | 'velocityMaxRadPerS' | 'toolSpeedMaxMPerS' | 'workspace' | 'clearanceM';
  /** The excursion, and the old and new value, in one message. */
  readonly message: string;
  /**
   * New value of the key, share of the speed, or distance to move the box in on each side. Null if the servos in
   * question are assumed.
   */
  readonly set: number | null;
  readonly unit: string;
}

/** Assessment of the simulated arm, which lags behind its reference: excursions are reported, and are no violations. */
export interface ArmResult {
  /** False for a mobile base, and for a robot without known masses. */
  readonly applies: boolean;
  /** Heaviest load on the tool unknown to all controllers, kg; null where no file states one. */
  readonly payloadMaxKg: number | null;
  /**
   * Largest distance outside its box at which the arm may stand, m, due to its servos' deflection; null if it is not
   * simulated. Absent in older results.
   */
  readonly sagMaxM?: number | null;
  readonly excursions: readonly ArmExcursion[];
  readonly margins: readonly MarginAdvice[];
}

/** Frequency with which a stage of the chain changed a request. */
export interface StageShare {
  readonly stage: StageName;
  readonly ticks: number;
  /** Share of all ticks, 0 to 1. */
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
  /** Largest amount, in `unit`; 0 where it never happened. */
  readonly worst: number;
  readonly unit: string;
  /** The first trial in which it happened. */
  readonly first: TrialName | null;
}

/** Identifies a trial for repetition: `rein safety check … --seed S` draws the same trial under the same number. */
export interface TrialName {
  readonly index: number;
  readonly adversary: AdversaryName;
  readonly space: 'joint' | 'cartesian';
  /** Difference of the plant from the nominal one, in words. */
  readonly plant: string;
}

/** Results of one adversary. */
export interface AdversaryResult {
  readonly name: AdversaryName;
  readonly ticks: number;
  readonly trials: number;
  /** Ticks with any violation. */
  readonly violations: number;
  /** Ticks in which the chain changed a request. */
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
  /** Largest of H + E − H₀ − E₀ − W: unaccounted energy, J. At most `toleranceJ` is integration error. */
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
  /** `wall` only: false if no contact occurred, so that the forces are meaningless. */
  readonly hasTouched: boolean;
}

/** Time series of a trial, thinned; all arrays have the same length. */
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

/** Measured values with the bound predicted for each. */
export interface StopFigure {
  readonly unit: string;
  readonly median: number;
  readonly p95: number;
  readonly max: number;
  /** Largest bound for this robot. */
  readonly bound: number;
  /** Largest ratio of a stop to its own bound, computed from the speed at that moment: ≤ 1. */
  readonly shareOfBoundMax: number;
  readonly histogram: Histogram;
}

/** Stops after commands end, or turn to NaN, at a random moment. */
export interface StopResult {
  readonly cause: 'silence' | 'nan';
  readonly stops: number;
  /** From that moment to the first tick that brakes. */
  readonly reaction: StopFigure;
  /** From that moment to a reference at rest. */
  readonly time: StopFigure;
  /** Remaining motion of the reference, of the joint that moved furthest. */
  readonly distance: StopFigure;
  /** From that moment until the simulated robot is slower than 0.01 rad/s or m/s. No bound: it depends on contact and payload. */
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
  /** The given file or name. */
  readonly subject: string;
  /** Files read. */
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
  /** Number of times the simulation could not be trusted: the sent set-points were not finite, or tore the robot apart. */
  readonly plantFailures: number;
  /** Requested ticks; fewer were run if the user or the time limit ended the check. */
  readonly plannedTicks: number;
  readonly ended: 'complete' | 'interrupted' | 'timeLimit';
  /** True if no limit of the reference was violated, nothing touched at its poses, and no energy was unaccounted for. */
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
  /** Values not stated in any file and inferred. */
  readonly assumed: readonly string[];
  /** Limits of this kind of robot that it lacks, or that its files lack: `energy (no tank)`. */
  readonly untried: readonly string[];
  /** Aspects not covered by this check. */
  readonly notTested: readonly string[];
}

/** Output of `npm run safety:million`: one entry per robot. */
export interface SafetyEvidence {
  readonly formatVersion: 1;
  /** Results of the references, with the tank and without, and the largest excursions of the simulated arms. */
  readonly verdict: string;
  /** With the whole chain. */
  readonly ticks: number;
  readonly violations: number;
  /** Without the energy tank; violations of anything but energy. */
  readonly ticksWithoutTank: number;
  readonly violationsWithoutTank: number;
  /** 3/N if there were no violations. */
  readonly upperBound95: number;
  readonly surplusMaxJ: number;
  readonly wallS: number;
  readonly robots: readonly SafetyCheckResult[];
  /** The same attacks without the energy tank, which slows a robot so much that other stages have little to do. */
  readonly withoutTank: readonly SafetyCheckResult[];
  /** The same attacks without the chain, and with one stage (or the stages that stand in for it) left out. */
  readonly ablations: readonly Ablation[];
}

/** Violations with part of the chain missing: shows that the check detects them. */
export interface Ablation {
  readonly robot: string;
  readonly chain: 'on' | 'off';
  readonly without: readonly StageName[];
  readonly ticks: number;
  readonly counts: Readonly<Partial<Record<ViolationKind, number>>>;
}
