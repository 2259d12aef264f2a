/** The robots that people have on their desks: their files are about their models, their weight is real, and a task moves them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadRobotFile } from '../../src/config/index.ts';
import { MujocoDriver } from '../../src/drivers/mujoco/mujoco-driver.ts';
import { ArmKinematics } from '../../src/model/index.ts';
import { RobotPlant } from '../../src/plant/mujoco.ts';
import { createRobotState } from '../../src/rows/index.ts';
import { openRobot } from '../../src/sim/index.ts';

const ARMS = ['so101', 'koch', 'viperx'] as const;
/** Where a tracking error begins, m. */
const AWAY_M = 0.03;

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'rein-hobby-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function robotOf(name: string) {
  const { driver, ...model } = loadRobotFile(name).robot;
  return { model, file: (driver as { readonly model?: string }).model ?? '' };
}

describe.each(ARMS)('%s', (name) => {
  it('hangs on its servos: home sags, by less than a tracking error, and no servo is near its limit', async () => {
    const { model, file } = robotOf(name);
    const plant = await RobotPlant.open({ file, model });
    try {
      for (let tick = 0; tick < 2 * model.controlHz; tick++) plant.step(model.homeRad, 1 / model.controlHz);
      const asked = new ArmKinematics(model);
      const measured = new ArmKinematics(model);
      asked.forward(model.homeRad);
      measured.forward(plant.positionRad);
      const sunkM = asked.tcpPositionM[2]! - measured.tcpPositionM[2]!;
      expect(sunkM).toBeGreaterThan(0.001);
      expect(sunkM).toBeLessThan(AWAY_M / 3);
      for (const [i, { torqueMaxNm }] of model.joints.entries()) {
        expect(Math.abs(plant.torqueNm[i]!)).toBeLessThan(torqueMaxNm / 3);
      }
    } finally {
      plant.close();
    }
  });

  it('stays where it was let go of until it is enabled, as if somebody held it', async () => {
    const { model, file } = robotOf(name);
    const driver = new MujocoDriver(model, { file, velocityFeedForward: false, signalNames: [] });
    await driver.open();
    try {
      const state = createRobotState(model.joints.length, 0);
      for (let tick = 0; tick < 5 * model.controlHz; tick++) expect(driver.read(state)).toBe('ok');
      for (const [i, home] of model.homeRad.entries())
        expect(Math.abs(state.positionRad[i]! - home)).toBeLessThan(0.05);
    } finally {
      await driver.close();
    }
  });

  it('has a gripper as its last joint, beside the tool, with a force limit of its own', () => {
    const { model } = robotOf(name);
    const gripper = model.joints.at(-1)!;
    expect(gripper.name).toBe('gripper');
    expect(model.tool.link).not.toBe('gripper');
    expect(new ArmKinematics(model).topology.carriesTool(model.joints.length - 1)).toBe(false);
    expect(model).toMatchObject({ gravityCompensated: false, holdsWithoutTorque: false });
    expect(model.contact).toBeUndefined();
  });
});

describe('five joints and a gripper', () => {
  const task = (kind: string, dimensions: readonly string[]): string => `name: desk
kind: described
robot: so101
maxSteps: 40
historyFrames: 1
action:
  kind: ${kind}
  dimensions:
${dimensions.map((each) => `    - { ${each} }`).join('\n')}
goal: { atM: [0.26, 0.05, 0.12] }
observation: { jointPositions: false, jointVelocities: false, toolPose: false, wrench: false, places: [{ place: goal }] }
success: { all: [{ rule: near, place: tool, withinM: 0.012 }] }
`;

  it('bring the tool to a place by cartesian actions, and close the gripper on the way', async () => {
    const axes = ['x', 'y', 'z'].map((axis) => `name: ${axis}, scale: 0.008, unit: m`);
    writeFileSync(
      join(dir, 'tool.yaml'),
      task('cartesian', [...axes, 'name: yaw, scale: 0.08, unit: rad', 'name: gripper, scale: 0.08, unit: rad']),
    );
    const robot = await openRobot({ task: join(dir, 'tool.yaml'), seed: 1 });
    try {
      const before = robot.frame.robot.positionRad[5]!;
      // Seen in tens of centimetres; a step is 8 mm.
      const { success } = await robot.episode((seen) =>
        [...seen.slice(0, 3)].map((way) => clip((way * 0.1) / 0.008)).concat(0, -1),
      );
      expect(success).toBe(true);
      expect(robot.frame.robot.positionRad[5]! - before).toBeLessThan(-0.1);
    } finally {
      await robot.close();
    }
  }, 60_000);

  it('go where joint actions ask them to', async () => {
    const joints = ['shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll', 'gripper'];
    writeFileSync(
      join(dir, 'joints.yaml'),
      task(
        'joint',
        joints.map((joint) => `name: ${joint}, scale: 0.06, unit: rad`),
      ),
    );
    const robot = await openRobot({ task: join(dir, 'joints.yaml'), seed: 1 });
    try {
      const before = Float64Array.from(robot.frame.referenceRad);
      let left = 6;
      await robot.episode(() => (left-- > 0 ? [1, -1, 1, -1, 1, 1] : [0, 0, 0, 0, 0, 0]));
      for (const [i, way] of [0.36, -0.36, 0.36, -0.36, 0.36, 0.36].entries()) {
        // A set-point stays within its leash of the measured place, and what it fell short of is not made up for.
        const share = (robot.frame.referenceRad[i]! - before[i]!) / way;
        expect(share).toBeGreaterThan(0.8);
        expect(share).toBeLessThan(1.02);
        // The servos are springs of 18 N·m/rad at most: the arm's own weight moves a joint from its goal by up to 0.1 rad.
        expect(Math.abs(robot.frame.robot.positionRad[i]! - robot.frame.referenceRad[i]!)).toBeLessThan(0.1);
      }
    } finally {
      await robot.close();
    }
  }, 60_000);
});

function clip(value: number): number {
  return Math.max(-1, Math.min(1, value));
}
