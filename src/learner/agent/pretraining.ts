/** Training before there are online transitions: on what the demonstration buffer holds. */
import type { PingPongState } from '../engine/index.ts';
import type { Algorithm, LearnerSpec, Phase, TrainingRandom } from '../program/index.ts';
import type { Replay } from '../replay/index.ts';
import { PhaseRunner } from './phase-runner.ts';

/** Updates per call of the runtime. */
const UPDATES_PER_CALL = 50;

export interface PretrainingReport {
  readonly steps: number;
  /** Mean loss over the first and the last calls of the runtime. */
  readonly firstLoss: number;
  readonly lastLoss: number;
}

export interface PretrainingOptions {
  readonly algorithm: Algorithm;
  readonly spec: LearnerSpec;
  readonly phase: Phase;
  readonly state: PingPongState;
  readonly replay: Replay;
  /** Updates to do: rounded up to whole calls. */
  readonly steps: number;
  /** The metric that is reported as the loss. */
  readonly loss: string;
  readonly random: TrainingRandom;
}

/**
 * Runs `phase` on the demonstrations that are visible before training. Leaves the state as it was, and returns zero
 * steps, where there are none or a loss is not finite. The optimisers' moments begin and end at zero.
 */
export async function pretrain(options: PretrainingOptions): Promise<PretrainingReport> {
  const { algorithm, spec, phase, state, replay, steps, loss, random } = options;
  const none = { steps: 0, firstLoss: Number.NaN, lastLoss: Number.NaN };
  const { from, to } = replay.visible(0).demonstrations;
  if (from === to || steps === 0) return none;
  const before = state.current.slice();
  const runner = await PhaseRunner.create(algorithm, spec, phase, UPDATES_PER_CALL);
  try {
    const losses: number[] = [];
    for (let call = 0; call * UPDATES_PER_CALL < steps; call++) {
      const report = await runner.run(state, { replay, visibleCount: 0, demoFraction: 1, call, random });
      if (!report.isSound) {
        state.load(before);
        return none;
      }
      losses.push(report.values[loss] ?? Number.NaN);
    }
    for (const { name } of state.parts) if (/_(first|second)$/.test(name)) state.part(name).fill(0);
    return { steps: losses.length * UPDATES_PER_CALL, firstLoss: losses[0]!, lastLoss: losses.at(-1)! };
  } finally {
    await runner.close();
  }
}
