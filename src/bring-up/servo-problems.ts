/** Problems of the servos that answered, compared with those of the robot's file: one sentence each, and its remedy. */

import { type Motor, type ServoModel, unknownTable } from '../drivers/serial.ts';
import { ReinError } from '../model/index.ts';
import type { ServoArm } from './families.ts';
import { type FoundServo, isTwice } from './servo-scan.ts';

export const GARBLED_REMEDY = 'Look at cables, ground and supply; keep motor cables apart from it.';

export interface ServoProblem {
  readonly id: number;
  readonly kind: 'missing' | 'garbled' | 'twice' | 'model' | 'table' | 'firmware';
  readonly message: string;
  readonly remedy: string;
}

/** Two servos with one id come first, as one of them is missing elsewhere; then in joint order. `firmware` is a doubt, others refuse. */
export function servoProblems(
  { named, servos: motors, bus: { family } }: ServoArm,
  found: readonly FoundServo[],
): readonly ServoProblem[] {
  const isNoise = found.length > 1 && found.every(isTwice);
  const problems = motors.flatMap((motor): readonly ServoProblem[] => {
    const servo = found.find(({ id }) => id === motor.id);
    const problem =
      servo === undefined ? missing(motor, found, motors, named) : problemOf(motor, servo, isNoise, named);
    if (problem !== undefined) return [problem];
    const firmware = servo?.identity?.firmware;
    const unknown = firmware === undefined ? undefined : unknownTable(family, motor, firmware);
    return unknown === undefined ? [] : [{ id: motor.id, kind: 'table', ...unknown }];
  });
  const isTwin = ({ kind }: ServoProblem): boolean => kind === 'twice';
  return [...problems.filter(isTwin), ...problems.filter((each) => !isTwin(each))];
}

/** Error of a command that cannot continue. */
export function problemError({ message, remedy }: ServoProblem): ReinError {
  return new ReinError('driver', message, { remedy });
}

function missing(motor: Motor, found: readonly FoundServo[], motors: readonly Motor[], named: string): ServoProblem {
  const foreign = found.filter(({ id }) => !motors.some((each) => each.id === id)).map(({ id }) => id);
  const others =
    foreign.length === 0
      ? ''
      : `; ${foreign.join(', ')} ${foreign.length > 1 ? 'answer' : 'answers'}, and no joint has that id`;
  const twin = found.find(isTwice)?.id;
  const place = motors.indexOf(motor);
  const isPassed = motors.slice(place + 1).some(({ id }) => found.some((servo) => servo.id === id));
  return {
    id: motor.id,
    kind: 'missing',
    message: `Servo ${motor.id} (${motor.name}) does not answer${others}.`,
    remedy:
      twin !== undefined
        ? `It may be one of those with the id ${twin}: resolve those first.`
        : foreign.length > 0
          ? `Write the id that it has under driver.motors.${motor.name} of the robot's file, or give the servo the id ${motor.id}.`
          : isPassed
            ? `Others that come after it answer: its plug may be loose, or it has another id or speed. Plug it in alone, then: rein doctor --robot ${named}`
            : 'Look at the cable to it and at its supply: all behind the first gap of the chain are silent.',
  };
}

function problemOf(motor: Motor, servo: FoundServo, isNoise: boolean, named: string): ServoProblem | undefined {
  const { id, identity, model } = servo;
  const who = `servo ${id} (${motor.name})`;
  if (isTwice(servo)) {
    if (isNoise) {
      const message = 'All answers on the bus are garbled.';
      return {
        id,
        kind: 'garbled',
        message,
        remedy: GARBLED_REMEDY,
      };
    }
    return {
      id,
      kind: 'twice',
      message: `More than one servo has the id ${id}: their answers collide (${servo.collisions} of 8).`,
      remedy: `Unplug all but one of them, give that one an id of its own with its maker's program, then: rein doctor --robot ${named}`,
    };
  }
  if (identity === undefined) return undefined;
  if (identity.modelNumber !== motor.model.modelNumber) {
    const says =
      model === undefined ? `an unknown model, ${identity.modelNumber}` : `a ${model.name} (${identity.modelNumber})`;
    return {
      id,
      kind: 'model',
      message: `The ${who} is ${says}, and the robot's file says ${motor.model.name} (${motor.model.modelNumber}).`,
      remedy: `Write its model under driver.motors.${motor.name}, or put the right servo there.`,
    };
  }
  if (isKnownFirmware(motor.model, identity.firmware)) return undefined;
  const [least, most] = motor.model.firmware!;
  return {
    id,
    kind: 'firmware',
    message: `The ${who} has firmware ${identity.firmware}, and its table is known for ${least === most ? least : `${least} to ${most}`}.`,
    remedy: `Update it with its maker's program, or take it as it is: rein calibrate --robot ${named} --accept-firmware`,
  };
}

/** Compares the major version: manufacturers change tables with that. */
export function isKnownFirmware({ firmware }: ServoModel, version: string): boolean {
  const major = Math.floor(Number.parseFloat(version));
  return firmware === undefined || (major >= firmware[0] && major <= firmware[1]);
}
