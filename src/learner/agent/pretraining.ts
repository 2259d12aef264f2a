/** Training before there are online transitions: on what the demonstration buffer holds. */
import { type Algorithm, stateParts, type TrainingRandom } from '../program/index.ts';
import type { Replay } from '../replay/index.ts';
import type { PhaseName, TrainingEngine } from './engine/index.ts';
import { sizeOf } from './initial-state.ts';
import { PhaseDriver } from './phase-driver.ts';

/** Updates per call of the runtime, where nothing else is said. */
const UPDATES_PER_CALL = 50;

/** What a pre-training did; `steps` counts its updates. */
export interface PretrainingReport {
  readonly steps: number;
  /** Mean loss over the first and the last calls of the runtime. */
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
  /** Ends it between two calls. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs `phase` on the demonstrations that are visible before training. Leaves the state as it was, and returns zero
 * steps, where there are none or a loss is not finite. The optimisers' moments begin and end at zero. Rejects with the reason
 * of `signal`, and leaves a state of no use then.
 */
export async function pretrain(engine: TrainingEngine, options: PretrainingOptions): Promise<PretrainingReport> {
  const { algorithm, phase, replay, steps, loss, random, updatesPerCall = UPDATES_PER_CALL, signal } = options;
  const none = { steps: 0, firstLoss: Number.NaN, lastLoss: Number.NaN };
  const { from, to } = replay.visible(0).demonstrations;
  if (from === to || steps === 0 || algorithm[phase] === undefined) return none;
  const before = await engine.read();
  const driver = await PhaseDriver.open(engine, phase, updatesPerCall);
  try {
    const losses: number[] = [];
    for (let call = 0; call * updatesPerCall < steps; call++) {
      signal?.throwIfAborted();
      const draw = { replay, visibleCount: 0, demoFraction: 1, call, random };
      const isLast = (call + 1) * updatesPerCall >= steps;
      const report = await driver.run(draw, isLast ? undefined : { ...draw, call: call + 1 });
      if (!report.isSound) {
        driver.rewind(random);
        await engine.write(before);
        return none;
      }
      losses.push(report.values[loss] ?? Number.NaN);
    }
    await clearMoments(engine, algorithm);
    return { steps: losses.length * updatesPerCall, firstLoss: losses[0]!, lastLoss: losses.at(-1)! };
  } finally {
    await driver.close();
  }
}

async function clearMoments(engine: TrainingEngine, algorithm: Algorithm): Promise<void> {
  for (const part of stateParts(algorithm, engine.spec)) {
    if (/_(first|second)$/.test(part.name)) await engine.write(new Float32Array(sizeOf([part])), part.name);
  }
}
