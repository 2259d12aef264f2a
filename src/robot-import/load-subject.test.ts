import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { CONFIG_ROOT } from '../config/names.ts';
import { ArmKinematics, ReinError } from '../model/index.ts';
import { loadCheckSubject, loadModelSubject } from './load-subject.ts';
import type { CheckSubject, SubjectOptions } from './subject.ts';

const folder = mkdtempSync(join(tmpdir(), 'rein-subject-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

const load = (file: string, options: SubjectOptions = {}): Promise<CheckSubject> =>
  loadCheckSubject(file, { from: folder, ...options });

/** Returns the message of the refusal, without the scratch folder. */
async function refusal(file: string, options: SubjectOptions = {}): Promise<string> {
  try {
    await load(file, options);
  } catch (error) {
    expect(error).toBeInstanceOf(ReinError);
    expect((error as ReinError).kind).toBe('config');
    const { message } = error as ReinError;
    return message.replaceAll(`${folder}/`, '').replaceAll(`${relative(process.cwd(), folder)}/`, '');
  }
  return 'accepted';
}

const URDF = `<robot name="scara">
<link name="stand"/>
<link name="upper">
  <inertial><origin xyz="0.15 0 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><origin xyz="0.15 0 0" rpy="0 1.5708 0"/><geometry><cylinder radius="0.03" length="0.3"/></geometry></collision>
</link>
<link name="fore">
  <inertial><origin xyz="0.1 0 0"/><mass value="0.5"/><inertia ixx="0.005" iyy="0.005" izz="0.005" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><origin xyz="0.1 0 0"/><geometry><box size="0.2 0.04 0.04"/></geometry></collision>
</link>
<link name="hand"/>
<joint name="shoulder" type="revolute"><parent link="stand"/><child link="upper"/><origin xyz="0 0 0.4"/><axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="40" velocity="3"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0.3 0 0"/><axis xyz="0 0 1"/><limit lower="-2.5" upper="2.5" effort="20" velocity="3"/></joint>
<joint name="mount" type="fixed"><parent link="fore"/><child link="hand"/><origin xyz="0.2 0 0"/></joint>
</robot>
`;

/** Written by MoveIt's setup assistant. */
const ROS = `# joint_limits.yaml allows the dynamics properties specified in the URDF to be overwritten or augmented as needed
default_velocity_scaling_factor: 0.1
default_acceleration_scaling_factor: 0.1
joint_limits:
  shoulder:
    has_velocity_limits: true
    max_velocity: 2.0
    has_acceleration_limits: true
    max_acceleration: 8.0
    has_jerk_limits: false
    max_jerk: 5.0
  elbow:
    has_velocity_limits: true
    max_velocity: 2.5
    has_acceleration_limits: true
    max_acceleration: 10
`;

const OWN = `model: scara.urdf
limits: joint_limits.yaml
defaults: { stiffnessNmPerRad: 200, dampingNmSPerRad: 12 }
joints:
  elbow: { velocityMaxRadPerS: 1.5, jerkMaxRadPerS3: 400 }
tool: { frame: hand }
homeRad: [0, 0.5]
`;

/** A third link, which can fold back onto the first. */
const THIRD =
  '<link name="tip"><inertial><mass value="0.1"/><inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial><collision><origin xyz="0.1 0 0"/><geometry><box size="0.2 0.04 0.04"/></geometry></collision></link><joint name="wrist" type="revolute"><parent link="fore"/><child link="tip"/><origin xyz="0.2 0 0"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="9" velocity="3"/></joint>';

const TANK =
  'tank: { port: joint, startJ: 5, minJ: 0.1, maxJ: 8, powerMaxW: 20, recovery: 0.9, velocityFeedForward: false }\n';

/** The same without accelerations. */
const MOVEIT = ROS.replace(/has_acceleration_limits: true\n.*\n/g, 'has_acceleration_limits: false\n');

write({ 'scara.urdf': URDF, 'joint_limits.yaml': ROS, 'scara.yaml': OWN });

describe('a robot to be checked', () => {
  it.each(['arm6', 'arm7', 'car'])('is %s, with a file that says what it weighs', async (name) => {
    const subject = await loadCheckSubject(name);
    expect(subject.model.name).toBe(name);
    expect(subject.plantFile).toBeDefined();
    expect(subject.sources.at(-1)).toMatch(new RegExp(`${name}\\.yaml$`));
  });

  it('is one behind ROS, of which nobody knows what it weighs', async () => {
    expect((await loadCheckSubject('base-diff-ros')).plantFile).toBeUndefined();
  });

  it("is the 7-joint arm's model with limits from elsewhere, whose geometry is the one of its configuration", async () => {
    write({
      'seven.yaml': `model: ${CONFIG_ROOT}/robots/models/arm7.xml\ndefaults: { velocityMaxRadPerS: 2, accelMaxRadPerS2: 5, torqueMaxNm: 12, stiffnessNmPerRad: 100, dampingNmSPerRad: 9 }\nhomeRad: [0, -0.785, 0, -2.356, 0, 1.57, 0.785]\n`,
    });
    const own = await loadCheckSubject('arm7');
    const read = await load('seven.yaml');
    const at = (subject: CheckSubject, jointsRad: readonly number[]): number[] => {
      const arm = new ArmKinematics(subject.model);
      arm.forward(jointsRad);
      return [...arm.tcpPositionM, ...arm.tcpRotation];
    };
    for (const joints of [own.model.homeRad, [1, -0.5, 2, -1, 0.3, 1, -2]]) {
      const wanted = at(own, joints);
      for (const [k, value] of at(read, joints).entries()) expect(value).toBeCloseTo(wanted[k]!, 7);
    }
    expect(read.model.collision!.pairs.length).toBeGreaterThan(8);
  });
});

describe('what no file says', () => {
  it('is worked out from the servos and said: acceleration, stiffness and damping of a URDF with MoveIt’s file as shipped', async () => {
    write({ 'moveit.yaml': MOVEIT });
    const { model, assumed, assumedServos } = await load('scara.urdf', { limits: 'moveit.yaml' });
    expect(assumedServos).toEqual(['shoulder', 'elbow']);
    for (const joint of model.joints) {
      expect(joint.accelMaxRadPerS2).toBeGreaterThan(0);
      expect(joint.accelMaxRadPerS2).toBeLessThanOrEqual(10);
      expect(joint.stiffnessNmPerRad).toBeGreaterThan(0);
      expect(joint.stiffnessNmPerRad).toBeLessThanOrEqual(joint.torqueMaxNm / 0.1);
      expect(joint.dampingNmSPerRad).toBeGreaterThan(0);
    }
    for (const key of ['accelMaxRadPerS2', 'stiffnessNmPerRad', 'dampingNmSPerRad'])
      expect(assumed.join('\n')).toContain(`(${key}) of shoulder (`);
  });

  it('is what --accel says', async () => {
    write({ 'moveit.yaml': MOVEIT });
    const { model, assumed } = await load('scara.urdf', { limits: 'moveit.yaml', defaults: { accelMaxRadPerS2: 3 } });
    expect(model.joints.map(({ accelMaxRadPerS2 }) => accelMaxRadPerS2)).toEqual([3, 3]);
    expect(assumed.join('\n')).toContain('shoulder (3), elbow (3): as --accel says');
  });
});

describe('limits as others ship them', () => {
  it("are read from Franka's groups, under names without the robot's prefix", async () => {
    const franka =
      'joint1:\n  limit: { lower: -1, upper: 1.5, velocity: 2, effort: 30 }\njoint2:\n  limit: { lower: -2, upper: 2, velocity: 1, effort: 12 }\n';
    write({
      'franka.yaml': franka,
      'franka.urdf': URDF.replaceAll('"shoulder"', '"panda_joint1"').replaceAll('"elbow"', '"panda_joint2"'),
    });
    const { model, assumed } = await load('franka.urdf', { limits: 'franka.yaml' });
    expect(model.joints[0]).toMatchObject({
      positionMinRad: -1,
      positionMaxRad: 1.5,
      velocityMaxRadPerS: 2,
      torqueMaxNm: 30,
    });
    expect(model.joints[1]).toMatchObject({ positionMinRad: -2, velocityMaxRadPerS: 1, torqueMaxNm: 12 });
    expect(assumed.join('\n')).toMatch(/under the model's names: joint1 is panda_joint1, joint2 is panda_joint2/);
    write({ 'franka.yaml': franka.replace('velocity: 2', 'speed: 2') });
    await expect(load('franka.urdf', { limits: 'franka.yaml' })).rejects.toThrow(
      /franka\.yaml:2:35: "speed" of joint "joint1" is no key of its group "limit": lower, upper, velocity/,
    );
  });

  it("are MoveIt's, where a name ends in _joint and the model's does not; two that could be meant are refused", async () => {
    const named = ROS.replace('shoulder:', 'shoulder_joint:').replace('elbow:', 'elbow_joint:');
    write({ 'named.yaml': named });
    const { model } = await load('scara.urdf', { limits: 'named.yaml' });
    expect(model.joints[0]).toMatchObject({ velocityMaxRadPerS: 2, accelMaxRadPerS2: 8 });
    write({ 'twice.yaml': `${named}  left_elbow:\n    max_velocity: 1\n` });
    await expect(load('scara.urdf', { limits: 'twice.yaml' })).rejects.toThrow(
      /has no joint "elbow_joint".*did you mean/,
    );
  });
});

describe('what a URDF says of its limits', () => {
  const elbow = '<limit lower="-2.5" upper="2.5" effort="20" velocity="3"/>';
  const withElbow = (text: string): string => URDF.replace(elbow, text);

  it('is the range that its own controller keeps, where that is tighter, with its line', async () => {
    write({
      'soft.urdf': withElbow(
        `${elbow}\n<safety_controller k_velocity="0" soft_lower_limit="-1.2" soft_upper_limit="9"/>`,
      ),
      'moveit.yaml': MOVEIT,
    });
    const { subject, place } = await loadModelSubject(join(folder, 'soft.urdf'), {
      limits: join(folder, 'moveit.yaml'),
    });
    expect(subject.model.joints[1]).toMatchObject({ positionMinRad: -1.2, positionMaxRad: 2.5 });
    expect(place(['joints', 1, 'positionMinRad']).line).toBe(14);
  });

  it('is listed where it is not read', async () => {
    write({
      'geared.urdf': URDF.replace(
        '</robot>',
        '<transmission><joint name="elbow"/><actuator name="m">\n<mechanicalReduction>50</mechanicalReduction></actuator></transmission></robot>',
      ).replace(elbow, `${elbow}<calibration rising="0.1"/>`),
      'moveit.yaml': MOVEIT,
    });
    const { assumed } = await load('geared.urdf', { limits: 'moveit.yaml' });
    expect(assumed.join('\n')).toMatch(
      /Not read: <calibration> of joint "elbow" \(.*geared\.urdf:13\), <mechanicalReduction> \(.*geared\.urdf:16\)\./,
    );
  });

  it('is quoted where it is no limit, and nothing is said to be missing that follows from it', async () => {
    write({ 'zero.urdf': withElbow('<limit lower="-1" upper="1" effort="0" velocity="0"/>') });
    const message = await refusal('zero.urdf');
    expect(message).toMatch(/zero\.urdf:13:\d+: joint "elbow" has effort="0": it could hold nothing/);
    expect(message).toMatch(/joint "elbow" has velocity="0": it could never move/);
    expect(message).not.toMatch(/no file gives|stiffness/);
    const { model } = await load('zero.urdf', { defaults: { velocityMaxRadPerS: 1.5, torqueMaxNm: 8 } });
    expect(model.joints[1]).toMatchObject({ velocityMaxRadPerS: 1.5, torqueMaxNm: 8 });
    expect(model.joints[0]).toMatchObject({ velocityMaxRadPerS: 3, torqueMaxNm: 40 });
  });

  it('is one number for all joints, and less for a finger that could not stop from it', async () => {
    const defaults = { velocityMaxRadPerS: 1.5, torqueMaxNm: 20 };
    const { model, assumed } = await load(`${CONFIG_ROOT}/robots/models/viperx.xml`, {
      fixed: ['right_finger'],
      defaults,
    });
    const finger = model.joints.at(-1)!;
    const half = (finger.positionMaxRad - finger.positionMinRad) / 2;
    expect(finger.velocityMaxRadPerS).toBeLessThan(defaults.velocityMaxRadPerS);
    expect(finger.velocityMaxRadPerS ** 2 / (2 * finger.accelMaxRadPerS2)).toBeLessThanOrEqual(half);
    expect(assumed.join('\n')).toMatch(/Joint "gripper" goes at [\d.]+, and not at the 1\.5 of --speed: /);
    expect(model.joints.slice(0, -1).map((joint) => joint.velocityMaxRadPerS)).toEqual(Array(6).fill(1.5));
  });
});

describe('a URDF that says too little or too much', () => {
  const withElbow = (limit: string): string =>
    URDF.replace('<limit lower="-2.5" upper="2.5" effort="20" velocity="3"/>', limit);
  const remedyOf = (file: string, options: SubjectOptions = {}): Promise<string> =>
    load(file, options).then(
      () => 'accepted',
      (error: ReinError) => error.remedy ?? '',
    );

  it('has no shapes: its links are NOT watched, all or some, and keep-out boxes are refused', async () => {
    const bare = URDF.replace(/<collision>.*<\/collision>/g, '');
    write({ 'bare.urdf': bare, 'half.urdf': URDF.replace(/<collision>.*<\/collision>/, '') });
    const said = (await load('bare.urdf')).assumed.join('\n');
    expect(said).toMatch(
      /NOT watched: no shape stands for the links of shoulder, elbow \(.*<collision>.*\): nothing keeps/,
    );
    expect((await load('half.urdf')).assumed.join('\n')).toMatch(
      /NOT watched: no shape stands for the link of shoulder /,
    );
    write({
      'bare.yaml': `${OWN.replace('scara.urdf', 'bare.urdf')}collision: { keepOut: [{ name: wall, minM: [1, 1, 1], maxM: [2, 2, 2] }] }\n`,
    });
    expect(await refusal('bare.yaml')).toMatch(/^bare\.yaml:8:\d+: collision\.keepOut keeps nothing out/);
  });

  it.each([
    ['radius="0.03"', 'radius="0.0"'],
    ['length="0.3"', 'length="0"'],
    ['length="0.3"', 'length="-0.3"'],
    ['length="0.3"', 'length="nan"'],
    ['size="0.2 0.04 0.04"', 'size="0.2 0 0.04"'],
  ])('has a shape of %s as %s', async (right, wrong) => {
    write({ 'flat.urdf': URDF.replace(right, wrong) });
    expect(await refusal('flat.urdf')).toMatch(
      new RegExp(
        `flat\\.urdf:(5|9):\\d+: a (cylinder|box) in a <collision> of link ".*" has ${wrong}, it must be above 0`,
      ),
    );
  });

  it('has two roots', async () => {
    write({ 'roots.urdf': URDF.replace('</robot>', '<link name="table"/>\n</robot>') });
    expect(await refusal('roots.urdf')).toMatch(
      /roots\.urdf:15:1: link "table" hangs on no joint, and neither does link "stand" in line 2: a robot has one root/,
    );
  });

  it('has a speed that no robot has, and --speed, which then applies to no joint', async () => {
    const defaults = { velocityMaxRadPerS: 1.5 };
    write({
      'fast.urdf': URDF.replaceAll('velocity="3"', 'velocity="40"'),
      'mad.urdf': withElbow('<limit lower="-1" upper="1" effort="9" velocity="100"/>'),
    });
    expect(await refusal('mad.urdf')).toMatch(
      /mad\.urdf:13:1: velocityMaxRadPerS of joint "elbow" is 100 rad\/s, it must be at most 50/,
    );
    expect(await refusal('fast.urdf')).toContain('to stop from its full speed');
    for (const file of ['mad.urdf', 'fast.urdf']) {
      expect(await remedyOf(file, { defaults })).toMatch(
        /joints: \{ NAME: \{ velocityMaxRadPerS: 1\.5 \} \}.*--limits.*--speed 1\.5 applies to no joint/,
      );
    }
    expect((await load('scara.urdf', { defaults })).assumed.join('\n')).toContain('--speed 1.5 applies to no joint');
  });

  it('has limits in degrees', async () => {
    const elbow = (most: number): string => withElbow(`<limit lower="-1" upper="${most}" effort="9" velocity="2"/>`);
    write({ 'degrees.urdf': elbow(103), 'turns.urdf': elbow(25), 'two.urdf': elbow(12.566) });
    expect(await refusal('degrees.urdf')).toMatch(
      /degrees\.urdf:13:1: positionMaxRad of joint "elbow" is 103 rad, it must be at most 31\.5; degrees\? a URDF and/,
    );
    expect((await load('turns.urdf')).assumed.join('\n')).toMatch(/"elbow" turns from -1 to 25 rad, .*: degrees\?/);
    expect((await load('two.urdf')).assumed.join('\n')).not.toMatch(/degrees/);
  });

  it('is a mesh, or names one that is none', async () => {
    const stl = Buffer.alloc(84 + 50);
    stl.writeUInt32LE(1, 80);
    writeFileSync(join(folder, 'part.urdf'), stl);
    write({
      'text.urdf': 'solid part\n facet normal 0 0 1\n outer loop\n',
      'bad.stl': 'not a mesh',
      'mesh.urdf': URDF.replaceAll('"fore"', '"bad"').replace(
        '<box size="0.2 0.04 0.04"/>',
        '<mesh filename="bad.stl"/>',
      ),
    });
    for (const name of ['part', 'text'])
      expect(await refusal(`${name}.urdf`)).toContain(`${name}.urdf is an STL, the shape of one part`);
    const message = await refusal('mesh.urdf');
    expect(message).toMatch(/^mesh\.urdf:9: MuJoCo cannot load mesh bad\.stl: /);
    expect(message).not.toContain('/rein/');
  });
});

describe("a maker's file of limits", () => {
  it('fits a model whose joints have one prefix, whatever else ends like them', async () => {
    write({
      'hand.urdf': URDF.replaceAll('"shoulder"', '"m1_joint1"')
        .replaceAll('"elbow"', '"m1_joint2"')
        .replace('</robot>', `${THIRD.replaceAll('"wrist"', '"m1_finger_joint1"')}</robot>`),
      'short.yaml':
        'joint1: { limit: { lower: -1, upper: 1, velocity: 2, effort: 9 } }\njoint2: { limit: { lower: -1, upper: 1, velocity: 2.5, effort: 9 } }\n',
    });
    const { model, assumed } = await load('hand.urdf', { limits: 'short.yaml', fixed: ['m1_finger_joint1'] });
    expect(model.joints.map(({ velocityMaxRadPerS }) => velocityMaxRadPerS)).toEqual([2, 2.5]);
    expect(assumed.join('\n')).toContain('joint1 is m1_joint1, joint2 is m1_joint2');
  });

  it('is read where it has a list of names and lists of numbers', async () => {
    write({
      'lists.yaml':
        'joint_names: [shoulder, elbow]\nmaximum_velocities: [0.9, 0.8]\nmaximum_accelerations: [5.2, 10]\nsoft_stops: [1]\n',
    });
    const { model, assumed } = await load('scara.urdf', { limits: 'lists.yaml' });
    expect(model.joints.map((joint) => [joint.velocityMaxRadPerS, joint.accelMaxRadPerS2])).toEqual([
      [0.9, 5.2],
      [0.8, 10],
    ]);
    expect(assumed.join('\n')).toContain('soft_stops is not read.');
    write({ 'lists.yaml': 'joint_names: [shoulder, elbow]\nmaximum_velocities: [0.9]\n' });
    expect(await refusal('scara.urdf', { limits: 'lists.yaml' })).toMatch(
      /lists\.yaml:2:21: maximum_velocities must be a list of 2 numbers/,
    );
  });
});

describe('joints that stand still', () => {
  it('are named on the command line, and misspelt ones refused', async () => {
    const { model } = await load('scara.yaml', { fixed: ['shoulder'] }).catch(() =>
      load('scara.urdf', { fixed: ['elbow'] }),
    );
    expect(model.joints.map(({ name }) => name)).toEqual(['shoulder']);
    await expect(load('scara.urdf', { fixed: ['elbo'] })).rejects.toThrow(/--fixed elbo: .*did you mean "elbow"/);
    await expect(load('arm6', { fixed: ['j1'] })).rejects.toThrow(/--fixed belong to an MJCF or URDF/);
  });
});

describe('limits of a URDF', () => {
  it('come from the model, the ROS file and our own, the last of these that says it', async () => {
    const { model, sources, assumed, assumedServos } = await load('scara.yaml');
    expect(assumedServos).toEqual([]);
    const [shoulder, elbow] = model.joints;
    expect(shoulder).toMatchObject({
      positionMinRad: -2,
      velocityMaxRadPerS: 2,
      accelMaxRadPerS2: 8,
      torqueMaxNm: 40,
      stiffnessNmPerRad: 200,
    });
    expect(shoulder!.jerkMaxRadPerS3).toBeUndefined();
    expect(elbow).toMatchObject({
      velocityMaxRadPerS: 1.5,
      accelMaxRadPerS2: 10,
      jerkMaxRadPerS3: 400,
      torqueMaxNm: 20,
    });
    expect(model.tool).toMatchObject({ link: 'elbow', originXyzM: [0.2, 0, 0] });
    expect(model.workspace.maxM[0]).toBeGreaterThan(0.9);
    expect(sources.map((path) => path.split('/').at(-1))).toEqual(['scara.urdf', 'joint_limits.yaml', 'scara.yaml']);
    expect(assumed.join(' ')).toContain('default_velocity_scaling_factor (0.1)');
  });

  it('come from the command line beside the model', async () => {
    write({ 'servo.yaml': 'defaults: { accelMaxRadPerS2: 9, stiffnessNmPerRad: 200, dampingNmSPerRad: 12 }\n' });
    const { model } = await load('scara.urdf', { limits: 'servo.yaml' });
    expect(model.joints[1]).toMatchObject({ accelMaxRadPerS2: 9, velocityMaxRadPerS: 3 });
  });

  it.each([
    [
      'as parameters of a node',
      `move_group:\n  ros__parameters:\n    robot_description_planning:\n${ROS.replace(/^(?=.)/gm, '      ')}`,
    ],
    ['as parameters of all nodes', `/**:\n  ros__parameters:\n${ROS.replace(/^(?=.)/gm, '    ')}`],
    ['without a root', ROS.replace('joint_limits:\n', '').replace(/^ {2}/gm, '')],
    ['in degrees', ROS.replace('max_velocity: 2.0', 'max_velocity: !degrees 114.591559')],
  ])('are understood %s', async (_, text) => {
    write({ 'ros.yaml': text });
    const { model } = await load('scara.yaml'.replace('scara', 'other'), { from: other('ros.yaml') });
    expect(model.joints[0]!.velocityMaxRadPerS).toBeCloseTo(2, 6);
    expect(model.joints[0]!.accelMaxRadPerS2).toBe(8);
  });

  it('are tightened by soft limits and by how hard the joint may brake, and turn without end where they say so', async () => {
    write({
      'endless.urdf': URDF.replace(/(name="elbow" type=)"revolute"(.*)lower="-2.5" upper="2.5"/, '$1"continuous"$2'),
      'ros.yaml': ROS.replace(
        'max_velocity: 2.0',
        'max_velocity: 2.0\n    has_soft_limits: true\n    soft_lower_limit: -1.5\n    soft_upper_limit: 1.0\n    k_position: 10\n    k_velocity: 10\n    has_deceleration_limits: true\n    max_deceleration: 6',
      ).replace('elbow:', 'elbow:\n    has_position_limits: false'),
      'other.yaml': OWN.replace('scara.urdf', 'endless.urdf').replace('joint_limits.yaml', 'ros.yaml'),
    });
    const { model, assumed } = await load('other.yaml');
    expect(model.joints[0]).toMatchObject({ positionMinRad: -1.5, positionMaxRad: 1, accelMaxRadPerS2: 6 });
    expect(model.joints[1]!.positionMaxRad).toBeCloseTo(2 * Math.PI, 9);
    expect(assumed.join(' ')).toContain('"elbow" turns without end');
  });
});

describe("a URDF's joint without ends", () => {
  const files = (limit: string): Record<string, string> => ({
    'open.urdf': URDF.replace('lower="-2.5" upper="2.5"', limit),
    'open-ros.yaml': ROS.replace(
      '  elbow:',
      '  elbow:\n    has_position_limits: true\n    min_position: -1\n    max_position: 1.2',
    ),
  });

  it.each([
    ['none', '', 'with lower 0 and upper 0'],
    ['two that are turned round', 'lower="1" upper="-1"', 'with lower 1 and upper -1'],
  ])('is refused with its line where it has %s, and accepted with those of a limits file', async (_, limit, why) => {
    write(files(limit));
    const message = await refusal('open.urdf');
    expect(message).toMatch(/^open\.urdf:13:\d+: joint "elbow" is revolute and has a <limit> /);
    expect(message).toContain(why);
    expect(message).toContain('min_position and max_position');
    const { model } = await load('open.urdf', { limits: 'open-ros.yaml' });
    expect(model.joints[1]).toMatchObject({ positionMinRad: -1, positionMaxRad: 1.2 });
  });
});

describe('the margin to position limits', () => {
  const finger = (upper: number): Record<string, string> => ({
    'finger.urdf': URDF.replace(
      /name="elbow" type="revolute"(.*)lower="-2.5" upper="2.5" effort="20" velocity="3"/,
      `name="finger" type="prismatic"$1lower="0" upper="${upper}" effort="20" velocity="0.05"`,
    ),
    'finger.yaml':
      'model: finger.urdf\ndefaults: { accelMaxRadPerS2: 2, stiffnessNmPerRad: 200, dampingNmSPerRad: 12 }\ntool: { frame: hand }\n',
  });

  it('shrinks to 5 % of the range of a finger, of the finger alone, and says so', async () => {
    write(finger(0.03));
    const { model, assumed } = await load('finger.yaml');
    expect(model.limitMarginRad).toBe(0.02);
    expect(model.joints.map(({ limitMarginRad }) => limitMarginRad)).toEqual([undefined, 0.0015]);
    expect(assumed.join(' ')).toContain('joint "finger" keeps 0.0015 m from its limits, 5 % of its range, 0.03 m.');
  });

  it('may be a joint’s own in a limits file', async () => {
    write(finger(0.03));
    const own = 'limitMarginRad: 0.03\njoints: { finger: { limitMarginRad: 0.002 } }\n';
    write({ 'own.yaml': `${finger(0.03)['finger.yaml']}${own}` });
    const { model } = await load('own.yaml');
    expect([model.limitMarginRad, model.joints[1]!.limitMarginRad]).toEqual([0.03, 0.002]);
  });

  it('is 0.02 where there is room, and what the file says wherever it says it', async () => {
    expect((await load('scara.yaml')).model.limitMarginRad).toBe(0.02);
    write(finger(0.03));
    write({ 'fingers.yaml': `${finger(0.03)['finger.yaml']}limitMarginRad: 0.02\n` });
    expect(await refusal('fingers.yaml')).toContain(
      'joint "finger" has no travel: its range is 0 to 0.03 m, and limitMarginRad keeps 0.02 m from both ends; limitMarginRad has to be less than 0.015 there; for rein safety check, list a model\'s joint that is not moved under fixed: [finger]',
    );
  });
});

/** Writes `other.yaml`, which names `ros`; returns its folder. */
function other(ros: string): string {
  write({ 'other.yaml': OWN.replace('joint_limits.yaml', ros) });
  return folder;
}

describe('limits that cannot be', () => {
  const own = (change: (text: string) => string): Record<string, string> => ({ 'x.yaml': change(OWN) });
  const ros = (change: (text: string) => string): Record<string, string> => ({
    'x.yaml': OWN.replace('joint_limits.yaml', 'x-ros.yaml'),
    'x-ros.yaml': change(ROS),
  });
  const joint = (text: string) => (yaml: string) => yaml.replace('jerkMaxRadPerS3: 400', text);

  it.each<[string, Record<string, string>, string]>([
    [
      'a lowest position above the highest',
      own(joint('positionMinRad: 1, positionMaxRad: 0.5')),
      'x.yaml:5:53: positionMinRad of joint "elbow", 1, is above positionMaxRad, 0.5: swap the two numbers',
    ],
    [
      'a speed from which the joint cannot stop',
      own(joint('positionMaxRad: -2.4, accelMaxRadPerS2: 0.5')),
      'x.yaml:5:77: joint "elbow" takes 2.258 rad to stop',
    ],
    [
      'no acceleration',
      own(joint('accelMaxRadPerS2: 0')),
      'x.yaml:5:55: joints.elbow.accelMaxRadPerS2 is 0, it must be a number > 0',
    ],
    [
      'no acceleration in the ROS file',
      ros((text) => text.replace('max_acceleration: 10', 'max_acceleration: 0.0')),
      'x-ros.yaml:16:23: max_acceleration is 0, it must be above 0',
    ],
    [
      'a margin that eats the range',
      own((text) =>
        `${text}limitMarginRad: 0.4\n`.replace('jerkMaxRadPerS3: 400', 'positionMinRad: 0, positionMaxRad: 0.5'),
      ),
      'x.yaml:5:72: joint "elbow" has no travel: its range is 0 to 0.5 rad, and limitMarginRad keeps 0.4 rad from both ends; limitMarginRad has to be less than 0.25 there; for rein safety check, list a model\'s joint that is not moved under fixed: [elbow]',
    ],
    [
      'a servo too weak to brake',
      own(joint('torqueMaxNm: 0.05')),
      'x-ros.yaml'
        .replace('x-ros', 'joint_limits')
        .concat(':16:23: joint "elbow" cannot brake by accelMaxRadPerS2, 10: at home that takes 0.1'),
    ],
    [
      'a range wider than the model has',
      own(joint('positionMaxRad: 2.9')),
      `x.yaml:5:53: positionMaxRad of joint "elbow" is 2.9, wider than the model's 2.5 (scara.urdf:13)`,
    ],
    [
      'a speed beyond the model, in the ROS file',
      ros((text) => text.replace('max_velocity: 2.0', 'max_velocity: 3.5')),
      `x-ros.yaml:7:19: velocityMaxRadPerS of joint "shoulder" is 3.5, wider than the model's 3`,
    ],
    [
      'a missing stiffness where there is a tank, whose books it is,',
      own((text) => text.replace('stiffnessNmPerRad: 200, ', '').concat(TANK)),
      'x.yaml:5:3: joint "elbow" has no stiffness (stiffnessNmPerRad)',
    ],
    [
      'a tank that does not say whether its servos lead',
      own((text) => text.concat(TANK.replace(', velocityFeedForward: false', ''))),
      'x.yaml:8:1: the key "tank.velocityFeedForward" (true or false) is missing',
    ],
    [
      'a home outside the limits',
      own((text) => text.replace('homeRad: [0, 0.5]', 'homeRad: [0, 2.6]')),
      'x.yaml:7:14: homeRad[1] is 2.6, joint "elbow" may be from -2.48 to 2.48',
    ],
    [
      'a home outside the workspace',
      own((text) => `${text}workspace: { minM: [0, -0.05, 0], maxM: [0.6, 0.05, 1] }\n`),
      'x.yaml:8:',
    ],
    [
      'a home inside a keep-out box',
      own((text) => `${text}collision: { keepOut: [{ name: wall, minM: [0.4, 0, 0], maxM: [1, 1, 1] }] }\n`),
      'x.yaml:8:',
    ],
    [
      'a home of another length',
      own((text) => text.replace('[0, 0.5]', '[0]')),
      'x.yaml:7:10: homeRad has 1 number, the robot has 2 joints',
    ],
    [
      'a joint that the model lacks',
      own((text) => text.replace('  elbow:', '  elbo:')),
      'x.yaml:5:3: the model has no joint "elbo", it has shoulder, elbow, did you mean "elbow"?',
    ],
    [
      'a joint that the model lacks, in the ROS file',
      ros((text) => text.replace('shoulder:', 'shouldr_joint:')),
      'x-ros.yaml:5:3: the model has no joint "shouldr_joint", it has shoulder, elbow',
    ],
    [
      'a speed that no file says, of a joint that the ROS file lacks,',
      {
        ...ros((text) => text.replace(/ {2}shoulder:[\s\S]*(?= {2}elbow:)/, '')),
        'slow.urdf': URDF.replace('effort="40" velocity="3"', 'effort="40" velocity="0"'),
        'x.yaml': OWN.replace('scara.urdf', 'slow.urdf').replace('joint_limits', 'x-ros'),
      },
      'joint "shoulder" has velocity="0": it could never move',
    ],
    [
      'a slider that cannot stop, in metres,',
      {
        'x.yaml': OWN.replace('scara.urdf', 'x.urdf').replace('1.5, jerkMaxRadPerS3: 400', '1.5, accelMaxRadPerS2: 4'),
        'x.urdf': URDF.replace(
          /name="elbow" type="revolute"(.*)lower="-2.5" upper="2.5"/,
          'name="elbow" type="prismatic"$1lower="0" upper="0.2"',
        ),
      },
      'x.yaml:5:55: joint "elbow" takes 0.2888 m to stop from its full speed and has 0.18 m between its limits',
    ],
    [
      'a tool that the model lacks',
      own((text) => text.replace('frame: hand', 'frame: hnad')),
      'x.yaml:6:16: tool.frame is "hnad", the moving sites and bodies of the model are upper, fore, hand, did you mean "hand"?',
    ],
    [
      'a model that is not there',
      own((text) => text.replace('scara.urdf', 'none.urdf')),
      'x.yaml:1:8: there is no file none.urdf',
    ],
    [
      'a ROS file that is not there',
      own((text) => text.replace('limits: joint_limits.yaml', 'limits: none.yaml')),
      'x.yaml:2:9: there is no file none.yaml',
    ],
    [
      'a misspelt key',
      own((text) => text.replace('jerkMaxRadPerS3', 'jerkMaxRadPerS')),
      'x.yaml:5:37: unknown key "jerkMaxRadPerS" in joints.elbow',
    ],
    [
      'a misspelt key of the ROS file',
      ros((text) => text.replace('max_jerk', 'max_jrk')),
      'x-ros.yaml:11:5: "max_jrk" of joint "shoulder" is no key of joint_limits.yaml',
    ],
    [
      'a limit without its number',
      ros((text) => text.replace('    max_acceleration: 8.0\n', '')),
      'x-ros.yaml:8:30: has_acceleration_limits of joint "shoulder" is true, but there is no max_acceleration',
    ],
    [
      'a word for a number',
      ros((text) => text.replace('max_acceleration: 8.0', 'max_acceleration: fast')),
      'x-ros.yaml:9:23: max_acceleration of joint "shoulder" is "fast", it must be a number',
    ],
    [
      'a joint that is fixed and has limits',
      own((text) => `${text}fixed: [elbow]\n`),
      'x.yaml:5:3: joint "elbow" is listed under fixed, and has limits',
    ],
  ])('%s is refused with file, line and reason', async (_, files, message) => {
    write(files);
    expect(await refusal('x.yaml')).toContain(message);
  });

  it.each([
    [
      'a link without a mass',
      (text: string) => text.replace(/<inertial>.*0\.005.*<\/inertial>/, ''),
      'y.urdf:7:1: link "fore" is moved by joint "elbow" and has no <inertial> with a mass',
    ],
    ['a file that is no XML', (text: string) => text.replace('<link name="hand"/>', '<link name="hand"'), 'y.urdf:1'],
    [
      'a mesh that is not there',
      (text: string) => text.replace('<box size="0.2 0.04 0.04"/>', '<mesh filename="package://x/fore.stl"/>'),
      'y.urdf:9: mesh file package://x/fore.stl is not there',
    ],
  ])('%s is refused with file and line', async (_, change, message) => {
    write({ 'y.urdf': change(URDF), 'y.yaml': OWN.replace('scara.urdf', 'y.urdf') });
    expect(await refusal('y.yaml')).toContain(message);
  });

  it.each<[string, string, string | undefined, string]>([
    [
      'a ROS file alone',
      'joint_limits.yaml',
      undefined,
      'joint_limits.yaml is a ROS joint_limits.yaml, which names no robot',
    ],
    [
      'a task',
      `${CONFIG_ROOT}/tasks/insert.yaml`,
      undefined,
      'insert.yaml is the file of a task, and a robot is checked',
    ],
    ['a learner', `${CONFIG_ROOT}/learner/rlpd.yaml`, undefined, 'rlpd.yaml is the file of a learner, and a robot'],
    [
      'a robot as limits',
      'scara.urdf',
      `${CONFIG_ROOT}/robots/arm6.yaml`,
      'arm6.yaml is the file of a robot, and --limits takes limits of a model',
    ],
  ])('%s is told what it is', async (_, file, limits, message) => {
    expect(await refusal(file, { limits })).toContain(message);
  });

  it('says once what stands twice in a broken file', async () => {
    write({ 'broken.yaml': 'model: [1, 2\nlimits: 3\n' });
    const lines = (await refusal('broken.yaml')).split('\n');
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines[0]).toContain('this is not YAML');
  });

  it('a name that two joints have is refused with both lines, also where it is written with entities', async () => {
    write({ 'y.urdf': URDF.replace('name="shoulder"', 'name="a&lt;b"').replace('name="elbow"', 'name="a&#60;b"') });
    expect(await refusal('y.urdf')).toContain('y.urdf:13:1: joint "a<b" stands in line 12 already');
    write({ 'y.urdf': URDF.replace('name="shoulder"', 'name="a&lt;b"').replace('velocity="3"', 'velocity="0"') });
    expect(await refusal('y.urdf')).toContain('joint "a<b" has velocity="0"');
  });

  it('a home in which the robot touches itself is refused', async () => {
    write({
      'fold.urdf': URDF.replace('</robot>', `${THIRD}</robot>`),
      'fold.yaml':
        'model: fold.urdf\ndefaults: { accelMaxRadPerS2: 5, stiffnessNmPerRad: 200, dampingNmSPerRad: 12 }\nhomeRad: [0, 2, 2]\n',
    });
    expect(await refusal('fold.yaml')).toMatch(
      /^fold\.yaml:3:10: at home \(homeRad\) the shapes of shoulder-link and wrist-link overlap by \d/,
    );
  });

  it('a home that nobody gave is one in which the robot does not touch itself, so that the pair is watched', async () => {
    const still = URDF.replace('</robot>', `${THIRD}</robot>`)
      .replace('lower="-2.5" upper="2.5"', 'lower="1.5" upper="2.5"')
      .replace('lower="-3" upper="3" effort="9"', 'lower="1.5" upper="2.5" effort="9"');
    write({ 'still.urdf': still });
    const { model, assumed } = await load('still.urdf');
    // In the middle of the ranges it is clear.
    expect(model.collision!.pairs).toEqual([['shoulder-link', 'wrist-link']]);
    expect(assumed.join('\n')).not.toMatch(/overlap by/);
  });

  it('pairs whose capsules are too wide are looked at by their shapes: what never touches is named so, what does is NOT watched', async () => {
    // A plate, in a capsule of its width, turns on a short link beside the upper arm: above it, or in its plane.
    const plateAt = (aboveM: number): string =>
      URDF.replace('<box size="0.2 0.04 0.04"/>', '<box size="0.02 0.02 0.02"/>').replace(
        '</robot>',
        `${THIRD.replace('0.2 0.04 0.04', '0.2 0.2 0.01').replace('xyz="0.2 0 0"', `xyz="0.05 0 ${aboveM}"`)}</robot>`,
      );
    write({ 'over.urdf': plateAt(0.06), 'beside.urdf': plateAt(0) });
    const over = await load('over.urdf');
    expect(over.model.collision!.pairs).toEqual([]);
    expect(over.assumed.join('\n')).toMatch(
      /Not kept apart, .*: shoulder-link and wrist-link \(their shapes never touch: 25(\.\d)? mm at least\)\./,
    );
    // Distances this small in 500 poses do not prove that they never touch.
    write({ 'near.urdf': plateAt(0.046) });
    expect((await load('near.urdf')).assumed.join('\n')).toMatch(
      /NOT watched: the shapes of shoulder-link and wrist-link \(convex hulls\) come as near as 1\d(\.\d)? mm in 500 random poses/,
    );
    const beside = await load('beside.urdf');
    expect(beside.model.collision!.pairs).toEqual([]);
    expect(beside.assumed.join('\n')).toMatch(
      /NOT watched: the shapes of shoulder-link and wrist-link \(convex hulls\) touch in \d\d % of 500 random poses/,
    );
  });

  it('pairs for which there is no more room are counted and named as not watched', async () => {
    // A chain of eleven links that can fold onto each other: 45 pairs of links that are no neighbours; a file may have 32.
    const links = Array.from({ length: 11 }, (_, i) => {
      const before = i === 0 ? 'stand' : `link${i - 1}`;
      return `<link name="link${i}"><inertial><origin xyz="0.1 0 0"/><mass value="0.1"/><inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial><collision><origin xyz="0.1 0 0"/><geometry><box size="0.16 0.02 0.02"/></geometry></collision></link>
<joint name="j${i}" type="revolute"><parent link="${before}"/><child link="link${i}"/><origin xyz="${i === 0 ? 0 : 0.2} 0 0"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="50" velocity="2"/></joint>`;
    });
    write({ 'chain.urdf': `<robot name="chain"><link name="stand"/>${links.join('\n')}</robot>` });
    const { model, assumed } = await load('chain.urdf');
    const { pairs } = model.collision!;
    const message = assumed.find((each) => each.startsWith('NOT watched: '))!;
    const [, count, names] =
      /^NOT watched: (\d+) more pairs of links that can come near, as 32 is the most: (.*)\. Choose/.exec(message)!;
    const dropped = names!.split(', ');
    expect([pairs.length, dropped.length]).toEqual([32, Number(count)]);
    expect(pairs.length + dropped.length).toBeLessThanOrEqual(45);
    const watched = new Set(pairs.map((pair) => pair.join(' and ')));
    expect(dropped.filter((pair) => watched.has(pair))).toEqual([]);
  });

  it('says what a model alone lacks, and where limits have no place', async () => {
    write({ 'weak.urdf': URDF.replace('effort="40" velocity="3"', 'effort="0" velocity="0"') });
    expect(await refusal('weak.urdf')).toContain('joint "shoulder" has effort="0": it could hold nothing');
    expect(await refusal('arm6', { limits: 'joint_limits.yaml' })).toContain('--limits belongs to an MJCF or URDF');
    expect(await refusal('none.urdf')).toContain('none.urdf: there is no such file');
    expect(await refusal('scara.yaml', { limits: 'joint_limits.yaml' })).toContain(
      'scara.yaml:2:9: the limits file names "joint_limits.yaml" already, and --limits names joint_limits.yaml: one of the two',
    );
    write({ 'z.yaml': 'controlHz: 100\n' });
    expect(await refusal('z.yaml')).toContain('z.yaml:1:1: the key "model" is missing');
  });
});
