/** Time limits until a guard is ready: first to compile its tick, which takes long on a busy machine only, then to open its driver. */
import { busyText, type MachineLoad, patientMs, remedyForLate } from '../host/index.ts';
import { ReinError } from '../model/index.ts';

/** Compiling takes 1.5 s of work; a slow computer gets a multiple of that. */
const COMPILE_LIMIT_MS = 60_000;
/** Delay after which people are told why nothing happens, ms. */
const SLOW_MS = 10_000;
const LOOK_AT_DRIVER =
  'Check what the driver does while it loads and opens: a wait for the robot has to time out within that time.';

export interface StartLimitOptions {
  /** Name of the driver in messages. */
  readonly driver: string;
  /** Time limit of the driver on a machine with little else to do, ms. */
  readonly driverLimitMs: number;
  readonly load: () => MachineLoad;
  /** Called if the guard still compiles its tick, because of `reason`. */
  readonly onSlow: (reason: string) => void;
  readonly onLate: (error: ReinError) => void;
}

export class StartLimit {
  readonly #options: StartLimitOptions;
  readonly #slow: NodeJS.Timeout;
  #limit: NodeJS.Timeout;

  /** Starts with the guard's process. */
  constructor(options: StartLimitOptions) {
    this.#options = options;
    const { load, onSlow } = options;
    this.#slow = setTimeout(() => onSlow(busyText(load()) ?? 'This computer is slow.'), SLOW_MS);
    this.#limit = this.#after(COMPILE_LIMIT_MS, 'its tick is not compiled yet', 'Start it again.');
  }

  /** Called when the tick is compiled: the driver's time begins. */
  opening(): void {
    this.end();
    const { driver, driverLimitMs } = this.#options;
    this.#limit = this.#after(driverLimitMs, `${driver} is still loading or opening`, LOOK_AT_DRIVER);
  }

  end(): void {
    clearTimeout(this.#slow);
    clearTimeout(this.#limit);
  }

  #after(calmMs: number, why: string, remedy: string): NodeJS.Timeout {
    const { load, onLate } = this.#options;
    const limitMs = patientMs(calmMs, load());
    const late = (): void => {
      const message = `The guard was not ready after ${Number((limitMs / 1e3).toPrecision(2))} s: ${why}.`;
      onLate(new ReinError('driver', message, { remedy: remedyForLate(remedy, load()) }));
    };
    return setTimeout(late, limitMs);
  }
}
