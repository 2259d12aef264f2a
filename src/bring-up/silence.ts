/** Errors for a bus without answers: finds the speed at which servos answer. */
import { ReinError } from '../model/index.ts';
import type { OpenBusPort } from './bus-port.ts';
import type { ServoArm } from './families.ts';
import { GARBLED_REMEDY } from './servo-problems.ts';
import { scanBauds } from './servo-scan.ts';

/** Called if no servo answered at the file's speed: throws an error with the speed at which they do. */
export async function refuseSilence(
  { servos, driver, bus, named }: ServoArm,
  path: string | undefined,
  open: OpenBusPort,
  say?: (line: string) => void,
): Promise<never> {
  const scan = await scanBauds(open, path, [bus], { wanted: servos.map(({ id }) => id), first: driver.baud, say });
  const answered = scan?.servos.some(({ identity }) => identity !== undefined) === true;
  if (scan !== undefined && !answered) {
    throw new ReinError('driver', `All answers on the bus are garbled, at any speed of ${bus.family.name}.`, {
      remedy: GARBLED_REMEDY,
    });
  }
  if (scan === undefined || scan.baud === driver.baud) {
    throw new ReinError('driver', `No servo answers, at any speed of ${bus.family.name}.`, {
      remedy: `Look whether the servos have power (their supply, not the USB cable) and the first cable sits; then: rein doctor --robot ${named}`,
    });
  }
  const ids = scan.servos.map(({ id }) => id).join(', ');
  throw new ReinError('driver', `No servo answers at ${driver.baud} bit/s; at ${scan.baud} bit/s ${ids} do.`, {
    remedy: `Write baud: ${scan.baud} under driver in the robot's file.`,
  });
}
