import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { FakeClock } from '../../tests/support/fake-clock.ts';
import { faultRow } from '../../tests/support/fault-row.ts';
import { createMockLink, mockAction, mockModel } from '../../tests/support/mock-guard.ts';
import type { GuardLink } from '../guard/index.ts';
import { createGuardFrame } from '../guard/link/frames.ts';
import type { FrameListener } from '../guard/link/link.ts';
import { type Clock, observationSize, Rng } from '../model/index.ts';
import type { Policy } from '../policy/index.ts';
import {
  type ActionCommand,
  copyTransition,
  createTransition,
  type GuardAnswer,
  type GuardFrame,
  type GuardRequest,
  type SceneLayout,
  type Transition,
} from '../rows/index.ts';
import { TANK_EMPTY } from '../safety/index.ts';
import type { Outcome, Task } from '../tasks/index.ts';
import type { TeleopSource } from '../teleop/index.ts';
import { type EpisodeOptions, EpisodeRunner } from './episode-runner.ts';
import { TANK_STAYS_EMPTY } from './episode-tally.ts';

const ACTIONS = mockAction.dimensions.length;
const layout: SceneLayout = { jointsRad: mockModel.homeRad, objects: {}, signals: {} };

/** Done when the signal 0 reaches 1; observes joint 5 and the previous action. */
function createTask(maxSteps: number, frames = 2): Task {
  const field = (name: string, size: number) => ({ name, size, unit: '1', frame: 'none' });
  return {
    name: 'mock',
    observation: { frames, fields: [field('joint', 1), field('tick', 1), field('previous', ACTIONS)] },
    action: mockAction,
    signalNames: ['estimate', 'depthM'],
    maxSteps,
    goal: 'success is up to the test',
    drawLayout: () => layout,
    observe: (out, offset, frame, previous) => {
      out[offset] = frame.robot.positionRad[5]!;
      out[offset + 1] = frame.tick;
      out.set(previous, offset + 2);
    },
    judge: (frame, verdict) => {
      verdict.terminated = frame.robot.signals[0] === 1;
      verdict.success = verdict.terminated;
      verdict.reward = verdict.terminated ? 1 : 0;
    },
  };
}

/** A link without a guard: accepts every request, logs it, and lets the test write the frames. */
class FakeLink implements GuardLink {
  readonly shape = { joints: 6, signals: 2, actions: ACTIONS, controlHz: 100, timing: 'lock-step' as const };
  readonly latest: GuardFrame = createGuardFrame(6, 2, ACTIONS);
  readonly lostReason = undefined;
  readonly log: string[];
  readonly sent: ActionCommand[] = [];
  readonly refused = new Map<GuardRequest['kind'], string>();
  onTick: (frame: GuardFrame, policyTick: number) => void = () => undefined;
  #listeners: FrameListener[] = [];
  #newest: ActionCommand | undefined;

  constructor(log: string[]) {
    this.log = log;
    this.latest.state = 'standby';
    this.latest.tick = 0;
  }

  send(command: ActionCommand): void {
    this.#newest = { ...command, action: Float64Array.from(command.action) };
    this.sent.push(this.#newest);
    this.log.push(`send ${command.decider}`);
  }

  async request(request: GuardRequest): Promise<GuardAnswer> {
    this.log.push(request.kind);
    const reason = this.refused.get(request.kind);
    if (reason !== undefined) return { ok: false, reason };
    if (request.kind === 'enable' || request.kind === 'hold') this.latest.state = 'ready';
    if (request.kind === 'activate') this.latest.state = 'active.policy';
    return { ok: true };
  }

  async advance(ticks: number): Promise<void> {
    this.log.push(`advance ${ticks}`);
    const { latest } = this;
    for (let i = 0; i < ticks; i++) {
      latest.tick++;
      latest.ticks++;
      latest.filterBits = 0;
      if (latest.state === 'active.policy' && this.#newest?.decider === 'human') latest.state = 'active.human';
      if (this.#newest !== undefined) latest.commandSeq = this.#newest.seq;
      this.onTick(latest, this.sent.length * 10 - 10 + i);
      for (const listener of this.#listeners) listener(latest);
    }
  }

  onFrame(listener: FrameListener): () => void {
    this.#listeners.push(listener);
    return () => undefined;
  }

  onNotice(): () => void {
    return () => undefined;
  }

  onLost(): () => void {
    return () => undefined;
  }

  async close(): Promise<void> {
    this.log.push('close');
  }
}

/** Always the same action; its version can be changed. */
function createPolicy(log: string[], size: number): Policy & { version: number } {
  return {
    observationSize: size,
    actionSize: ACTIONS,
    version: 3,
    decide: async (_observation, { rng, purpose }, out) => {
      log.push('decide');
      out.fill(Math.tanh(0.5 + (purpose === 'explore' ? 0.4 * rng.normal() : 0)));
    },
    close: async () => undefined,
  };
}

/** In control in the steps for which `plan` has a letter: r recovers, c corrects. */
function createOperator(plan: string, log: string[] = []): TeleopSource {
  let step = 0;
  return {
    name: 'plan',
    decidedBy: 'scripted',
    reset: () => {
      step = 0;
      log.push('operator reset');
    },
    close: () => undefined,
    poll: (_observation, _nowS, out) => {
      log.push('poll');
      const letter = plan[step++] ?? '-';
      out.active = letter !== '-';
      out.phase = letter === 'r' ? 'recover' : 'correct';
      out.action.fill(-0.25);
    },
  };
}

function createRig(maxSteps = 3, clock: Clock = new FakeClock()) {
  const log: string[] = [];
  const link = new FakeLink(log);
  const task = createTask(maxSteps);
  const policy = createPolicy(log, observationSize(task.observation));
  const runner = new EpisodeRunner({ task, link, clock, policyHz: 10, leaseS: 0.15 });
  const steps: Transition[] = [];
  const onStep = (transition: Transition): void => {
    log.push('onStep');
    const copy = createTransition(transition.observation.length, ACTIONS);
    copyTransition(copy, transition);
    steps.push(copy);
  };
  const run = (options: Partial<EpisodeOptions> = {}) =>
    runner.run({ layout, policy, purpose: 'training', onStep, ...options });
  return { log, link, task, policy, runner, steps, run };
}

describe('an episode', () => {
  faultRow(
    51,
    'fake',
    'is given up where the scene is not put back in 30 s, and nothing is commanded',
    async (promised) => {
      vi.useFakeTimers();
      try {
        const { log, link, run } = createRig(2);
        const answer = link.request.bind(link);
        link.request = (request) => (request.kind === 'resetScene' ? new Promise(() => {}) : answer(request));
        let ended = '';
        const episode = run().catch((error: Error) => {
          ended = error.message;
        });
        await vi.advanceTimersByTimeAsync(1e3 * promised('afterS') - 1);
        expect(ended).toBe('');
        await vi.advanceTimersByTimeAsync(1);
        await episode;
        expect(ended).toBe('The scene was not put back within 30 s; the robot holds.');
        expect(log).toEqual([]);
      } finally {
        vi.useRealTimers();
      }
    },
  );

  it('asks, decides, commands, waits and hands on in this order, and leaves the robot holding', async () => {
    const { log, run } = createRig(2);
    const operator = createOperator('', log);
    await run({ operator, beforeStep: () => void log.push('beforeStep') });
    const step = ['beforeStep', 'decide', 'poll', 'send policy', 'advance 10', 'onStep'];
    expect(log).toEqual([
      'resetScene',
      'advance 1',
      'enable',
      'activate',
      'advance 1',
      'operator reset',
      ...step,
      ...step,
      'hold',
    ]);
  });

  it('does not switch torque on twice, and resets no scene where there is none', async () => {
    const { log, link, run } = createRig(1);
    link.latest.state = 'ready';
    await run();
    log.length = 0;
    await createRigWithoutLayout(link, log);
    expect(log.slice(0, 2)).toEqual(['advance 1', 'activate']);
  });

  it('gives every command a new number, the lease, and the version that decided', async () => {
    const clock = new FakeClock();
    const { link, policy, steps, run } = createRig(3, clock);
    await run({
      beforeStep: () => {
        policy.version++;
      },
    });
    await run();
    expect(link.sent.map((command) => command.seq)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(link.sent.map((command) => command.policyVersion)).toEqual([4, 5, 6, 6, 6, 6]);
    expect(steps.map((step) => step.policyVersion)).toEqual([4, 5, 6, 6, 6, 6]);
    expect(steps.map((step) => [step.episode, step.step])).toEqual([0, 1].flatMap((e) => [0, 1, 2].map((s) => [e, s])));
    for (const command of link.sent) expect(command.leaseS).toBe(0.15);
  });

  it.each(['resetScene', 'enable', 'activate'] as const)(
    'fails with the reason when the guard refuses to %s',
    async (kind) => {
      const { link, run } = createRig();
      link.refused.set(kind, 'somebody is in the cell');
      await expect(run()).rejects.toThrow(
        expect.objectContaining({ name: 'ReinError', message: expect.stringContaining('somebody is in the cell') }),
      );
      expect(link.sent).toEqual([]);
    },
  );

  it('does not begin where the task is over already, unless what is done is not the task', async () => {
    const { runner, task, log } = createRig(4);
    const asked: Outcome[] = ['failure', 'success'];
    Object.assign(task, { startsAs: () => asked.shift() });
    const nothing = { startsAs: 'failure', steps: 0, success: false };
    expect(await runner.run({ layout, purpose: 'training' })).toMatchObject(nothing);
    expect(log.filter((each) => each.startsWith('send'))).toEqual([]);
    expect(log.at(-1)).toBe('hold');
    let draws = 0;
    const draw = () => {
      draws++;
      return layout;
    };
    expect(await runner.runDrawn(draw, { purpose: 'training' })).toMatchObject({ steps: 4 });
    expect(draws).toBe(2);
    Object.assign(task, { startsAs: () => 'success' });
    const judge = () => undefined;
    expect(await runner.run({ purpose: 'training', judge, maxSteps: 2 })).toMatchObject({ steps: 2 });
    await expect(runner.runDrawn(draw, { purpose: 'training' })).rejects.toThrow('is a success from the start: 20');
  });

  it('is cut, not ended, at the time limit', async () => {
    const { steps, run } = createRig(3);
    expect(await run()).toEqual({
      success: false,
      steps: 3,
      interventionSteps: 0,
      interventions: 0,
      returnSum: 0,
      isDecided: false,
      costs: { filterShare: 0, tankDrainJ: 0, marginMin: 0 },
    });
    expect(steps.map(({ terminated, truncated }) => [terminated, truncated])).toEqual([
      [false, false],
      [false, false],
      [false, true],
    ]);
  });

  it('is ended, not cut, when the task is done, also in the last step and while the guard stops', async () => {
    for (const state of ['active.policy', 'stopping'] as const) {
      const { link, steps, run } = createRig(3);
      link.onTick = (frame, tick) => {
        if (tick !== 29) return;
        frame.robot.signals[0] = 1;
        frame.state = state;
      };
      expect(await run()).toEqual({
        success: true,
        steps: 3,
        interventionSteps: 0,
        interventions: 0,
        returnSum: 1,
        isDecided: true,
        costs: { filterShare: 0, tankDrainJ: 0, marginMin: 0 },
      });
      expect(steps.at(-1)).toMatchObject({ reward: 1, terminated: true, truncated: false });
    }
  });

  it.each(['stopping', 'stopped', 'fault', 'disconnected', 'ready'] as const)(
    'is cut with the reason, and waits for nothing more, when the guard goes to %s',
    async (state) => {
      const { log, link, steps, run } = createRig(50);
      link.onTick = (frame, tick) => {
        if (tick >= 13) frame.state = state;
      };
      const result = await run();
      expect(result).toMatchObject({ success: false, steps: 2, abortedBy: expect.stringContaining(state) });
      expect(steps.map(({ terminated, truncated }) => [terminated, truncated])).toEqual([
        [false, false],
        [false, true],
      ]);
      expect(log.at(-1)).toBe('hold');
    },
  );

  it.each([
    ['whose command came in time, by somebody', 100, 0, 'the robot was held on request'],
    ['whose command came too late, by its lease', 160, 0, 'older than its lease'],
    ['whose command was still on its way, by the lease of the one before', 100, 0.1, 'older than its lease'],
  ])('says what ended a motion of an operator %s', async (_, thinkMs, leaseAtEndS, why) => {
    const clock = new FakeClock();
    const { link, run } = createRig(50, clock);
    const plan = createOperator('c'.repeat(50));
    let polls = 0;
    const poll: TeleopSource['poll'] = (...args) => {
      if (++polls === 3) {
        clock.advanceMs(thinkMs);
        link.latest.state = 'ready';
        link.latest.leaseS = leaseAtEndS;
      }
      plan.poll(...args);
    };
    const { abortedBy } = await run({ operator: { ...plan, poll } });
    expect(polls).toBe(3);
    expect(abortedBy).toContain(why);
  });

  faultRow(
    42,
    'fake',
    'a policy that cannot move the robot with an empty tank loses its episode, and is told why',
    async (promised) => {
      const { link, steps, run } = createRig(100);
      link.onTick = (frame) => {
        frame.faultFlags = TANK_EMPTY;
      };
      const result = await run();
      expect(result).toMatchObject({ steps: promised('idleS') * 10, isDecided: false, abortedBy: TANK_STAYS_EMPTY });
      expect(steps.at(-1)).toMatchObject({ terminated: false, truncated: true });
    },
  );

  it.each([
    ['still moves', (frame: GuardFrame) => (frame.referenceRad[0] = 0.0002 * frame.tick)],
    ['is well', (frame: GuardFrame) => (frame.faultFlags = 0)],
    ['is empty now and then', (frame: GuardFrame) => (frame.faultFlags = frame.tick % 150 < 10 ? 0 : TANK_EMPTY)],
    ['is with a person', (frame: GuardFrame) => (frame.state = 'active.human')],
  ])('goes on where the tank %s', async (_, change) => {
    const { link, run } = createRig(50);
    link.onTick = (frame) => {
      frame.faultFlags = TANK_EMPTY;
      change(frame);
    };
    const result = await run();
    expect(result.abortedBy).toBeUndefined();
    expect(result.steps).toBe(50);
  });

  it('is cut after the step in which a reason to cut it comes', async () => {
    const { log, steps, run } = createRig(50);
    const result = await run({ cutBy: () => (steps.length === 2 ? 'it was canceled' : undefined) });
    expect(result).toMatchObject({ success: false, steps: 3, isDecided: false, abortedBy: 'it was canceled' });
    expect(steps.at(-1)).toMatchObject({ terminated: false, truncated: true });
    expect(log.at(-1)).toBe('hold');
  });

  it.each([
    ['success', 1],
    ['failure', 0],
  ] as const)('ends with the %s that a person marks', async (mark, reward) => {
    const { steps, run } = createRig(50);
    const result = await run({ mark: () => (steps.length === 2 ? mark : undefined) });
    expect(result).toMatchObject({ success: reward === 1, steps: 3, isDecided: true, returnSum: reward });
    expect(steps.at(-1)).toMatchObject({ reward, terminated: true, truncated: false });
    expect((await run({ maxSteps: 1 })).success).toBe(false);
  });

  it('forgets success when the next episode fails', async () => {
    const { link, run } = createRig(2);
    link.latest.robot.signals[0] = 1;
    expect((await run()).success).toBe(true);
    link.latest.robot.signals[0] = 0;
    expect((await run()).success).toBe(false);
  });

  it('names who decided each step, counts segments and interventions, and asks for leave when it gets control back', async () => {
    const { log, link, steps, run } = createRig(8);
    const result = await run({ operator: createOperator('--rcc--c') });
    const p = 'policy';
    const [r, c] = ['scripted_recover', 'scripted_correct'];
    expect(steps.map((step) => step.source)).toEqual([p, p, r, c, c, p, p, c]);
    expect(steps.map((step) => step.segment)).toEqual([1, 1, 2, 3, 3, 4, 4, 5]);
    expect(result).toMatchObject({ interventionSteps: 4, interventions: 2 });
    expect(link.sent.map((command) => command.decider).join(' ')).toBe(
      'policy policy script script script policy policy script',
    );
    // Once at the start: after a program's intervention no new activation is needed.
    expect(log.filter((entry) => entry === 'activate')).toHaveLength(1);
  });

  it('asks for leave when it gets control back from a person, after the command was sent', async () => {
    const { log, link, run } = createRig(8);
    await run({ operator: { ...createOperator('--rcc--c'), decidedBy: 'human' } });
    expect(link.sent.map((command) => command.decider).join(' ')).toBe(
      'policy policy human human human policy policy human',
    );
    expect(log.filter((entry) => entry === 'activate')).toHaveLength(2);
    const handBack = log.lastIndexOf('activate');
    expect(log.slice(handBack - 1, handBack + 2)).toEqual(['send policy', 'activate', 'advance 10']);
  });

  it('keeps segments apart across episodes', async () => {
    const { steps, run } = createRig(2);
    await run({ operator: createOperator('cc') });
    await run({ operator: createOperator('cc') });
    expect(steps[2]!.segment).toBeGreaterThan(steps[1]!.segment);
  });

  it('records what both wanted and sends what the one in control wanted', async () => {
    const { link, steps, run } = createRig(3);
    await run({ operator: createOperator('-c-') });
    const mean = Array(ACTIONS).fill(expect.closeTo(Math.tanh(0.5), 6));
    const hand = Array(ACTIONS).fill(-0.25);
    expect(steps.map((step) => [...step.policyAction])).toEqual([mean, mean, mean]);
    const nothing = Array(ACTIONS).fill(0);
    expect(steps.map((step) => [...step.humanAction])).toEqual([nothing, hand, nothing]);
    expect(link.sent.map((command) => [...command.action])).toEqual([mean, hand, mean]);
  });

  it('calls all of a demonstration a demonstration, and none of it an intervention', async () => {
    const { steps, runner } = createRig(3);
    const sources: string[] = [];
    const onStep = (t: Transition): void => void sources.push(`${t.source} ${t.policyVersion}`);
    const result = await runner.run({ layout, operator: createOperator('ccr'), purpose: 'demo', onStep });
    expect(sources).toEqual(['demo 0', 'demo 0', 'demo 0']);
    expect(result).toMatchObject({ interventions: 0, interventionSteps: 0 });
    expect(steps).toEqual([]);
  });

  it('explores by its generator only', async () => {
    const actions = async (rng?: Rng): Promise<number[]> => {
      const { steps, run } = createRig(4);
      await run(rng === undefined ? {} : { noise: { rng, purpose: 'explore' } });
      return steps.flatMap((step) => [...step.policyAction]);
    };
    const explored = await actions(new Rng(1));
    expect(await actions(new Rng(1))).toEqual(explored);
    expect(await actions(new Rng(2))).not.toEqual(explored);
    expect(new Set(await actions()).size).toBe(1);
  });

  it('collects what the filters did in all ticks of the step, and no other', async () => {
    const { link, steps, run } = createRig(3);
    link.onTick = (frame, tick) => {
      const bits = { 12: 1, 15: 4, 29: 8 }[tick] ?? 0;
      frame.filterBits = bits;
      if (bits !== 0) frame.changedTicks++;
    };
    const { costs } = await run();
    expect(steps.map((step) => step.filterBits)).toEqual([0, 5, 8]);
    expect(steps.map((step) => step.cost)).toEqual([0, 0.2, 0.1]);
    expect(costs.filterShare).toBeCloseTo(0.1, 12);
  });

  it('takes the least margin and the energy of the ticks of the step, and the level of the tank at its end', async () => {
    const { link, steps, run } = createRig(3);
    link.latest.tankInjectedJ = 5;
    link.onTick = (frame, tick) => {
      frame.marginMin = { 13: 0.25, 24: -0.5 }[tick] ?? 0.75;
      if (tick === 9 || tick === 10 || tick === 15) frame.tankInjectedJ += 0.5;
      frame.tankLevel = tick / 100;
    };
    const { costs } = await run();
    expect(costs).toEqual({ filterShare: 0, tankDrainJ: 1.5, marginMin: -0.5 });
    expect(steps.map((step) => step.marginMin)).toEqual([0.75, 0.25, -0.5]);
    expect(steps.map((step) => step.tankDrainJ)).toEqual([0.5, 1, 0]);
    expect(steps.map((step) => step.tankLevel)).toEqual([0.09, 0.19, 0.29].map(Math.fround));
  });

  it('records a margin that nobody could compute as none at all', async () => {
    const { link, steps, run } = createRig(1);
    link.onTick = (frame) => {
      frame.marginMin = Number.NEGATIVE_INFINITY;
    };
    await run();
    expect(steps[0]!.marginMin).toBe(-1000);
  });

  it('says how old the observation was when it was decided on', async () => {
    const clock = new FakeClock();
    const { link, steps, run } = createRig(1, clock);
    link.latest.robot.measuredAtS = clock.nowS();
    await run({ beforeStep: () => clock.advanceMs(7) });
    expect(steps[0]!.observationAgeMs).toBeCloseTo(7, 6);
  });

  it('starts with what the robot does at rest: nothing executed before', async () => {
    const { steps, run } = createRig(2);
    await run();
    await run();
    for (const first of [steps[0]!, steps[2]!]) {
      expect([...first.observation.subarray(2, 2 + ACTIONS)]).toEqual(Array(ACTIONS).fill(0));
    }
  });
});

describe('an episode on a guard', () => {
  it('the observation after each step is the one that the next step is decided on, whoever decides', async () => {
    const plans = fc.string({ unit: fc.constantFrom('-', '-', 'r', 'c'), minLength: 2, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(plans, fc.integer({ min: 1, max: 4 }), fc.nat(), async (plan, frames, seed) => {
        const { link, clock } = await createMockLink();
        const task = createTask(plan.length, frames);
        const runner = new EpisodeRunner({ task, link, clock, policyHz: 10, leaseS: 0.15 });
        const policy = createPolicy([], observationSize(task.observation));
        const steps: Transition[] = [];
        for (let episode = 0; episode < 2; episode++) {
          const result = await runner.run({
            layout,
            policy,
            noise: { rng: new Rng(seed), purpose: 'explore' },
            operator: createOperator(plan),
            purpose: 'training',
            onStep: (t) => {
              const copy = createTransition(t.observation.length, ACTIONS);
              copyTransition(copy, t);
              steps.push(copy);
            },
          });
          expect(result.abortedBy).toBeUndefined();
          expect(result.steps).toBe(plan.length);
        }
        for (let i = 1; i < steps.length; i++) {
          const [before, after] = [steps[i - 1]!, steps[i]!];
          if (before.truncated) continue;
          expect(after.observation).toEqual(before.nextObservation);
          const size = 2 + ACTIONS;
          expect([...after.observation.subarray(-ACTIONS)]).toEqual([...before.executed]);
          expect(after.observation.at(-size + 1)).toBe(before.observation.at(-size + 1)! + 10);
        }
        await link.close();
      }),
      { numRuns: 25 },
    );
  });

  it('executes what was asked where no filter acts, in the units of actions', async () => {
    const { link, clock } = await createMockLink();
    const task = createTask(6);
    const runner = new EpisodeRunner({ task, link, clock, policyHz: 10, leaseS: 0.15 });
    const executed: number[] = [];
    await runner.run({
      layout,
      operator: createOperator('cccccc'),
      purpose: 'demo',
      onStep: (t) => void executed.push(...t.executed),
    });
    for (const value of executed) expect(value).toBeCloseTo(-0.25, 2);
    await link.close();
  });

  it('brakes within the step in which somebody stops the robot, and says how far it still went', async () => {
    const { link, clock } = await createMockLink();
    const task = createTask(6);
    const runner = new EpisodeRunner({ task, link, clock, policyHz: 10, leaseS: 0.15 });
    const pushed: number[] = [];
    let step = 0;
    let ticksOfStep = 0;
    let movedUntilTick = 0;
    let fullTick = 0;
    let before = 0;
    link.onFrame(({ referenceRad }) => {
      ticksOfStep++;
      if (step === 4 && ticksOfStep === 2) runner.halt();
      const moved = Math.abs(referenceRad[0]! - before);
      if (step === 3) fullTick = moved;
      // It slowly returns the distance that it ran on while braking.
      if (step === 4 && moved > 0.1 * fullTick) movedUntilTick = ticksOfStep;
      before = referenceRad[0]!;
    });
    await runner.run({
      layout,
      policy: createPolicy([], observationSize(task.observation)),
      purpose: 'training',
      beforeStep: () => {
        step++;
        ticksOfStep = 0;
      },
      onStep: ({ executed, source }) => {
        expect(source).toBe('policy');
        pushed.push(executed[0]!);
      },
    });
    // Two ticks of the policy's command, and the brake.
    expect(movedUntilTick).toBeGreaterThan(1);
    expect(movedUntilTick).toBeLessThanOrEqual(4);
    expect(pushed[3]).toBeGreaterThan(0);
    expect(pushed[3]).toBeLessThan(0.8 * pushed[2]!);
    expect(link.latest.violations).toBe(0);
    await link.close();
  });

  it('halts nothing where nothing moves', async () => {
    const { link, clock } = await createMockLink();
    const runner = new EpisodeRunner({ task: createTask(6), link, clock, policyHz: 10, leaseS: 0.15 });
    const send = vi.spyOn(link, 'send');
    runner.halt();
    expect(send).not.toHaveBeenCalled();
    await link.close();
  });

  it('ends the episode when a person asks the guard to stop', async () => {
    const { link, clock } = await createMockLink();
    const task = createTask(20);
    const runner = new EpisodeRunner({ task, link, clock, policyHz: 10, leaseS: 0.15 });
    let steps = 0;
    const result = await runner.run({
      layout,
      operator: createOperator('c'.repeat(20)),
      purpose: 'training',
      beforeStep: async () => {
        if (++steps === 4) await link.request({ kind: 'stop' });
      },
    });
    expect(result).toMatchObject({ steps: 4, success: false, abortedBy: expect.stringMatching(/stopp/) });
    await link.close();
  });
});

/** An episode of one step without a layout, on a guard that already holds the arm. */
async function createRigWithoutLayout(link: FakeLink, log: string[]): Promise<void> {
  const task = createTask(1);
  const runner = new EpisodeRunner({ task, link, clock: new FakeClock(), policyHz: 10, leaseS: 0.15 });
  await runner.run({ policy: createPolicy(log, observationSize(task.observation)), purpose: 'evaluation' });
}
