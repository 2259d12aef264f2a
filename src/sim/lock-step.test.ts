import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arm6Setup } from '../../tests/support/arm6.ts';
import { UpdateContract } from '../learner/index.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig, updatesPerCall } from '../learner/options.ts';
import { OperatorArbiter, type TeleopSource } from '../teleop/index.ts';
import { LAG_STEPS, LockStep, type LockStepOptions, versionDue } from './lock-step.ts';

const configs = fc
  .record({
    utd: fc.integer({ min: 1, max: 12 }),
    warmupSteps: fc.integer({ min: 0, max: 80 }),
    publishEveryUpdates: fc.integer({ min: 1, max: 60 }),
    // 0: `utd`. Also more, less, and no multiple of it.
    updatesPerCall: fc.integer({ min: 0, max: 30 }),
  })
  .map((values): LearnerConfig => ({ ...DEFAULT_LEARNER_CONFIG, ...values }));

/**
 * Number of versions published once a learner has done all updates owed for `steps` transitions: one before the first
 * update, then one after each call that reaches a multiple of `publishEveryUpdates`.
 */
function published(config: LearnerConfig, steps: number): number {
  const { utd, publishEveryUpdates: every, warmupSteps } = config;
  const perCall = updatesPerCall(config);
  const allowed = new UpdateContract(utd, warmupSteps, perCall).updatesAllowed(steps);
  let version = 1;
  for (let updates = perCall; updates <= allowed; updates += perCall) {
    if (Math.floor(updates / every) > Math.floor((updates - perCall) / every)) version++;
  }
  return version;
}

describe('the weights that are due', () => {
  it('have been published by a learner that may have seen LAG_STEPS fewer steps: nobody waits for ever', () => {
    fc.assert(
      fc.property(configs, fc.integer({ min: 0, max: 600 }), (config, steps) => {
        const due = versionDue(config, steps);
        expect(due).toBe(published(config, Math.max(0, steps - LAG_STEPS)));
        expect(due).toBeLessThanOrEqual(published(config, steps));
      }),
      { numRuns: 300 },
    );
  });

  it('rise by one at most from step to step where a call takes what a step pays for, and never fall', () => {
    fc.assert(
      fc.property(configs, fc.integer({ min: 0, max: 2000 }), (drawn, steps) => {
        const config = { ...drawn, updatesPerCall: Math.max(drawn.utd, drawn.updatesPerCall) };
        const rise = versionDue(config, steps + 1) - versionDue(config, steps);
        expect([0, 1]).toContain(rise);
      }),
    );
  });

  it('are those of the demonstrations until the warm-up and the lag are over', () => {
    const { warmupSteps, utd, publishEveryUpdates } = DEFAULT_LEARNER_CONFIG;
    const first = warmupSteps + LAG_STEPS + publishEveryUpdates / utd;
    expect(versionDue(DEFAULT_LEARNER_CONFIG, 0)).toBe(1);
    expect(versionDue(DEFAULT_LEARNER_CONFIG, first - 1)).toBe(1);
    expect(versionDue(DEFAULT_LEARNER_CONFIG, first)).toBe(2);
  });
});

describe('people in lock-step, whatever their device is', () => {
  /** An operator of which only the state matters. */
  const person = (name: string) => ({
    name,
    decidedBy: 'human' as const,
    isInControl: false,
    isStopRequested: false,
    isLost: false,
    poll: () => undefined,
    reset: () => undefined,
    close: () => undefined,
  });

  function lockStep(people: readonly TeleopSource[]) {
    const pauses: number[] = [];
    const setup = arm6Setup();
    const plan = { beforeStep: () => undefined, time: { pause: (waitedS: number) => void pauses.push(waitedS) } };
    const parts = { setup, people: people.length === 0 ? undefined : new OperatorArbiter(people, setup.actionSize) };
    const pace = new LockStep(
      parts as ConstructorParameters<typeof LockStep>[0],
      { plan, signal: new AbortController().signal } as unknown as LockStepOptions,
    );
    return { pace, pauses, stoppedSteps: setup.config.task.policyHz };
  }

  it('have real time while anybody of them is in control, and nobody else has', async () => {
    const [ann, bob] = [person('ann'), person('bob')];
    const { pace, pauses } = lockStep([ann, bob]);
    await pace.beforeStep();
    expect(pauses).toEqual([]);
    bob.isInControl = true;
    for (let step = 0; step < 3; step++) await pace.beforeStep();
    // The first step is not late yet.
    expect(pauses.map((waitedS) => waitedS > 0)).toEqual([false, true, true]);
  });

  it('are waited for after a second of a stop, until it is taken back', async () => {
    const ann = person('ann');
    const { pace, stoppedSteps } = lockStep([person('bob'), ann]);
    ann.isStopRequested = true;
    for (let step = 0; step < stoppedSteps; step++) await pace.beforeStep();
    let isOver = false;
    const waiting = pace.beforeStep().then(() => {
      isOver = true;
    });
    await sleep(20);
    expect(isOver).toBe(false);
    ann.isStopRequested = false;
    await waiting;
  });

  it('end the run where the arm is stopped and all of them are gone', async () => {
    const [ann, bob] = [person('ann'), person('bob')];
    const { pace, stoppedSteps } = lockStep([ann, bob]);
    ann.isStopRequested = true;
    ann.isLost = true;
    for (let step = 0; step < stoppedSteps; step++) await pace.beforeStep();
    const waiting = pace.beforeStep();
    await Promise.race([waiting, sleep(20)]);
    bob.isLost = true;
    await expect(waiting).rejects.toThrow('All operators are lost (ann, bob) while a person had the arm stopped.');
  });
});
