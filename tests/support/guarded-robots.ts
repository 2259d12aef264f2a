/** Robots for tests that have everything to keep clear of: a branched arm on a rail among obstacles, and fenced bases. */
import { type BaseModel, type JointModel, modelOfBase, type RobotModel } from '../../src/model/index.ts';

type Triple = readonly [number, number, number];

const servo = { torqueMaxNm: 20, stiffnessNmPerRad: 200, dampingNmSPerRad: 10, encoderNoiseRad: 0 };
const still: Triple = [0, 0, 0];

function turning(
  name: string,
  xyz: Triple,
  axis: Triple,
  range: readonly [number, number],
  speed: number,
  accel: number,
): JointModel {
  const limits = {
    positionMinRad: range[0],
    positionMaxRad: range[1],
    velocityMaxRadPerS: speed,
    accelMaxRadPerS2: accel,
  };
  return { name, originXyzM: xyz, originRpyRad: [0.1, 0, -0.2], axis, ...limits, ...servo };
}

function sliding(
  name: string,
  xyz: Triple,
  axis: Triple,
  range: readonly [number, number],
  speed: number,
  accel: number,
): JointModel {
  return { ...turning(name, xyz, axis, range, speed, accel), originRpyRad: still, kind: 'prismatic' };
}

/**
 * An arm on a rail, with a telescope as its last link and a camera mast that branches off the rail's carriage: walls for
 * three points, a table and a post in its way, and links that can hit each other.
 */
export const guardedArm: RobotModel = {
  name: 'guarded-arm',
  joints: [
    sliding('rail', [0, 0, 0.1], [1, 0, 0], [-0.25, 0.3], 0.6, 2),
    turning('turn', [0, 0, 0.15], [0, 0, 1], [-2.2, 2.2], 1.8, 6),
    turning('lift', [0.02, 0, 0.1], [0, 1, 0], [-1.4, 1.6], 1.5, 5),
    turning('bend', [0.3, 0, 0], [0, 0.8, 0.6], [-2.4, 2.4], 2.5, 12),
    { ...sliding('reach', [0.12, 0, 0], [1, 0, 0], [0, 0.15], 0.5, 3), parent: 'bend' },
    { ...turning('mast', [-0.12, 0.12, 0.1], [0, 0, 1], [-1.5, 1.5], 2, 8), parent: 'rail' },
  ],
  tool: { originXyzM: [0.12, 0, 0.02], originRpyRad: [0, 0.3, 0], link: 'reach' },
  workspace: { minM: [-0.35, -0.55, 0.05], maxM: [0.85, 0.6, 0.85] },
  points: [
    { name: 'elbow', link: 'lift', positionM: [0.3, 0, 0.03] },
    { name: 'camera', link: 'mast', positionM: [0.15, 0, 0.35] },
  ],
  collision: {
    capsules: [
      { name: 'pedestal', link: 'base', fromM: [-0.3, 0.35, 0], toM: [-0.3, 0.35, 0.5], radiusM: 0.05 },
      { name: 'upper', link: 'lift', fromM: [0, 0, 0], toM: [0.3, 0, 0], radiusM: 0.045 },
      { name: 'fore', link: 'bend', fromM: [0.03, 0, 0], toM: [0.14, 0, 0], radiusM: 0.04 },
      { name: 'hand', link: 'reach', fromM: [0, 0, 0], toM: [0.1, 0, 0.02], radiusM: 0.03 },
      { name: 'pole', link: 'mast', fromM: [0, 0, 0], toM: [0.02, 0, 0.3], radiusM: 0.02 },
      { name: 'lens', link: 'mast', fromM: [0.15, 0, 0.35], toM: [0.15, 0, 0.35], radiusM: 0.03 },
    ],
    pairs: [
      ['hand', 'pole'],
      ['hand', 'lens'],
      ['fore', 'lens'],
      ['upper', 'lens'],
      ['hand', 'upper'],
      ['pedestal', 'lens'],
      ['hand', 'pedestal'],
    ],
    keepOut: [
      { name: 'table', minM: [0.25, -0.3, 0], maxM: [0.6, 0.3, 0.18], capsules: ['fore', 'hand', 'upper'] },
      { name: 'post', minM: [0.3, 0.32, 0], maxM: [0.36, 0.38, 0.7] },
    ],
    clearanceM: 0.005,
  },
  controlHz: 50,
  limitMarginRad: 0.01,
  leashM: 0.05,
  leashRad: 0.3,
  homeRad: [0, 0, -0.6, 0.7, 0.05, 0],
};

const fence = { minM: [-1.2, -0.8], maxM: [1.5, 0.9], radiusM: 0.3 } as const;

function fenced(name: string, base: BaseModel, controlHz: number): RobotModel {
  return modelOfBase(name, { ...base, fence }, controlHz);
}

/** Bases of each kind between four walls. */
export const fencedBases: readonly RobotModel[] = [
  fenced(
    'fenced-differential',
    { kind: 'differential', speedMaxMPerS: 0.5, accelMaxMPerS2: 1, turnMaxRadPerS: 1.8, turnAccelMaxRadPerS2: 4 },
    50,
  ),
  fenced(
    'fenced-holonomic',
    { kind: 'holonomic', speedMaxMPerS: 1.2, accelMaxMPerS2: 2.5, turnMaxRadPerS: 0.6, turnAccelMaxRadPerS2: 0.8 },
    100,
  ),
  fenced(
    'fenced-car',
    {
      kind: 'ackermann',
      speedMaxMPerS: 1.5,
      accelMaxMPerS2: 4,
      wheelbaseM: 0.26,
      steeringMaxRad: 0.4,
      steeringRateMaxRadPerS: 3,
      steeringAccelMaxRadPerS2: 40,
    },
    50,
  ),
];
