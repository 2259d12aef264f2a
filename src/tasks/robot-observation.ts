/**
 * Robot quantities that an observation can contain: one row per quantity, under the key of a task's file that enables it. The
 * measurements are already in the guard's frame; a row defines their name, scaling and access.
 */
import { z } from 'zod';
import { isFree, type ObservationField, type RobotModel } from '../model/index.ts';
import type { GuardFrame } from '../rows/index.ts';

/** One field of an observation, with its writer. */
export interface ObservedPart {
  readonly field: ObservationField;
  /** Writes the field at `at` of `out`. No allocation. */
  write(out: Float32Array, at: number, frame: GuardFrame, executed: Float32Array): void;
}

interface Quantity {
  /** Meaning of the key, for the reference page. */
  readonly description: string;
  /** Value if the file omits the key. */
  readonly default: boolean;
  /** Fields of a robot, in order; empty if it lacks the quantity. */
  readonly parts: (model: RobotModel) => readonly ObservedPart[];
}

const FORCE_N = 10;
const TORQUE_NM = 0.5;

const QUANTITIES = {
  jointPositions: {
    description:
      'Positions of joints, from home: of one that turns in half turns, of one that slides as a share of its range; not of axes that odometry counts.',
    default: true,
    parts: ({ joints, homeRad }) => {
      const placed = joints.flatMap((joint, i) => (isFree(joint) ? [] : [i]));
      const spans = joints.map(({ kind, positionMinRad, positionMaxRad }) =>
        kind === 'prismatic' ? positionMaxRad - positionMinRad : Math.PI,
      );
      const read = ({ robot }: GuardFrame, i: number): number => (robot.positionRad[i]! - homeRad[i]!) / spans[i]!;
      const unit = joints.some(({ kind }) => kind === 'prismatic')
        ? 'rad / pi, or share of the range where it slides, from home'
        : 'rad / pi from home';
      return placed.length === 0 ? [] : [jointPart('joint_position', unit, placed, read)];
    },
  },
  jointVelocities: {
    description: 'Speeds of joints, as shares of their highest.',
    default: true,
    parts: ({ joints }) => {
      const read = ({ robot }: GuardFrame, i: number): number =>
        robot.velocityRadPerS[i]! / joints[i]!.velocityMaxRadPerS;
      return [jointPart('joint_velocity', 'share of the highest', [...joints.keys()], read)];
    },
  },
  jointTorques: {
    description: 'Torques of joints, as shares of their highest; arms only, 0 where they are not measured.',
    default: false,
    parts: ({ base, joints }) => {
      const read = ({ robot }: GuardFrame, i: number): number => {
        const torqueNm = robot.torqueNm[i]!;
        return Number.isNaN(torqueNm) ? 0 : torqueNm / joints[i]!.torqueMaxNm;
      };
      return base === undefined ? [jointPart('joint_torque', 'share of the highest', [...joints.keys()], read)] : [];
    },
  },
  toolPose: {
    description: 'Place and orientation of the tool; arms only.',
    default: true,
    parts: (model) => (model.base === undefined ? [placePart(model), orientationPart()] : []),
  },
  wrench: {
    description: 'Force and torque on the tool; arms only.',
    default: true,
    parts: ({ base }) =>
      base === undefined ? [wrenchPart('force', 0, FORCE_N, 'N'), wrenchPart('torque', 3, TORQUE_NM, 'N*m')] : [],
  },
} as const satisfies Readonly<Record<string, Quantity>>;

type QuantityName = keyof typeof QUANTITIES;
const ROWS: readonly (readonly [QuantityName, Quantity])[] = Object.entries(QUANTITIES) as [QuantityName, Quantity][];

/** Keys of a task's file that enable the quantities. */
export const robotObservationKeys = Object.fromEntries(
  ROWS.map(([key, row]) => [key, z.boolean().meta({ description: row.description }).default(row.default)]),
) as Readonly<Record<QuantityName, z.ZodDefault<z.ZodBoolean>>>;

/** Robot fields enabled by `wanted`, in the order of the rows. */
export function robotParts(wanted: Readonly<Record<QuantityName, boolean>>, model: RobotModel): ObservedPart[] {
  return ROWS.flatMap(([key, { parts }]) => (wanted[key] ? parts(model) : []));
}

/** The action executed in the previous step, [size]. */
export function previousExecutedPart(size: number): ObservedPart {
  return {
    field: { name: 'previous_executed', size, unit: '1', frame: 'none' },
    write: (out, at, _frame, executed) => {
      for (let k = 0; k < size; k++) out[at + k] = executed[k]!;
    },
  };
}

/** Writes one frame of `parts` consecutively from `offset` of `out`. No allocation. */
export function writeParts(
  parts: readonly ObservedPart[],
  out: Float32Array,
  offset: number,
  frame: GuardFrame,
  executed: Float32Array,
): void {
  let at = offset;
  for (let i = 0; i < parts.length; i++) {
    const { field, write } = parts[i]!;
    write(out, at, frame, executed);
    at += field.size;
  }
}

/** One value per joint of `joints`. */
function jointPart(
  name: string,
  unit: string,
  joints: readonly number[],
  read: (frame: GuardFrame, joint: number) => number,
): ObservedPart {
  return {
    field: { name, size: joints.length, unit, frame: 'none' },
    write: (out, at, frame) => {
      for (let k = 0; k < joints.length; k++) out[at + k] = read(frame, joints[k]!);
    },
  };
}

/** Tool position, scaled so that the workspace box is [−1, 1] in each direction. */
function placePart({ workspace: { minM, maxM } }: RobotModel): ObservedPart {
  return {
    field: { name: 'tool_position', size: 3, unit: 'share of the workspace', frame: 'base' },
    write: (out, at, { measuredTcp }) => {
      for (let k = 0; k < 3; k++) {
        out[at + k] = (2 * measuredTcp[k]! - minM[k]! - maxM[k]!) / (maxM[k]! - minM[k]!);
      }
    },
  };
}

/** Tool orientation as its x and y axes, which unlike angles and quaternions are continuous. */
function orientationPart(): ObservedPart {
  return {
    field: { name: 'tool_axes', size: 6, unit: '1', frame: 'base' },
    write: (out, at, { measuredTcp }) => {
      const w = measuredTcp[3]!;
      const x = measuredTcp[4]!;
      const y = measuredTcp[5]!;
      const z = measuredTcp[6]!;
      out[at] = 1 - 2 * (y * y + z * z);
      out[at + 1] = 2 * (x * y + w * z);
      out[at + 2] = 2 * (x * z - w * y);
      out[at + 3] = 2 * (x * y - w * z);
      out[at + 4] = 1 - 2 * (x * x + z * z);
      out[at + 5] = 2 * (y * z + w * x);
    },
  };
}

function wrenchPart(name: string, from: number, scale: number, unit: string): ObservedPart {
  return {
    field: { name, size: 3, unit: `tanh(${unit} / ${scale})`, frame: 'base' },
    write: (out, at, { robot }) => {
      for (let k = 0; k < 3; k++) out[at + k] = Math.tanh(robot.wrench[from + k]! / scale);
    },
  };
}
