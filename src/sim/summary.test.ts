import { describe, expect, it } from 'vitest';
import { arm6Setup } from '../../tests/support/arm6.ts';
import { standingFrame } from '../../tests/support/frames.ts';
import { type SummaryInput, summarise } from './summary.ts';

const setup = arm6Setup('insert', 4);
const { target } = setup.config.task;

interface Outcome {
  readonly successes?: number;
  readonly violations?: number;
  readonly evaluationViolations?: number;
  readonly lost?: number;
  readonly duplicated?: number;
}

function input(outcome: Outcome = {}): SummaryInput {
  const { successes = 200, violations = 0, evaluationViolations = 0, lost = 0, duplicated = 0 } = outcome;
  const guard = standingFrame();
  Object.assign(guard, { ticks: 1000, changedTicks: 20, violations });
  const link = { sent: 50, acked: 50, pending: 0, duplicated, lost };
  return {
    setup,
    link,
    training: {
      endedBy: 'wall',
      restarts: { count: 4, reason: 'It fell.' },
      kept: { bundle: { manifest: { version: 17 } } },
    },
    work: { successes: 10, steps: 500, helpedSteps: 40, robotS: 900 },
    interventions: 3,
    evaluation: {
      episodes: 200,
      successes,
      meanSteps: 20,
      ticks: 300 * setup.config.robot.controlHz,
      changedTicks: 1,
      violations: evaluationViolations,
      restarts: { count: 2 },
    },
    learner: { updates: 1200, utd: 4 },
    trainingWallS: 60,
    wallS: 99,
    startedAt: new Date(0),
    robot: { guard, restarts: { count: 1, reason: 'It was pressed.' } },
  } as unknown as SummaryInput;
}

describe('the summary', () => {
  it('says what came of the run', () => {
    const { summary, missed } = summarise(input({ successes: 199 }));
    expect(missed).toEqual([]);
    expect(summary).toMatchObject({
      success_rate: 0.995,
      eval_episodes: 200,
      env_steps: 500,
      updates: 1200,
      utd: 4,
      updates_per_s: 20,
      interventions: 3,
      intervention_steps: 40,
      successes_per_hour: (3600 * 199) / 300,
      training_successes_per_hour: 40,
      human_step_share: 0.08,
      wall_s: 99,
      seed: 4,
      safety: {
        violations: 0,
        changed_ticks: 21,
        ticks: 1000 + 300 * setup.config.robot.controlHz,
        restarts: 7,
        restarted_for: 'It fell.',
      },
      link: { sent: 50, acked: 50, duplicated: 0, lost: 0 },
      policy_version: 17,
      task: 'insert',
      ended_by: 'wall',
    });
  });

  it('meets the target exactly at its edge', () => {
    const edge = Math.ceil(200 * target.successRate);
    expect(summarise(input({ successes: edge })).missed).toEqual([]);
    expect(summarise(input({ successes: edge - 1 })).missed).toEqual([expect.stringContaining('success was')]);
  });

  it.each([
    [{ violations: 1 }, 'limits were broken in 1 tick'],
    [{ evaluationViolations: 2 }, 'limits were broken in 2 ticks'],
    [{ lost: 1 }, '1 transitions were lost'],
    [{ duplicated: 3 }, '3 transitions were learned from twice'],
  ] as const)('names what was missed: %j', (outcome, message) => {
    expect(summarise(input(outcome)).missed).toEqual([expect.stringContaining(message)]);
  });

  it('names everything that was missed', () => {
    const everything = { successes: 0, violations: 1, lost: 1, duplicated: 1 };
    expect(summarise(input(everything)).missed).toHaveLength(4);
  });

  it('takes no notice of time, which it tells beside what it is compared with', () => {
    const { summary, missed } = summarise({ ...input(), trainingWallS: 1e6 });
    expect(missed).toEqual([]);
    expect(summary).toMatchObject({ training_wall_s: 1e6, target_training_wall_s: target.trainingWallS });
  });

  it('is complete where the learner said nothing any more', () => {
    const { summary } = summarise({ ...input(), learner: undefined });
    expect(summary).toMatchObject({ updates: 0, utd: 0, updates_per_s: 0 });
  });
});
