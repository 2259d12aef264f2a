/** Gripper servos that take a firm hold for an overload: LeRobot stores 25 % in that of an SO-101 (`so_follower.py`, Overload_Torque). */
import type { Motor } from '../../drivers/serial.ts';
import type { ServoAccess } from '../servo-access.ts';

/** Factory value (Feetech, STS3215 memory table). */
const FACTORY_RATIO = 0.8;

export interface LowOverload {
  /** Stored share of its torque that counts as overload. */
  readonly storedRatio: number;
  /** Register, and the raw value that it should have. */
  readonly register: 'overloadTorque';
  readonly value: number;
  readonly why: string;
}

/** For a joint that grips, if its torque cap permits as much as latches its overload (row 13); else `undefined`. */
export function lowOverload({ options, model }: Motor, servo: ServoAccess): LowOverload | undefined {
  const register = model.registers['overloadTorque'];
  if (!options.grips || register === undefined || options.torqueRatio >= FACTORY_RATIO) return undefined;
  const storedRatio = servo.scaled('overloadTorque');
  if (storedRatio === undefined || storedRatio > options.torqueRatio) return undefined;
  return {
    storedRatio,
    register: 'overloadTorque',
    value: Math.round(FACTORY_RATIO / register.scale!),
    why: `it may hold on with its cap of ${Math.round(100 * options.torqueRatio)} %`,
  };
}
