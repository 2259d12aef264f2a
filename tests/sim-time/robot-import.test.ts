/** `rein robot import` as people start it: from a model and its limits to a robot that is checked and driven; and what it refuses. */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkTeleop } from '../../src/cli/bodies/teleop-task.ts';
import { loadRobotFile } from '../../src/config/index.ts';
import { driverKind } from '../../src/drivers/index.ts';
import { loadCheckSubject } from '../../src/robot-import/index.ts';
import { openRobot } from '../../src/sim/index.ts';
import { Emulated } from '../support/emulated.ts';
import { IS_LONG } from '../support/long.ts';
import { reinHere } from '../support/rein-here.ts';

const root = mkdtempSync(join(tmpdir(), 'rein-import-'));
let dir: string;
let folders = 0;

beforeEach(() => {
  dir = join(root, String(folders++));
  mkdirSync(dir);
  writeFileSync(join(dir, 'arm.urdf'), URDF);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const inertial = (mass: number, at: string): string =>
  `<inertial><origin xyz="${at}"/><mass value="${mass}"/><inertia ixx="0.002" iyy="0.002" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial>`;
const box = (size: string, at: string): string =>
  `<collision><origin xyz="${at}"/><geometry><box size="${size}"/></geometry></collision>`;
const joint = (name: string, parent: string, child: string, at: string, axis: string, limit: string): string =>
  `<joint name="${name}" type="revolute"><parent link="${parent}"/><child link="${child}"/><origin xyz="${at}"/><axis xyz="${axis}"/><limit ${limit}/></joint>`;

const URDF = `<robot name="desk arm">
<link name="base">${box('0.1 0.1 0.08', '0 0 0.04')}</link>
<link name="turret">${inertial(1, '0 0 0')}${box('0.08 0.08 0.08', '0 0 0')}</link>
<link name="upper">${inertial(0.8, '0 0 0.15')}${box('0.05 0.05 0.3', '0 0 0.15')}</link>
<link name="fore">${inertial(0.5, '0.12 0 0')}${box('0.24 0.04 0.04', '0.12 0 0')}</link>
<link name="hand">${inertial(0.2, '0.04 0 0')}${box('0.08 0.06 0.03', '0.04 0 0')}</link>
<link name="tool0"/>
${joint('turn', 'base', 'turret', '0 0 0.12', '0 0 1', 'lower="-2.5" upper="2.5" effort="40" velocity="2"')}
${joint('shoulder', 'turret', 'upper', '0 0 0.06', '0 1 0', 'lower="-1.5" upper="1.5" effort="40" velocity="2"')}
${joint('elbow', 'upper', 'fore', '0 0 0.3', '0 1 0', 'lower="-1.2" upper="2.2" effort="20" velocity="2"')}
${joint('wrist', 'fore', 'hand', '0.24 0 0', '0 1 0', 'lower="-1.8" upper="1.8" effort="10" velocity="3"')}
<joint name="flange" type="fixed"><parent link="hand"/><child link="tool0"/><origin xyz="0.1 0 0" rpy="0 1.5707963268 0"/></joint>
</robot>
`;
const ROS_LIMITS = `joint_limits:
  turn: { has_acceleration_limits: true, max_acceleration: 8 }
  shoulder: { has_acceleration_limits: true, max_acceleration: 6, has_velocity_limits: true, max_velocity: 1.5 }
`;

const run = (...args: readonly string[]) => reinHere(['robot', 'import', ...args], dir);
const textOf = (name: string): string => readFileSync(join(dir, name), 'utf8');

describe('rein robot import', () => {
  it('writes what the next command and a first task take as it is, also of slow joints and with a gripper', async () => {
    const jaw = `<link name="jaw">${inertial(0.1, '0.02 0 0')}${box('0.04 0.02 0.02', '0.02 0 0')}</link>${joint('gripper', 'hand', 'jaw', '0.08 0 0', '0 0 1', 'lower="-0.2" upper="1.5" effort="5" velocity="0.4"')}`;
    const slow = URDF.replaceAll(/velocity="[23]"/g, 'velocity="0.3"').replace('</robot>', `${jaw}</robot>`);
    writeFileSync(join(dir, 'slow.urdf'), slow);
    const { code, stdout } = await run('slow.urdf', '--out', 'slow.yaml');
    expect(code).toBe(0);
    expect(stdout).toContain('rein teleop --robot slow.yaml     drive it, simulated');
    const { robot } = loadRobotFile(join(dir, 'slow.yaml'));
    expect(robot.tool.link).toBe('wrist');
    expect(robot.leashM).toBeLessThanOrEqual(0.02);
    await checkTeleop(join(dir, 'slow.yaml'));
  });

  it.runIf(IS_LONG)(
    'writes a first task beside it, of which every place is reached as it is',
    async () => {
      const model = fileURLToPath(new URL('../../config/robots/models/arm7.xml', import.meta.url));
      const { code, stdout } = await run(model, '--speed', '2', '--torque', '60', '--out', 'desk.yaml');
      expect(code).toBe(0);
      expect(stdout).toContain('rein sim --task desk-reach.yaml     teach it a first task, a reach');
      const opened = await openRobot({ task: join(dir, 'desk-reach.yaml'), seed: 1 });
      const scaleM = opened.action.dimensions[0]!.scale;
      const scale = Number(/scaleM: ([\d.]+)/.exec(textOf('desk-reach.yaml'))![1]);
      try {
        for (let episode = 0; episode < 5; episode++) {
          const { success } = await opened.episode((seen) =>
            // Last but the action before.
            [...seen.slice(-6, -3)].map((way) => clip((way * scale) / scaleM)),
          );
          expect(success).toBe(true);
        }
      } finally {
        await opened.close();
      }
      expect(await run('arm.urdf', '--out', 'desk.yml', '--name', 'other')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('desk-reach.yaml is there already'),
      });
    },
    60_000,
  );

  it('writes no first task for an arm whose tool does not go every way', async () => {
    // Its four joints cannot bring the tool to the side without turning it.
    const { code, stdout } = await run('arm.urdf', '--out', 'four.yaml');
    expect(code).toBe(0);
    expect(stdout).not.toContain('rein sim');
    expect(readdirSync(dir)).not.toContain('four-reach.yaml');
  });

  it('writes a robot that loads, is checked unchanged, and is driven to a place by a task', async () => {
    writeFileSync(join(dir, 'joint_limits.yaml'), ROS_LIMITS);
    const out = join('robots', 'mine.yaml');
    const imported = await run(
      'arm.urdf',
      '--limits',
      'joint_limits.yaml',
      '--out',
      out,
      '--name',
      'mine',
      '--payload',
      '0.2',
    );
    expect(imported).toMatchObject({ code: 0, stderr: expect.not.stringContaining('mistake') });
    expect(imported.stdout).toContain('rein safety check robots/mine.yaml');

    const { robot } = loadRobotFile(join(dir, out));
    expect(robot.joints.map(({ name }) => name)).toEqual(['turn', 'shoulder', 'elbow', 'wrist']);
    // The limits file over the URDF, the URDF where that is silent.
    expect(robot.joints[1]).toMatchObject({
      velocityMaxRadPerS: 1.5,
      accelMaxRadPerS2: 6,
      torqueMaxNm: 40,
      positionMaxRad: 1.5,
    });
    expect(robot).toMatchObject({
      name: 'mine',
      payloadMaxKg: 0.2,
      holdsWithoutTorque: false,
      tool: { link: 'wrist' },
    });
    expect(robot.workspace.minM[2]).toBe(0);
    expect(textOf(out)).toContain('model: "../arm.urdf"');

    const checked = await reinHere(['safety', 'check', out, '--ticks', '600', '--out', dir], dir);
    expect(checked).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The reference of mine kept every limit'),
    });

    writeFileSync(join(dir, 'task.yaml'), TASK);
    const opened = await openRobot({ task: join(dir, 'task.yaml'), seed: 1 });
    try {
      const { success } = await opened.episode((seen) => [...seen.slice(0, 3)].map((way) => clip((way * 0.1) / 0.01)));
      expect(success).toBe(true);
    } finally {
      await opened.close();
    }
  }, 120_000);

  it('says of each number which line it is from, and which ones nobody gave', async () => {
    writeFileSync(join(dir, 'joint_limits.yaml'), ROS_LIMITS);
    await run('arm.urdf', '--limits', 'joint_limits.yaml');
    const text = textOf('desk-arm.yaml');
    // Line 9 of the URDF has the joint, line 3 of the limits what they say of it.
    expect(text.replace(/\n *# /g, ' ')).toContain(
      'Turns (rad, N·m); lowest, highest position, torque from arm.urdf:9; speed, acceleration from joint_limits.yaml:3; ASSUMED: stiffness, damping.',
    );
    expect(text).toMatch(/# ASSUMED: as far as the arm reaches, above the plane that the base stands on\./);
    expect(text).toMatch(/^# - No file gives the stiffness/m);
    // Every line that people have to look at is short enough to be read.
    expect(text.split('\n').filter((line) => line.length > 120)).toEqual([]);
  });

  it('takes an MJCF of its own shapes with our limits file, whose model is found from where the robot is', async () => {
    const model = fileURLToPath(new URL('../../config/robots/models/so101.xml', import.meta.url));
    copyFileSync(model, join(dir, 'so101.xml'));
    const limits =
      'model: so101.xml\nname: copied\ndefaults: { velocityMaxRadPerS: 2, torqueMaxNm: 1.9 }\nleashM: 0.02\n';
    writeFileSync(join(dir, 'limits.yaml'), limits);
    expect(await run('limits.yaml', '--fixed', 'gripper')).toMatchObject({ code: 0 });
    const { robot } = loadRobotFile(join(dir, 'copied.yaml'));
    expect(robot.joints).toHaveLength(5);
    expect(robot).toMatchObject({ leashM: 0.02, tool: { link: 'wrist_roll', originXyzM: [0.0981, 0, -0.0079] } });
  }, 60_000);

  it('quotes what YAML would take for no name', async () => {
    writeFileSync(join(dir, 'arm.urdf'), URDF.replaceAll('"wrist"', '"true"'));
    expect(await run('arm.urdf', '--name', 'null')).toMatchObject({ code: 0 });
    expect(loadRobotFile(join(dir, 'null.yaml')).robot).toMatchObject({ name: 'null', tool: { link: 'true' } });
  });

  it('names the packages that it was told of, without which the model has no meshes', async () => {
    writePackage('ws');
    expect(await run('arm.urdf', '--package', 'desk=ws', '--out', 'robots/meshed.yaml')).toMatchObject({ code: 0 });
    expect(textOf('robots/meshed.yaml')).toContain('  packages:\n    "desk": "../ws"\n');
    const { robot } = loadRobotFile(join(dir, 'robots', 'meshed.yaml'));
    expect(robot.driver).toMatchObject({ packages: { desk: join(dir, 'ws') } });
    writeFileSync(join(dir, 'task.yaml'), TASK.replace('mine.yaml', 'meshed.yaml'));
    const opened = await openRobot({ task: join(dir, 'task.yaml'), seed: 1 });
    await opened.close();
  }, 60_000);

  it.runIf(IS_LONG)(
    'names the packages that a sourced ROS led to, which a real arm hands on without it',
    async () => {
      writePackage(join('opt', 'share', 'desk'));
      vi.stubEnv('AMENT_PREFIX_PATH', join(dir, 'opt'));
      const imported = await run('arm.urdf', '--out', 'mine.yaml').finally(() => vi.unstubAllEnvs());
      expect(imported.code).toBe(0);
      const text = textOf('mine.yaml');
      expect(text).toContain('  packages:\n    "desk": "opt/share/desk"\n');
      const motors = ['turn', 'shoulder', 'elbow', 'wrist'].map(
        (name, i) => `    ${name}: { id: ${i + 1}, model: sts3215 }`,
      );
      writeFileSync(
        join(dir, 'mine.yaml'),
        `${text.replace('kind: mujoco', 'kind: feetech')}  motors:\n${motors.join('\n')}\n`,
      );
      const { robot } = loadRobotFile(join(dir, 'mine.yaml'));
      expect(robot.driver).toMatchObject({ kind: 'feetech', packages: { desk: join(dir, 'opt', 'share', 'desk') } });
      const request = { robot, task: 'none', signalNames: [], scene: () => expect.fail('there is no scene') };
      expect(driverKind('feetech').optionsOf(robot.driver, request)).not.toHaveProperty('packages');
      expect((await loadCheckSubject(join(dir, 'mine.yaml'))).plantImage).toBeDefined();
      const arm = new Emulated(['feetech', '--robot', join(dir, 'mine.yaml')]);
      try {
        expect(await arm.next('ready')).toMatchObject({ ids: [1, 2, 3, 4] });
      } finally {
        await arm.end();
      }
    },
    60_000,
  );

  it('says that one torque and one speed for all joints are an exporter’s, until a limits file has others', async () => {
    const alike = URDF.replaceAll(/effort="\d+" velocity="\d"/g, 'effort="10" velocity="3"');
    writeFileSync(join(dir, 'arm.urdf'), alike);
    const told = 'All 4 joints have the torque 10 and the speed 3 of the model';
    expect((await run('arm.urdf')).stdout).toContain(told);
    writeFileSync(join(dir, 'limits.yaml'), 'joints: { wrist: { velocityMaxRadPerS: 1 } }\n');
    expect((await run('arm.urdf', '--force', '--limits', 'limits.yaml')).stdout).not.toContain(told);
  });

  it('prints commands that a shell takes as they are, and heads the file with what nothing watches', async () => {
    writeFileSync(join(dir, 'bare.urdf'), URDF.replace(/<collision>.*<\/collision>/g, ''));
    const { code, stdout } = await run('bare.urdf', '--out', "my arm's.yaml");
    expect(code).toBe(0);
    expect(stdout).toContain(`rein safety check 'my arm'\\''s.yaml' `);
    expect(stdout).toContain(`rein teleop --robot 'my arm'\\''s.yaml' `);
    expect(stdout).toContain('assumed: NOT watched: no shape stands for the links of turn, shoulder, elbow, wrist');
    expect(textOf("my arm's.yaml")).toContain('# - NOT watched: no shape stands for the links of turn');
  });

  it('says how a xacro file becomes a URDF', async () => {
    writeFileSync(join(dir, 'arm.urdf.xacro'), URDF);
    expect(await run('arm.urdf.xacro')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('→ expand it first: xacro arm.urdf.xacro > robot.urdf'),
    });
  });

  it.runIf(IS_LONG)('writes over a file only where it is told to', async () => {
    writeFileSync(join(dir, 'desk-arm.yaml'), 'mine');
    const refused = await run('arm.urdf');
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/desk-arm\.yaml is there already\n.*--force/),
    });
    expect(textOf('desk-arm.yaml')).toBe('mine');
    expect(await run('arm.urdf', '--force')).toMatchObject({ code: 0 });
    expect(textOf('desk-arm.yaml')).toContain('name: desk-arm');
  });
});

/** Writes `arm.urdf` with a mesh of the ROS package `desk`, and that package in `folder`. */
function writePackage(folder: string): void {
  const cube = ['0 0 0', '1 0 0', '0 1 0', '0 0 1', '1 1 1'].map((at) => `v ${at}`).join('\n');
  mkdirSync(join(dir, folder, 'meshes'), { recursive: true });
  writeFileSync(
    join(dir, folder, 'meshes', 'hand.obj'),
    `${cube}\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 5\nf 2 4 5\nf 3 4 5\n`,
  );
  const mesh = '<mesh filename="package://desk/meshes/hand.obj" scale="0.05 0.05 0.05"/>';
  writeFileSync(join(dir, 'arm.urdf'), URDF.replace('<box size="0.08 0.06 0.03"/>', mesh));
}

/** Sixteen joints and a base, each with a shape: one more than a robot's file may have. */
function longUrdf(): string {
  const links = Array.from(
    { length: 16 },
    (_, i) => `<link name="l${i}">${inertial(0.1, '0 0 0.03')}${box('0.02 0.02 0.05', '0 0 0.03')}</link>`,
  );
  const limit = 'lower="-1" upper="1" effort="40" velocity="1"';
  const joints = links.map((_, i) =>
    joint(`j${i}`, i === 0 ? 'base' : `l${i - 1}`, `l${i}`, '0 0 0.06', '0 1 0', limit),
  );
  return `<robot name="long"><link name="base">${box('0.1 0.1 0.04', '0 0 0')}</link>${links.join('')}${joints.join('')}</robot>`;
}

describe('what is refused leaves nothing behind', () => {
  const limits = (text: string) => () => writeFileSync(join(dir, 'limits.yaml'), text);
  const model = (change: (text: string) => string) => () => writeFileSync(join(dir, 'arm.urdf'), change(URDF));
  const nothing = (): void => {};

  it.each<[string, () => void, readonly string[], RegExp]>([
    ['a model that is not there', nothing, ['no.urdf'], /no\.urdf: there is no such file\n {2}→ check its path/],
    ['broken XML', model((text) => text.slice(0, 300)), ['arm.urdf'], /arm\.urdf:\d+: MuJoCo cannot load it.*\n {2}→ /],
    [
      'a model without joints',
      model((text) => text.replaceAll('revolute', 'fixed')),
      ['arm.urdf'],
      /there is no joint.*\n {2}→ /,
    ],
    [
      'a joint without a speed',
      model((text) => text.replace(' velocity="3"', '')),
      ['arm.urdf'],
      /arm\.urdf:11:1: joint "wrist" has no speed limit \(velocityMaxRadPerS\): no file gives it\n {2}→ .*--limits/,
    ],
    [
      'a joint without a torque, from which servos are worked out',
      model((text) => text.replace(' effort="10"', '')),
      ['arm.urdf'],
      /joint "wrist" has no torque limit \(torqueMaxNm\): no file gives it\n {2}→ .*--torque/,
    ],
    [
      'limits of an unknown joint',
      limits('joints: { wirst: { velocityMaxRadPerS: 1 } }\n'),
      ['arm.urdf', '--limits', 'limits.yaml'],
      /limits\.yaml:1:11: the model has no joint "wirst".*did you mean "wrist"\?\n {2}→ /,
    ],
    [
      'limits wider than the model',
      limits('joints: { wrist: { velocityMaxRadPerS: 9 } }\n'),
      ['arm.urdf', '--limits', 'limits.yaml'],
      /wider than the model's 3.*\n {2}→ /,
    ],
    [
      'a fixed joint that is none',
      nothing,
      ['arm.urdf', '--fixed', 'thumb'],
      /--fixed thumb: the model has no joint of that name.*\n {2}→ /,
    ],
    [
      'a robot that has a file',
      nothing,
      ['robot.yaml'],
      /robot\.yaml is the file of a robot already\n {2}→ use it as it is/,
    ],
    [
      'a name that is none',
      nothing,
      ['arm.urdf', '--name', '7up'],
      /"7up" is no name of a robot.*\n {2}→ give another with --name/,
    ],
    [
      'a joint that no file can hold',
      model((text) => text.replace('"wrist"', '"left/wrist"')),
      ['arm.urdf'],
      /joint "left\/wrist" has a name that a robot's file cannot hold.*\n {2}→ rename them/,
    ],
    [
      'a robot that would not load again',
      model(longUrdf),
      ['arm.urdf'],
      /long\.yaml was not written: .*capsules.*\n {2}→ /s,
    ],
    [
      'an --out of another kind',
      nothing,
      ['arm.urdf', '--out', 'arm.json'],
      /--out arm\.json is no name of a robot's file\n {2}→ give a name that ends in \.yaml/,
    ],
  ])('%s', async (_, arrange, args, message) => {
    arrange();
    writeFileSync(join(dir, 'robot.yaml'), 'driver: { kind: mock }\n');
    const before = readdirSync(dir).sort();
    const { code, stderr } = await run(...args);
    expect(stderr).toMatch(message);
    expect(code).toBe(1);
    expect(readdirSync(dir).sort()).toEqual(before);
  });
});

const TASK = `name: there
kind: described
robot: ./robots/mine.yaml
maxSteps: 60
historyFrames: 1
action:
  kind: cartesian
  dimensions:
    - { name: x, scale: 0.01, unit: m }
    - { name: y, scale: 0.01, unit: m }
    - { name: z, scale: 0.01, unit: m }
goal: { atM: [0.25, 0, 0.4] }
observation: { jointPositions: false, jointVelocities: false, toolPose: false, wrench: false, places: [{ place: goal }] }
success: { all: [{ rule: near, place: tool, withinM: 0.015 }] }
`;

function clip(value: number): number {
  return Math.max(-1, Math.min(1, value));
}
