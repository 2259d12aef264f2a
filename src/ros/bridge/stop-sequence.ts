/**
 * Stop of a robot behind ROS: published at once and repeated, since a command in transit may arrive after the first;
 * then the controllers are deactivated if configured.
 */

import {
  type CommandLaw,
  commandSize,
  createCommandLaw,
  createStopLaw,
  holdsPosition,
  type RosDriverOptions,
  type StopLaw,
} from '../../drivers/index.ts';
import { allFinite, type RobotModel } from '../../model/index.ts';
import type { CommandPublisher } from './command-publisher.ts';
import type { Controllers } from './controllers.ts';
import type { RobotReadings } from './robot-readings.ts';

const REPEAT_MS = 5;
/** Time for which effort holds the arm before it is released. */
const EFFORT_HOLD_MS = 1000;
/** Largest age of a measurement that counts as the arm's position. */
const MEASURED_MAX_AGE_S = 0.1;

export interface StopParts {
  readonly model: RobotModel;
  readonly options: RosDriverOptions;
  readonly publisher: CommandPublisher;
  readonly readings: RobotReadings;
  readonly controllers: Controllers | undefined;
  readonly nowS: () => number;
  /** Time for which a stop is repeated. */
  readonly repeatForMs: number;
  /** Newest command published since the robot was enabled; `undefined` if unknown. */
  readonly lastCommand?: () => Float64Array | undefined;
  /** Called with what could not be done. */
  readonly onTrouble: (message: string) => void;
}

export class StopSequence {
  readonly #parts: StopParts;
  readonly #law: StopLaw;
  readonly #hold: CommandLaw | undefined;
  readonly #numbers: Float64Array;
  readonly #heldRad: Float64Array;
  #running: Promise<void> | undefined;

  constructor(parts: StopParts) {
    const { model, options } = parts;
    this.#parts = parts;
    this.#law = createStopLaw(model, options.command);
    const { interface: kind, effortStop } = options.command;
    this.#hold = kind === 'effort' && effortStop === 'hold' ? createCommandLaw(model, options.command) : undefined;
    this.#numbers = new Float64Array(commandSize(kind, options.jointNames.length));
    this.#heldRad = new Float64Array(options.jointNames.length);
  }

  /** `ackermann`: present steering angle, which a stop does not change. */
  keepSteering(steeringRad: number): void {
    if (this.#parts.options.command.interface !== 'ackermann' || !Number.isFinite(steeringRad)) return;
    this.#numbers[1] = steeringRad;
  }

  /** Publishes the first stop before it returns. A running stop is not restarted. Resolves when all is done. */
  run(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Resolves when no stop is running. */
  settled(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  async #run(): Promise<void> {
    const { readings, controllers, onTrouble, repeatForMs } = this.#parts;
    this.#heldRad.set(readings.state.positionRad);
    if (!this.#fill()) {
      onTrouble('Joint positions are unknown: the robot is left to hold the last command by itself.');
    } else {
      const repeats = (this.#hold === undefined ? repeatForMs : EFFORT_HOLD_MS) / REPEAT_MS;
      for (let i = 0; i < repeats; i++) {
        this.#publish(i === repeats - 1);
        await new Promise((resolve) => setTimeout(resolve, REPEAT_MS));
      }
    }
    const refused = await controllers?.deactivate();
    if (refused !== undefined) onTrouble(refused);
  }

  /** Fills in the numbers of the stop; false if there is nothing that could be sent. */
  #fill(): boolean {
    const { readings, lastCommand, options } = this.#parts;
    if (!holdsPosition(options.command.interface) || this.#isMeasured()) {
      this.#law(readings.state, this.#numbers, 0);
      return true;
    }
    // An untrustworthy reading must not become a target.
    const last = lastCommand?.();
    if (last === undefined) return false;
    this.#numbers.set(last);
    if (options.command.interface === 'jointTrajectory') this.#numbers.fill(0, options.jointNames.length);
    return true;
  }

  #publish(isLast: boolean): void {
    const { readings, publisher } = this.#parts;
    if (this.#hold !== undefined) {
      if (isLast || !this.#isMeasured()) this.#numbers.fill(0);
      else {
        const still = {
          referenceRad: this.#heldRad,
          referenceVelocityRadPerS: STILL,
          measured: readings.state,
          isMeasured: true,
        };
        this.#hold(still, this.#numbers, 0);
      }
    }
    publisher.publish(this.#numbers, 0);
  }

  #isMeasured(): boolean {
    const { readings, nowS } = this.#parts;
    if (readings.hasJumped || readings.isAlternating(nowS()) || !allFinite(readings.state.positionRad)) return false;
    return readings.measuredAtS > 0 && nowS() - readings.measuredAtS <= MEASURED_MAX_AGE_S;
  }
}

/** Larger than the number of joints of any robot. */
const STILL = new Float64Array(16);
