/** Runs a whole check: trials on threads, comparisons with and without the tank, and one result. */
import { availableParallelism, cpus } from 'node:os';
import { packageVersions } from '../config/index.ts';
import { isFree, type RobotModel } from '../model/index.ts';
import type { CheckSubject } from '../robot-import/index.ts';
import type { StageName } from '../safety/chain-report.ts';
import { type PlantVariant, planTrials, type TrialPlan } from './attack/plan.ts';
import { limitRowsOf, untriedOf } from './limits.ts';
import { BenchPlants, variantsOf } from './plants.ts';
import type { EnergyComparison, SafetyCheckResult } from './result.ts';
import { comparisonOf, totalsOf, verdictOf } from './summary.ts';
import { TrialPool } from './threads/trial-pool.ts';

const COMPARED_ATTACKS = ['pumping', 'wall'] as const;
/** Trials of each comparison, with the tank and again without. */
const COMPARED_TRIALS = 8;
const COMPARED_TICKS = 500;
/** First number of the comparison trials, outside the plan's own. */
const COMPARED_FROM = 1_000_000;

export interface CheckRequest {
  readonly subject: CheckSubject;
  /** The robot as given on the command line. */
  readonly shownAs: string;
  readonly command: string;
  readonly ticks: number;
  readonly seed: number;
  readonly chain: 'on' | 'off';
  readonly without: readonly StageName[];
  /** Default: one per `TICKS_A_THREAD` ticks, up to the number of cores. */
  readonly threads?: number | undefined;
  readonly onProgress?: ((progress: CheckProgress) => void) | undefined;
  /** Ends the trials; the trials finished until then make up the result. */
  readonly signal?: AbortSignal | undefined;
  /** The same after this time, s. */
  readonly timeLimitS?: number | undefined;
}

/** Progress of a check. */
export interface CheckProgress {
  readonly ticks: number;
  readonly plannedTicks: number;
  readonly trials: number;
  readonly plannedTrials: number;
}

/** Ticks that one thread runs in the time in which another loads its physics. */
const TICKS_A_THREAD = 3000;

/** Longest delay that setTimeout accepts, ms. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Runs the check. Rejects with `ReinError('config')` for a robot that cannot be simulated, and with the reason of
 * `signal` if that was aborted before a single trial was done.
 */
export async function runSafetyCheck(request: CheckRequest): Promise<SafetyCheckResult> {
  const { subject, ticks, seed, chain, without, onProgress, timeLimitS } = request;
  const startedAt = new Date();
  const plans = planTrials(subject.model, ticks, seed, variantsOf(subject));
  const planned = plans.reduce((sum, plan) => sum + plan.ticks, 0);
  const limit = new TimeLimit(timeLimitS);
  const signal = AbortSignal.any([request.signal, limit.signal].filter((each) => each !== undefined));
  const compares = isCompared(request);
  const ticksToRun = planned + (compares ? 2 * COMPARED_ATTACKS.length * COMPARED_TRIALS * COMPARED_TICKS : 0);
  const worthwhile = Math.min(availableParallelism(), Math.ceil(ticksToRun / TICKS_A_THREAD));
  const threads = Math.min(request.threads ?? worthwhile, plans.length);
  const sagMaxM = await sagOf(subject);
  const pool = new TrialPool({ subject, chain, seed, sagMaxM }, threads);
  try {
    const onTicks = (done: number, trials: number): void => {
      onProgress?.({ ticks: done, plannedTicks: planned, trials, plannedTrials: plans.length });
      limit.hasResult();
    };
    const outcomes = await pool.run(plans, without, onTicks, signal);
    if (outcomes.length === 0) throw signal.reason;
    const hasEnergy = subject.plantFile !== undefined;
    const untried = untriedOf(subject.model, hasEnergy);
    const about = { assumedServos: subject.assumedServos, sagMaxM, isWhole: isWhole(request) };
    const totals = totalsOf(subject.model, outcomes, hasEnergy, about);
    const isCut = outcomes.length < plans.length;
    const comparison = isCut || !compares ? null : await compare(pool, request, signal);
    const ended = !isCut ? 'complete' : request.signal?.aborted ? 'interrupted' : 'timeLimit';
    const { violations, adversaries, margins, stops, worst, simulatedS, trials, plantFailures } = totals;
    return {
      formatVersion: 1,
      robot: subject.model.name,
      ...aboutRun(request, startedAt),
      plant: subject.plantFile === undefined ? 'lag' : 'mujoco',
      controlHz: subject.model.controlHz,
      joints: subject.model.joints.length,
      ticks: totals.ticks,
      trials,
      simulatedS,
      plantFailures,
      plannedTicks: planned,
      ended,
      ...verdictOf(subject.model.name, totals, { chain, without, untried, ended, plannedTicks: planned }),
      violations,
      adversaries,
      margins,
      arm: totals.arm,
      stages: totals.stages,
      energy: { ...totals.energy, comparison },
      stops,
      worst,
      limits: limitRowsOf(subject.model, sagMaxM),
      assumed: subject.assumed,
      untried,
      notTested: notTested(subject),
    };
  } finally {
    limit.close();
    await pool.close();
  }
}

async function sagOf(subject: CheckSubject): Promise<number | undefined> {
  const plants = new BenchPlants(subject);
  try {
    return await plants.sagMaxM();
  } finally {
    plants.close();
  }
}

/** Ends trials after a time, but not before there is a result to report. */
class TimeLimit {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  #isOver = false;
  #has = false;

  /** `limitS`: absent for none. */
  constructor(limitS: number | undefined) {
    if (limitS === undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#isOver = true;
        if (this.#has) this.#controller.abort();
      },
      Math.min(Math.ceil(limitS * 1e3), LONGEST_TIMEOUT_MS),
    );
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Called when a trial is done. */
  hasResult(): void {
    this.#has = true;
    if (this.#isOver) this.#controller.abort();
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}

type AboutRun = Pick<
  SafetyCheckResult,
  'subject' | 'sources' | 'command' | 'startedAt' | 'wallS' | 'versions' | 'machine' | 'seed' | 'chain' | 'without'
>;

function aboutRun(request: CheckRequest, startedAt: Date): AboutRun {
  const { subject, shownAs, command, seed, chain, without } = request;
  return {
    subject: shownAs,
    sources: subject.sources,
    command,
    startedAt: startedAt.toISOString(),
    wallS: (Date.now() - startedAt.getTime()) / 1e3,
    versions: packageVersions(),
    machine: { cores: availableParallelism(), cpu: cpus()[0]?.model ?? 'unknown', node: process.versions.node },
    seed,
    chain,
    without,
  };
}

/** True if the robot has a tank whose effect can be measured. */
function isCompared(request: CheckRequest): boolean {
  const { model, plantFile } = request.subject;
  return plantFile !== undefined && model.tank !== undefined && isWhole(request);
}

/** True if no stage of the chain is left out. */
function isWhole({ chain, without }: CheckRequest): boolean {
  return chain === 'on' && without.length === 0;
}

/** Runs the same attacks with and without the tank, to show its effect. Returns null if aborted. */
async function compare(
  pool: TrialPool,
  { subject }: CheckRequest,
  signal: AbortSignal,
): Promise<EnergyComparison[] | null> {
  const comparisons: EnergyComparison[] = [];
  for (const attack of COMPARED_ATTACKS) {
    const plans = comparedPlans(subject.model, attack);
    const nothing = (): void => {};
    const withTank = await pool.run(plans, [], nothing, signal);
    const withoutTank = await pool.run(plans, ['tank'], nothing, signal);
    // Half a comparison is useless.
    if (signal.aborted) return null;
    comparisons.push(comparisonOf(attack, withTank, withoutTank));
  }
  return comparisons;
}

function comparedPlans(model: RobotModel, attack: 'pumping' | 'wall'): TrialPlan[] {
  const variant: PlantVariant = attack === 'wall' ? 'wall' : 'nominal';
  return Array.from({ length: COMPARED_TRIALS }, (_, i) => ({
    index: COMPARED_FROM + i,
    adversary: attack === 'wall' ? 'pushing' : 'pumping',
    space: attack === 'wall' || i % 2 === 1 ? 'cartesian' : 'joint',
    ...(attack === 'wall' && { into: 'wall' as const }),
    variant,
    // Policies of 100 Hz to 10 Hz.
    ticksPerStep: Math.max(1, Math.round((0.01 + (0.09 * i) / (COMPARED_TRIALS - 1)) * model.controlHz)),
    jitter: 'none',
    ticks: COMPARED_TICKS,
    attempts: 1,
    stops: 'none',
  }));
}

function notTested({ model, plantFile }: CheckSubject): string[] {
  const none = [
    'Hardware: everything here is simulated. A hardware emergency stop is required in any case.',
    'Drivers, buses, cables and the guardian process: their tests are `npm test` and the stop trials.',
    'Cameras, people, and anything in the surroundings that the robot file does not describe.',
  ];
  if (plantFile === undefined)
    none.unshift('Masses: no model file was given, so joints follow with a lag and energy means nothing.');
  if (model.tank === undefined) none.push('Energy: the robot has no tank in its file, so nothing bounds it.');
  if (model.collision === undefined && model.joints.some((joint) => !isFree(joint)) && model.base === undefined) {
    none.push('Collisions with itself and its surroundings: the robot file lists no shapes.');
  }
  return none;
}
