/** Setup of an arm's servos between ticks, without torque: list of motors, identity checks, configuration. */
import { ReinError, type RobotModel } from '../../model/index.ts';
import type { Calibration } from './calibration.ts';
import { type Motor, mendingCommand, type ServoFamily, shadowsOf, unknownTable } from './family.ts';
import { type EncoderOptions, encodersOf, type ServoDriverOptions } from './options.ts';
import { rangeOf, type ServoModel } from './protocol.ts';
import { reachProblem } from './readable.ts';
import type { ServoBus } from './servo-bus.ts';
import { ServoRegisters } from './servo-registers.ts';

const OFF_TRIES = 2;

/** Remedy for torque left on by a program that has ended. */
export const TORQUE_LEFT_REMEDY = 'Hold the arm, and switch the supply of its servos off and on.';

/** Throws `ReinError('config')` if the robot file permits angles for which a joint's servo has no reading. */
export function checkReach(
  family: ServoFamily,
  motors: readonly Motor[],
  joints: RobotModel['joints'],
  named: string,
): void {
  for (const [i, joint] of joints.entries()) {
    const motor = motors[i]!;
    const wrong = reachProblem(family, motor, joint, motor.calibration!);
    if (wrong === undefined) continue;
    throw new ReinError('config', `Servo ${motor.id} (${motor.name}) ${wrong}.`, {
      remedy: `Calibrate it again: rein calibrate --robot ${named} --joint ${motor.name}; or write narrower limits for it into the robot's file.`,
    });
  }
}

/** Returns the servo of each joint, then that of each encoder, then second servos of joints. Throws `ReinError('config')`. */
export function motorsOf(family: ServoFamily, options: ServoDriverOptions, calibration: Calibration): readonly Motor[] {
  const modelOf = (name: string): Motor['model'] => {
    const model = family.models[name];
    if (model !== undefined) return model;
    throw new ReinError('config', `There is no ${family.name} servo ${name}.`, {
      remedy: `Models: ${Object.keys(family.models).join(', ')}.`,
    });
  };
  const joints = options.jointNames.map((name, i): Motor => {
    const motor = options.motors[i]!;
    const found = calibration.joints[name]!;
    if (found.id !== motor.id || found.model !== motor.model) {
      throw new ReinError(
        'config',
        `${name} is servo ${motor.id} (${motor.model}) in the robot's file, and ${found.id} (${found.model}) in its calibration (fault 34).`,
        { remedy: `Calibrate again: rein calibrate --robot ${options.named}` },
      );
    }
    const { id } = motor;
    const model = modelOf(motor.model);
    const unknown = unknownTable(family, { id, name, model }, found.firmware);
    if (unknown !== undefined) throw new ReinError('driver', unknown.message, { remedy: unknown.remedy });
    // The actual firmware is checked at opening.
    return { name, id, model: family.withFirmware(model, found.firmware)!, options: motor, calibration: found };
  });
  const encoders = encodersOf(options).map((signal): Motor => {
    checkZero(modelOf(signal.model), signal);
    const motor = { id: signal.id, model: signal.model, torqueRatio: 1, perTurn: 1, mode: 'position', grips: false };
    return { name: signal.name, id: signal.id, model: modelOf(signal.model), options: motor as Motor['options'] };
  });
  return [...joints, ...encoders, ...shadowsOf(joints)];
}

/** Throws `ReinError('config')` for a zero outside the readings of that encoder. */
function checkZero({ name, registers }: ServoModel, signal: EncoderOptions): void {
  const [least, most] = rangeOf(registers['presentPosition']!);
  const { zeroCounts } = signal;
  if (zeroCounts >= least && zeroCounts <= most) return;
  const what = `driver.signals of ${signal.name} has zeroCounts ${zeroCounts}, and ${name} reads ${least} to ${most}.`;
  throw new ReinError('config', what, { remedy: 'Write what it reads where the signal is 0: rein doctor shows it.' });
}

/** Servos of an open bus. */
export class ServoSetup {
  readonly #bus: ServoBus;
  readonly #family: ServoFamily;
  readonly #motors: readonly Motor[];
  readonly #named: string;
  readonly #bytes: Uint8Array = new Uint8Array(4);

  /** `named`: robot name in commands. */
  constructor(bus: ServoBus, family: ServoFamily, motors: readonly Motor[], named: string) {
    this.#bus = bus;
    this.#family = family;
    this.#motors = motors;
    this.#named = named;
  }

  /** Throws `ReinError('driver')` with the problem and the servo. */
  apply(): void {
    for (const motor of this.#motors) this.#checkIdentity(motor);
    for (const motor of this.#motors) this.#refuseTorque(motor);
    for (const motor of this.#motors) {
      const wrong = this.#family.configure(this.#bus, motor);
      if (wrong === undefined) continue;
      throw new ReinError('driver', `Servo ${motor.id} (${motor.name}) ${wrong.what}.`, {
        remedy:
          mendingCommand(this.#named, (motor.shadowOf ?? motor).name, wrong) ??
          `Check its cable and supply; rein doctor --robot ${this.#named} shows the values of every servo.`,
      });
    }
    // The setup itself must not have switched torque on.
    for (const motor of this.#motors) this.#refuseTorque(motor);
  }

  /** Returns true if some servo reports that it has torque. */
  hasTorque(): boolean {
    return this.#motors.some((motor) => new ServoRegisters(this.#bus, motor).read('torqueEnable') === 1);
  }

  /** Switches off the torque of motor `i`, which confirms it if it answers. */
  letGo(i: number): void {
    const { id, model } = this.#motors[i]!;
    this.#bytes[0] = 0;
    this.#bus.write(id, model.registers['torqueEnable']!.address, this.#bytes, 1, OFF_TRIES);
  }

  #checkIdentity(motor: Motor): void {
    const found = this.#family.identify(this.#bus, motor.id);
    const who = `servo ${motor.id} (${motor.name})`;
    const { line } = this.#bus;
    if (found === undefined) {
      throw new ReinError('driver', `No ${who} answers on ${line.path} at ${line.baud} bit/s (fault 10).`, {
        remedy: `Check power and cables; rein doctor --robot ${this.#named} looks for servos at every speed.`,
      });
    }
    if (found.modelNumber !== motor.model.modelNumber) {
      throw new ReinError(
        'driver',
        `The ${who} reports model ${found.modelNumber}, and the robot's file has ${motor.model.name} (${motor.model.modelNumber}).`,
        {
          remedy: `Two servos may have changed places, or two have one id: rein doctor --robot ${this.#named} lists them.`,
        },
      );
    }
    const unknown = unknownTable(this.#family, motor, found.firmware);
    if (unknown !== undefined) throw new ReinError('driver', unknown.message, { remedy: unknown.remedy });
    const expected = motor.calibration?.firmware;
    if (expected === undefined || expected === found.firmware) return;
    const has = `The ${who} has firmware ${found.firmware}, and`;
    if (motor.shadowOf !== undefined) {
      throw new ReinError('driver', `${has} the first servo of its joint ${expected}.`, {
        remedy: 'Give both the same.',
      });
    }
    throw new ReinError(
      'driver',
      `${has} had ${expected} when it was calibrated: another servo, or an update (fault 34).`,
      { remedy: `rein calibrate --robot ${this.#named}` },
    );
  }

  /** Refuses torque left on by another program: it is neither taken over nor switched off, which would drop the arm. */
  #refuseTorque(motor: Motor): void {
    if (motor.calibration === undefined) return;
    const torque = new ServoRegisters(this.#bus, motor).read('torqueEnable') ?? 0;
    if (torque === 0) return;
    const what = torque === 1 ? 'has its torque on' : `brakes (${torque} in torqueEnable)`;
    throw new ReinError('driver', `Servo ${motor.id} (${motor.name}) ${what}, and not by this program.`, {
      remedy: TORQUE_LEFT_REMEDY,
    });
  }
}
