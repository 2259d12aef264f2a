/** Training before there are online transitions: on what the demonstration buffer holds. */
import { ReinError } from '../../core/index.ts';
import type { TrainingEngine } from '../compute/training-engine.ts';
import { sizeOf } from '../engine/graph.ts';
import type { Replay } from '../replay/replay.ts';
import type { Algorithm, PhaseName } from '../update/algorithm.ts';
import { stateParts } from '../update/state.ts';
import type { TrainingRandom } from '../update/step.ts';
import { PhaseDriver } from './phase-driver.ts';

/** Updates per call of the runtime, where nothing else is said. */
const UPDATES_PER_CALL = 50;

/** What a pre-training did. */
export interface PretrainingReport {
  /** Updates that were taken over. */
  readonly steps: number;
  /** Calls whose result was not finite and was thrown away, each by itself: the others built on the state from before it. */
  readonly refused: number;
  /** Mean loss over the first and the last calls of the runtime that were taken over; NaN where there were none. */
  readonly firstLoss: number;
  readonly lastLoss: number;
}

/** Which phase is run, on what, and for how long. */
export interface PretrainingOptions {
  readonly algorithm: Algorithm;
  /** Algorithms without it are left as they are. */
  readonly phase: PhaseName;
  readonly replay: Replay;
  /** Updates to do: rounded up to whole calls. */
  readonly steps: number;
  /** Inner updates of one call, which one outer update ends, where the phase has one. */
  readonly updatesPerCall?: number;
  /** The metric that is reported as the loss. */
  readonly loss: string;
  readonly random: TrainingRandom;
  /** Called after each call with how many updates it was, and its loss: whoever waits sees it go on. It waits for what comes back. */
  readonly onCall?: (updates: number, loss: number) => void | Promise<void>;
  /** Ends it between two calls. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `phase` on the demonstrations that are visible before training. Leaves the state as it was, and reports zero steps, where
 * there are none. The optimisers' moments begin and end at zero. Rejects with `ReinError` ('policy') where every call was
 * refused, and leaves the state as it was; with the reason of `signal`, and leaves a state of no use then.
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
