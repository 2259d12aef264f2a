/** Findings at the port of a robot with any driver, or at an unknown port. */
import type { RobotConfig } from '../../config/index.ts';
import type { OpenBusPort } from '../bus-port.ts';
import { carOf } from '../car.ts';
import { servoArmOf } from '../families.ts';
import { type BusInspection, inspectBus } from './bus-findings.ts';
import { findVesc, inspectCar } from './car-findings.ts';

export interface InspectRequest {
  /** Absent: any device. */
  readonly robot?: RobotConfig | undefined;
  /** Path of the port; absent: that of the robot's file, else the only one. */
  readonly port?: string | undefined;
  readonly open: OpenBusPort;
  /** Prints a line before lengthy work. */
  readonly say?: ((line: string) => void) | undefined;
}

/** Resolves to `undefined` for a robot that has neither bus servos nor a VESC. Never rejects for problems that the user can solve. */
export async function inspectPort({ robot, ...rest }: InspectRequest): Promise<BusInspection | undefined> {
  if (robot === undefined) return (await findVesc(rest)) ?? inspectBus(rest);
  const car = carOf(robot);
  if (car !== undefined) return inspectCar({ ...rest, car });
  const arm = servoArmOf(robot);
  return arm === undefined ? undefined : inspectBus({ ...rest, arm });
}
