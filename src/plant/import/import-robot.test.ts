import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ArmKinematics, matrixFromRpy, multiplyMatrix, ReinError, type RobotModel } from '../../model/index.ts';
import { Simulation } from '../mujoco-module.ts';
import { importRobot } from './import-robot.ts';
import type { ImportedRobot, NamedFrame } from './imported-robot.ts';

function modelOf({ joints }: ImportedRobot): RobotModel {
  return {
    name: 'imported',
    joints: joints.map(({ place: _, range: __, ...joint }) => ({
      ...joint,
      positionMinRad: -3,
      positionMaxRad: 3,
      velocityMaxRadPerS: 1,
      accelMaxRadPerS2: 1,
      torqueMaxNm: 1,
      stiffnessNmPerRad: 1,
      dampingNmSPerRad: 1,
    })),
    tool: { originXyzM: [0, 0, 0], originRpyRad: [0, 0, 0] },
    workspace: { minM: [-9, -9, -9], maxM: [9, 9, 9] },
    controlHz: 100,
    limitMarginRad: 0,
    leashM: 0.1,
    leashRad: 0.1,
    homeRad: joints.map(() => 0),
  };
}

/** Returns the pose of a frame in our kinematics: 12 numbers, rotation and origin. */
function poseOf(arm: ArmKinematics, frame: NamedFrame): number[] {
  const own = new Float64Array(9);
  matrixFromRpy(own, ...frame.originRpyRad);
  const link = arm.topology.link(frame.link);
  const turned = new Float64Array(9);
  const at = new Float64Array(3);
  if (link < 0) turned.set(own);
  else multiplyMatrix(turned, arm.linkFrames.subarray(12 * link, 12 * link + 9), own);
  arm.pointOf(at, link, frame.originXyzM);
  return [...turned, ...at];
}

const number = fc.integer({ min: -1e6, max: 1e6 }).map((value) => value / 1e6);
const triple = fc.tuple(number, number, number);
const quaternion = fc.tuple(number, number, number, number).filter((q) => Math.hypot(...q) > 0.1);
const axis = triple.filter((a) => Math.hypot(...a) > 0.1);
const jointXml = fc.record({ slides: fc.boolean(), axis, at: triple, ref: number });
const bodyXml = fc.record({
  /** Index of the parent among the bodies so far. */
  parent: fc.nat(20),
  at: triple,
  turn: quaternion,
  joints: fc.array(jointXml, { maxLength: 2 }),
  site: fc.record({ at: triple, turn: quaternion }),
});

type BodyXml = typeof bodyXml extends fc.Arbitrary<infer T> ? T : never;

/** Returns a tree of bodies with up to two joints each, anchors and reference positions; at least one has a joint. */
function treeXml(bodies: readonly BodyXml[]): string {
  const text = (index: number): string => {
    const { at, turn, joints, site } = bodies[index]!;
    const all =
      index === 0 && joints.length === 0 ? [{ slides: false, axis: [0, 0, 1], at: [0, 0, 0], ref: 0 }] : joints;
    const inner = all.map(
      (each, k) =>
        `<joint name="j${index}_${k}" type="${each.slides ? 'slide' : 'hinge'}" axis="${each.axis.join(' ')}" pos="${each.at.join(' ')}" ref="${each.ref}"/>`,
    );
    const below = bodies.map((body, i) => (i > 0 && body.parent % i === index ? text(i) : '')).join('');
    return `<body name="b${index}" pos="${at.join(' ')}" quat="${turn.join(' ')}">${inner.join('')}
      <geom type="sphere" size="0.01" mass="1"/><site name="s${index}" pos="${site.at.join(' ')}" quat="${site.turn.join(' ')}"/>${below}</body>`;
  };
  return `<mujoco><compiler angle="radian"/><worldbody>${text(0)}</worldbody></mujoco>`;
}

describe('kinematics of an imported robot', () => {
  it('put every body and site where MuJoCo puts it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(bodyXml, { minLength: 1, maxLength: 6 }),
        fc.array(number, { minLength: 12, maxLength: 12 }),
        async (bodies, positions) => {
          const xml = treeXml(bodies);
          const robot = await importRobot(xml);
          const simulation = await Simulation.fromXml(xml);
          try {
            const arm = new ArmKinematics(modelOf(robot));
            const q = positions.slice(0, robot.joints.length).map((value) => 3 * value);
            arm.forward(q);
            simulation.views.positionRad.set(q);
            simulation.forward();
            const { data } = simulation;
            for (const frame of robot.frames) {
              const id = simulation.id(frame.kind, frame.name);
              const isSite = frame.kind === 'site';
              const rotation = (isSite ? data.site_xmat : data.xmat) as Float64Array;
              const origin = (isSite ? data.site_xpos : data.xpos) as Float64Array;
              const wanted = [...rotation.subarray(9 * id, 9 * id + 9), ...origin.subarray(3 * id, 3 * id + 3)];
              const found = poseOf(arm, frame);
              const off = Math.max(...wanted.map((value, k) => Math.abs(found[k]! - value)));
              expect(off).toBeLessThan(1e-9);
            }
          } finally {
            simulation.close();
          }
        },
      ),
      { numRuns: 80 },
    );
  });

  it('has all shapes of a link within its capsule, exactly so for a capsule', async () => {
    const robot = await importRobot(`<mujoco><worldbody><geom type="plane" size="1 1 1"/>
      <body name="a"><joint name="j1"/><geom type="capsule" size="0.05" fromto="0 0 0 0.3 0.1 0.2"/>
        <body name="b" pos="0.3 0 0"><joint name="j2"/><geom type="box" size="0.1 0.02 0.03" pos="0.1 0 0"/>
          <body name="c" pos="0.3 0 0"><joint name="j3"/><geom type="cylinder" size="0.04 0.2"/><geom type="sphere" size="0.05" pos="0 0 0.2"/></body></body></body>
      </worldbody></mujoco>`);
    const [a, b, c] = robot.capsules;
    expect(robot.capsules.map(({ link }) => link)).toEqual(['j1', 'j2', 'j3']);
    expect(a!.radiusM).toBeCloseTo(0.05, 6);
    expect(Math.max(...a!.fromM, ...a!.toM)).toBeCloseTo(0.3, 6);
    expect(b!.radiusM).toBeGreaterThan(Math.hypot(0.02, 0.03) - 1e-9);
    expect(b!.radiusM).toBeLessThan(0.04);
    expect(c!.radiusM).toBeGreaterThan(0.05 - 1e-9);
    expect(c!.radiusM).toBeLessThan(0.055);
  });
});

describe('what a file says of its servos', () => {
  it('is seen at the joint: position actuators, gears, force limits and key frames', async () => {
    const robot = await importRobot(`<mujoco model="my arm"><compiler autolimits="true"/><worldbody>
      <body name="a"><joint name="j1" range="-90 90"/><geom size="0.1"/>
      <body name="b" pos="1 0 0"><joint name="j2" actuatorfrcrange="-3 4"/><geom size="0.1"/></body></body></worldbody>
      <actuator><position joint="j1" kp="100" kv="5" gear="2" forcerange="-7 8"/><motor joint="j2" gear="3" ctrlrange="-1 1"/></actuator>
      <keyframe><key name="away" qpos="1 1"/><key name="home" qpos="0.1 0.2"/></keyframe></mujoco>`);
    const [one, two] = robot.joints;
    expect(one).toMatchObject({ stiffnessNmPerRad: 400, dampingNmSPerRad: 20, torqueMaxNm: 14, parent: 'base' });
    expect(one!.range![0]).toBeCloseTo(-Math.PI / 2, 9);
    expect(two).toMatchObject({ torqueMaxNm: 3, parent: 'j1', range: undefined, place: { line: 3 } });
    expect(two!.stiffnessNmPerRad).toBeUndefined();
    expect(robot.homeRad).toEqual([0.1, 0.2]);
    expect(robot.name).toBe('my-arm');
  });

  it("is a URDF's effort and speed, with the frames of links that are fixed", async () => {
    const robot = await importRobot(urdf());
    expect(robot.name).toBe('two');
    expect(robot.joints).toHaveLength(2);
    expect(robot.joints[0]).toMatchObject({ name: 'j1', torqueMaxNm: 10, velocityMaxRadPerS: 2, range: [-1, 1.5] });
    expect(robot.joints[1]).toMatchObject({ name: 'j2', kind: 'prismatic' });
    expect(robot.frames.find(({ name }) => name === 'tool0')).toMatchObject({ link: 'j2', originXyzM: [0, 0, 0.2] });
  });
});

describe("the ends of a URDF's joint", () => {
  const limited = (type: string, limit: string): Promise<ImportedRobot> =>
    importRobot(
      urdf((text) =>
        text.replace('"revolute"', `"${type}"`).replace('<limit lower="-1" upper="1.5" effort="10"', limit),
      ),
    );

  it.each([
    ['upper alone', 'revolute', '<limit upper="1.57"', [0, 1.57]],
    ['lower alone', 'prismatic', '<limit lower="-0.2"', [-0.2, 0]],
  ])('are 0 where it does not say them: %s', async (_, type, limit, range) => {
    const [joint] = (await limited(type, limit)).joints;
    expect(joint).toMatchObject({ range, rangeProblem: undefined });
  });

  it.each([
    [
      'none',
      'revolute',
      '<limit effort="1"',
      'is revolute and has a <limit> with lower 0 and upper 0 (0 where it says none)',
    ],
    ['the wrong way round', 'prismatic', '<limit lower="1" upper="-1"', 'with lower 1 and upper -1'],
    ['no <limit>', 'revolute', '<other', 'is revolute and has no <limit>'],
  ])('are wrong where it has %s', async (_, type, limit, why) => {
    const [joint] = (await limited(type, limit)).joints;
    expect(joint!.range).toBeUndefined();
    expect(joint!.rangeProblem).toMatchObject({ place: { line: 10 }, why: expect.stringContaining(why) });
  });

  it('are those of the joint, and not of what has its name for a controller', async () => {
    const controller = '<ros2_control name="c" type="system"><joint name="j1"/></ros2_control>';
    const xml = urdf((text) =>
      text.replace('<link name="base"/>', `${controller}$&`).replace('lower="-1" upper="1.5"', ''),
    );
    const [joint] = (await importRobot(xml)).joints;
    expect(joint!.rangeProblem?.why).toContain('is revolute');
    expect(joint!.velocityMaxRadPerS).toBe(2);
  });

  it('are none where it turns without end', async () => {
    const [joint] = (await limited('continuous', '<limit effort="1"')).joints;
    expect(joint).toMatchObject({ range: undefined, rangeProblem: undefined });
  });
});

/** Returns a URDF with two joints and a fixed tool link. */
function urdf(change: (text: string) => string = (text) => text): string {
  const link = (name: string): string =>
    `<link name="${name}">\n<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>\n<collision><geometry><box size="0.1 0.1 0.3"/></geometry></collision></link>`;
  const joint = (name: string, type: string, parent: string, child: string, inner: string): string =>
    `<joint name="${name}" type="${type}"><parent link="${parent}"/><child link="${child}"/>${inner}</joint>`;
  return change(`<robot name="two">
<link name="base"/>
${link('one')}
${link('two')}
<link name="tool0"/>
${joint('j1', 'revolute', 'base', 'one', '<axis xyz="0 0 1"/><limit lower="-1" upper="1.5" effort="10" velocity="2"/>')}
${joint('j2', 'prismatic', 'one', 'two', '<axis xyz="1 0 0"/><limit lower="0" upper="0.5" effort="20" velocity="1"/>')}
${joint('fix', 'fixed', 'two', 'tool0', '<origin xyz="0 0 0.2"/>')}
</robot>`);
}

describe('what no robot model can say', () => {
  const body = (inner: string, rest = ''): string =>
    `<mujoco>\n<worldbody>\n<body name="a">\n<joint name="j1"/><geom size="0.1"/>\n${inner}</body>\n</worldbody>${rest}</mujoco>`;
  const second = '<body name="b"><joint name="j2"/><geom size="0.1"/></body>';

  it.each([
    ['a floating body', body('', '').replace('<joint name="j1"/>', '<freejoint/>'), ':4:1: body "a" floats freely'],
    [
      'a ball joint',
      body('<body name="b"><joint type="ball" name="hip"/><geom size="0.1"/></body>'),
      ':5:16: joint "hip" of body "b" is a ball joint',
    ],
    ['a joint without a name', body('').replace(' name="j1"', ''), ':3:1: body "a" has a joint without a name'],
    [
      'a joint that follows another',
      body(second, '\n<equality><joint joint1="j2" joint2="j1"/></equality>'),
      'joint "j2" follows joint "j1"',
    ],
    [
      'a closed chain',
      body(second, '\n<equality><connect body1="b" body2="a" anchor="0 0 0"/></equality>'),
      ':7:11: "b" and "a" are tied together',
    ],
    [
      'a body without a mass',
      body('<body name="b">\n<joint name="j2"/></body>'),
      ':5: "b" is moved by a joint, and its mass or inertia is 0',
    ],
    [
      'a mimic joint',
      urdf((text) => text.replace('effort="20" velocity="1"/>', '$&<mimic joint="j1"/>')),
      'joint "j2" follows joint "j1"',
    ],
    [
      'a link without a mass',
      urdf((text) =>
        text
          .replace(/(name="two">\n)<inertial>.*?<\/inertial>/, '$1')
          .replace(/name="two">\n\n/, 'name="two">\n')
          .replace(/(<link name="two">\n)<inertial>.*<\/inertial>/, '$1'),
      ),
      ':6:1: link "two" is moved by joint "j2" and has no <inertial>',
    ],
    [
      'an inertia that no body has',
      urdf((text) => text.replace('ixx="0.1"', 'ixx="0.9"')),
      ':3: the inertia of "one" is physically impossible: its largest principal moment exceeds the sum of the other two',
    ],
    [
      'an inertia below 0',
      urdf((text) => text.replace('ixx="0.1"', 'ixx="-0.1"')),
      ':3: the inertia of "one" is physically impossible: its principal moments are not all above 0',
    ],
    [
      'an inertia of 0',
      urdf((text) => text.replaceAll(/i(xx|yy|zz)="0.1"/g, 'i$1="0"')),
      ':3: "one" is moved by a joint, and its mass or inertia is 0',
    ],
    [
      'an axis without a length',
      urdf((text) => text.replace('<axis xyz="0 0 1"/>', '<axis xyz="0 0 0"/>')),
      ':10: the axis of joint "j1" has no length',
    ],
    [
      'a planar joint, by the name that the file has',
      urdf((text) => text.replace('name="j2" type="prismatic"', 'name="j2" type="planar"')),
      ':11:1: joint "j2" is planar',
    ],
    ['no joint', '<mujoco><worldbody><geom size="1"/></worldbody></mujoco>', 'there is no joint'],
  ])('%s is refused with its place', async (_, xml, message) => {
    await expect(importRobot(xml)).rejects.toThrow(message);
  });

  it('evens out inertias by the line that the remedy gives', async () => {
    const odd = urdf((text) => text.replace('ixx="0.1"', 'ixx="0.9"'));
    const refused = await importRobot(odd).catch((error: unknown) => error);
    if (!(refused instanceof ReinError)) throw new TypeError('it was taken as it is');
    const [line] = /<mujoco>.*<\/mujoco>/.exec(refused.remedy!)!;
    expect((await importRobot(odd.replace('<robot name="two">', `$&${line}`))).joints).toHaveLength(2);
  });

  it('has the same remedy for all that follows another: both ways to let it stand still', async () => {
    const remedy =
      'take it out of the file, or list its joints under `fixed` in the limits file (fixed: [j2]), or give --fixed j2: they then stand still';
    const mimic = urdf((text) => text.replace('effort="20" velocity="1"/>', '$&<mimic joint="j1"/>'));
    await expect(importRobot(mimic)).rejects.toMatchObject({ remedy });
  });

  it('names all joints that follow others at once', async () => {
    const mimics = urdf((text) =>
      text
        .replace('effort="20" velocity="1"/>', '$&<mimic joint="j1"/>')
        .replace('effort="10" velocity="2"/>', '$&<mimic joint="j9"/>'),
    );
    await expect(importRobot(mimics)).rejects.toMatchObject({
      message: expect.stringContaining('joint "j1" follows joint "j9"; joint "j2" follows joint "j1"'),
      remedy: expect.stringContaining('--fixed j1 --fixed j2'),
    });
  });

  it('may be said of what is switched off', async () => {
    const equalities =
      '\n<equality><joint joint1="j2" joint2="j1" active="false"/><connect body1="b" body2="a" anchor="0 0 0" active="false"/></equality>';
    expect((await importRobot(body(second, equalities))).joints.map(({ name }) => name)).toEqual(['j1', 'j2']);
  });

  it('stands still where it is asked to, with all that hangs on it', async () => {
    const xml = body(
      second,
      `<tendon><fixed name="t"><joint joint="j2" coef="1"/></fixed></tendon>
      <equality><joint joint1="j2" joint2="j1"/></equality><actuator><position tendon="t"/><position joint="j1" kp="9"/></actuator>
      <sensor><jointpos joint="j2"/></sensor><keyframe><key qpos="0.5 0.6"/></keyframe>`,
    );
    const robot = await importRobot(xml, (joint) => joint === 'j2');
    expect(robot.joints.map(({ name }) => name)).toEqual(['j1']);
    expect(robot).toMatchObject({ fixed: ['j2'], homeRad: [0.5], joints: [{ stiffnessNmPerRad: 9 }] });
  });
});

describe('a closed chain', () => {
  const loop = `<mujoco><worldbody><body name="frame"><joint name="root"/><geom size="0.1"/>
    <body name="one"><joint name="left"/><geom size="0.1"/><body name="tip"><joint name="tip_joint"/><geom size="0.1"/></body></body>
    <body name="two"><joint name="right"/><geom size="0.1"/></body></body></worldbody>
    <equality><connect body1="tip" body2="two" anchor="0 0 0"/></equality></mujoco>`;

  it('is refused with the names of the joints that would have to stand still, which is then enough', async () => {
    await expect(importRobot(loop)).rejects.toMatchObject({
      message: expect.stringContaining('"tip" and "two" are tied together'),
      remedy: expect.stringContaining(
        '(fixed: [left, tip_joint, right]), or give --fixed left --fixed tip_joint --fixed right',
      ),
    });
    const opened = await importRobot(loop, (joint) => ['left', 'tip_joint', 'right'].includes(joint));
    expect(opened.joints.map(({ name }) => name)).toEqual(['root']);
  });

  it('of fingers is named whole, with all joints that have to stand still', async () => {
    const fourBar = loop.replace(
      '</equality>',
      '<joint joint1="right" joint2="left"/><connect body1="one" body2="two" anchor="0 0 0"/></equality>',
    );
    await expect(importRobot(fourBar)).rejects.toMatchObject({
      message: expect.stringMatching(/"tip" and "two".*; joint "right" follows joint "left"; "one" and "two"/),
      remedy: expect.stringContaining('--fixed left --fixed tip_joint --fixed right'),
    });
  });
});

/** Returns a binary STL of triangles between the origin (0) and 1 m along x, y and z (1, 2, 3). */
function stlOf(triangles: readonly (readonly number[])[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(84 + 50 * triangles.length));
  bytes.setUint32(80, triangles.length, true);
  for (const [i, corners] of triangles.entries()) {
    for (const [k, corner] of corners.entries()) {
      if (corner > 0) bytes.setFloat32(84 + 50 * i + 12 * (k + 1) + 4 * (corner - 1), 1, true);
    }
  }
  return new Uint8Array(bytes.buffer);
}

describe('files that a model refers to', () => {
  let folder: string | undefined;
  afterEach(() => {
    if (folder !== undefined) rmSync(folder, { recursive: true });
    folder = undefined;
  });
  const write = (files: Record<string, string | Uint8Array>): string => {
    folder = mkdtempSync(join(tmpdir(), 'rein-import-'));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(folder, name, '..'), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return join(folder, 'robot.xml');
  };
  const cube = ['0 0 0', '1 0 0', '0 1 0', '0 0 1', '1 1 1']
    .map((v) => `v ${v}`)
    .join('\n')
    .concat('\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 5\nf 2 4 5\nf 3 4 5\n');
  /** A tetrahedron. */
  const stl = stlOf([
    [0, 1, 2],
    [0, 1, 3],
    [0, 2, 3],
    [1, 2, 3],
  ]);
  const withMesh =
    '<mujoco>\n<asset>\n<mesh name="m" file="cube.obj"/></asset><worldbody><include file="arm.xml"/></worldbody></mujoco>';
  const arm = '<mujocoinclude><body name="a"><joint name="j"/><geom type="mesh" mesh="m"/></body></mujocoinclude>';

  it('are read: meshes and included parts', async () => {
    const robot = await importRobot(write({ 'robot.xml': withMesh, 'arm.xml': arm, 'cube.obj': cube }));
    expect(robot.joints[0]!.name).toBe('j');
    expect(robot.capsules[0]!.radiusM).toBeGreaterThan(0.5);
  });

  const menagerie = '<mujoco model="arm">\n<compiler angle="radian" meshdir="assets/"/>\n';
  const meshed = `<asset><mesh name="m" file="Base.stl"/></asset><worldbody><body name="a"><joint name="j" range="0 2"/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>`;

  it.each([
    ['a folder', '<mujoco><include file="arm.xml"/></mujoco>', menagerie, 'assets/Base.stl', meshed],
    [
      'a folder with single quotes',
      "<mujoco><include file='arm.xml'/></mujoco>",
      menagerie.replaceAll('"', "'"),
      'assets/Base.stl',
      meshed.replaceAll('"', "'"),
    ],
    [
      'a folder of all assets',
      '<mujoco><compiler meshdir="none"/><include file="arm.xml"/></mujoco>',
      menagerie.replace('meshdir', 'assetdir'),
      'assets/Base.stl',
      meshed,
    ],
    [
      'names without folders',
      '<mujoco><include file="arm.xml"/></mujoco>',
      menagerie.replace('meshdir="assets/"', 'strippath="true"'),
      'Base.stl',
      meshed.replace('Base.stl', 'C:/cad/Base.stl'),
    ],
  ])('are found where an included part says: %s', async (_, scene, head, at, rest) => {
    const robot = await importRobot(write({ 'robot.xml': scene, 'arm.xml': head + rest, [at]: stl }));
    expect(robot.joints[0]!.range).toEqual([0, 2]);
    expect(robot.capsules[0]!.radiusM).toBeGreaterThan(0.3);
  });

  it('are missed with the line that names them', async () => {
    await expect(importRobot(write({ 'robot.xml': withMesh, 'arm.xml': arm }))).rejects.toThrow(
      /robot.xml:3: mesh file cube.obj is not there/,
    );
  });

  const visual = `<mujoco><asset><mesh name="m" file="seen.obj"/><mesh file="shell.obj"/><texture name="t" type="2d" file="seen.png"/>
    <material name="c" texture="t"/></asset><worldbody><body name="a"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><joint name="j"/>
    <geom type="mesh" mesh="m" material="c" contype="0" conaffinity="0"/><geom type="sphere" size="0.1" mass="0"/>
    <geom type="mesh" mesh="shell" contype="0" conaffinity="0"/></body></worldbody></mujoco>`;

  it('are not needed where they are only looked at: visual meshes and textures', async () => {
    const file = write({ 'robot.xml': visual });
    const phases: string[] = [];
    const robot = await importRobot(file, () => false, { onPhase: (message) => phases.push(message) });
    expect(robot.capsules).toHaveLength(1);
    expect(robot.capsules[0]!.radiusM).toBeCloseTo(0.1, 6);
    expect(phases).toEqual([]);
    expect((await importRobot(file)).joints[0]!.name).toBe('j');
  });

  it('are needed where a mass or a shape would be missing without them', async () => {
    const weighing = visual.replace(/<inertial[^>]*>/, '');
    await expect(importRobot(write({ 'robot.xml': weighing }))).rejects.toThrow(/mesh file seen.obj is not there/);
    rmSync(folder!, { recursive: true });
    const bare = visual.replace('<geom type="sphere" size="0.1" mass="0"/>', '');
    await expect(importRobot(write({ 'robot.xml': bare }))).rejects.toThrow(/mesh file seen.obj is not there/);
  });

  it('leave a link without solid shapes without a capsule where others have some', async () => {
    const two = visual.replace(
      '</body>',
      '<body name="b"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><joint name="k"/><geom type="box" size="1 1 1" contype="0" conaffinity="0"/></body></body>',
    );
    const robot = await importRobot(write({ 'robot.xml': two }));
    expect(robot.capsules.map(({ link }) => link)).toEqual(['j']);
  });

  const urdfWith = (mesh: string): string => `<robot name="r"><link name="stand"/>
<link name="upper"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="package://seen/nowhere.dae"/></geometry></visual>
<collision><geometry><mesh filename="${mesh}"/></geometry></collision></link>
<joint name="shoulder" type="revolute"><parent link="stand"/><child link="upper"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="5" velocity="1"/></joint></robot>`;
  const urdf = (files: Record<string, string | Uint8Array>, at: string): string => join(write(files), '..', at);

  it.each([
    ['beside it', 'assets/x.obj', { 'r.urdf': '', 'assets/x.obj': cube }, 'r.urdf'],
    ['in folders of one name', 'b/x.obj', { 'r.urdf': '', 'a/x.obj': 'no mesh', 'b/x.obj': cube }, 'r.urdf'],
    [
      'in the package that it is part of',
      'package://my_arm/meshes/x.obj',
      {
        'src/a/urdf/r.urdf': '',
        'src/a/package.xml': '<package><name>my_arm</name></package>',
        'src/a/meshes/x.obj': cube,
      },
      'src/a/urdf/r.urdf',
    ],
    [
      'in a package beside its own',
      'package://other/meshes/x.obj',
      { 'src/a/urdf/r.urdf': '', 'src/other/meshes/x.obj': cube },
      'src/a/urdf/r.urdf',
    ],
  ])('are found for a URDF %s, whose visual shapes are not read', async (_, mesh, files, at) => {
    const robot = await importRobot(urdf({ ...files, [at]: urdfWith(mesh) } as Record<string, string>, at));
    expect(robot.capsules[0]!.radiusM).toBeGreaterThan(0.5);
  });

  it('are looked for where --package says, and missed with that as the remedy', async () => {
    const file = urdf({ 'r.urdf': urdfWith('package://far/x.obj'), 'else/x.obj': cube }, 'r.urdf');
    await expect(importRobot(file)).rejects.toMatchObject({
      message: expect.stringMatching(/r.urdf:4: mesh file package:\/\/far\/x.obj is not there \(looked for/),
      remedy: 'say where the package is: --package far=FOLDER',
    });
    const robot = await importRobot(file, () => false, { packages: { far: join(file, '..', 'else') } });
    expect(robot.capsules).toHaveLength(1);
  });

  it('are looked for where --package says, also by an absolute path of the computer that wrote it', async () => {
    const path = 'file:///home/vendor/ws/far_description/arms/x.obj';
    const file = urdf({ 'r.urdf': urdfWith(path), 'else/arms/x.obj': cube }, 'r.urdf');
    await expect(importRobot(file)).rejects.toMatchObject({
      remedy: 'say where the package is: --package far_description=FOLDER',
    });
    const far = join(file, '..', 'else');
    const robot = await importRobot(file, () => false, { packages: { far_description: far } });
    expect(robot.capsules).toHaveLength(1);
    // The robot file lists it too: the model is read again from there.
    expect(robot.packages).toEqual({ far_description: far });
  });

  it('say in which packages they were found, each in one folder', async () => {
    const two = urdfWith('package://far/x.obj').replace(
      '</link>\n<joint',
      '<collision><geometry><mesh filename="package://here/y.obj"/></geometry></collision></link>\n<joint',
    );
    const file = urdf({ 'a/r.urdf': two, 'ws/far/x.obj': cube, 'here/y.obj': cube }, 'a/r.urdf');
    vi.stubEnv('ROS_PACKAGE_PATH', join(folder!, 'ws'));
    const { packages } = await importRobot(file).finally(() => vi.unstubAllEnvs());
    expect(packages).toEqual({ far: join(folder!, 'ws/far'), here: join(folder!, 'here') });
  });

  it.each([
    ['by its name', 'r.urdf.xacro', '<robot name="r"/>'],
    ['by its elements', 'r.urdf', '<robot name="r" xmlns:xacro="x"><xacro:property name="a" value="1"/></robot>'],
  ])('are no xacro, which is told %s', async (_, name, text) => {
    const file = urdf({ [name]: text }, name);
    await expect(importRobot(file)).rejects.toMatchObject({
      message: expect.stringContaining(`${name} is a xacro file`),
      remedy: `expand it first: xacro ${file} > robot.urdf`,
    });
  });

  it('may have been a xacro file, whose name space is left', async () => {
    const text = urdfWith('x.obj').replace('<robot', '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"');
    expect((await importRobot(urdf({ 'r.urdf': text, 'x.obj': cube }, 'r.urdf'))).joints).toHaveLength(1);
  });

  it('are told apart from COLLADA, which MuJoCo does not read', async () => {
    const file = urdf({ 'r.urdf': urdfWith('x.dae'), 'x.dae': '<COLLADA/>' }, 'r.urdf');
    await expect(importRobot(file)).rejects.toThrow(/r.urdf:4: mesh file x.dae is a COLLADA file/);
    // Manufacturers ship an STL of the same name beside it.
    const both = urdf(
      {
        'r.urdf': urdfWith('x.dae'),
        'x.dae': '<COLLADA/>',
        'x.stl': stlOf([
          [0, 1, 2],
          [0, 1, 3],
          [0, 2, 3],
          [1, 2, 3],
        ]),
      },
      'r.urdf',
    );
    expect((await importRobot(both)).capsules.length).toBeGreaterThan(0);
  });

  it('are shown with the line where they are no XML', async () => {
    await expect(
      importRobot(write({ 'robot.xml': '<mujoco>\n<worldbody>\n<body</worldbody></mujoco>' })),
    ).rejects.toThrow(/robot.xml:3: MuJoCo cannot load it/);
  });
});

describe('files that MuJoCo does not load', () => {
  const shoulder =
    '<joint name="shoulder" type="revolute"><parent link="stand"/><child link="upper"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="5" velocity="1"/></joint>';

  it('are told with the line of a link without mass and shape', async () => {
    const urdf = `<robot name="r">\n<link name="stand"/>\n<link name="upper"/>\n${shoulder}\n</robot>`;
    await expect(importRobot(urdf)).rejects.toThrow(
      /^the model:3:1: link "upper" is moved by joint "shoulder" and has no/,
    );
  });

  it('are told with the line of a body without a mass', async () => {
    const mjcf = '<mujoco><worldbody>\n<body name="b">\n<joint name="j"/></body></worldbody></mujoco>';
    await expect(importRobot(mjcf)).rejects.toThrow(
      /^the model:2: "b" is moved by a joint, and its mass or inertia is 0/,
    );
  });

  it('are told in words where they are no XML', async () => {
    await expect(importRobot('<robot name="r"><link')).rejects.toThrow(/^the model:1: .*this is not XML/);
  });
});
