/**
 * Stopper: process that can only stop the robot. It receives pulses from the guard's tick, has everything ready, and
 * acts on request, when the guard is gone, or when the guard's tick is silent for longer than its pulse is valid. It
 * never starts or continues motion; after it has acted, only an operator can enable the robot again.
 */
import { PULSE, PULSE_KIND, ROS_MESSAGE } from '../../drivers/index.ts';
import { readNumbers } from '../../guard/index.ts';
import type { RosFault } from '../port/ros-port.ts';
import type { RoleParts } from './bridge.ts';
import { advertiseCommand } from './command-publisher.ts';
import { controllersOf } from './controllers.ts';
import { RobotReadings } from './robot-readings.ts';
import { StopSequence } from './stop-sequence.ts';

/** Period of checking the pulse's age. */
const LOOK_MS = 5;
/** Longer than the bridge accepts a command (50 ms): one that it publishes late must not be the last. */
const REPEAT_FOR_MS = 120;

export class Stopper {
  readonly #parts: Omit<RoleParts, 'generation'>;
  readonly #stop: StopSequence;
  readonly #readings: RobotReadings;
  readonly #pulse: Float64Array = new Float64Array(PULSE.numbers);
  #isArmed = false;
  #validUntilS = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Registers everything on the port. The caller starts and closes it. */
  constructor(parts: Omit<RoleParts, 'generation'>) {
    const { port, config, clock, toGuard } = parts;
    const { options, model } = config;
    this.#parts = parts;
    const publisher = advertiseCommand(port, options, 1 / model.controlHz);
    const readings = new RobotReadings(port, model, options, () => undefined);
    this.#readings = readings;
    this.#stop = new StopSequence({
      model,
      options,
      publisher,
      readings,
      controllers: controllersOf(port, options),
      nowS: () => clock.nowS(),
      repeatForMs: REPEAT_FOR_MS,
      onTrouble: (message) => toGuard.notice({ row: 25, level: 'error', message, remedy: 'Look at the robot.' }),
    });
  }

  /** True if there is something to stop. */
  get isArmed(): boolean {
    return this.#isArmed;
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), LOOK_MS);
    this.#parts.toGuard.ready();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** The bridge watches the graph for both, and reports; the stopper reports only its own faults. */
  fault({ kind, message }: RosFault): void {
    if (kind !== 'callback') return;
    this.#parts.toGuard.notice({ row: 25, level: 'error', message, remedy: 'This is a defect: report it.' });
  }

  /** Takes one message from the guard's tick. */
  receive(kind: number, payload: Uint8Array): void {
    if (kind !== ROS_MESSAGE.pulse || !readNumbers(this.#pulse, payload)) return;
    const state = this.#pulse[PULSE.kind]!;
    this.#stop.keepSteering(this.#pulse[PULSE.steeringRad]!);
    this.#readings.sceneWasReset(this.#pulse[PULSE.sceneResetAtS]!);
    if (state === PULSE_KIND.act) {
      this.#act('told to');
      return;
    }
    this.#isArmed = state === PULSE_KIND.armed;
    this.#validUntilS = this.#pulse[PULSE.sentAtS]! + this.#pulse[PULSE.validForS]!;
  }

  /** The guard's main thread has seen the bridge die. */
  nudge(): void {
    if (this.#isArmed) this.#act('the process that speaks ROS died');
  }

  /** The guard is gone. Resolves when the robot has been stopped, or need not be. */
  async guardGone(drained: Promise<void>): Promise<void> {
    // A guard may be killed before its last message, which enabled the robot, has been read.
    await drained;
    if (this.#isArmed) await this.#act('the guard is gone');
    else await this.#running;
  }

  /** Checks the age of the guard's last pulse. */
  look(): void {
    const lateS = this.#parts.clock.nowS() - this.#validUntilS;
    if (this.#isArmed && lateS > 0)
      this.#act(`the guard's tick has been silent ${Math.round(lateS * 1e3)} ms too long`);
  }

  #running: Promise<void> = Promise.resolve();

  #act(why: string): Promise<void> {
    this.#isArmed = false;
    this.#running = this.#stop.run();
    this.#parts.toGuard.acted();
    const message = `The robot was stopped past the guard: ${why}.`;
    this.#parts.toGuard.notice({ row: 25, level: 'error', message, remedy: 'Acknowledge, then enable.' });
    return this.#running;
  }
}
