import { describe, expect, it } from 'vitest';
import { diffBase, ur5eLike } from '../../tests/support/robot-models.ts';
import { ArmKinematics, frameSize, matrixFromQuaternion } from '../model/index.ts';
import type { GuardFrame } from '../rows/index.ts';
import { type ObservationSource, type ObservationTopic, topicSize } from './observation-source.ts';
import { type JudgedTaskConfig, judgedTaskSchema, OperatorJudged } from './operator-judged.ts';
import { hasRules, judgedByClassifier } from './reward/judged-by-classifier.ts';

/** Observation of a task's file; omitted keys take their defaults. */
type JudgedObservation = Partial<JudgedTaskConfig['observation']>;

const everything: JudgedObservation = {
  jointPositions: true,
  jointVelocities: true,
  toolPose: true,
  wrench: true,
  signals: [{ name: 'gripM', scale: 0.05 }],
  topics: [],
};
const scan: ObservationTopic = {
  name: 'scan',
  topic: 'scan',
  type: 'sensor_msgs/msg/LaserScan',
  fields: ['ranges'],
  size: 8,
  scale: 3,
  freshnessMs: 200,
};
const action = { kind: 'joint', dimensions: [{ name: 'elbow', scale: 0.05, unit: 'rad' }] } as const;
const driveAction = {
  kind: 'joint',
  dimensions: [
    { name: 'x', scale: 0.05, unit: 'm' },
    { name: 'yaw', scale: 0.1, unit: 'rad' },
  ],
} as const;

/** A task's file. */
function written(
  keys: Pick<JudgedTaskConfig, 'action' | 'historyFrames'> & { readonly observation: JudgedObservation },
): JudgedTaskConfig {
  return judgedTaskSchema.parse({ name: 'own', kind: 'operatorJudged', robot: 'own', maxSteps: 50, ...keys });
}

function judged(observation: JudgedObservation = everything): OperatorJudged {
  return new OperatorJudged(written({ historyFrames: 2, action, observation }), ur5eLike);
}

function frameAt(jointsRad: readonly number[]): GuardFrame {
  const arm = new ArmKinematics(ur5eLike);
  arm.forward(jointsRad);
  const measuredTcp = new Float64Array(7);
  arm.writeTcp(measuredTcp);
  return {
    measuredTcp,
    robot: {
      positionRad: Float64Array.from(jointsRad),
      velocityRadPerS: new Float64Array(6).fill(Math.PI / 2),
      torqueNm: new Float64Array(6),
      wrench: Float64Array.of(10, 0, -10, 0.5, 0, 0),
      signals: Float64Array.of(0.025),
      measuredAtS: 0,
    },
  } as unknown as GuardFrame;
}

describe('a task that people judge', () => {
  it('sees joints from home, speeds as shares, the tool in its box, forces and signals, and the last action', () => {
    const task = judged();
    const size = frameSize(task.observation);
    expect(task.observation.fields.map(({ name, size: n }) => `${name} ${n}`)).toEqual([
      'joint_position 6',
      'joint_velocity 6',
      'tool_position 3',
      'tool_axes 6',
      'force 3',
      'torque 3',
      'signal_gripM 1',
      'previous_executed 1',
    ]);
    const joints = ur5eLike.homeRad.map((home, i) => (i === 2 ? home + Math.PI / 4 : home));
    const frame = frameAt(joints);
    const out = new Float32Array(size + 2).fill(9);
    task.observe(out, 1, frame, Float32Array.of(-0.5));
    expect([out[0], out[size + 1]]).toEqual([9, 9]);
    expect(out[1 + 2]).toBeCloseTo(0.25, 6);
    expect([...out.subarray(7, 13)]).toEqual(new Array(6).fill(0.5));
    const { minM, maxM } = ur5eLike.workspace;
    expect(out[13]).toBeCloseTo((frame.measuredTcp[0]! - (minM[0] + maxM[0]) / 2) / ((maxM[0] - minM[0]) / 2), 6);
    const rotation = new Float64Array(9);
    matrixFromQuaternion(rotation, frame.measuredTcp, 3);
    const axes = [0, 3, 6, 1, 4, 7].map((k) => rotation[k]!);
    for (const [k, value] of axes.entries()) expect(out[16 + k]).toBeCloseTo(value, 6);
    expect(out[22]).toBeCloseTo(Math.tanh(1), 6);
    expect(out[25]).toBeCloseTo(Math.tanh(1), 6);
    expect(out[28]).toBe(0.5);
    expect(out[29]).toBe(-0.5);
  });

  it('has no word on success where nothing is judged, and takes no marks', () => {
    const config = { ...written({ historyFrames: 2, action, observation: everything }), isJudged: false };
    const task = new OperatorJudged(config, ur5eLike);
    expect([task.goal, task.takesMarks]).toEqual(['people drive, and nothing is judged', false]);
    const byClassifier = judgedByClassifier(task, { file: 'none.onnx', forSteps: 1 });
    expect([hasRules(task), byClassifier.ownVerdict]).toEqual([false, undefined]);
  });

  it('decides nothing by itself', () => {
    const verdict = { reward: 7, terminated: true, success: true };
    judged().judge(frameAt(ur5eLike.homeRad), verdict);
    expect(verdict).toEqual({ reward: 0, terminated: false, success: false });
    expect(judged().takesMarks).toBe(true);
    expect(() => judged().drawLayout()).toThrow('People arrange');
  });

  it('sees of a base only what has a meaning', () => {
    const task = new OperatorJudged(
      written({ historyFrames: 1, action: driveAction, observation: { ...everything, signals: [] } }),
      diffBase,
    );
    expect(task.observation.fields.map(({ name }) => name)).toEqual(['joint_velocity', 'previous_executed']);
  });

  it('refuses to see nothing', () => {
    const nothing = { ...everything, jointPositions: false, jointVelocities: false, toolPose: false, wrench: false };
    expect(() => judged({ ...nothing, signals: [] })).toThrow('nothing that is measured');
  });
});

describe('topics of a task', () => {
  const source: ObservationSource = {
    name: 'scan',
    size: 8,
    fill: (out, offset) => out.fill(0.5, offset, offset + 8),
    ageMs: () => 0,
    problems: () => [],
  };

  it('fill their place of the observation', () => {
    const task = judged({ ...everything, topics: [scan] });
    task.attach([source]);
    const out = new Float32Array(frameSize(task.observation));
    task.observe(out, 0, frameAt(ur5eLike.homeRad), Float32Array.of(1));
    expect([...out.subarray(28)]).toEqual([...new Array(8).fill(0.5), 1]);
  });

  it('must be read by somebody who gives what is asked for', () => {
    const task = judged({ ...everything, topics: [scan] });
    const out = new Float32Array(frameSize(task.observation));
    expect(() => task.observe(out, 0, frameAt(ur5eLike.homeRad), Float32Array.of(1))).toThrow('not the ROS 2 node');
    expect(() => task.attach([])).toThrow('reads scan (8)');
    expect(() => task.attach([{ ...source, size: 9 }])).toThrow('there are scan (9)');
  });

  it('have sizes that follow from what is taken, or a sentence', () => {
    const of = (change: Partial<ObservationTopic>): number | string => topicSize({ ...scan, ...change });
    expect(of({})).toBe(8);
    expect(of({ size: undefined })).toContain('needs "size"');
    expect(of({ type: 'sensor_msgs/msg/Imu', fields: ['angularVelocity', 'orientation'] })).toBe(7);
    expect(of({ type: 'sensor_msgs/msg/Imu', fields: ['force'] })).toContain('has no "force", it has orientation');
    const joints = { type: 'sensor_msgs/msg/JointState', fields: ['position', 'effort'] } as const;
    expect(of({ ...joints, joints: ['a', 'b', 'c'] })).toBe(6);
    expect(of({ ...joints, joints: [] })).toContain('needs "joints"');
    const image = { type: 'sensor_msgs/msg/Image', widthPx: 16, heightPx: 12 } as const;
    expect(of({ ...image, fields: ['gray'] })).toBe(192);
    expect(of({ ...image, fields: ['rgb'] })).toBe(576);
    expect(of({ ...image, widthPx: undefined, fields: ['rgb'] })).toContain('widthPx');
  });
});
