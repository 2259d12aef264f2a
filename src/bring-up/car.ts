/** Car whose motor and steering servo are connected to a VESC, as seen by bring-up. */
import type { RobotConfig } from '../config/index.ts';
import { type VescConfig, VescLink } from '../drivers/serial.ts';
import { type BusPort, type OpenBusPort, withPort } from './bus-port.ts';

export interface VescCar {
  readonly robot: RobotConfig;
  /** Name in commands: a path, or the name of a shipped file. */
  readonly named: string;
  readonly driver: VescConfig;
}

/** Returns `undefined` for a robot with another driver. */
export function carOf(robot: RobotConfig): VescCar | undefined {
  if (robot.driver.kind !== 'vesc') return undefined;
  const driver = robot.driver as VescConfig;
  return { robot, named: driver.named ?? robot.name, driver };
}

/** Opens the port of `settings`, and calls `work` with a link to the VESC there. */
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
