import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { arm6Setup } from '../../tests/support/arm6.ts';
import { Rng } from '../model/index.ts';
import type { Policy } from '../policy/index.ts';
import type { GuardFrame } from '../rows/index.ts';
import { ReferencePose } from '../session/executed-action.ts';
import { OperatorArbiter, Rewind, type TeleopSource } from '../teleop/index.ts';
import { createSimulatedRobot, type SimulatedRobot } from './simulated-robot.ts';

const setup = arm6Setup();
const STEPS = 24;

/** Wanders: another direction every few steps, at up to the full action. */
function wandering(): Policy {
  let step = 0;
  return {
    observationSize: setup.observationSize,
    actionSize: setup.actionSize,
    version: 1,
    decide: async (_observation, _noise, out) => {
      const phase = step++ / 4;
      out.fill(0);
      out[0] = Math.sin(phase);
      out[1] = Math.cos(0.7 * phase);
      out[2] = 0.6 * Math.sin(1.7 * phase) + 0.3;
    },
    close: async () => undefined,
  };
}

describe('a rewind, in lock-step over the simulated arm', () => {
  let robot: SimulatedRobot;
  beforeAll(async () => {
    robot = await createSimulatedRobot(setup);
  });
  afterAll(() => robot.close());

  interface Course {
    readonly steps?: number;
    /** Called with each step from 0; may act as an operator. */
    readonly onStep?: (step: number, rewind: Rewind) => void;
    readonly forceN?: (step: number) => number;
    readonly isStopped?: () => boolean;
    readonly others?: readonly TeleopSource[];
  }

  /** Runs the policy for 24 steps, then a rewind. Returns the reference at each step, its pace in each tick, and who decided. */
  async function drive({ steps = 80, onStep, forceN, isStopped, others = [] }: Course) {
    const pose = new ReferencePose(setup.task.action);
    const ended: string[] = [];
    let step = 0;
    const rewind = new Rewind({
      action: setup.task.action,
      steps: STEPS,
      pace: 0.5,
      contactForceN: 5,
      reference: () => pose.of(robot.link.latest),
      forceN: () => forceN?.(step) ?? 0,
      isStopped: () => isStopped?.() === true,
      onEnd: (why) => ended.push(why),
    });
    const operator = new OperatorArbiter([...others, rewind], setup.actionSize);
    const way: { readonly tcp: readonly number[]; readonly source: string; readonly decider: string }[] = [];
    const paces: { readonly step: number; readonly mPerS: number; readonly decider: string }[] = [];
    const before = new Float64Array(3);
    const off = robot.link.onFrame(({ referenceTcp, decider }: GuardFrame) => {
      const moved = Math.hypot(...[0, 1, 2].map((i) => referenceTcp[i]! - before[i]!));
      before.set(referenceTcp.subarray(0, 3));
      paces.push({ step, mPerS: moved * robot.link.shape.controlHz, decider });
    });
    await robot.runner.run({
      layout: setup.task.drawLayout(new Rng(3)),
      policy: wandering(),
      operator,
      purpose: 'training',
      maxSteps: steps,
      onStep: ({ source }) => {
        const { referenceTcp, decider } = robot.link.latest;
        way.push({ tcp: [...referenceTcp.slice(0, 3)], source, decider });
        rewind.note();
        step++;
        if (step === STEPS) expect(rewind.begin()).toBeUndefined();
        onStep?.(step, rewind);
      },
    });
    off();
    await robot.goOn();
    return { way, ended, paces, rewind };
  }

  it('brings the tool back along its path at no more than half its pace, and breaks no limit', async () => {
    const { way, ended, paces } = await drive({});
    expect(ended).toEqual([expect.stringContaining('the recorded path ends here')]);
    const [there, back] = [way.slice(0, STEPS), way.slice(STEPS)];
    expect(new Set(there.map(({ source }) => source))).toEqual(new Set(['policy']));
    expect(new Set(back.map(({ source, decider }) => `${source} ${decider}`))).toEqual(
      new Set(['scripted_recover script']),
    );
    // Each pose on the way back is within 2 mm of the broken line through those of the way there.
    const off = back.map(({ tcp }) =>
      distanceToWay(
        tcp,
        there.map((each) => each.tcp),
      ),
    );
    expect(Math.max(...off)).toBeLessThan(2e-3);
    expect(distance(back.at(-1)!.tcp, there[0]!.tcp)).toBeLessThan(2e-3);
    const fastest = (isBack: boolean): number =>
      Math.max(...paces.filter(({ step }) => (isBack ? step > STEPS : step > 0 && step < STEPS)).map((p) => p.mPerS));
    expect(fastest(true)).toBeGreaterThan(0);
    expect(fastest(true)).toBeLessThanOrEqual(0.5 * fastest(false) + 1e-3);
    expect(robot.link.latest.violations).toBe(0);
  });

  it('ends within a step of a contact, and holds', async () => {
    const { way, ended, rewind } = await drive({ forceN: (step) => (step >= STEPS + 10 ? 25 : 3) });
    expect(ended).toEqual([expect.stringContaining('touched something')]);
    expect(rewind.isInControl).toBe(true);
    const after = way.slice(STEPS + 12);
    expect(Math.max(...after.map(({ tcp }) => distance(tcp, after[0]!.tcp)))).toBeLessThan(1e-4);
  });

  it('ends where anybody takes over or stops, and a person has the robot from that step on', async () => {
    let isTaking = false;
    const person: TeleopSource = {
      name: 'hand',
      decidedBy: 'human',
      poll: (_observation, _nowS, out) => {
        out.active = isTaking;
        out.phase = 'correct';
        out.action.fill(0);
      },
      reset: () => undefined,
      close: () => undefined,
    };
    const taken = await drive({
      others: [person],
      onStep: (step) => {
        isTaking = step >= STEPS + 5;
      },
    });
    expect(taken.ended).toEqual([expect.stringContaining('hand took over')]);
    expect(taken.way.slice(STEPS + 6).every(({ source }) => source === 'human_correct')).toBe(true);
    let step = 0;
    const stopped = await drive({
      onStep: (now) => {
        step = now;
      },
      isStopped: () => step >= STEPS + 5,
    });
    expect(stopped.ended).toEqual([expect.stringContaining('was stopped')]);
  });

  it('goes on after it where it was given back, and knows no way over a jump', async () => {
    const { way, rewind } = await drive({
      steps: STEPS + 40,
      onStep: (step, each) => step === STEPS + 20 && each.giveBack(),
    });
    expect(way.at(-1)!.source).toBe('policy');
    expect(rewind.length).toBeLessThanOrEqual(STEPS);
    await robot.goOn();
    await robot.link.request({ kind: 'resetScene', layout: setup.task.drawLayout(new Rng(9)) });
    await robot.link.advance(1);
    expect(rewind.begin()).toContain('moved outside of the recorded path');
    expect(rewind.begin()).toContain('Nothing to rewind');
  });
});

function distance(a: readonly number[], b: readonly number[]): number {
  return Math.hypot(...a.map((value, i) => value - b[i]!));
}

/** Distance from `point` to the polyline `way`, m. */
function distanceToWay(point: readonly number[], way: readonly (readonly number[])[]): number {
  const pieces = way.slice(1).map((end, i) => {
    const start = way[i]!;
    const along = end.map((value, k) => value - start[k]!);
    const square = along.reduce((sum, value) => sum + value * value, 0);
    const dot = along.reduce((sum, value, k) => sum + value * (point[k]! - start[k]!), 0);
    const share = square === 0 ? 0 : Math.max(0, Math.min(1, dot / square));
    return distance(
      point,
      start.map((value, k) => value + share * along[k]!),
    );
  });
  return Math.min(...pieces);
}

it('ends where it gets no further, as before a limit that holds its reference back', () => {
  const at = new Float64Array(setup.actionSize);
  const ended: string[] = [];
  const rewind = new Rewind({
    action: setup.task.action,
    steps: STEPS,
    pace: 0.5,
    contactForceN: 5,
    reference: () => at,
    forceN: () => 0,
    isStopped: () => false,
    onEnd: (why) => ended.push(why),
  });
  const { scale } = setup.task.action.dimensions[0]!;
  for (let step = 0; step < 5; step++) {
    at[0] = step * scale;
    rewind.note();
  }
  expect(rewind.begin()).toBeUndefined();
  const out = { active: false, action: new Float32Array(setup.actionSize), phase: 'correct' as const };
  for (let poll = 0; poll < 60 && rewind.isRewinding; poll++) rewind.poll(new Float32Array(0), 0, out);
  expect(ended).toEqual([expect.stringContaining('the robot makes no progress')]);
  rewind.poll(new Float32Array(0), 0, out);
  // It holds until the operator gives back.
  expect([out.active, ...out.action]).toEqual([true, ...out.action.map(() => 0)]);
});
