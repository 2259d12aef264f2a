import { expect, it } from 'vitest';
import { arm6Setup } from '../../tests/support/arm6.ts';
import type { PolicyWeights } from '../model/index.ts';
import type { LearnerConnection, SessionParts } from '../session/index.ts';
import { createRunStatus } from '../session/status.ts';
import type { EvaluationPool, Trial } from './evaluation-pool.ts';
import { TrainingPlan, TrainingTime } from './training-plan.ts';

/** A plan over a pool in which policies succeed as `succeeds` returns for their version. */
function planOf(task: object, succeeds: (version: number) => boolean, weightOf = (version: number) => version) {
  const setup = arm6Setup();
  const { training, validation } = setup.config.task;
  const config = {
    ...setup.config,
    task: {
      ...setup.config.task,
      training: { ...training, steps: 100, minimumSteps: 60, stopAtValidation: 1, ...task },
      validation: { ...validation, everySteps: 40, episodes: 2 },
    },
  };
  const written: { readonly version: number; readonly step: number }[] = [];
  const policy = { version: 1 };
  const runs: number[] = [];
  const log = {
    status: createRunStatus('a1', 'insert', 0),
    elapsedS: 0,
    phase: () => undefined,
    message: () => undefined,
    progress: () => undefined,
    noProgress: () => undefined,
    uses: () => undefined,
    write: ({ policyVersion }: { policyVersion: number }, step: number) =>
      void written.push({ version: policyVersion, step }),
  };
  const work = { successes: 0, steps: 0, helpedSteps: 0, robotS: 0 };
  const parts = { setup: { ...setup, config }, policy, live: { log, work } } as unknown as SessionParts;
  const connection = {
    takeVersion: async (version: number) => ({ manifest: { version }, weights: Float32Array.of(weightOf(version)) }),
  } as unknown as LearnerConnection;
  const pool = {
    run: async ({ candidate, episodes, record }: Trial) => {
      const { version } = (candidate as { bundle: PolicyWeights }).bundle.manifest;
      runs.push(version);
      const successes = succeeds(version) ? episodes : 0;
      const counts = { meanSteps: 0, ticks: 0, changedTicks: 0, violations: 0 };
      const film = record === undefined ? {} : { recording: { caption: '' } };
      return {
        ...counts,
        ...film,
        episodes,
        successes,
        restarts: { count: successes === 0 ? 1 : 0, reason: 'It fell.' },
      };
    },
  } as unknown as EvaluationPool;
  const plan = new TrainingPlan(parts, connection, pool, new AbortController().signal);
  /** An episode of `steps`, after which other weights act. */
  const train = (steps: number): void => {
    log.status.envSteps += steps;
    policy.version++;
  };
  return { plan, written, log, train, runs };
}

it('judges the first weights, and then others once enough steps are done; it ends when all steps are done', async () => {
  const { plan, written, train } = planOf({}, () => false);
  expect(await plan.nextEpisode()).toBe(100);
  train(30);
  expect(await plan.nextEpisode()).toBe(70);
  train(30);
  expect(await plan.nextEpisode()).toBe(40);
  train(40);
  expect(await plan.nextEpisode()).toBe(0);
  expect(written).toEqual([
    { version: 1, step: 0 },
    { version: 3, step: 60 },
    { version: 4, step: 100 },
  ]);
  expect(plan.result).toMatchObject({ endedBy: 'steps', restarts: { count: 3, reason: 'It fell.' } });
});

it('names the policy of the film before training as its figures do, also where the next has the same weights', async () => {
  const { plan, written, train } = planOf(
    {},
    () => false,
    () => 1,
  );
  for (const steps of [60, 40, 0]) {
    await plan.nextEpisode();
    train(steps);
  }
  expect(written[0]).toEqual({ version: 1, step: 0 });
  expect(plan.result?.firstRecording?.caption).toBe('First validation episode, before training, policy 1');
});

it('ends as soon as a policy is confirmed, but not before the least number of steps', async () => {
  const { plan, train, runs } = planOf({}, () => true);
  expect(await plan.nextEpisode()).toBe(100);
  train(40);
  // The first look at version 1 has been read; it is too early to confirm it.
  expect(await plan.nextEpisode()).toBe(60);
  train(20);
  // The version judged beside training is confirmed once enough steps are done, before others are judged.
  expect(await plan.nextEpisode()).toBe(0);
  expect(plan.result).toMatchObject({ endedBy: 'confirmed', kept: { bundle: { manifest: { version: 2 } } } });
  expect(runs).toEqual([1, 2, 2]);
});

it('reads a look after a fixed number of steps, however soon it is done', async () => {
  const { plan, train, written } = planOf({ minimumSteps: 0 }, (version) => version > 1);
  await plan.nextEpisode();
  train(7);
  await plan.nextEpisode();
  expect(written).toEqual([]);
  train(1);
  await plan.nextEpisode();
  expect(written).toEqual([{ version: 1, step: 0 }]);
});

it('ends by the time that a person gave it, and judges what was learned until then', async () => {
  const { plan, log, train } = planOf({ timeLimitS: 5 }, () => false);
  plan.begin();
  expect(await plan.nextEpisode()).toBe(100);
  train(20);
  log.elapsedS = 6;
  expect(await plan.nextEpisode()).toBe(0);
  expect(plan.result).toMatchObject({ endedBy: 'wall', kept: { bundle: { manifest: { version: 2 } } } });
});

it('counts time from the start of the demonstrations, and not what it waited for a person who steers', () => {
  let nowS = 90;
  const time = new TrainingTime({ limitS: 80, nowS: () => nowS });
  nowS = 100;
  time.begin();
  nowS = 110;
  expect([time.usedS, time.leftS]).toEqual([10, 70]);
  nowS = 160;
  time.pause(15);
  expect([time.usedS, time.leftS]).toEqual([45, 35]);
  expect(time.isOver).toBe(false);
  nowS = 195;
  expect(time.isOver).toBe(true);
});

it('is never over where nobody gave a limit, however slow the machine', () => {
  let nowS = 0;
  const time = new TrainingTime({ limitS: undefined, nowS: () => nowS });
  nowS = 1e9;
  expect([time.isOver, time.leftS]).toEqual([false, Number.POSITIVE_INFINITY]);
});
