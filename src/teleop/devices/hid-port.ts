/** A USB device read by raw HID reports. The only file that loads node-hid, when a device of this kind is requested. */
import { messageOf, ReinError } from '../../model/index.ts';
import type { InputPort } from './input-port.ts';
import { KEYS } from './space-mouse.ts';

/** Not a literal: the package is optional, and so are its types. */
const PACKAGE: string = 'node-hid';

/** The parts of node-hid in use. */
interface NodeHid {
  setDriverType(type: 'hidraw'): void;
  getHidapiVersion(): string;
  readonly HIDAsync: { open(path: string): Promise<OpenHid> };
}

/** A device opened by node-hid. */
interface OpenHid {
  on(event: 'data', listener: (report: Buffer) => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  close(): Promise<void>;
}

/** Number of unread reports beyond which outdated ones of the same kind are dropped. Button reports never are. */
const MOST_WAITING = 64;
/** Number of unread reports beyond which the device is dropped: more than any hand causes. */
const MOST_KEPT = 1024;
/** Retry period for a lost device, ms. */
const LOOK_MS = 500;

async function loadHid(): Promise<NodeHid> {
  try {
    const hid = (await import(PACKAGE)) as NodeHid;
    // The kernel's own interface: the device stays with its driver, and rights come from a udev rule.
    if (process.platform === 'linux') hid.setDriverType('hidraw');
    // Loads the addon.
    hid.getHidapiVersion();
    return hid;
  } catch (cause) {
    throw new ReinError('environment', `USB devices cannot be read: node-hid does not load (${messageOf(cause)}).`, {
      remedy: 'Run npm ci in the folder of Rein; on Debian and Ubuntu also sudo apt install libusb-1.0-0.',
      cause,
    });
  }
}

/** Buffers reports until they are pulled, and reopens the device when it comes back. */
export class HidPort implements InputPort {
  readonly #open: () => Promise<OpenHid>;
  readonly #waiting: Buffer[] = [];
  #device: OpenHid | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #isFlooded = false;

  private constructor(open: () => Promise<OpenHid>) {
    this.#open = open;
  }

  /** Opens the device at the path returned by `find` now, and later after a loss. Rejects if there is none, or it may not be opened. */
  static async connect(find: () => string): Promise<HidPort> {
    const { HIDAsync } = await loadHid();
    return HidPort.over(async () => HIDAsync.open(find()));
  }

  /** The same with a custom way of opening. */
  static async over(open: () => Promise<OpenHid>): Promise<HidPort> {
    const port = new HidPort(open);
    port.#use(await open());
    return port;
  }

  pull(onReport: (bytes: Uint8Array) => void): 'there' | 'gone' | 'flooded' {
    const found = this.#isFlooded ? 'flooded' : 'gone';
    this.#isFlooded = false;
    // Nothing from a lost device counts, not even its last reports.
    if (this.#device === undefined || found === 'flooded') return found;
    for (const report of this.#waiting.splice(0)) onReport(report);
    return 'there';
  }

  drop(): void {
    if (this.#device !== undefined) this.#lose();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#lose();
  }

  #use(device: OpenHid): void {
    this.#device = device;
    device.on('data', (report) => {
      if (this.#device !== device) return;
      this.#makeRoom(report[0]);
      // Its bytes are reused by the addon.
      this.#waiting.push(Buffer.from(report));
      if (this.#waiting.length <= MOST_KEPT) return;
      this.#isFlooded = true;
      this.#lose();
    });
    device.on('error', () => {
      if (this.#device === device) this.#lose();
    });
  }

  /** Drops an outdated report to make room for one of the kind `id`. */
  #makeRoom(id: number | undefined): void {
    if (this.#waiting.length < MOST_WAITING || id === KEYS) return;
    const at = this.#waiting.findIndex((report) => report[0] === id);
    if (at >= 0) this.#waiting.splice(at, 1);
  }

  #lose(): void {
    const device = this.#device;
    this.#device = undefined;
    this.#waiting.length = 0;
    device?.close().catch(() => undefined); // it is gone
    if (!this.#isClosed) this.#look();
  }

  #look(): void {
    this.#timer = setTimeout(() => {
      this.#open().then(
        (device) => {
          this.#use(device);
          if (this.#isClosed) this.#lose();
        },
        () => {
          if (!this.#isClosed) this.#look();
        },
      );
    }, LOOK_MS);
    this.#timer.unref();
  }
}
