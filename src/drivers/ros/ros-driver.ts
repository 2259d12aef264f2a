/**
 * Driver of a robot behind ROS 2, called from the guard's tick. It loads no ROS: bridge and stopper are separate
 * processes, and a crash there is a robot that does not answer here. Measurements are the newest received; commands
 * replace one another.
 *
 * The robot is stopped by this driver on `torque(0)`, through a stop that the bridge publishes; or by the stopper, as
 * soon as the bridge is dead or silent while torque is on, or this process is.
 */
import { allFinite, type Clock, ReinError, type RobotModel, SystemClock, type Vec } from '../../model/index.ts';
import { createRobotState, type RobotState, type SceneLayout } from '../../rows/index.ts';
import {
  createDriverReport,
  type Driver,
  type DriverFacts,
  type DriverReport,
  type DriverService,
  type DriverStatus,
  type Scene,
  type ServiceAnswer,
} from '../driver.ts';
import { ReferenceMotion } from '../reference-motion.ts';
import { type CommandLaw, createCommandLaw, type LawInput } from './command-law.ts';
import { DISTANCE_SIGNAL, holdsPosition, type RosDriverOptions } from './options.ts';
import {
  COMMAND,
  COMMAND_KIND,
  commandNumbers,
  PULSE,
  PULSE_KIND,
  type RosLink,
  STATE,
  type StateLayout,
  stateLayout,
  stateNumbers,
} from './protocol.ts';
import { WristWrench } from './wrist-wrench.ts';

/** A bridge that sends nothing for this time, or for twice `freshnessMs` if longer, is considered dead. */
const BRIDGE_SILENT_S = 0.05;
/** Longest age of a wrench: force sensors may be slower than joint states. */
const WRENCH_MAX_AGE_S = 0.2;
/** A measurement older than this, and than `freshnessMs`, is not used for feedback. */
const FEEDBACK_MAX_AGE_S = 0.05;
/** Silence of the guard after which the stopper stops the robot; longer for long control periods. */
const PULSE_VALID_S = 0.1;
/** Silence in control periods: the guard itself faults after more than three, so both agree. */
const PULSE_PERIODS = 4;
/** Timeout of a service call; nothing moves meanwhile. */
const ASK_MS = 2000;
/** Timeout of `prepare`: covers the bridge's waits for a stop to end, three services and discovery, with some margin. */
const PREPARE_MS = 5000;
/** Time that `open` waits for the first measurement before it continues without one. */
const FIRST_STATE_MS = 5000;
const POLL_MS = 10;
/** Number of polls at `close` for the bridge to begin the stop. */
const STOP_POLLS = 5;

export class RosDriver implements Driver {
  /** Facts that `open` returns. */
  readonly facts: DriverFacts;
  readonly report: DriverReport = createDriverReport();
  readonly scene: Scene | undefined;
  readonly #options: RosDriverOptions;
  readonly #model: RobotModel;
  readonly #link: RosLink;
  readonly #clock: Clock;
  readonly #law: CommandLaw;
  readonly #wrist: WristWrench | undefined;
  readonly #layout: StateLayout;
  readonly #row: Float64Array;
  readonly #command: Float64Array;
  readonly #pulse: Float64Array = new Float64Array(PULSE.numbers);
  readonly #measured: RobotState;
  readonly #localSignals: Float64Array;
  /** [signals] indices in the task's signal names; −1 for the distance of people. */
  readonly #signalIndex: readonly number[];
  /** [1] arrival time of the last distance of people that was copied, s; 0: none. */
  readonly #distanceAtS: Float64Array = new Float64Array(1);
  readonly #reference: ReferenceMotion;
  readonly #lawInput: { -readonly [K in keyof LawInput]: LawInput[K] };
  readonly #pulseValidS: number;
  readonly #steering: number;
  #isOpen = false;
  #isEnabled = false;
  #hasActed = false;
  /** Count of stops by the stopper at the time torque came on. */
  #stopsPast = 0;
  /** `seq` of a stop that the bridge has not begun yet; 0: none. */
  #awaitedStop = 0;
  #hasState = false;

  constructor(model: RobotModel, options: RosDriverOptions, link: RosLink, clock: Clock = new SystemClock()) {
    const joints = model.joints.length;
    this.#model = model;
    this.#options = options;
    this.#link = link;
    this.#clock = clock;
    this.#pulseValidS = Math.max(PULSE_VALID_S, PULSE_PERIODS / model.controlHz);
    this.#steering = model.base === undefined ? -1 : options.jointNames.indexOf('steering');
    this.facts = {
      name: 'ros',
      jointNames: options.jointNames,
      signalNames: options.signalNames,
      keepsTorque: true,
      measuresDistance: options.signals.some(({ name }) => name === DISTANCE_SIGNAL),
    };
    this.#law = createCommandLaw(model, options.command);
    this.#wrist = options.wrench === undefined ? undefined : new WristWrench(model, options.wrench);
    this.#layout = stateLayout(joints, options.signals.length);
    this.#row = new Float64Array(stateNumbers(options));
    this.#command = new Float64Array(commandNumbers(options));
    this.#measured = createRobotState(joints, options.signals.length);
    this.#localSignals = new Float64Array(options.signalNames.length);
    this.#signalIndex = options.signals.map(({ name }) => options.signalNames.indexOf(name));
    this.#reference = new ReferenceMotion(model);
    this.#lawInput = {
      referenceRad: this.#reference.positionRad,
      referenceVelocityRadPerS: this.#reference.velocityRadPerS,
      measured: this.#measured,
      isMeasured: false,
    };
    if (options.scene !== undefined) {
      this.scene = { reset: (layout) => this.#resetScene(layout), geomPoses: () => undefined, geoms: [] };
    }
  }

  async open(): Promise<DriverFacts> {
    await this.#link.open();
    this.#isOpen = true;
    const waitUntilS = this.#clock.nowS() + FIRST_STATE_MS * 1e-3;
    // A robot that starts later is awaited in the state `disconnected`.
    while (!this.#takeState() && this.#clock.nowS() < waitUntilS) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    return this.facts;
  }

  service(request: DriverService): ServiceAnswer {
    if (request === 'endCommands') return this.#endCommands();
    if (request !== 'prepare') return 'nothing';
    const refusal = this.#prepare();
    return refusal === undefined ? 'done' : { refusal };
  }

  torque(ratio: number): void {
    if (ratio === 1) this.#begin();
    if (ratio === 0) this.#end();
  }

  takeNotice(): undefined {
    return undefined;
  }

  /**
   * Commands nothing after a stop: a controller that was deactivated and comes back meanwhile would throw the robot to
   * the last target. Position controllers hold the last command. Velocities persist until a stop is sent. Torques have
   * to be commanded.
   */
  #endCommands(): ServiceAnswer {
    const { interface: kind } = this.#options.command;
    if (kind === 'effort') return 'nothing';
    if (!holdsPosition(kind)) this.torque(0);
    return 'done';
  }

  #prepare(): string | undefined {
    if (!this.#isOpen) return 'the robot is not open';
    if (this.#link.generation() < 0) return 'the ROS bridge is being restarted';
    if (!this.#link.isStopperReady()) return 'the ROS stopper is not ready';
    const answer = this.#link.ask({ kind: 'prepare' }, PREPARE_MS);
    return answer.ok ? undefined : answer.reason;
  }

  #begin(): void {
    if (!this.#isOpen) return;
    this.#takeState();
    this.#holdMeasured();
    this.#wrist?.tare();
    this.#hasActed = false;
    this.#stopsPast = this.#link.stopsPast();
    this.#awaitedStop = 0;
    this.#isEnabled = true;
    this.#sendPulse(PULSE_KIND.armed, this.#pulseValidS);
  }

  #end(): void {
    if (!this.#isEnabled) return;
    this.#isEnabled = false;
    this.#fillCommand(COMMAND_KIND.stop);
    const isHeard = this.#link.send(this.#command) && this.#isBridgeAlive();
    // Until the bridge has begun the stop, the robot may still move.
    if (isHeard && !this.#hasActed) this.#awaitedStop = this.#command[COMMAND.seq]!;
    else this.#act();
  }

  read(out: RobotState): DriverStatus {
    if (!this.#isOpen) return 'lost';
    this.#takeState();
    if (!this.#isBridgeAlive()) {
      // The bridge can no longer brake the robot. The stopper is signalled at once, before the fault has been counted out.
      if (this.#mayMove()) this.#act();
      return 'lost';
    }
    if (this.#row[STATE.stoppedSeq]! >= this.#awaitedStop) this.#awaitedStop = 0;
    // The stopper has stopped the robot because this process was held up: the robot no longer follows its commands.
    if (this.#isEnabled && this.#link.stopsPast() !== this.#stopsPast) this.#hasActed = true;
    this.#sendPulse(this.#mayMove() ? PULSE_KIND.armed : PULSE_KIND.idle, this.#pulseValidS);
    const measuredAtS = this.#row[STATE.measuredAtS]!;
    if (measuredAtS === 0) return 'lost';
    // Without torque, the measurement still shows the robot's pose; torque does not come on, and `prepare` gives the reason.
    if (this.#isEnabled && this.#row[STATE.unfit] !== 0) return 'lost';
    if (this.#clock.nowS() - measuredAtS > this.#options.freshnessMs * 1e-3 || this.#isSensorSilent()) return 'late';
    this.#copyMeasured(out);
    return 'ok';
  }

  write(referenceRad: Vec<'rad'>): DriverStatus {
    if (!this.#isOpen || !this.#isEnabled || this.#hasActed) return 'lost';
    if (!this.#isInRange(referenceRad)) return 'rejected';
    this.#reference.follow(referenceRad, this.#clock.nowS());
    this.#fillCommand(COMMAND_KIND.drive);
    const ageS = this.#command[COMMAND.issuedAtS]! - this.#row[STATE.measuredAtS]!;
    this.#lawInput.isMeasured = ageS <= Math.max(FEEDBACK_MAX_AGE_S, this.#options.freshnessMs * 1e-3);
    this.#law(this.#lawInput, this.#command, COMMAND.scalars);
    if (!allFinite(this.#command)) return 'rejected';
    return this.#link.send(this.#command) ? 'ok' : 'late';
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.torque(0);
    await this.#untilStopped();
    this.#isOpen = false;
    await this.#link.close();
  }

  /** Waits briefly for the bridge to begin the stop; if it does not, the stopper is signalled. */
  async #untilStopped(): Promise<void> {
    for (let i = 0; i < STOP_POLLS && this.#awaitedStop > 0; i++) {
      this.#takeState();
      if (this.#row[STATE.stoppedSeq]! >= this.#awaitedStop) this.#awaitedStop = 0;
      else await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    if (this.#mayMove()) this.#act();
    else if (!this.#hasActed) this.#sendPulse(PULSE_KIND.idle, this.#pulseValidS);
  }

  /** True if the robot may still follow a command that has not been revoked. */
  #mayMove(): boolean {
    return (this.#isEnabled || this.#awaitedStop > 0) && !this.#hasActed;
  }

  #takeState(): boolean {
    const isNew = this.#link.takeState(this.#row);
    if (isNew) {
      const { positionRad, velocityRadPerS, torqueNm, wrench, signals, end } = this.#layout;
      const measured = this.#measured;
      for (let i = 0; i < this.#reference.positionRad.length; i++) {
        measured.positionRad[i] = this.#row[positionRad + i]!;
        measured.velocityRadPerS[i] = this.#row[velocityRadPerS + i]!;
        measured.torqueNm[i] = this.#row[torqueNm + i]!;
      }
      for (let i = 0; i < 6; i++) measured.wrench[i] = this.#row[wrench + i]!;
      for (let i = signals; i < end; i++) measured.signals[i - signals] = this.#row[i]!;
    }
    if (isNew && this.#row[STATE.measuredAtS]! > 0) this.#hasState = true;
    return this.#hasState;
  }

  /** True if a sensor that had sent fell silent: contact force or task state are then unknown. */
  #isSensorSilent(): boolean {
    const nowS = this.#clock.nowS();
    const wrenchAtS = this.#row[STATE.wrenchAtS]!;
    if (this.#wrist !== undefined && wrenchAtS > 0 && nowS - wrenchAtS > WRENCH_MAX_AGE_S) return true;
    const validUntilS = this.#row[STATE.signalsValidUntilS]!;
    return validUntilS > 0 && nowS > validUntilS;
  }

  #isBridgeAlive(): boolean {
    if (this.#link.generation() < 0) return false;
    const silentS = this.#clock.nowS() - this.#row[STATE.sentAtS]!;
    return (
      this.#row[STATE.generation] === this.#link.generation() &&
      silentS <= Math.max(BRIDGE_SILENT_S, 2e-3 * this.#options.freshnessMs)
    );
  }

  #copyMeasured(out: RobotState): void {
    const measured = this.#measured;
    out.positionRad.set(measured.positionRad);
    out.velocityRadPerS.set(measured.velocityRadPerS);
    out.torqueNm.set(measured.torqueNm);
    // The steering angle is not measured: the wheels are assumed to be at the commanded angle.
    if (this.#steering >= 0) out.positionRad[this.#steering] = this.#reference.positionRad[this.#steering]!;
    if (this.#wrist === undefined) out.wrench.fill(0);
    else this.#wrist.write(measured, out.wrench);
    out.signals.set(this.#localSignals);
    for (let i = 0; i < this.#signalIndex.length; i++) {
      const at = this.#signalIndex[i]!;
      if (at >= 0) out.signals[at] = measured.signals[i]!;
      else this.#copyDistance(i);
    }
    out.measuredAtS = this.#row[STATE.measuredAtS]!;
  }

  /** Counts a new distance only when one has arrived, not with each joint measurement: a person may have come nearer since. */
  #copyDistance(signal: number): void {
    const { distance } = this.report;
    if (this.facts.measuresDistance !== true || this.#row[STATE.distanceAtS] === this.#distanceAtS[0]) return;
    this.#distanceAtS[0] = this.#row[STATE.distanceAtS]!;
    distance[0] = this.#measured.signals[signal]!;
    distance[1] = distance[1]! + 1;
  }

  #holdMeasured(): void {
    for (let i = 0; i < this.#reference.positionRad.length; i++) {
      if (i !== this.#steering) this.#reference.positionRad[i] = this.#measured.positionRad[i]!;
    }
    this.#reference.rest();
  }

  #isInRange(referenceRad: Vec<'rad'>): boolean {
    const { joints } = this.#model;
    if (referenceRad.length !== joints.length || !allFinite(referenceRad)) return false;
    for (let i = 0; i < joints.length; i++) {
      if (referenceRad[i]! < joints[i]!.positionMinRad || referenceRad[i]! > joints[i]!.positionMaxRad) return false;
    }
    return true;
  }

  #fillCommand(kind: number): void {
    this.#command[COMMAND.generation] = this.#link.generation();
    this.#command[COMMAND.seq] = this.#command[COMMAND.seq]! + 1;
    this.#command[COMMAND.issuedAtS] = this.#clock.nowS();
    this.#command[COMMAND.kind] = kind;
    if (this.#steering >= 0) this.#command[COMMAND.scalars + 1] = this.#reference.positionRad[this.#steering]!;
  }

  #act(): void {
    this.#hasActed = true;
    this.#awaitedStop = 0;
    this.#sendPulse(PULSE_KIND.act, this.#pulseValidS);
  }

  #sendPulse(kind: number, validForS: number): void {
    this.#pulse[PULSE.seq] = this.#pulse[PULSE.seq]! + 1;
    this.#pulse[PULSE.sentAtS] = this.#clock.nowS();
    this.#pulse[PULSE.kind] = kind;
    this.#pulse[PULSE.validForS] = validForS;
    if (this.#steering >= 0) this.#pulse[PULSE.steeringRad] = this.#reference.positionRad[this.#steering]!;
    this.#link.pulse(this.#pulse);
  }

  #resetScene(layout: SceneLayout): void {
    // The tick is blocked meanwhile, which must not stop the robot.
    if (this.#isEnabled) this.#sendPulse(PULSE_KIND.armed, 2 * ASK_MS * 1e-3);
    const answer = this.#link.ask({ kind: 'resetScene', layout }, ASK_MS);
    if (!answer.ok) {
      throw new ReinError('driver', `The scene could not be reset: ${answer.reason}`, {
        remedy: "Look at the simulator behind the service that the robot's file names.",
      });
    }
    this.#takeState();
    this.#pulse[PULSE.sceneResetAtS] = this.#clock.nowS();
    this.#reference.positionRad.set(layout.jointsRad);
    this.#reference.rest();
    for (const [i, name] of this.facts.signalNames.entries()) this.#localSignals[i] = layout.signals[name] ?? 0;
  }
}
