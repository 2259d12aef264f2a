/** Serial ports of this machine, without opening any. */
import { ReinError } from '../../core/index.ts';

/** One port as the operating system names it. */
export interface SerialPortInfo {
  /** Path to open, e.g. `/dev/ttyUSB0`. */
  readonly path: string;
  /** Who made the adapter, where the system knows. */
  readonly manufacturer: string | undefined;
  /** Name that stays when the adapter is plugged in elsewhere, e.g. a link in `/dev/serial/by-id`. */
  readonly stableId: string | undefined;
}

/**
 * Lists the ports that may have a device. Loads the native addon of `serialport` on the first call, which works on a
 * process's main thread only. Rejects with `ReinError` where the addon cannot be loaded or the system cannot list.
 */
export async function listSerialPorts(): Promise<readonly SerialPortInfo[]> {
  try {
    const { SerialPort } = await import('serialport');
    const ports = await SerialPort.list();
    return ports.map((port) => ({ path: port.path, manufacturer: port.manufacturer, stableId: port.pnpId }));
  } catch (cause) {
    if (cause instanceof Error && cause.message.includes('udevadm')) {
      const remedy = 'install udev; simulation does not need it';
      throw new ReinError('environment', 'serial ports cannot be listed: udevadm is not installed', { remedy, cause });
    }
    throw new ReinError('environment', 'serial ports cannot be listed: the package serialport does not load', {
      remedy: 'run npm ci in the folder of Rein',
      cause,
    });
  }
}
