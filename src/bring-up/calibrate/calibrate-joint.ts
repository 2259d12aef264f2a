/** Calibrates one joint, its torque off and moved by hand: its zero, its direction and its range. */

import { countsPerUnit, type JointCalibration, type Motor } from '../../drivers/serial.ts';
import { type JointModel, ReinError } from '../../model/index.ts';
import type { BusFamily } from '../families.ts';
import { confirm, type Guide, type Meanwhile } from '../guide.ts';
import type { ServoAccess } from '../servo-access.ts';
import type { JointWords } from './direction-words.ts';
import { calibratedRange, rangeLine, rangeProblem, shownPosition, toleranceOf } from './joint-range.ts';
import { calibrationOf, isWholeTurn, type LeRobotJoint } from './lerobot.ts';
import { TurnTracker } from './turn-tracker.ts';

/** A joint stands still if so many readings differ by no more than this, counts. */
const STILL_READINGS = 10;
const STILL_COUNTS = 6;
/** Minimum motion that determines a direction, and minimum range, each as a share of the file's range. */
const DIRECTION_SHARE = 0.06;
const RANGE_SHARE = 0.2;
/** LeRobot's range may not have been swept to both stops if it is narrower than the file's by more than this, rad. */
const NARROW_RAD = 0.1;
/** Two measurements of a range are the same if their ends differ by no more than this, rad. */
const SAME_RAD = 0.05;
/** A servo is lost if it has missed more requests than these in a row, for so long. */
const SILENT = { misses: 2, forS: 1 } as const;
/** Permitted deviation of the reading from its expected value after the middle was set, counts. */
const MIDDLE_SLACK = 12;

export interface JointWork {
  readonly joint: JointModel;
  readonly motor: Motor;
  readonly servo: ServoAccess;
  readonly bus: BusFamily;
  readonly words: JointWords;
  readonly modelNumber: number;
  readonly firmware: string;
  readonly storedDirection: number | undefined;
  /** `2/6 shoulder_lift (servo 2)`. */
  readonly title: string;
}

/**
 * `before`: range found by an earlier measurement, from least to greatest, rad or m. Rejects with `ReinError` if the servo is lost, or its
 * readings do not form one range.
 */
export async function calibrateJoint(
  guide: Guide,
  work: JointWork,
  before?: readonly [number, number],
): Promise<JointCalibration> {
  const hand = new HandMoved(work);
  const zeroCounts = await askZero(guide, work, hand);
  hand.restart();
  const direction = await askDirection(guide, work, hand, zeroCounts);
  for (;;) {
    const range = await askRange(guide, work, hand, { zeroCounts, direction });
    const moved = await inOneTurn(guide, work, hand, { ...range, zeroCounts, direction });
    const found: JointCalibration = { id: work.motor.id, model: work.motor.model.name, ...servoOf(work), ...moved };
    const problem = rangeProblem(work.joint, work.motor, found);
    if (problem === undefined) return found;
    guide.say(`  ${problem.message}`);
    if (problem.kind !== 'limit') {
      const range = calibratedRange(work.motor, found);
      const slack = toleranceOf(work.joint, SAME_RAD);
      const isSame = before?.every((end, k) => Math.abs(end - range[k]!) <= slack) === true;
      if (isSame && problem.kind === 'zero') {
        guide.say(
          `  The same as before: if it was at its zero both times, its stops are not those of the file. Then write ${problem.limits} into the robot's file.`,
        );
      }
      const otherwise = problem.kind === 'direction' || (problem.kind === 'zero' && !isSame) ? 'yes' : 'no';
      const again = await confirm(guide, '  Calibrate this joint again, from its zero pose?', otherwise);
      return again ? calibrateJoint(guide, work, range) : found;
    }
    if (await confirm(guide, '  Was that all it can, up to both stops?', 'yes')) return found;
    hand.follow(found.zeroCounts);
    return recalibrated(guide, work, hand, found);
  }
}

/** Calibrates a joint with zero and range of LeRobot, whose file lacks its direction. */
export async function importJoint(guide: Guide, work: JointWork, from: LeRobotJoint): Promise<JointCalibration> {
  const { joint, motor, title } = work;
  const hand = new HandMoved(work);
  const middle = shownPosition(joint, (joint.positionMinRad + joint.positionMaxRad) / 2);
  const what = isWholeTurn(from, motor) ? 'the pose in which LeRobot was calibrated' : "the middle of LeRobot's range";
  guide.say(`${title}: ${what} is ${middle} of the robot's file`);
  const lackRad = joint.positionMaxRad - joint.positionMinRad - (from.rangeMax - from.rangeMin) / countsPerUnit(motor);
  if (lackRad > toleranceOf(joint, NARROW_RAD)) {
    const [lack, off] = [lackRad, lackRad / 2].map((value) => shownPosition(joint, value));
    guide.say(
      `  LeRobot's range is ${lack} narrower than the file's: if it ended early at one stop only, the zero is ${off} off.`,
    );
  }
  const direction = await askDirection(guide, work, hand, hand.now);
  return calibrationOf(work.bus.family, joint, motor, from, { direction, ...servoOf(work) });
}

type ServoFacts = Pick<JointCalibration, 'modelNumber' | 'firmware' | 'storedDirection'>;

/** Identity of a servo that has to be the same whenever the calibration is used. */
function servoOf({ modelNumber, firmware, storedDirection }: JointWork): ServoFacts {
  return { modelNumber, firmware, ...(storedDirection === undefined ? {} : { storedDirection }) };
}

/** Measures the range once more, with the same zero and direction. */
async function recalibrated(
  guide: Guide,
  work: JointWork,
  hand: HandMoved,
  found: JointCalibration,
): Promise<JointCalibration> {
  const range = await askRange(guide, work, hand, found);
  const moved = await inOneTurn(guide, work, hand, {
    ...range,
    zeroCounts: found.zeroCounts,
    direction: found.direction,
  });
  return { ...found, ...moved };
}

/** Encoder readings while a hand moves the joint. */
class HandMoved {
  readonly #work: JointWork;
  #tracker: TurnTracker;
  #misses = 0;
  #heardAtS = 0;

  constructor(work: JointWork) {
    this.#work = work;
    this.#tracker = new TurnTracker(work.motor.model.countsPerTurn, this.#read());
  }

  get now(): number {
    return this.#tracker.now;
  }

  get least(): number {
    return this.#tracker.least;
  }

  get most(): number {
    return this.#tracker.most;
  }

  /** Restarts least and greatest at the present reading. */
  restart(): void {
    this.#tracker.restart();
  }

  /** Restarts counting at the present reading, in the turn of `nearCounts`. */
  follow(nearCounts: number): void {
    const turn = this.#work.motor.model.countsPerTurn;
    const reading = this.#read();
    this.#tracker = new TurnTracker(turn, reading + turn * Math.round((nearCounts - reading) / turn));
  }

  look(): void {
    const { servo, motor } = this.#work;
    const reading = servo.read('presentPosition', 1);
    if (reading !== undefined) {
      this.#hasHeard();
      this.#tracker.push(reading);
      return;
    }
    this.#misses++;
    if (this.#misses > SILENT.misses && this.#nowS - this.#heardAtS > SILENT.forS) throw silent(motor);
  }

  /** Work while a question is open; `zeroed` returns zero and direction as known then. */
  meanwhile(zeroed: () => Pick<JointCalibration, 'zeroCounts' | 'direction'>): Meanwhile {
    const { joint, motor } = this.#work;
    return { look: () => this.look(), lines: () => [rangeLine(joint, motor, zeroed(), this)] };
  }

  /** Returns the reading of a joint that stands; `undefined` if it moves. */
  still(): number | undefined {
    const readings = Array.from({ length: STILL_READINGS }, () => {
      this.look();
      const { line } = this.#work.servo.bus;
      line.wait(line.clock.nowS() + 0.005);
      return this.now;
    });
    const [least, most] = [Math.min(...readings), Math.max(...readings)];
    if (most - least > STILL_COUNTS) return undefined;
    return Math.round(readings.reduce((sum, value) => sum + value, 0) / readings.length);
  }

  #hasHeard(): void {
    this.#misses = 0;
    this.#heardAtS = this.#nowS;
  }

  get #nowS(): number {
    return this.#work.servo.bus.line.clock.nowS();
  }

  #read(): number {
    const { servo, motor } = this.#work;
    const reading = servo.read('presentPosition');
    if (reading === undefined) throw silent(motor);
    this.#hasHeard();
    return reading;
  }
}

/** Describes the joint's pose at zero. For jaws, the end of the range that is nearer to zero is where they are shut. */
export function zeroPose({ joint, motor, words }: Pick<JointWork, 'joint' | 'motor' | 'words'>): string | undefined {
  const { kind, positionMinRad, positionMaxRad } = joint;
  if (!motor.options.grips || kind === 'prismatic' || positionMinRad > 0 || positionMaxRad < 0) return words.atZero;
  return `the jaws are ${shownOpening(Math.min(-positionMinRad, positionMaxRad))}`;
}

function shownOpening(rad: number): string {
  const degrees = Math.round((180 / Math.PI) * rad);
  return degrees === 0 ? 'shut' : `${degrees}° open`;
}

async function askZero(guide: Guide, work: JointWork, hand: HandMoved): Promise<number> {
  const { title, joint, motor } = work;
  const atZero = zeroPose(work);
  const pose = atZero === undefined ? 'its zero' : `its zero: ${atZero}`;
  const limits = `${shownPosition(joint, joint.positionMinRad)} to ${shownPosition(joint, joint.positionMaxRad)}`;
  guide.say(`${title}, ${motor.model.name}: ${limits} in the robot's file`);
  // Nothing is known yet: the first reading stands for zero.
  const first = hand.now;
  for (;;) {
    await guide.ask(
      `  Put it at ${pose}. Hold it there and press Enter.`,
      hand.meanwhile(() => ({ zeroCounts: first, direction: 1 })),
    );
    const still = hand.still();
    if (still !== undefined) return still;
    guide.say('  It moves: hold it still.');
  }
}

async function askDirection(
  guide: Guide,
  { words, joint, motor }: JointWork,
  hand: HandMoved,
  zeroCounts: number,
): Promise<1 | -1> {
  const leastCounts = DIRECTION_SHARE * (joint.positionMaxRad - joint.positionMinRad) * countsPerUnit(motor);
  for (;;) {
    await guide.ask(
      `  Now ${words.positive}: that way its angle rises. Press Enter there.`,
      hand.meanwhile(() => ({ zeroCounts, direction: 1 })),
    );
    hand.look();
    const movedCounts = hand.now - zeroCounts;
    if (Math.abs(movedCounts) >= leastCounts) return movedCounts > 0 ? 1 : -1;
    // From the turning point: a joint at its stop is moved back first, and one that sags comes back, too.
    const [rise, fall] = [hand.now - hand.least, hand.most - hand.now];
    if (rise >= leastCounts !== fall >= leastCounts) {
      if (await confirm(guide, '  It is back where it was. Was the motion back in the requested direction?', 'no')) {
        return rise > fall ? 1 : -1;
      }
      hand.restart();
      continue;
    }
    const shown = (counts: number): string => shownPosition(joint, counts / countsPerUnit(motor));
    if (rise < leastCounts) {
      const moved = shown(Math.max(rise, fall));
      guide.say(
        `  It has moved by ${moved} only: go on to ${shown(leastCounts)}. At its stop, move it back first, then that way.`,
      );
    } else {
      guide.say('  It went both ways: move it that way once more, and keep it there.');
      hand.restart();
    }
  }
}

async function askRange(
  guide: Guide,
  { joint, motor }: JointWork,
  hand: HandMoved,
  { zeroCounts, direction }: Pick<JointCalibration, 'zeroCounts' | 'direction'>,
): Promise<{ readonly least: number; readonly most: number }> {
  const wanted = RANGE_SHARE * (joint.positionMaxRad - joint.positionMinRad);
  for (;;) {
    await guide.ask(
      '  Now move it to one stop, then to the other: all that it can. Press Enter when it has been at both.',
      hand.meanwhile(() => ({ zeroCounts, direction })),
    );
    hand.look();
    const span = (hand.most - hand.least) / countsPerUnit(motor);
    if (span >= wanted) return { least: hand.least, most: hand.most };
    guide.say(
      `  It has moved by ${shownPosition(joint, span)} in all, less than ${shownPosition(joint, wanted)}: it was not moved.`,
    );
  }
}

interface Range extends Pick<JointCalibration, 'zeroCounts' | 'direction'> {
  readonly least: number;
  readonly most: number;
}

type Placed = Pick<JointCalibration, 'zeroCounts' | 'direction' | 'minCounts' | 'maxCounts' | 'homingOffsetCounts'>;

/** Asks for consent to store an offset. Throws `ReinError` if none would help, or the operator declines. `bare`, `isInTurn`: as there. */
async function agreeOnOffset(guide: Guide, work: JointWork, bare: number, isInTurn: boolean): Promise<void> {
  const { servo, motor, bus } = work;
  const { wrapsOffset } = bus.family;
  const [first, last] = bus.family.goalRange(motor.model);
  const remedy = `mount its horn so that the middle of its range reads about ${Math.round((first + last) / 2)}`;
  if (wrapsOffset || !isInTurn) {
    guide.say(`  Its reading jumps from ${last + bare} to ${first + bare} within its range: that is no position.`);
  } else guide.say(`  Its stored offset takes its reading out of ${first} to ${last}, where it takes goals.`);
  // An offset that is only added does not move the end of the encoder's turn.
  // Nor would it shift the reading of a second servo as it shifts this one's.
  if (!servo.has('homingOffset') || motor.options.shadowId !== undefined || (!wrapsOffset && !isInTurn)) {
    throw unplaced(motor, `${remedy}${bare === 0 ? '' : ` without its offset of ${bare}`}, or move it less far`);
  }
  const question = wrapsOffset
    ? `  Set the servo's middle to the middle of this range? That is stored in it, and lasts; else ${remedy}.`
    : '  Set its offset to 0? That is stored in it, and lasts.';
  const orElse = wrapsOffset
    ? `${remedy}; or let rein calibrate set the middle`
    : 'let rein calibrate set its offset to 0';
  if (!(await confirm(guide, question, 'no'))) throw unplaced(motor, orElse);
}

/** Moves the wrap of the readings out of the range by a stored offset, if needed: readings that wrap within it are no positions. */
async function inOneTurn(guide: Guide, work: JointWork, hand: HandMoved, range: Range): Promise<Placed> {
  const { servo, motor, bus } = work;
  const { zeroCounts, direction, least, most } = range;
  const homingOffsetCounts = servo.read('homingOffset') ?? 0;
  const placed = (shift: number, offset: number): Placed => ({
    direction,
    zeroCounts: Math.round(zeroCounts + shift),
    minCounts: Math.round(least + shift),
    maxCounts: Math.round(most + shift),
    homingOffsetCounts: offset,
  });
  const [first, last] = bus.family.goalRange(motor.model);
  const { wrapsOffset } = bus.family;
  // Reading at which the encoder wraps: shifted by an offset that is only added.
  const bare = wrapsOffset ? 0 : homingOffsetCounts;
  const isInTurn = least - bare >= first && most - bare <= last;
  if (isInTurn && least >= first && most <= last) return placed(0, homingOffsetCounts);
  const span = most - least;
  if (span > last - first) {
    throw new ReinError('driver', `${motor.name} turns by more than a turn of its servo: its reading is no position.`, {
      remedy: `Give it a stop, or less range; then: rein calibrate --joint ${motor.name}, with the same --robot.`,
    });
  }
  await agreeOnOffset(guide, work, bare, isInTurn);
  const { offset, shift } = wrapsOffset
    ? newMiddle(bus, motor, homingOffsetCounts, (first + last) / 2 - (least + most) / 2)
    : { offset: 0, shift: -bus.homingSign * homingOffsetCounts };
  const stood = hand.still() ?? hand.now;
  if (!servo.set('homingOffset', offset)) {
    throw new ReinError('driver', `Servo ${motor.id} (${motor.name}) does not take the offset ${offset}.`, {
      remedy: 'Look at its supply and cable, and try again.',
    });
  }
  hand.follow(stood + shift);
  if (Math.abs(hand.now - (stood + shift)) > MIDDLE_SLACK) {
    throw new ReinError(
      'driver',
      `Servo ${motor.id} (${motor.name}) reads ${Math.round(hand.now)} with its new middle, and ${Math.round(stood + shift)} was due.`,
      { remedy: 'Hold the joint still meanwhile, and calibrate it again.' },
    );
  }
  guide.say(`  Its stored offset is ${offset} now, and was ${homingOffsetCounts}.`);
  return placed(shift, offset);
}

/** For a family that wraps: returns the offset that shifts readings by about `wantedShift`, and the actual shift. */
function newMiddle(
  { homingSign, family }: BusFamily,
  motor: Motor,
  offset: number,
  wantedShift: number,
): { readonly offset: number; readonly shift: number } {
  const turn = motor.model.countsPerTurn;
  const most = family.offsetMaxCounts(motor);
  const wanted = Math.round(offset + homingSign * wantedShift);
  const inTurn = wanted - turn * Math.round(wanted / turn);
  const next = Math.min(most, Math.max(-most, inTurn));
  const moved = homingSign * (next - offset);
  // In the tracker's counts, which may be whole turns away.
  return { offset: next, shift: moved + turn * Math.round((wantedShift - moved) / turn) };
}

function unplaced({ name }: Motor, remedy: string): ReinError {
  return new ReinError('driver', `The range of ${name} crosses the end of its servo's readings.`, {
    remedy: `${remedy[0]!.toUpperCase()}${remedy.slice(1)}.`,
  });
}

function silent({ id, name }: Motor): ReinError {
  return new ReinError('driver', `Servo ${id} (${name}) does not answer any more.`, {
    remedy: 'Look at its cable and supply; the joints before it are kept: repeat the command to go on.',
  });
}
