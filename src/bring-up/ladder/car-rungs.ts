/** Rungs of a car that involve a person: a hand turns its wheels ahead, and later the person watches them turn and steer. */

import { countsPerM, type VescLink, vesc, vescValues } from '../../drivers/serial.ts';
import { ReinError } from '../../model/index.ts';
import { lostPort } from '../bus-port.ts';
import type { VescCar } from '../car.ts';
import { confirm, type Guide } from '../guide.ts';

/** Turns of the wheels that exceed the backlash of the gears. */
const TURNS = 0.5;

export interface MirrorCarRequest {
  readonly car: VescCar;
  /** A VESC that has been identified. */
  readonly link: VescLink;
  readonly guide: Guide;
}

/** The second rung: the motor coasts, and the count has to rise. Resolves to its proof. Rejects with `ReinError` if the count falls. */
export async function mirrorCar({ car, link, guide }: MirrorCarRequest): Promise<string> {
  const { motor } = car.driver;
  await guide.ask('Raise the car, so that no wheel touches anything, then press Enter. Its motor coasts.');
  link.send(vesc.writeCurrent(link.out, 0, 0));
  const perM = (motor.isReversed ? -1 : 1) * countsPerM(motor);
  const read = (): number => {
    if (!link.measure()) throw lostPort(car.driver.port);
    return link.values[vescValues.VALUE.tachometer]! / perM;
  };
  const wantedM = TURNS * 2 * Math.PI * motor.wheelRadiusM;
  const fromM = read();
  let movedM = 0;
  const meanwhile = {
    look: (): void => {
      movedM = read() - fromM;
    },
    lines: (): readonly string[] => [`  counted: ${movedM.toFixed(2)} m ahead`],
  };
  for (;;) {
    const answer = await guide.ask(
      `Turn the driven wheels by hand, briskly, the way they turn when the car drives ahead, by ${wantedM.toFixed(2)} m or more: what is counted has to rise. Press Enter then; or type n where nothing is counted.`,
      meanwhile,
    );
    movedM = read() - fromM;
    if (movedM >= wantedM) return `the wheels were turned ahead by hand, and ${movedM.toFixed(2)} m ahead were counted`;
    if (movedM <= -wantedM) {
      throw new ReinError(
        'config',
        'It counts backwards where the wheels turn ahead: the motor is the other way round.',
        {
          remedy: `Write isReversed: ${!motor.isReversed} under driver.motor in the robot's file, then: rein bring-up --robot ${car.named}`,
        },
      );
    }
    // A sensorless motor is counted by its back-EMF, which a slow hand does not generate.
    if (/^no?$/i.test(answer))
      return 'no counts while the wheels were turned by hand: the next step shows which way they turn';
    guide.say(`  ${movedM.toFixed(2)} m were counted only: a motor without sensors is counted where it turns fast.`);
  }
}

/**
 * Asks for what no VESC measures: the direction of rolling, and that of the front wheels. Resolves to what a person saw of the third rung;
 * rejects with `ReinError` if it was wrong.
 */
export async function seenOfCar({ driver }: VescCar, guide: Guide): Promise<string> {
  const { motor, steering } = driver;
  const wheels = `Write isReversed: ${!motor.isReversed} under driver.motor in the robot's file; if they turned anyhow else, look at the motor in VESC Tool.`;
  const looks: readonly (readonly [question: string, wrong: string, remedy: string])[] = [
    ['Did the driven wheels turn ahead first, and back then?', 'The wheels turn the other way', wheels],
    [
      'Did the front wheels point to the left first, and to the right then?',
      'The front wheels steer the other way',
      `Write perRad: ${-steering.perRad} under driver.steering in the robot's file.`,
    ],
    [
      'Do they point straight ahead now?',
      'The front wheels do not point ahead in their middle',
      `Change driver.steering.centre (${steering.centre}) in the robot's file: 0.01 of it are ${(0.573 / Math.abs(steering.perRad)).toFixed(1)}°.`,
    ],
  ];
  for (const [question, wrong, remedy] of looks) {
    if (!(await confirm(guide, question, 'no')))
      throw new ReinError('config', `Bring-up step not passed: ${wrong}.`, { remedy });
  }
  return 'an operator saw the wheels turn and steer the right way, and point straight ahead at the end';
}
