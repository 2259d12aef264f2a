/** Robots for tests: one with public proportions, one odd. */
import { type JointModel, modelOfBase, type RobotModel } from '../../src/model/index.ts';

interface Row {
  readonly xyz: readonly [number, number, number];
  readonly roll: number;
  readonly accel: number;
  readonly torque: number;
}

const HALF = Math.PI / 2;

// Each row is Tz(d)·Tx(a)·Rx(alpha) of the link before, from Universal Robots, "DH Parameters for calculations of
// kinematics and dynamics".
const ur5eRows: readonly Row[] = [
  { xyz: [0, 0, 0], roll: 0, accel: 10, torque: 150 },
  { xyz: [0, 0, 0.1625], roll: HALF, accel: 10, torque: 150 },
  { xyz: [-0.425, 0, 0], roll: 0, accel: 12, torque: 150 },
  { xyz: [-0.3922, 0, 0], roll: 0, accel: 15, torque: 28 },
  { xyz: [0, 0, 0.1333], roll: HALF, accel: 15, torque: 28 },
  { xyz: [0, 0, 0.0997], roll: -HALF, accel: 20, torque: 28 },
];

/** A UR5e by its public dimensions, with a 0.1 m tool. */
export const ur5eLike: RobotModel = {
  name: 'ur5e-like',
  joints: ur5eRows.map(
    (row, i): JointModel => ({
      name: ['shoulder_pan', 'shoulder_lift', 'elbow', 'wrist_1', 'wrist_2', 'wrist_3'][i]!,
      originXyzM: row.xyz,
      originRpyRad: [row.roll, 0, 0],
      axis: [0, 0, 1],
      positionMinRad: -2 * Math.PI,
      positionMaxRad: 2 * Math.PI,
      velocityMaxRadPerS: Math.PI,
      accelMaxRadPerS2: row.accel,
      torqueMaxNm: row.torque,
      stiffnessNmPerRad: 2000,
      dampingNmSPerRad: 200,
      encoderNoiseRad: 0,
    }),
  ),
  tool: { originXyzM: [0, 0, 0.1996], originRpyRad: [0, 0, 0] },
  workspace: { minM: [-0.75, -0.35, 0.02], maxM: [-0.25, 0.25, 0.6] },
  controlHz: 100,
  limitMarginRad: 0.02,
  leashM: 0.015,
  leashRad: 0.1,
  homeRad: [0, -1.4, 1.6, -1.77, -HALF, 0],
};

/** Three joints about three different axes, narrow and lopsided limits, a slow heavy joint beside a quick one. */
export const oddArm3: RobotModel = {
  name: 'odd-arm-3',
  joints: [
    joint('turn', [0, 0, 0.2], [0, 0, 0.3], [0, 0, 1], -0.8, 1.1, 1.2, 3),
    joint('lift', [0.05, 0, 0.1], [0.2, 0, 0], [0, 1, 0], -0.9, 0.7, 0.9, 1.5),
    joint('bend', [0.3, 0.02, 0], [0, 0.1, 0], [0, 0.6, 0.8], -1.3, 0.4, 3, 25),
  ],
  tool: { originXyzM: [0.25, 0, -0.03], originRpyRad: [0, 1.2, 0] },
  workspace: { minM: [0.2, -0.2, 0.1], maxM: [0.62, 0.5, 0.5] },
  controlHz: 50,
  limitMarginRad: 0.05,
  leashM: 0.03,
  leashRad: 0.2,
  homeRad: [0, 0, -0.3],
};

/** A base with two driven wheels, of the size of a robot vacuum. */
export const diffBase: RobotModel = modelOfBase(
  'diff-base',
  { kind: 'differential', speedMaxMPerS: 0.5, accelMaxMPerS2: 1, turnMaxRadPerS: 1.8, turnAccelMaxRadPerS2: 4 },
  50,
);

/** A base that goes in every direction, slower in its turns than in its ways. */
export const holonomicBase: RobotModel = modelOfBase(
  'holonomic-base',
  { kind: 'holonomic', speedMaxMPerS: 1.2, accelMaxMPerS2: 2.5, turnMaxRadPerS: 0.6, turnAccelMaxRadPerS2: 0.8 },
  100,
);

/** A car of 1:10. */
export const carBase: RobotModel = modelOfBase(
  'car-base',
  {
    kind: 'ackermann',
    speedMaxMPerS: 3,
    accelMaxMPerS2: 4,
    wheelbaseM: 0.26,
    steeringMaxRad: 0.4,
    steeringRateMaxRadPerS: 3,
    steeringAccelMaxRadPerS2: 40,
  },
  50,
);

function joint(
  name: string,
  originXyzM: readonly [number, number, number],
  originRpyRad: readonly [number, number, number],
  axis: readonly [number, number, number],
  positionMinRad: number,
  positionMaxRad: number,
  velocityMaxRadPerS: number,
  accelMaxRadPerS2: number,
): JointModel {
  const servo = { torqueMaxNm: 5, stiffnessNmPerRad: 20, dampingNmSPerRad: 1, encoderNoiseRad: 0 };
  const limits = { positionMinRad, positionMaxRad, velocityMaxRadPerS, accelMaxRadPerS2 };
  return { name, originXyzM, originRpyRad, axis, ...limits, ...servo };
}
