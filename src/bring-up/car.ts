/** A car whose motor and steering servo hang on a VESC, as bringing up sees it. */
import type { RobotConfig } from '../config/index.ts';
import { type VescConfig, VescLink } from '../drivers/serial.ts';
import { type BusPort, type OpenBusPort, withPort } from './bus-port.ts';

export interface VescCar {
  readonly robot: RobotConfig;
  /** What commands call it: a path, or the name of a file that is shipped. */
  readonly named: string;
  readonly driver: VescConfig;
}

/** `undefined` for a robot that something else drives. */
export function carOf(robot: RobotConfig): VescCar | undefined {
  if (robot.driver.kind !== 'vesc') return undefined;
  const driver = robot.driver as VescConfig;
  return { robot, named: driver.named ?? robot.name, driver };
}

/** Opens the port of `settings`, and does `work` with whoever answers there. */
export function withVesc<T>(
  open: OpenBusPort,
  settings: { readonly path: string | undefined; readonly baud: number },
  work: (link: VescLink, port: BusPort) => Promise<T>,
): Promise<T> {
  return withPort(open, settings, (port) => {
    const link = new VescLink({ wantsImu: false, answerS: port.answerS });
    link.attach(port.line);
    return work(link, port);
  });
}
