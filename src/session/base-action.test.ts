import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMockLink, mockAction, mockModel } from '../../tests/support/mock-guard.ts';
import { BASE_ACTION, observationSize } from '../model/index.ts';
import type { BasePolicy, Policy } from '../policy/index.ts';
import { copyTransition, createTransition, isIntervention, type SceneLayout, type Transition } from '../rows/index.ts';
import type { Task } from '../tasks/index.ts';
import type { TeleopSource } from '../teleop/index.ts';
import { EpisodeRunner } from './episode-runner.ts';
import { PhaseSwitch } from './phase-switch.ts';

const A = mockAction.dimensions.length;
const layout: SceneLayout = { jointsRad: mockModel.homeRad, objects: {}, signals: {} };

/** Observes the number of the tick, and the base policy's action. */
function createTask(maxSteps: number, observationDelaySteps = 0): Task {
  const field = (name: string, size: number) => ({ name, size, unit: '1', frame: 'none' });
  return {
    name: 'mock',
    observation: { frames: 2, fields: [field('tick', 1)], once: [field(BASE_ACTION, A)] },
    action: mockAction,
    signalNames: ['estimate', 'depthM'],
    maxSteps,
    observationDelaySteps,
    goal: 'success is up to the test',
    drawLayout: () => layout,
    observe: (out, offset, frame) => {
      out[offset] = frame.tick;
    },
    judge: (_frame, verdict) => {
      verdict.terminated = false;
      verdict.success = false;
      verdict.reward = 0;
    },
  };
}

/** Acts by the newest tick / 1000, and logs its calls. */
function createBase(log: string[]): BasePolicy {
  let index = -1;
  return {
    get place() {
      return { chunk: 0, index };
    },
    reset: () => log.push('reset'),
    drop: () => log.push('drop'),
    act: async (state, out) => {
      log.push(`act ${state.length}`);
      index++;
      out.fill(state[1]! / 1000);
    },
    close: async () => undefined,
  };
}

/** Adds a small residual to the base policy's action. */
const residual: Policy = {
  observationSize: 2 + A,
  actionSize: A,
  version: 1,
  decide: async (observation, _noise, out) => {
    for (let i = 0; i < A; i++) out[i] = observation[2 + i]! + 0.125;
  },
  close: async () => undefined,
};

/** In control in the steps for which `plan` has an r. */
function createOperator(plan: string): TeleopSource {
  let step = 0;
  return {
    name: 'plan',
    decidedBy: 'human',
    reset: () => {
      step = 0;
    },
    close: () => undefined,
    poll: (_observation, _nowS, out) => {
      out.active = plan[step++] === 'r';
      out.phase = 'correct';
      out.action.fill(-0.25);
    },
  };
}

async function runEpisodes(plan: string, episodes: number, delay = 0, phaseSwitch?: PhaseSwitch) {
  const { link, clock } = await createMockLink();
  const log: string[] = [];
  const task = createTask(plan.length, delay);
  const runner = new EpisodeRunner({
    task,
    link,
    clock,
    policyHz: 10,
    leaseS: 0.15,
    basePolicy: createBase(log),
    phaseSwitch,
  });
  const steps: Transition[] = [];
  const places: number[] = [];
  for (let episode = 0; episode < episodes; episode++) {
    await runner.run({
      layout,
      policy: residual,
      operator: createOperator(plan),
      purpose: 'training',
      onStep: (t) => {
        const copy = createTransition(observationSize(task.observation), A);
        copyTransition(copy, t);
        steps.push(copy);
        places.push(runner.basePlace!.index);
        log.push('step');
      },
    });
  }
  await link.close();
  return { steps, places, log };
}

const plans = fc.string({ unit: fc.constantFrom('-', '-', 'r'), minLength: 1, maxLength: 8 });

describe("a base policy's action", () => {
  it('is the last part of each observation, that of the next step of each next one, whoever decides', async () => {
    await fc.assert(
      fc.asyncProperty(plans, fc.integer({ min: 0, max: 2 }), async (plan, delay) => {
        const { steps } = await runEpisodes(plan, 2, delay);
        expect(steps).toHaveLength(2 * plan.length);
        for (const [i, t] of steps.entries()) {
          for (const seen of [t.observation, t.nextObservation]) {
            expect([...seen.subarray(2)]).toEqual(Array(A).fill(Math.fround(seen[1]! / 1000)));
          }
          if (!t.truncated) expect(steps[i + 1]!.observation).toEqual(t.nextObservation);
          // A person's action is executed as it is; the policy's is the base policy's plus a residual.
          const own = plan[t.step] === 'r' ? -0.25 : t.observation[2]! + 0.125;
          for (const done of t.executed) expect(done).toBeCloseTo(own, 3);
          expect(t.observationAgeMs).toBeCloseTo(100 * delay, 6);
          expect(t.policyAction[0]).toBeCloseTo(t.observation[2]! + 0.125, 6);
        }
      }),
      { numRuns: 12 },
    );
  });

  it('is asked for once a step, anew at the start of every episode and after each step that a person decided', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const { steps, places, log } = await runEpisodes(plan, 2);
        const wanted = steps.flatMap((t) => [
          ...(t.step === 0 ? ['reset', 'act 2'] : []),
          ...(isIntervention(t.source) ? ['drop'] : []),
          'act 2',
          'step',
        ]);
        expect(log).toEqual(wanted);
        // Each episode asks once more than it has steps: the last next observation has an action too.
        expect(places).toEqual(steps.map((t, i) => i + (t.episode - steps[0]!.episode)));
      }),
      { numRuns: 8 },
    );
  });

  it('is not left out, nor asked for where nobody sees it', async () => {
    const { link, clock } = await createMockLink();
    const options = { link, clock, policyHz: 10, leaseS: 0.15 };
    const task = createTask(3);
    const plain = { ...task, observation: { frames: 1, fields: task.observation.fields } };
    expect(() => new EpisodeRunner({ ...options, task })).toThrow('a base policy must be given');
    expect(() => new EpisodeRunner({ ...options, task: plain, basePolicy: createBase([]) })).toThrow('exactly if');
    await link.close();
  });

  it('is what is done until the critical phase begins, with no weights; what a person does then is marked too', async () => {
    await fc.assert(
      fc.asyncProperty(plans, fc.integer({ min: 0, max: 8 }), async (plan, from) => {
        let frames = 0;
        const phase = new PhaseSwitch({ isCritical: () => frames++ % (plan.length + 1) >= from, forSteps: 1 });
        const { steps } = await runEpisodes(plan, 2, 0, phase);
        for (const [i, t] of steps.entries()) {
          expect(t.isBasePhase).toBe(t.step < from);
          const policy = t.isBasePhase ? t.observation[2]! : t.observation[2]! + 0.125;
          expect(t.policyAction[0]).toBeCloseTo(policy, 6);
          expect(t.policyVersion).toBe(t.isBasePhase ? 0 : 1);
          for (const done of t.executed) expect(done).toBeCloseTo(plan[t.step] === 'r' ? -0.25 : policy, 3);
          const before = steps[i - 1];
          if (t.step === 0 || before === undefined) continue;
          const isSame = before.source === t.source && before.isBasePhase === t.isBasePhase;
          expect(t.segment === before.segment).toBe(isSame);
        }
      }),
      { numRuns: 12 },
    );
  });
});
