import { describe, expect, it } from 'vitest';
import { ur5eLike } from '../../../tests/support/robot-models.ts';
import { ArmKinematics, frameSize, Rng } from '../../model/index.ts';
import { emptyFrame, type GuardFrame } from '../../rows/index.ts';
import type { Verdict } from '../task.ts';
import { DescribedTask } from './described-task.ts';
import { type DescribedTaskConfig, describedTaskSchema } from './schema.ts';

const home = new ArmKinematics(ur5eLike);
home.forward(ur5eLike.homeRad);
const [hx, hy, hz] = [...home.tcpPositionM] as [number, number, number];

/** Task file as written by a user: move a block to a goal beside the tool's start. */
const file = {
  name: 'own',
  kind: 'described',
  robot: 'own',
  historyFrames: 2,
  action: { kind: 'cartesian', dimensions: [{ name: 'x', scale: 0.01, unit: 'm' }] },
  scene: {
    file: '/scene.xml',
    bodies: [{ name: 'block', atM: [0.5, 0, 0.03], spreadM: [0.05, 0.1, 0], yawRad: 0.3, yawSpreadRad: 0.2 }],
  },
  goal: { atM: [0.6, 0.1, 0], spreadM: [0.02, 0, 0], marker: 'mark' },
  start: { toolM: [hx, hy, hz], spreadM: [0.03, 0.02, 0.01] },
  observation: {
    jointPositions: false,
    jointVelocities: false,
    toolPose: false,
    places: [
      { place: 'block', scaleM: 0.5, seesYaw: true },
      { place: 'goal', from: 'block' },
      { place: 'tool', from: 'base', scaleM: 1 },
    ],
  },
  success: { all: [{ rule: 'near', place: 'block', withinM: 0.02, axes: ['x', 'y'] }], forSteps: 2 },
};

/** The task with other keys. */
function taskOf(keys: object = {}): DescribedTask {
  return new DescribedTask(describedTaskSchema.parse({ ...file, ...keys }) as DescribedTaskConfig, ur5eLike);
}

/** With the block at x, y, the goal at 0.6, 0.1, and the tool at home. */
function frameOf(task: DescribedTask, x: number, y: number): GuardFrame {
  const frame = emptyFrame(6, task.signalNames.length, 1, 0);
  const values: Record<string, number> = {
    goalXM: 0.6,
    goalYM: 0.1,
    goalZM: 0,
    blockXM: x,
    blockYM: y,
    blockZM: 0.03,
    blockYawRad: 0.5,
  };
  for (const [i, name] of task.signalNames.entries()) frame.robot.signals[i] = values[name]!;
  frame.measuredTcp.set([hx, hy, hz]);
  return frame;
}

/** Verdicts of steps that end with the block at these places. */
function verdicts(task: DescribedTask, ...places: readonly (readonly [number, number])[]): Verdict[] {
  return places.map(([x, y]) => {
    const out = { reward: 0, terminated: false, success: false };
    task.judge(frameOf(task, x, y), out);
    return out;
  });
}

const THERE = [0.61, 0.11] as const;
const AWAY = [0.5, 0] as const;

describe('a task that its file describes', () => {
  it('asks its driver for what is drawn and for what is measured, each once', () => {
    const measured = ['blockXM', 'blockYM', 'blockZM', 'blockYawRad'];
    expect(taskOf().signalNames).toEqual(['goalXM', 'goalYM', 'goalZM', ...measured]);
    expect(taskOf({ goal: { atM: [0.6, 0.1, 0] } }).signalNames).toEqual(measured);
  });

  it('draws start, things and goal within their spreads, the same from the same generator', () => {
    const task = taskOf();
    const rng = new Rng(5);
    const drawn = Array.from({ length: 50 }, () => task.drawLayout(rng));
    expect(task.drawLayout(new Rng(5))).toEqual(drawn[0]);
    const arm = new ArmKinematics(ur5eLike);
    for (const { jointsRad, objects, signals } of drawn) {
      const [x, y, z, yaw] = objects['block']!;
      expect(Math.abs(x - 0.5)).toBeLessThanOrEqual(0.05);
      expect(Math.abs(y)).toBeLessThanOrEqual(0.1);
      expect(z).toBe(0.03);
      expect(Math.abs(yaw - 0.3)).toBeLessThanOrEqual(0.2);
      expect([signals['blockXM'], signals['blockYawRad']]).toEqual([x, yaw]);
      expect(objects['mark']).toEqual([signals['goalXM'], 0.1, 0, 0]);
      arm.forward(jointsRad);
      expect(Math.abs(arm.tcpPositionM[0]! - hx)).toBeLessThanOrEqual(0.0301);
      expect(Math.abs(arm.tcpPositionM[2]! - hz)).toBeLessThanOrEqual(0.0101);
    }
    const spread = drawn.map(({ objects }) => objects['block']![1]);
    expect(Math.max(...spread) - Math.min(...spread)).toBeGreaterThan(0.15);
  });

  it('never draws what is a success already, and says so where nothing else can be drawn', () => {
    const near = { rule: 'near', place: 'block', withinM: 0.15, axes: ['x', 'y'] };
    const task = taskOf({ success: { all: [near] } });
    const rng = new Rng(1);
    for (let i = 0; i < 50; i++) {
      const { signals } = task.drawLayout(rng);
      const wayM = Math.hypot(signals['goalXM']! - signals['blockXM']!, signals['goalYM']! - signals['blockYM']!);
      expect(wayM).toBeGreaterThan(0.15);
    }
    const always = taskOf({ success: { all: [{ ...near, withinM: 1 }] } });
    expect(() => always.drawLayout(rng)).toThrow(
      'Task own is a success from the start: 200 layouts drawn, and all are.',
    );
  });

  it('never draws what is lost already, and knows nothing of what it does not draw', () => {
    const beyond = { rule: 'outside', place: 'block', minM: [0, -0.03, 0], maxM: [1, 1, 1] };
    const task = taskOf({ failure: { any: [beyond] } });
    const rng = new Rng(1);
    for (let i = 0; i < 50; i++) expect(task.drawLayout(rng).signals['blockYM']).toBeGreaterThan(-0.03);
    const lost = taskOf({ failure: { any: [{ ...beyond, minM: [0.7, -1, 0] }] } });
    expect(() => lost.drawLayout(rng)).toThrow('Task own is a failure from the start');
    const stands = taskOf({ scene: { file: '/scene.xml' }, success: { all: [{ ...beyond, place: 'drawer' }] } });
    expect(stands.drawLayout(rng).jointsRad).toHaveLength(6);
  });

  it('says what an episode would be from its start, however long the rules have to hold', () => {
    const outside = { rule: 'outside', place: 'block', minM: [0, -1, 0], maxM: [0.605, 1, 1] };
    const task = taskOf({ failure: { any: [outside] } });
    const starts = [AWAY, [0.6, 0.1], THERE] as const;
    expect(starts.map(([x, y]) => task.startsAs(frameOf(task, x, y)))).toEqual([undefined, 'success', 'failure']);
  });

  it('observes ways between places, scaled, along the axes of the base frame', () => {
    const task = taskOf();
    const out = new Float32Array(frameSize(task.observation) + 1);
    task.observe(out, 1, frameOf(task, 0.5, 0.02), Float32Array.of(-0.7));
    const expected = [
      ...[(0.5 - hx) / 0.5, (0.02 - hy) / 0.5, (0.03 - hz) / 0.5],
      ...[Math.cos(0.5), Math.sin(0.5)],
      ...[1, 0.8, -0.3],
      ...[hx, hy, hz],
      -0.7,
    ];
    expect([...out.subarray(1)]).toEqual(expected.map((value) => expect.closeTo(value, 5)));
    expect(task.observation.fields.map(({ name }) => name)).toEqual([
      'block_from_tool',
      'block_turn',
      'goal_from_block',
      'tool_from_base',
      'previous_executed',
    ]);
  });

  it('is done once its rules have held for as many steps in a row, counted anew in each episode', () => {
    const task = taskOf();
    expect(verdicts(task, THERE, AWAY, THERE, THERE).map(({ success }) => success)).toEqual([
      false,
      false,
      false,
      true,
    ]);
    const [, , , last] = verdicts(task, THERE, AWAY, THERE, THERE);
    expect(last).toEqual({ reward: 1, terminated: true, success: true });
    verdicts(task, AWAY, THERE);
    task.begin(frameOf(task, ...AWAY));
    expect(verdicts(task, THERE)[0]!.success).toBe(false);
  });

  it('is lost where a rule of failure holds, whatever else does, and what that costs is deducted', () => {
    const outside = { rule: 'outside', place: 'block', minM: [0, -1, 0], maxM: [0.605, 1, 1] };
    const task = taskOf({ failure: { any: [outside], penalty: 0.5 }, success: { ...file.success, forSteps: 1 } });
    expect(verdicts(task, AWAY, [0.7, 0], THERE, [0.6, 0.1])).toEqual([
      { reward: 0, terminated: false, success: false },
      { reward: -0.5, terminated: true, success: false },
      { reward: -0.5, terminated: true, success: false },
      { reward: 1, terminated: true, success: true },
    ]);
  });

  it('pays for the way only where it is asked to, from where the episode began', () => {
    const task = taskOf({ reward: { progress: { place: 'block', to: 'base', perM: 10 } } });
    task.begin(frameOf(task, 0.5, 0));
    const rewards = verdicts(task, [0.45, 0], [0.5, 0], [0.5, 0]).map(({ reward }) => reward);
    expect(rewards).toEqual([0.5, -0.5, 0].map((value) => expect.closeTo(value, 2)));
  });

  it.each([
    [
      'a joint',
      { rule: 'joint', joint: 'elbow', atRad: 1, withinRad: 0.1 },
      (f: GuardFrame) => f.robot.positionRad.fill(0.95),
    ],
    ['a force', { rule: 'force', aboveN: 5, axes: ['z'] }, (f: GuardFrame) => f.robot.wrench.set([9, 0, -5.1])],
    [
      'the tool in a box',
      { rule: 'inside', place: 'tool', minM: [0, 0, 0], maxM: [1, 1, 0.1] },
      (f: GuardFrame) => f.measuredTcp.set([0.1, 0.1, 0.05]),
    ],
    [
      'any of two',
      { rule: 'near', place: 'tool', to: 'base', withinM: 0.2 },
      (f: GuardFrame) => f.measuredTcp.set([0.1, 0.1, 0.1]),
    ],
  ])('knows %s', (_name, rule, change) => {
    const never = { rule: 'near', place: 'tool', withinM: 1e-6 };
    const task = taskOf({ success: { any: [never, rule] } });
    const frame = frameOf(task, ...AWAY);
    const out = { reward: 0, terminated: false, success: false };
    task.judge(frame, out);
    expect(out.success).toBe(false);
    change(frame);
    task.judge(frame, out);
    expect(out.success).toBe(true);
  });

  it('leaves to people what its file leaves to them', () => {
    const task = taskOf({ success: { byMarks: true }, reset: { by: 'people' } });
    expect([task.takesMarks, task.isArrangedByPeople]).toEqual([true, true]);
    expect(verdicts(task, THERE)[0]!.terminated).toBe(false);
    expect(() => task.drawLayout(new Rng(1))).toThrow('People arrange the scene of task own');
    expect(task.goal).toMatch(/^a person judges it/);
  });

  it('says its goal in words, and the way to it where the tool is to go there', () => {
    expect(taskOf().goal).toBe(
      'success is the block within 20 mm of the goal, which is drawn anew in each episode, for 2 steps',
    );
    expect(taskOf().offset).toBeUndefined();
    const task = taskOf({ success: { all: [{ rule: 'near', place: 'tool', withinM: 0.02 }] } });
    const out = new Float64Array(3);
    task.offset!(frameOf(task, ...AWAY), out);
    expect([...out]).toEqual([0.6 - hx, 0.1 - hy, -hz]);
  });
});
