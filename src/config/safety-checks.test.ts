import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ReinError } from '../model/index.ts';
import { resolveConfig } from './resolve.ts';

const folder = mkdtempSync(join(tmpdir(), 'rein-safety-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Problems reported on the robot of `task` under `overlay`; `accepted` if there are none. */
function said(overlay: string, task = 'insert'): string {
  const path = join(folder, 'o.yaml');
  writeFileSync(path, overlay);
  try {
    resolveConfig({ task, seed: 1, overlay: path });
  } catch (error) {
    expect(error).toBeInstanceOf(ReinError);
    return (error as Error).message.replaceAll(`${folder}/`, '').replaceAll(`${relative(process.cwd(), folder)}/`, '');
  }
  return 'accepted';
}

const SPHERES = `robot:
  collision:
    capsules:
      - { name: hand, link: wrist_3, fromM: [0, 0, 0.1], toM: [0, 0, 0.1], radiusM: 0.03 }
      - { name: flange, link: wrist_3, fromM: [0, 0, 0], toM: [0, 0, 0], radiusM: 0.03 }
      - { name: wrist, link: wrist_2, fromM: [0, 0, 0.1], toM: [0, 0, 0.05], radiusM: 0.04 }
      - { name: foot, link: base, fromM: [0, 0, 0], toM: [0, 0, 0.1], radiusM: 0.08 }
    keepOut: []
    clearanceM: 0.01
`;
const TANK = 'robot:\n  tank: { port: joint, startJ: 2, minJ: 0.1, maxJ: 4, powerMaxW: 80, recovery: 0.9';

describe('the servos of a tank', () => {
  const text = (more: string) => `robot:\n  tank: { ${more} }`;

  it.each([
    ['as the observer has them', text('velocityFeedForward: true, delayTicks: 1'), /^accepted$/],
    [
      'that do not lead, where the observer says that they do',
      text('velocityFeedForward: false'),
      /^o\.yaml:2:\d+: tank\.velocityFeedForward is false, torqueObserver\.velocityFeedForward is true: both describe the same servos/,
    ],
    [
      'that follow sooner than the observer says',
      `${text('delayTicks: 1')}\n  torqueObserver: { delayTicks: 2 }`,
      /^o\.yaml:2:\d+: tank\.delayTicks is 1, less than torqueObserver\.delayTicks, 2/,
    ],
  ])('%s', (_name, overlay, expected) => expect(said(overlay)).toMatch(expected));
});

describe('servos that lag', () => {
  const lagging = (more = '') =>
    `robot:\n  tank: { velocityFeedForward: false }\n  torqueObserver: { velocityFeedForward: false }\n${more}`;

  it('by what row 43 stops at their own speed are refused, with a speed that is accepted', () => {
    const refusal = said(lagging());
    expect(refusal).toMatch(
      /joint "shoulder_pan" lags by damping \/ stiffness, .* at its full speed, and row 43 stops it there/,
    );
    // Each joint's own remedy, written into its file.
    const slower = [...refusal.matchAll(/write velocityMaxRadPerS: ([0-9.]+),/g)].map(([, rad]) => Number(rad));
    expect(slower.length).toBeGreaterThan(3);
    for (const rad of slower) expect(rad).toBeGreaterThan(0.3);
  });

  it('and are told how fast the reference goes do not', () => {
    expect(said('robot: { tank: { velocityFeedForward: true } }')).toBe('accepted');
  });
});

describe('what row 43 would stop though nothing is wrong', () => {
  it.each([
    [
      'a load that the servos let sink',
      'payloadMaxKg: 40',
      /^o\.yaml:1:\d+: payloadMaxKg is 40: (its servos let the tool sink|joint ".*") .* row 43/,
    ],
    [
      'a leash that row 43 is shorter than',
      'leashM: 0.03',
      /^o\.yaml:1:\d+: leashM is 0\.03: .* row 43 stops it at 0\.03 m: write leashM: 0\.025/,
    ],
    ['the same of a joint', 'leashRad: 0.25', /^o\.yaml:1:\d+: leashRad is 0\.25: .* write leashRad: 0\.2$/],
  ])('is refused: %s, with a number that is accepted', (_name, overlay, expected) => {
    const refusal = said(`robot: { ${overlay} }`);
    expect(refusal).toMatch(expected);
    const [remedy] = /(payloadMaxKg|leashM|leashRad): [0-9.]+(?=,|$)/.exec(refusal.slice(refusal.indexOf('write')))!;
    expect(said(`robot: { ${remedy} }`)).toBe('accepted');
  });

  it('is refused with friction that hides a frozen reading, with a number that is accepted', () => {
    const withFriction = (nm: string): string => said(`robot: { joints: { wrist_3: { dryFrictionNm: ${nm} } } }`);
    const refusal = withFriction('20');
    expect(refusal).toMatch(/dryFrictionNm of joint "wrist_3" is 20: .* \(row 14\): write dryFrictionNm: /);
    expect(withFriction(/write dryFrictionNm: ([0-9.]+)/.exec(refusal)![1]!)).toBe('accepted');
  });

  it.each([
    ['its leash', 'leashRad: 0.05'],
    ['what its servos may press with', 'gravityCompensated: false, tank: { velocityFeedForward: true }'],
  ])('is refused with friction for which a reference never goes as far as that, for %s', (_name, overlay) => {
    const withFriction = (nm: string, more: string): string =>
      said(`robot: { joints: { wrist_3: { dryFrictionNm: ${nm} } }, ${more} }`);
    expect(withFriction('5', 'leashRad: 0.15')).toBe('accepted');
    const refusal = withFriction('5', overlay);
    expect(refusal).toMatch(/dryFrictionNm of joint "wrist_3" is 5: .* \(row 14\): write dryFrictionNm: /);
    expect(withFriction(/write dryFrictionNm: ([0-9.]+)/.exec(refusal)![1]!, overlay)).toBe('accepted');
  });

  it('is not the leash of an arm whose press is limited by its servos’ torque', () => {
    const overlay =
      'robot: { leashM: 0.05, leashRad: 0.3, gravityCompensated: false, tank: { velocityFeedForward: true } }';
    expect(said(overlay)).toBe('accepted');
  });
});

describe('how torque goes off', () => {
  it.each([
    ['as a ramp under an arm that falls', 'robot: { holdsWithoutTorque: false, exitRampS: 10 }', /^accepted$/],
    ['at once under one that holds', 'robot: { holdsWithoutTorque: true }', /^accepted$/],
    [
      'no ramp under an arm that falls',
      'robot: { holdsWithoutTorque: false }',
      /^o.yaml:1:\d+: .*exitRampS has to say/,
    ],
    ['a ramp under one that holds', 'robot: { exitRampS: 10 }', /^o.yaml:1:\d+: .*add `holdsWithoutTorque: false`/],
    ['in no time', 'robot: { holdsWithoutTorque: false, exitRampS: 0 }', /exitRampS/],
    ['never', 'robot: { holdsWithoutTorque: false, exitRampS: 121 }', /exitRampS/],
  ])('%s', (_name, overlay, expected) => expect(said(overlay)).toMatch(expected));
});

describe('shapes and points', () => {
  it.each([
    ['none of them', `${SPHERES}    pairs: [[hand, foot]]\n`, 'accepted'],
    [
      'a point of a link that is not there',
      'robot: { points: [{ name: p, link: elbo, positionM: [0, 0, 0] }] }',
      'o.yaml:1:36: points[0].link is "elbo", there are the joints shoulder_pan, shoulder_lift, elbow, wrist_1, wrist_2, wrist_3, did you mean "elbow"?',
    ],
    [
      'two points of one name',
      'robot:\n  points:\n    - { name: p, link: wrist_3, positionM: [0, 0, 0] }\n    - { name: p, link: wrist_3, positionM: [0, 0, 0] }',
      'o.yaml:4:15: there is already a point "p"',
    ],
    [
      'a point outside the workspace at home',
      'robot:\n  points:\n    - { name: p, link: elbow, positionM: [0, 0, 0] }',
      'o.yaml:3:7: at home "p: x min" is exceeded by 200 mm',
    ],
    [
      'a point outside its own box at home',
      'robot:\n  points:\n    - name: p\n      link: elbow\n      positionM: [0, 0, 0]\n      workspace: { minM: [-1, -1, 0], maxM: [1, 1, 0.5] }',
      'o.yaml:6:52: at home "p: z max" is exceeded by 87.5 mm',
    ],
    [
      'a box of a point upside down',
      'robot:\n  points:\n    - name: p\n      link: elbow\n      positionM: [0, 0, 0]\n      workspace: { minM: [-1, -1, 1], maxM: [1, 1, 1] }',
      'o.yaml:6:35: points[0].workspace.minM[2] and points[0].workspace.maxM[2] are both 1: lower the first or raise the second',
    ],
    [
      'a capsule of a link that is not there',
      SPHERES.replace('link: base', 'link: bass').concat('    pairs: []\n'),
      'o.yaml:7:29: collision.capsules[3].link is "bass", there are the joints shoulder_pan, shoulder_lift, elbow, wrist_1, wrist_2, wrist_3',
    ],
    [
      'two capsules of one name',
      SPHERES.replace('name: foot', 'name: hand').concat('    pairs: []\n'),
      'o.yaml:7:17: there is already a capsule "hand"',
    ],
    [
      'a pair with a capsule that is not there',
      `${SPHERES}    pairs: [[hand, food]]\n`,
      'o.yaml:10:20: pairs[0] names "food", there are the capsules hand, flange, wrist, foot, did you mean "foot"?',
    ],
    [
      'a pair of one link',
      `${SPHERES}    pairs: [[hand, flange]]\n`,
      'o.yaml:10:13: pairs[0]: "hand" and "flange" are on one link, wrist_3, and cannot move apart',
    ],
    [
      'a pair twice',
      `${SPHERES}    pairs: [[hand, foot], [foot, hand]]\n`,
      'o.yaml:10:27: pairs[1]: "foot" and "hand" are a pair already',
    ],
    [
      'neighbours that overlap',
      `${SPHERES}    pairs: [[wrist, flange]]\n`,
      'o.yaml:10:13: pairs[0]: "wrist" and "flange" meet where joint "wrist_3" carries one on the other, and lack 80 mm of the clearance at home: leave the pair out, or shorten one',
    ],
    [
      'links too close at home',
      `${SPHERES}    pairs: [[hand, foot]]\n`.replace('0.03 }', '0.6 }'),
      /^o\.yaml:10:13: pairs\[0\]: "hand" and "foot" lack \d+\.?\d* mm of the clearance at home$/,
    ],
  ])('%s', (_, overlay, expected) => {
    expect(said(overlay)).toMatch(expected instanceof RegExp ? expected : exactly(expected));
  });
});

describe('keep-out boxes', () => {
  const box = (minM: string, maxM: string, more = '') =>
    `robot:\n  collision:\n    keepOut:\n      - { name: camera, minM: ${minM}, maxM: ${maxM}${more} }\n`;

  it.each([
    ['out of the way', box('[0.9, 0.9, 0.9]', '[1, 1, 1]'), 'accepted'],
    [
      'upside down',
      box('[0.9, 0.9, 0.9]', '[1, 1, 0.8]'),
      'o.yaml:4:42: collision.keepOut[0].minM[2], 0.9, is above collision.keepOut[0].maxM[2], 0.8: swap the two numbers',
    ],
    [
      'for a capsule that is not there',
      box('[0.9, 0.9, 0.9]', '[1, 1, 1]', ', capsules: [pig]'),
      /^o\.yaml:4:76: keepOut\[0\]\.capsules\[0\] names "pig", there are the capsules base, .*, did you mean "peg"\?$/,
    ],
    [
      'around the tool at home',
      box('[0.4, 0.1, 0.3]', '[0.6, 0.2, 0.35]', ', capsules: [base]'),
      'o.yaml:4:9: keepOut[0], "camera", contains the tool point at home',
    ],
    [
      'too close to a link at home',
      box('[0.1, -0.2, 0.6]', '[0.2, 0.2, 0.7]', ', capsules: [forearm]'),
      'o.yaml:4:9: at home "forearm: camera" lacks 42.5 mm of the clearance',
    ],
  ])('%s', (_, overlay, expected) => {
    expect(said(overlay)).toMatch(expected instanceof RegExp ? expected : exactly(expected));
  });
});

describe('the energy tank', () => {
  it.each([
    ['as it should be', `${TANK} }`, 'accepted'],
    [
      'that starts empty',
      `${TANK} }`.replace('minJ: 0.1', 'minJ: 2'),
      'o.yaml:2:32: tank.startJ is 2, it must be above tank.minJ, 2 (J)',
    ],
    [
      'that starts more than full',
      `${TANK} }`.replace('maxJ: 4', 'maxJ: 1'),
      'o.yaml:2:52: tank.maxJ is 1, it must not be below tank.startJ, 2 (J)',
    ],
    [
      'of the tool',
      `${TANK} }`.replace('joint', 'setPoint'),
      'o.yaml:2:17: tank.port is "setPoint", it must be "joint"',
    ],
    ['that gives back all', `${TANK} }`.replace('0.9', '1'), /recovery is 1, it must be a number ≥ 0 and < 1$/],
  ])('%s', (_, overlay, expected) => {
    expect(said(overlay)).toMatch(expected instanceof RegExp ? expected : exactly(expected));
  });
});

describe('joints', () => {
  const joint = (more: string) =>
    `robot:\n  homeRad: [0]\n  collision: { capsules: [{ name: a, link: base, fromM: [0, 0, 0], toM: [0, 0, 0], radiusM: 0.1 }], pairs: [] }\n  joints:\n    - { name: only, originXyzM: [0, 0, 0], originRpyRad: [0, 0, 0], axis: [0, 0, 1], positionMinRad: -1, positionMaxRad: 1, velocityMaxRadPerS: 3, accelMaxRadPerS2: 12, torqueMaxNm: 9, stiffnessNmPerRad: 100, dampingNmSPerRad: 1${more} }\n`;

  it.each([
    [
      'without the way to stop from full speed',
      joint('').replace('12', '2'),
      'o.yaml:5:166: joint "only" takes 2.265 rad to stop from its full speed and has 1.96 rad between its limits: it needs more acceleration or less speed',
    ],
    [
      'on a link that comes later',
      joint(', parent: only'),
      'o.yaml:5:239: joints[0].parent is "only", before this joint there are base',
    ],
    [
      'without the tool that is said to be there',
      `${joint('')}  tool: { link: hand }\n`,
      'o.yaml:6:17: tool.link is "hand", there are the joints only',
    ],
    [
      'that a tank needs true dampers of',
      `${joint('').replace('dampingNmSPerRad: 1', 'dampingNmSPerRad: 0')}  tank: { port: joint, startJ: 2, minJ: 0.1, maxJ: 4, powerMaxW: 80, recovery: 0.9, velocityFeedForward: false }\n  points: []\n  workspace: { minM: [-1, -1, -1] }\n`,
      /^o\.yaml:5:\d+: joint "only" has no damping, and an energy tank needs the servos' true stiffness and damping$/m,
    ],
    [
      'that a tank needs to know the noise of',
      `${joint('')}  tank: { port: joint, startJ: 2, minJ: 0.1, maxJ: 4, powerMaxW: 80, recovery: 0.9, velocityFeedForward: false }\n  points: []\n  workspace: { minM: [-1, -1, -1] }\n`,
      /^o\.yaml:5:\d+: joint "only" has no encoderNoiseRad, and an energy tank needs to know by how much a reading may be off: the largest difference seen over a minute of standing still, and no less than 2π \/ 2\^bits of the encoder$/m,
    ],
    [
      'that separation needs a tool speed of',
      'robot:\n  separation: { reactionS: 0.1, intrusionM: 0.2, uncertaintyM: 0.05 }\n',
      /^o\.yaml:2:\d+: separation slows the tool, so toolSpeedMaxMPerS is needed: its speed limit while no person is near$/m,
    ],
    [
      'that separation needs a distance behind ROS for',
      'task: { robot: arm6-ros }\nrobot:\n  toolSpeedMaxMPerS: 0.5\n  separation: { reactionS: 0.1, intrusionM: 0.2, uncertaintyM: 0.05 }\n',
      /^o\.yaml:4:\d+: separation needs the distance of people, and the driver ros measures none: add driver\.distance, or leave separation out$/m,
    ],
    [
      'that separation needs another driver than bus servos for',
      'task: { robot: so101 }\nrobot:\n  toolSpeedMaxMPerS: 0.5\n  separation: { reactionS: 0.1, intrusionM: 0.2, uncertaintyM: 0.05 }\n',
      /^o\.yaml:4:\d+: separation needs the distance of people, and the driver feetech measures none: leave it out$/m,
    ],
    [
      'that a distance of people slows nothing without separation of',
      'task: { robot: arm6-ros }\nrobot:\n  driver: { distance: {} }\n',
      /^o\.yaml:3:\d+: driver\.distance measures the distance of people, but without separation the robot does not slow or stop for it: add separation, or leave it out$/m,
    ],
    [
      'that home is outside of the workspace of',
      'robot:\n  homeRad: [0, -1.57, 1.57, -1.57, -1.57, 0]\n',
      /at home "tool: x min" is exceeded by 692 mm$/m,
    ],
  ])('%s', (_, overlay, expected) => {
    expect(said(overlay)).toMatch(expected instanceof RegExp ? expected : exactly(expected));
  });
});

describe('the fence of a base', () => {
  const fence = (minM: string, maxM: string) =>
    `robot: { base: { fence: { minM: ${minM}, maxM: ${maxM}, radiusM: 0.3 } } }`;

  it.each([
    ['around it', fence('[-1, -1]', '[1, 1]'), 'accepted'],
    [
      'that it begins beyond',
      fence('[-1, -0.2]', '[1, 1]'),
      'o.yaml:1:38: base.fence.minM[1] must be below −radiusM, −0.3 (m): the base begins in the middle of the frame and reaches that far in y',
    ],
    [
      'that it touches',
      fence('[-1, -1]', '[0.3, 1]'),
      'o.yaml:1:50: base.fence.maxM[0] must be above radiusM, 0.3 (m): the base begins in the middle of the frame and reaches that far in x',
    ],
  ])('%s', (_, overlay, expected) => {
    expect(said(overlay, 'drive-judged')).toBe(expected);
  });
});

function exactly(text: string): RegExp {
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
}
