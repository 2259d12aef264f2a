/**
 * Writes goals, caps and torque of an arm's servos. Torque comes on only after goals and caps were read back. If a goal
 * switches torque on, caps are 0 until then.
 */
import type { SerialLine } from '../serial/line.ts';
import { blockOf, countsPerServoRad, countsPerUnit, type Motor, type ServoFamily } from './family.ts';
import { GoalGate } from './goal-gate.ts';
import { readRegister } from './protocol.ts';
import { BlockRead, type ReadGroup, RegisterWrite } from './register-groups.ts';
import type { ServoBus } from './servo-bus.ts';
import { ServoRegisters } from './servo-registers.ts';

/** Goals beyond the calibrated range, which ends at the joint's own stops, by more than this are invalid, rad of the servo's turn. */
const BEYOND_RANGE_RAD = 0.1;
/** Sync writes are not answered: torque off is written this many times, one tick apart. */
const OFF_WRITES = 4;
/** Number of attempts to write and read back everything before torque is given up. */
const ON_TRIES = 3;

/** Tick path after construction. */
export class ServoOutputs {
  /** [n] commanded positions, rad or m. */
  readonly reference: Float64Array;
  /** Selects the joints that get goals. */
  readonly gate: GoalGate;
  readonly #bus: ServoBus;
  readonly #line: SerialLine;
  readonly #family: ServoFamily;
  readonly #joints: readonly Motor[];
  /** Motors that have torque, second servos included: indices in the list of motors, and index of each one's joint. */
  readonly #places: readonly number[];
  readonly #jointOf: readonly number[];
  readonly #goals: RegisterWrite;
  /** Goals of all joints, before torque is on. */
  readonly #firstGoals: RegisterWrite;
  readonly #caps: RegisterWrite;
  readonly #torque: RegisterWrite;
  readonly #goalsAndCaps: BlockRead;
  readonly #goalsBack: BlockRead;
  readonly #capsBack: BlockRead;
  readonly #torqueBack: BlockRead;
  readonly #capCounts: Float64Array;
  /** [n] smallest and largest goal, counts. */
  readonly #goalLeast: Float64Array;
  readonly #goalMost: Float64Array;
  /** [n] count at 0, signed counts per rad or m, and range of a reference, counts. */
  readonly #zeroCounts: Float64Array;
  readonly #countsPerRad: Float64Array;
  readonly #reachLeast: Float64Array;
  readonly #reachMost: Float64Array;
  #isOn = false;
  /** The caps are unknown: torque was to come on, and did not. */
  #areCapsOpen = false;
  /** Number of pending writes of torque off. */
  #offWrites = 0;

  /** The first `count` of `motors` are those of the joints, all calibrated; the others include second servos. */
  constructor(bus: ServoBus, family: ServoFamily, motors: readonly Motor[], count: number) {
    const joints = motors.slice(0, count);
    const pulling = motors.filter((motor) => motor.calibration !== undefined);
    this.#bus = bus;
    this.#line = bus.line;
    this.#family = family;
    this.#joints = joints;
    this.#places = pulling.map((motor) => motors.indexOf(motor));
    this.#jointOf = pulling.map((motor) => joints.indexOf(motor.shadowOf ?? motor));
    const { isLittleEndian } = bus.protocol;
    const capOf = (motor: Motor): string => family.capRegister(motor);
    this.reference = new Float64Array(joints.length);
    this.gate = new GoalGate(joints.length, family.goalTurnsOn);
    this.#goals = new RegisterWrite(joints, () => 'goalPosition', isLittleEndian, this.gate.takes);
    this.#firstGoals = new RegisterWrite(joints, () => 'goalPosition', isLittleEndian);
    this.#caps = new RegisterWrite(joints, capOf, isLittleEndian);
    this.#torque = new RegisterWrite(joints, () => 'torqueEnable', isLittleEndian);
    this.#goalsAndCaps = new BlockRead(pulling, (motor) => blockOf(motor.model, [capOf(motor), 'goalPosition']));
    this.#goalsBack = new BlockRead(pulling, ({ model }) => blockOf(model, ['goalPosition']));
    this.#capsBack = new BlockRead(pulling, (motor) => blockOf(motor.model, [capOf(motor)]));
    this.#torqueBack = new BlockRead(pulling, (motor) =>
      blockOf(motor.model, family.goalTurnsOn ? ['torqueEnable', capOf(motor)] : ['torqueEnable']),
    );
    this.#capCounts = new Float64Array(joints.length);
    this.#goalLeast = Float64Array.from(joints, ({ model }) => family.goalRange(model)[0]);
    this.#goalMost = Float64Array.from(joints, ({ model }) => family.goalRange(model)[1]);
    const calibrationOf = (motor: Motor): NonNullable<Motor['calibration']> => motor.calibration!;
    const slackOf = (motor: Motor): number => BEYOND_RANGE_RAD * countsPerServoRad(motor);
    this.#zeroCounts = Float64Array.from(joints, (motor) => calibrationOf(motor).zeroCounts);
    this.#countsPerRad = Float64Array.from(joints, (motor) => calibrationOf(motor).direction * countsPerUnit(motor));
    this.#reachLeast = Float64Array.from(joints, (motor, i) =>
      Math.max(this.#goalLeast[i]! - 0.5, calibrationOf(motor).minCounts - slackOf(motor)),
    );
    this.#reachMost = Float64Array.from(joints, (motor, i) =>
      Math.min(this.#goalMost[i]! + 0.5, calibrationOf(motor).maxCounts + slackOf(motor)),
    );
    this.setCaps(1);
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** True if writes of torque off are pending. */
  get isGoingOff(): boolean {
    return this.#offWrites > 0;
  }

  /**
   * Switches torque on at `reference`, in all servos or in none, by `deadlineS` or one request later. A sync write is
   * not answered, and a servo that missed its goal would jump to an older one: each is read back first. Returns −1, or
   * the index of the first motor that did not confirm.
   */
  turnOn(deadlineS: number): number {
    this.#offWrites = 0;
    let refused = 0;
    for (let attempt = 0; attempt < ON_TRIES && !this.#bus.isLost; attempt++) {
      const found = this.#tryOn(deadlineS);
      if (found < 0) {
        this.#isOn = true;
        this.gate.open();
        return -1;
      }
      const isOver = this.#line.clock.nowS() >= deadlineS;
      // If time ran out, the servos not yet read are not to blame.
      if (attempt === 0 || !isOver) refused = found;
      if (isOver) break;
    }
    this.turnOff();
    return refused;
  }

  turnOff(): void {
    this.#torque.send(this.#bus, OFF);
    this.#offWrites = OFF_WRITES - 1;
    this.#isOn = false;
  }

  /** Writes torque off if writes are pending. Called once a tick. */
  goOnTurningOff(): void {
    if (this.#offWrites === 0) return;
    this.#offWrites--;
    this.#torque.send(this.#bus, OFF);
  }

  /** Repeats the writes of torque off, as some servo still has torque. */
  turnOffAnew(): void {
    this.#offWrites = OFF_WRITES;
  }

  /** Writes the goals of the joints that get one. Returns false if the port is gone or does not accept the request. */
  writeGoals(): boolean {
    return this.#goals.send(this.#bus, this.goalCounts);
  }

  writeCaps(): void {
    this.#areCapsOpen = false;
    this.#caps.send(this.#bus, this.capCounts);
  }

  /** Returns true if the cap of joint `i` is the one written, or is unknown. */
  keepsCap(i: number, counts: number): boolean {
    return this.#areCapsOpen || counts === this.#capCounts[i];
  }

  /** Sets the caps to `ratio` (0, 1] of those in the robot file, from the next `writeCaps` on. */
  setCaps(ratio: number): void {
    this.#areCapsOpen = false;
    for (let i = 0; i < this.#joints.length; i++) {
      const motor = this.#joints[i]!;
      this.#capCounts[i] = this.#family.capCounts(motor, ratio * motor.options.torqueRatio);
    }
  }

  /** Returns the smallest share (0 to 1) of their caps that the servos hold, as far as they answer. Between ticks. */
  heldRatio(): number {
    const ratios = this.#joints.map((motor, i) => {
      const cap = new ServoRegisters(this.#bus, motor).read(this.#family.capRegister(motor));
      return cap === undefined ? 1 : cap / this.#capCounts[i]!;
    });
    return Math.min(1, ...ratios);
  }

  /** Returns the cap of joint `i`, counts. */
  readonly capCounts = (i: number): number => this.#capCounts[i]!;

  /** Returns the goal of joint `i`, counts. Clamped if the servo does not take it (`takesGoal`): it must not be sent then. */
  readonly goalCounts = (i: number): number =>
    Math.min(this.#goalMost[i]!, Math.max(this.#goalLeast[i]!, Math.round(this.#counts(i))));

  /**
   * Returns true if servo `i` takes `reference` as goal: moved by hand, or read a turn off, a joint may be out of
   * range. NaN: false.
   */
  takesGoal(i: number): boolean {
    const counts = this.#counts(i);
    return counts >= this.#goalLeast[i]! - 0.5 && counts <= this.#goalMost[i]! + 0.5;
  }

  /** Takes `referenceRad` (n) for the next goals; returns false, and takes nothing, if a value is out of range or NaN. */
  takeReference(referenceRad: ArrayLike<number>): boolean {
    // No helper function: V8 would box each number passed to it.
    for (let i = 0; i < this.#joints.length; i++) {
      const counts = this.#zeroCounts[i]! + this.#countsPerRad[i]! * referenceRad[i]!;
      if (!(counts >= this.#reachLeast[i]! && counts <= this.#reachMost[i]!)) return false;
    }
    for (let i = 0; i < this.#joints.length; i++) this.reference[i] = referenceRad[i]!;
    return true;
  }

  #counts(i: number): number {
    return this.#zeroCounts[i]! + this.#countsPerRad[i]! * this.reference[i]!;
  }

  /** Returns the same as `turnOn`. */
  #tryOn(deadlineS: number): number {
    const wrong = this.#family.goalTurnsOn ? this.#pullByGoals(deadlineS) : this.#pullAtGoals(deadlineS);
    return wrong < 0 ? wrong : this.#places[wrong]!;
  }

  #pullAtGoals(deadlineS: number): number {
    this.#firstGoals.send(this.#bus, this.goalCounts);
    this.writeCaps();
    const wrong = this.#goalsAndCaps.firstWrong(this.#bus, deadlineS, this.#holdsGoalAndCap);
    if (wrong >= 0) return wrong;
    this.#torque.send(this.#bus, ON);
    return this.#torqueBack.firstWrong(this.#bus, deadlineS, this.#hasTorque);
  }

  /** Switches on servos whose torque comes on with a goal: goals are written while all caps are 0, and caps once all have their goals. */
  #pullByGoals(deadlineS: number): number {
    this.#areCapsOpen = true;
    this.#caps.send(this.#bus, NONE);
    let wrong = this.#capsBack.firstWrong(this.#bus, deadlineS, this.#hasNoCap);
    if (wrong >= 0) return wrong;
    this.#firstGoals.send(this.#bus, this.goalCounts);
    wrong = this.#goalsBack.firstWrong(this.#bus, deadlineS, this.#holdsGoal);
    if (wrong >= 0) return wrong;
    this.#torque.send(this.#bus, ON);
    this.writeCaps();
    return this.#torqueBack.firstWrong(this.#bus, deadlineS, this.#hasTorqueAndCap);
  }

  readonly #holdsGoal = (k: number, group: ReadGroup, at: number): boolean =>
    this.#numberOf('goalPosition', this.#jointOf[k]!, group, at) === this.goalCounts(this.#jointOf[k]!);

  readonly #holdsCap = (k: number, group: ReadGroup, at: number): boolean =>
    this.#capIn(k, group, at) === this.#capCounts[this.#jointOf[k]!];

  readonly #hasNoCap = (k: number, group: ReadGroup, at: number): boolean => this.#capIn(k, group, at) === 0;

  readonly #holdsGoalAndCap = (k: number, group: ReadGroup, at: number): boolean =>
    this.#holdsGoal(k, group, at) && this.#holdsCap(k, group, at);

  readonly #hasTorque = (k: number, group: ReadGroup, at: number): boolean =>
    this.#numberOf('torqueEnable', this.#jointOf[k]!, group, at) === ON();

  readonly #hasTorqueAndCap = (k: number, group: ReadGroup, at: number): boolean =>
    this.#hasTorque(k, group, at) && this.#holdsCap(k, group, at);

  #capIn(k: number, group: ReadGroup, at: number): number {
    const i = this.#jointOf[k]!;
    return this.#numberOf(this.#family.capRegister(this.#joints[i]!), i, group, at);
  }

  #numberOf(name: string, i: number, { block, into }: ReadGroup, at: number): number {
    const register = this.#joints[i]!.model.registers[name]!;
    return readRegister(register, into, at + block.offsets[name]!, this.#bus.protocol.isLittleEndian);
  }
}

const NONE = (): number => 0;
const ON = (): number => 1;
const OFF = (): number => 0;
