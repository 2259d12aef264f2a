/** Training before there are online transitions: on the demonstration buffer. */
import { ReinError } from '../../model/index.ts';
import type { TrainingEngine } from '../compute/training-engine.ts';
import { sizeOf } from '../engine/graph.ts';
import type { Replay } from '../replay/replay.ts';
import type { Algorithm, PhaseName } from '../update/algorithm.ts';
import { stateParts } from '../update/state.ts';
import type { TrainingRandom } from '../update/step.ts';
import { PhaseDriver } from './phase-driver.ts';

/** Default number of updates per call of the runtime. */
const UPDATES_PER_CALL = 50;

/** Report of a pre-training. */
export interface PretrainingReport {
  /** Accepted updates. */
  readonly steps: number;
  /** Calls whose result was not finite and was discarded; later calls continued from the state before it. */
  readonly refused: number;
  /** Mean loss of the first and of the last accepted call; NaN if there were none. */
  readonly firstLoss: number;
  readonly lastLoss: number;
}

/** Phase, data and length of a pre-training. */
export interface PretrainingOptions {
  readonly algorithm: Algorithm;
  /** Algorithms without this phase are left unchanged. */
  readonly phase: PhaseName;
  readonly replay: Replay;
  /** Updates to do, rounded up to whole calls. */
  readonly steps: number;
  /** Inner updates per call, followed by one outer update if the phase has one. */
  readonly updatesPerCall?: number;
  /** Name of the metric reported as the loss. */
  readonly loss: string;
  readonly random: TrainingRandom;
  /** Called after each call with its number of updates and its loss, to show progress. Training awaits the returned promise. */
  readonly onCall?: (updates: number, loss: number) => void | Promise<void>;
  /** Ends the pre-training between two calls. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `phase` on the demonstrations that are visible before training. If there are none, leaves the state unchanged and reports
 * zero steps. The optimisers' moments are zero before and after. Rejects with `ReinError` ('policy') if every call was refused,
 * leaving the state unchanged; or with the reason of `signal`, after which the state is unusable.
 */
export async function pretrain(engine: TrainingEngine, options: PretrainingOptions): Promise<PretrainingReport> {
  const { algorithm, phase, replay, steps, loss, random, updatesPerCall = UPDATES_PER_CALL, signal } = options;
  const { from, to } = replay.visible(0).demonstrations;
  if (from === to || steps === 0 || algorithm[phase] === undefined) return reportOf([], 0, updatesPerCall);
  const driver = await PhaseDriver.open(engine, phase, updatesPerCall);
  try {
    const losses: number[] = [];
    const calls = Math.ceil(steps / updatesPerCall);
    for (let call = 0; call < calls; call++) {
      signal?.throwIfAborted();
      const draw = { replay, visibleCount: 0, demoFraction: 1, call, random };
      const report = await driver.run(draw, call + 1 === calls ? undefined : { ...draw, call: call + 1 });
      const reached = report.isSound ? (report.values[loss] ?? Number.NaN) : Number.NaN;
      if (report.isSound) losses.push(reached);
      await options.onCall?.(updatesPerCall, reached);
    }
    if (losses.length === 0) throw nothingLearned(phase, calls);
    await clearMoments(engine, algorithm);
    return reportOf(losses, calls - losses.length, updatesPerCall);
  } finally {
    await driver.close();
  }
}

function reportOf(losses: readonly number[], refused: number, updatesPerCall: number): PretrainingReport {
  const [firstLoss, lastLoss] = [losses[0] ?? Number.NaN, losses.at(-1) ?? Number.NaN];
  return { steps: losses.length * updatesPerCall, refused, firstLoss, lastLoss };
}

function nothingLearned(phase: PhaseName, calls: number): ReinError {
  const message = `Pre-training (${phase}) learned nothing: none of its results was finite (calls: ${calls}).`;
  return new ReinError('policy', message, {
    remedy: 'Look for huge rewards or observations in the demonstrations, and lower the learning rates.',
  });
}

async function clearMoments(engine: TrainingEngine, algorithm: Algorithm): Promise<void> {
  for (const { name, shape } of stateParts(algorithm, engine.spec)) {
    if (/_(first|second)$/.test(name)) await engine.write(new Float32Array(sizeOf(shape)), name);
  }
}
