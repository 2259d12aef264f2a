/** Runs stop trials, two arms side by side, and combines their results. */
import { availableParallelism, cpus, loadavg } from 'node:os';
import { quantile, ReinError, Rng } from '../../src/model/index.ts';
import { brakeS } from '../../src/safety-check/witness/stop-watch.ts';
import type { StopMeasure, StopMeasureName, StopTrialName, StopTrialResult, StopTrialsResult } from './result.ts';
import { TrialRig } from './rig.ts';
import { LEASE_S, reactionBoundS, trialRobot } from './trial-robot.ts';
import { TRIAL_KINDS, type TrialKind, type TrialOutcome } from './trials.ts';

export interface StopTrialsOptions {
  /** Default: all. */
  readonly names?: readonly StopTrialName[];
  /** Trials of each kind. */
  readonly trials: number;
  readonly seed?: number;
  readonly onTrial?: (name: StopTrialName, done: number) => void;
}

/** Largest delay of a fault after full speed was reached, ms: more than a policy step, so that it occurs at any phase of one. */
const PHASE_MS = 130;
/** Maximum share of trials that may be set aside: beyond it the machine is too busy for any to count. */
const SET_ASIDE_RATIO = 0.2;

/** Takes about a second per trial; guard and node faults run side by side. Rejects with `ReinError` if a rig cannot be set up. */
export async function runStopTrials(options: StopTrialsOptions): Promise<StopTrialsResult> {
  const beganAtMs = performance.now();
  const loadBefore = loadavg()[0] ?? 0;
  const createdAt = new Date().toISOString();
  const kinds = TRIAL_KINDS.filter(({ name }) => options.names?.includes(name) ?? true);
  const isOfGuard = ({ name }: TrialKind): boolean => name.startsWith('guard');
  // Killing a guard requires a new one each time, killing a node does not: both lanes take about as long.
  const lanes = await Promise.all([
    runLane(
      kinds.filter((kind) => !isOfGuard(kind)),
      options,
    ),
    runLane(kinds.filter(isOfGuard), options),
  ]);
  const results = lanes.flatMap((lane) => lane.results);
  const model = trialRobot();
  return {
    kind: 'rein-stop-trials',
    version: 1,
    createdAt,
    durationS: (performance.now() - beganAtMs) / 1e3,
    machine: {
      cpu: cpus()[0]?.model.trim() ?? 'unknown',
      cores: availableParallelism(),
      node: process.version,
      loadBefore,
      isRaised: lanes.every(({ isRaised }) => isRaised),
    },
    robot: {
      name: model.name,
      periodMs: 1e3 / model.controlHz,
      leaseMs: 1e3 * LEASE_S,
      brakeMs: 1e3 * brakeS(model),
      reactionBoundMs: 1e3 * reactionBoundS(model),
    },
    trialsAsked: options.trials,
    results,
    passed: results.every(({ passed }) => passed),
  };
}

async function runLane(
  kinds: readonly TrialKind[],
  options: StopTrialsOptions,
): Promise<{ readonly results: readonly StopTrialResult[]; readonly isRaised: boolean }> {
  if (kinds.length === 0) return { results: [], isRaised: true };
  const rig = await TrialRig.open(trialRobot());
  try {
    await rig.start();
    const results: StopTrialResult[] = [];
    for (const kind of kinds) results.push(await runKind(rig, kind, options));
    return { results, isRaised: rig.listener.isRaised };
  } catch (error) {
    throw new ReinError('environment', `${(error as Error).message}\n${rig.log()}`, { cause: error });
  } finally {
    await rig.close();
  }
}

async function runKind(rig: TrialRig, kind: TrialKind, options: StopTrialsOptions): Promise<StopTrialResult> {
  const rng = new Rng(options.seed ?? 1);
  const boundsMs = kind.boundsMs(rig);
  const outcomes: TrialOutcome[] = [];
  const setAside: { heldUpMs: number; why: string }[] = [];
  const failed: string[] = [];
  const mostAside = Math.max(2, Math.ceil(SET_ASIDE_RATIO * options.trials));
  for (let index = 0; outcomes.length < options.trials; index++) {
    await rig.atFullSpeed(rng.uniformIn(0, PHASE_MS));
    const outcome = await kind.run(rig, index);
    const why = whatIsWrong(outcome, boundsMs);
    const heldUpMs = rig.listener.heldUpMs(outcome.beganAtMs, outcome.endedAtMs);
    await kind.restore(rig);
    if (why !== undefined && isExcused(outcome, boundsMs, heldUpMs) && setAside.length < mostAside) {
      setAside.push({ heldUpMs, why });
      continue;
    }
    outcomes.push(outcome);
    if (outcome.wrong !== undefined) failed.push(`trial ${index}: ${outcome.wrong}`);
    options.onTrial?.(kind.name, outcomes.length);
  }
  const measures = Object.entries(boundsMs).map(([name, boundMs]) =>
    measure(name as StopMeasureName, boundMs, outcomes),
  );
  const passed = failed.length === 0 && measures.every(({ failures }) => failures === 0);
  const { name, rows, message } = kind;
  return { name, rows, message, trials: outcomes.length, setAside, measures, failed, passed };
}

/** True if all violations may result from the listener's own hold-up, i.e. no bound is exceeded by more than that. */
export function isExcused(
  { figures, isCertain }: TrialOutcome,
  boundsMs: Readonly<Partial<Record<StopMeasureName, number>>>,
  heldUpMs: number,
): boolean {
  if (heldUpMs === 0 || isCertain) return false;
  const bounds = Object.entries(boundsMs) as [StopMeasureName, number][];
  return bounds.every(([name, bound]) => (figures[name] ?? Number.POSITIVE_INFINITY) <= bound + heldUpMs);
}

function whatIsWrong(
  { figures, wrong }: TrialOutcome,
  boundsMs: Readonly<Partial<Record<StopMeasureName, number>>>,
): string | undefined {
  if (wrong !== undefined) return wrong;
  const late = (Object.entries(boundsMs) as [StopMeasureName, number][]).find(
    ([name, bound]) => !(figures[name]! <= bound),
  );
  return late === undefined
    ? undefined
    : `${late[0]} took ${figures[late[0]]?.toFixed(1)} ms, the bound is ${late[1].toFixed(1)} ms`;
}

/** A trial without a figure counts as one above the bound. */
function measure(name: StopMeasureName, boundMs: number, outcomes: readonly TrialOutcome[]): StopMeasure {
  const samplesMs = outcomes.flatMap(({ figures }) => figures[name] ?? []);
  const at = (share: number): number => quantile(samplesMs, share);
  const missing = outcomes.length - samplesMs.length;
  const failures = missing + samplesMs.filter((sample) => !(sample <= boundMs)).length;
  return { name, medianMs: at(0.5), p95Ms: at(0.95), worstMs: at(1), boundMs, failures, samplesMs };
}
