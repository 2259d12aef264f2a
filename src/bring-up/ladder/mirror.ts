/** The second rung: torque off, a hand moves the arm, and the numbers on the screen have to follow. */

import type { Calibration, Motor } from '../../drivers/serial.ts';
import { ReinError, type RobotModel } from '../../model/index.ts';
import { zeroPose } from '../calibrate/calibrate-joint.ts';
import { jointWords } from '../calibrate/direction-words.ts';
import { positionOf, shownPosition, toleranceOf } from '../calibrate/joint-range.ts';
import { TurnTracker } from '../calibrate/turn-tracker.ts';
import type { ServoArm } from '../families.ts';
import { confirm, type Guide, type Meanwhile } from '../guide.ts';
import type { ServoAccess } from '../servo-access.ts';

/** Minimum motion of a joint, as a share of the range of the robot's file. */
const MOVED_SHARE = 0.08;
const BAR_COLUMNS = 31;
/** Compliance of stops, rad. */
const OUTSIDE_RAD = 0.1;
/** Accuracy with which a joint is held at its zero by eye, rad. */
const ZERO_RAD = 0.175;

export interface MirrorRequest {
  readonly arm: ServoArm;
  readonly calibration: Calibration;
  /** One per joint. */
  readonly servos: readonly ServoAccess[];
  readonly guide: Guide;
}

/** Resolves to its proof, a sentence. Rejects with `ReinError` if a joint moves the other way, its zero is off, or it is out of limits. */
export async function mirrorArm(request: MirrorRequest): Promise<string> {
  const { arm, guide, servos } = request;
  await guide.ask('Torque goes off now, and what it holds up falls. Hold the arm, then press Enter.');
  for (const [i, motor] of arm.motors.entries()) {
    if (servos[i]!.set('torqueEnable', 0)) continue;
    throw new ReinError('driver', `Servo ${motor.id} (${motor.name}) does not let its torque go off.`, {
      remedy: 'Look at its cable; cut its supply if it holds on.',
    });
  }
  const mirror = new Mirror(request);
  const words = jointWords(arm.robot);
  guide.say('A joint at its zero is seen from the joints before it: hold them at theirs.');
  const unseen: string[] = [];
  for (const [i, joint] of arm.robot.joints.entries()) {
    const pose = zeroPose({ joint, motor: arm.motors[i]!, words: words[i]! });
    const isWithin = joint.positionMinRad <= 0 && joint.positionMaxRad >= 0;
    if (pose !== undefined && isWithin) await mirror.askZero(i, pose);
    else unseen.push(joint.name);
    await mirror.ask(i, words[i]!.positive, joint);
  }
  const spans = arm.robot.joints.map((joint, i) => `${joint.name} ${mirror.spanOf(i)}`);
  const slides = arm.robot.joints.find((joint) => joint.kind === 'prismatic' && !unseen.includes(joint.name));
  const orMm =
    slides === undefined ? '' : ` (${shownPosition(slides, toleranceOf(slides, ZERO_RAD))} of one that slides)`;
  const zeros = `each joint read within ${shownPosition({}, ZERO_RAD)}${orMm} of 0 at its zero`;
  const but = unseen.length === 0 ? '' : ` (not seen: ${unseen.join(', ')})`;
  return `each joint was moved by hand, and its angle rose as the file says: ${spans.join(', ')}; ${zeros}${but}`;
}

class Mirror {
  readonly #request: MirrorRequest;
  readonly #trackers: readonly TurnTracker[];
  /** Joint that is asked for, and its least and greatest positions since then. */
  #seen = { joint: 0, least: 0, most: 0 };

  constructor(request: MirrorRequest) {
    this.#request = request;
    this.#trackers = request.servos.map(
      (servo) => new TurnTracker(servo.model.countsPerTurn, readingOf(servo, request.arm.named)),
    );
  }

  /** Range from least to greatest so far. */
  spanOf(i: number): string {
    const { least, most } = this.#trackers[i]!;
    const joint = this.#request.arm.robot.joints[i]!;
    const ends = [least, most].map((counts) => this.#position(i, counts)).sort((a, b) => a - b);
    return ends.map((value) => shownPosition(joint, value)).join(' to ');
  }

  /** Asks for the zero pose in the words of the robot's file, and compares the angle, hidden until then as it would guide the hand. */
  async askZero(i: number, pose: string): Promise<void> {
    const { guide, arm } = this.#request;
    const joint = arm.robot.joints[i]!;
    for (;;) {
      await guide.ask(`${joint.name}: hold it at its zero: ${pose}. Press Enter there.`, {
        look: () => this.#look(),
        lines: () => ['  (its angle is shown afterwards)'],
      });
      this.#look();
      const now = this.#position(i, this.#trackers[i]!.now);
      const shown = shownPosition(joint, now);
      const most = toleranceOf(joint, ZERO_RAD);
      if (Math.abs(now) <= most) {
        guide.say(`  It reads ${shown}.`);
        return;
      }
      guide.say(`  It reads ${shown}, where ${shownPosition(joint, -most)} to ${shownPosition(joint, most)} is due.`);
      if (!(await confirm(guide, '  Was it at its zero?', 'yes'))) continue;
      throw new ReinError('config', `${joint.name} reads ${shown} at its zero: its calibrated zero is wrong.`, {
        remedy: `Calibrate this joint again: ${this.#calibrate(joint.name)}`,
      });
    }
  }

  #calibrate(joint: string): string {
    return `rein calibrate --robot ${this.#request.arm.named} --joint ${joint}`;
  }

  async ask(i: number, positive: string, joint: RobotModel['joints'][number]): Promise<void> {
    const { guide } = this.#request;
    const wanted = MOVED_SHARE * (joint.positionMaxRad - joint.positionMinRad);
    const calibrate = this.#calibrate(joint.name);
    const start = this.#position(i, this.#trackers[i]!.now);
    this.#seen = { joint: i, least: start, most: start };
    for (;;) {
      await guide.ask(
        `${joint.name}: ${positive}, by ${shownPosition(joint, wanted)} or more; its angle has to rise. Press Enter there.`,
        this.#meanwhile(),
      );
      this.#look();
      // From the turning point: a joint at its stop is moved back first.
      const now = this.#position(i, this.#trackers[i]!.now);
      const [rise, fall] = [now - this.#seen.least, this.#seen.most - now];
      if (rise >= wanted && fall < wanted) break;
      if (fall < wanted) {
        guide.say(
          `  It has risen by ${shownPosition(joint, rise)} only. Where it is at its stop, move it back first, then that way.`,
        );
        continue;
      }
      if (rise >= wanted) {
        guide.say('  It went both ways: move it once more, and keep it where the angle has risen to.');
        this.#seen = { joint: i, least: now, most: now };
        continue;
      }
      throw new ReinError('config', `The angle of ${joint.name} falls where it has to rise: its direction is wrong.`, {
        remedy: `If it was moved as asked: ${calibrate}`,
      });
    }
    const now = this.#position(i, this.#trackers[i]!.now);
    const outside = toleranceOf(joint, OUTSIDE_RAD);
    if (now < joint.positionMinRad - outside || now > joint.positionMaxRad + outside) {
      throw new ReinError(
        'config',
        `${joint.name} shows ${shownPosition(joint, now)}, outside the limits of the robot's file.`,
        {
          remedy: `Its calibrated zero is wrong, or the file's limits are too narrow: ${calibrate}`,
        },
      );
    }
  }

  #meanwhile(): Meanwhile {
    return { look: () => this.#look(), lines: () => this.#lines() };
  }

  #look(): void {
    for (const [i, servo] of this.#request.servos.entries()) {
      const reading = servo.read('presentPosition', 1);
      if (reading !== undefined) this.#trackers[i]!.push(reading);
    }
    const seen = this.#seen;
    const now = this.#position(seen.joint, this.#trackers[seen.joint]!.now);
    this.#seen = { ...seen, least: Math.min(seen.least, now), most: Math.max(seen.most, now) };
  }

  /** One line per joint: angle, counts, and position between its limits. */
  #lines(): readonly string[] {
    return this.#request.arm.robot.joints.map((joint, i) => {
      const { now } = this.#trackers[i]!;
      const value = this.#position(i, now);
      const share = (value - joint.positionMinRad) / (joint.positionMaxRad - joint.positionMinRad);
      const column = Math.min(BAR_COLUMNS - 1, Math.max(0, Math.round(share * (BAR_COLUMNS - 1))));
      const bar = `${' '.repeat(column)}#${' '.repeat(BAR_COLUMNS - 1 - column)}`;
      const limits = `${shownPosition(joint, joint.positionMinRad)} [${bar}] ${shownPosition(joint, joint.positionMaxRad)}`;
      const outside = share < 0 || share > 1 ? '  beyond its limit' : '';
      return `  ${joint.name.padEnd(14)} ${shownPosition(joint, value).padStart(9)}  (${String(Math.round(now)).padStart(4)})  ${limits}${outside}`;
    });
  }

  #position(i: number, counts: number): number {
    return positionOf(this.#motor(i), this.#request.calibration.joints[this.#motor(i).name]!, counts);
  }

  #motor(i: number): Motor {
    return this.#request.arm.motors[i]!;
  }
}

function readingOf(servo: ServoAccess, named: string): number {
  const reading = servo.read('presentPosition');
  if (reading !== undefined) return reading;
  throw new ReinError('driver', `Servo ${servo.id} does not answer.`, {
    remedy: `Every servo is shown by: rein doctor --robot ${named}`,
  });
}
