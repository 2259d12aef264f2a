import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mockArm6 } from '../../tests/support/live-run.ts';
import type { ActionSpec } from '../model/index.ts';
import { type OperatorConfig, operatorSchema } from '../teleop/index.ts';
import { leaderOf, openLeader } from './leader.ts';
import { checkDevices, operatorsOf } from './operator-devices.ts';

type LeaderConfig = Extract<OperatorConfig, { readonly kind: 'leader' }>;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-leader-'));
  writeFileSync(join(folder, 'leader.yaml'), mockArm6());
});
afterAll(() => rmSync(folder, { recursive: true }));

const leader = (more: object = {}): LeaderConfig =>
  operatorSchema.parse({ kind: 'leader', robot: join(folder, 'leader.yaml'), ...more }) as LeaderConfig;
const action = (kind: ActionSpec['kind'], ...names: string[]): ActionSpec => ({
  kind,
  dimensions: names.map((name) => ({ name, scale: 0.05, unit: name.length === 1 ? ('m' as const) : ('rad' as const) })),
});

describe('a leader arm by its file', () => {
  it('stands for the joints of its names, or of those that joints gives', () => {
    const { model, poseOf, jointOf } = leaderOf(leader(), action('joint', 'elbow', 'shoulder_pan'));
    const names = model.joints.map(({ name }) => name);
    const at = Float64Array.from(names, (_, i) => i / 10);
    const pose = new Float64Array(2);
    poseOf(pose, at);
    expect(Array.from(pose)).toEqual([names.indexOf('elbow') / 10, names.indexOf('shoulder_pan') / 10]);
    const other = leaderOf(leader({ joints: { j3: 'elbow' } }), action('joint', 'j3'));
    expect([other.jointOf('j3'), jointOf('j3')]).toEqual([names.indexOf('elbow'), -1]);
  });

  it('stands with its tool for cartesian actions, yaw from where it began', () => {
    const { model, poseOf } = leaderOf(leader(), action('cartesian', 'x', 'y', 'z', 'yaw'));
    const at = Float64Array.from(model.homeRad);
    const [first, turned] = [new Float64Array(4), new Float64Array(4)];
    poseOf(first, at);
    // The first joint turns all of the arm about z.
    at[0]! += 0.3;
    poseOf(turned, at);
    expect([first[3], Number(turned[3]!.toFixed(6))]).toEqual([0, 0.3]);
    expect(Math.hypot(turned[0]!, turned[1]!)).toBeCloseTo(Math.hypot(first[0]!, first[1]!), 9);
    expect(turned[2]).toBeCloseTo(first[2]!, 9);
  });

  it('moves the robot by a share of its own motion, its turns beyond half a turn, too', () => {
    const { model, poseOf } = leaderOf(leader({ scale: 0.5 }), action('cartesian', 'x', 'y', 'z', 'yaw'));
    const joints = leaderOf(leader({ scale: 2 }), action('joint', 'elbow'));
    const at = Float64Array.from(model.homeRad);
    const [first, turned, elbow] = [new Float64Array(4), new Float64Array(4), new Float64Array(1)];
    poseOf(first, at);
    for (let step = 0; step < 4; step++) {
      at[0]! += 1;
      poseOf(turned, at);
    }
    expect(turned[3]! - first[3]!).toBeCloseTo(2, 9);
    const whole = new Float64Array(4);
    leaderOf(leader(), action('cartesian', 'x', 'y', 'z', 'yaw')).poseOf(whole, at);
    expect(Array.from(turned.subarray(0, 3))).toEqual(Array.from(whole.subarray(0, 3), (each) => each / 2));
    joints.poseOf(elbow, at);
    expect(elbow[0]).toBe(2 * at[model.joints.findIndex(({ name }) => name === 'elbow')]!);
  });

  it('follows a joint that does not carry the tool whole, so that a gripper closes', () => {
    const path = join(folder, 'gripper.yaml');
    writeFileSync(path, mockArm6().replace(/^tool:\n/m, 'tool:\n  link: wrist_2\n'));
    const config = leader({ robot: path, scale: 0.5 });
    const { model, poseOf } = leaderOf(config, action('joint', 'wrist_2', 'wrist_3'));
    const at = Float64Array.from(model.joints, () => 0.4);
    const pose = new Float64Array(2);
    poseOf(pose, at);
    expect(Array.from(pose)).toEqual([0.2, 0.4]);
    const beside = leaderOf(config, action('cartesian', 'x', 'wrist_3'));
    beside.poseOf(pose, at);
    expect(pose[1]).toBe(0.4);
  });

  it.each([
    [{ scale: 0.5, rampPerS: 0.1 }, action('joint', 'elbow'), 'scale away from it'],
    [{ clutch: { joint: 'thumb', closedAboveRad: 0.5 } }, action('joint', 'elbow'), 'its clutch is thumb'],
    [{}, action('joint', 'knee'), 'no joint is mapped to knee'],
    [{ rampPerS: 0.1 }, action('cartesian', 'x', 'y', 'z'), 'rampPerS is for joint actions'],
  ])('is refused in a sentence where it does not fit: %o', (more, spec, message) => {
    expect(() => leaderOf(leader(more), spec)).toThrow(message);
  });

  it('is read through its driver, and goes along by its motors within its own range', async () => {
    const config = leader({ alongside: { torqueRatio: 0.1, speedRatio: 0.25 } });
    const { model } = leaderOf(config, action('joint', 'elbow'));
    const arm = await openLeader(config, model);
    expect(arm.read()).toBe('ok');
    const { motors, positionRad } = arm;
    expect(motors!.velocityMaxRadPerS[0]).toBe(0.25 * model.joints[0]!.velocityMaxRadPerS);
    motors!.hold();
    const elbow = model.joints.findIndex(({ name }) => name === 'elbow');
    const wanted = Float64Array.from(positionRad);
    const start = positionRad[elbow]!;
    // Beyond its joint's range: it goes to the end of the range, and is not refused.
    wanted[elbow] = start + 0.02;
    wanted[0] = 100;
    for (let look = 0; look < 200; look++) {
      motors!.move(wanted);
      arm.read();
    }
    expect(positionRad[elbow]).toBeGreaterThan(start + 0.005);
    motors!.release();
    arm.close();
    const passive = await openLeader(leader(), model);
    expect([passive.read(), passive.motors]).toEqual(['ok', undefined]);
    passive.close();
  });
});

describe('the devices of a run', () => {
  it('are those of the file and the one that is asked for, one of each kind', () => {
    const listed = [leader()];
    expect(operatorsOf('keyboard', listed).map(({ kind }) => kind)).toEqual(['keyboard', 'leader']);
    expect(operatorsOf('none', listed)).toEqual(listed);
    expect(() => operatorsOf('none', [...listed, ...listed])).toThrow('There is more than one leader in operators.');
  });

  it('need something that closes the clutch of a leader', () => {
    const task = { action: action('joint', 'elbow') } as Parameters<typeof checkDevices>[1];
    expect(() => checkDevices([leader()], task)).toThrow('The leader arm has no clutch');
    expect(() => checkDevices([leader({ clutch: { joint: 'elbow', closedAboveRad: 1 } })], task)).not.toThrow();
  });
});
