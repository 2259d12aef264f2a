/** What is at the port of a robot, whatever drives it; or at a port of which nothing is known. */
import type { RobotConfig } from '../../config/index.ts';
import type { OpenBusPort } from '../bus-port.ts';
import { carOf } from '../car.ts';
import { servoArmOf } from '../families.ts';
import { type BusInspection, inspectBus } from './bus-findings.ts';
import { findVesc, inspectCar } from './car-findings.ts';

export interface InspectRequest {
  /** Absent: whatever is there. */
  readonly robot?: RobotConfig | undefined;
  /** Path of the port; absent: that of the robot's file, else the only one. */
  readonly port?: string | undefined;
  readonly open: OpenBusPort;
  /** Told people before what takes long. */
  readonly say?: ((line: string) => void) | undefined;
}

/** `undefined` for a robot that has neither bus servos nor a VESC. Never rejects for what a person can mend. */
export async function inspectPort({ robot, ...rest }: InspectRequest): Promise<BusInspection | undefined> {
  if (robot === undefined) return (await findVesc(rest)) ?? inspectBus(rest);
  const car = carOf(robot);
  if (car !== undefined) return inspectCar({ ...rest, car });
  const arm = servoArmOf(robot);
  return arm === undefined ? undefined : inspectBus({ ...rest, arm });
}
