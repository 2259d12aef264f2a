/** A gripper's servo that takes a firm hold for an overload: LeRobot stores 25 % in that of an SO-101 (`so_follower.py`, Overload_Torque). */
import type { Motor } from '../../drivers/serial.ts';
import type { ServoAccess } from '../servo-access.ts';

/** As from the factory (Feetech, STS3215 memory table). */
const FACTORY_RATIO = 0.8;

export interface LowOverload {
  /** Share of its torque that counts as overload, as stored. */
  readonly storedRatio: number;
  /** What should stand there, raw. */
  readonly register: 'overloadTorque';
  readonly value: number;
  readonly why: string;
}

/** Of a joint that grips, where its cap lets it press with as much as latches its overload (row 13); else `undefined`. */
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
