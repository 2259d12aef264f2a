/** Measurements from the robot's topics, as numbers for the guard: joints by name, or a base's odometry. */

import { DISTANCE_SIGNAL, type RosDriverOptions } from '../../drivers/index.ts';
import { type RobotModel, wrapAngleRad } from '../../model/index.ts';
import { createRobotState, type RobotState } from '../../rows/index.ts';
import { JointState, Odometry, type Time, WrenchStamped } from '../messages/definitions.ts';
import { fieldAt, messageType } from '../messages/registry.ts';
import { isSet, nanosecondsOf } from '../messages/time.ts';
import { SIMULATED_FRAME } from '../observations/other-robot.ts';
import { SENSOR_QOS } from '../port/qos.ts';
import type { RosClock, RosPort, RosSubscription } from '../port/ros-port.ts';
import { Alternations } from './alternations.ts';

export class Odometer {
  #last: { readonly x: number; readonly y: number; readonly yawRad: number } | undefined;
  #ahead = 0;
  #left = 0;
  #yawRad = 0;
  #isKnown = true;

  /** Takes the next pose: m, m, rad. The first is the origin of the distances. A pose that is not finite is skipped when the next comes. */
  advance(x: number, y: number, yawRad: number): void {
    const last = this.#last;
    this.#isKnown = Number.isFinite(x + y + yawRad);
    if (!this.#isKnown) return;
    this.#last = { x, y, yawRad };
    if (last === undefined) return;
    const turnedRad = wrapAngleRad(yawRad - last.yawRad);
    // Between two poses the base moves, on average, in the middle direction.
    const headingRad = last.yawRad + turnedRad / 2;
    const c = Math.cos(headingRad);
    const s = Math.sin(headingRad);
    this.#ahead += c * (x - last.x) + s * (y - last.y);
    this.#left += c * (y - last.y) - s * (x - last.x);
    this.#yawRad += turnedRad;
  }

  /** Distance travelled along `axis`: x (m), y (m) or yaw (rad); 0 along others. NaN if the newest pose is not finite. */
  way(axis: string): number {
    if (!this.#isKnown) return Number.NaN;
    return axis === 'x' ? this.#ahead : axis === 'y' ? this.#left : axis === 'yaw' ? this.#yawRad : 0;
  }
}

/** A reading jumped if it moved farther than this multiple of the joint's limit, plus the slack: encoder, wrap-around, calibration. */
const JUMP_RATIO = 1.5;
const JUMP_SLACK_RAD = 0.005;
/** Longer than an arm takes to come to rest after a fault, if stopped at its measured position. */
const JUMP_COUNTS_FOR_S = 2;
/** Joints moved by a scene reset are measured within this time after it. */
const RESET_ARRIVES_S = 0.1;
/** Shorter than the period of any robot. */
const SHORTEST_DERIVED_S = 0.0005;
/** Messages may come in bursts. */
const SHORTEST_STEP_S = 0.02;

/** A stamp older than the last by less than this is out of order; by more, a clock was set. */
const OUT_OF_ORDER_S = 1;
/** Clocks agree if the first stamp differs by less than this. */
const CLOCKS_AGREE_S = 1;

export class RobotReadings {
  /** Newest measurement; `signals` in the order of the options' `signals`, not of the task's names. */
  readonly state: RobotState;
  /** Arrival of the newest measurement of all joints, s; 0: never. */
  measuredAtS = 0;
  /** Number of measurements of all joints so far. */
  measurements = 0;
  /** Arrival of the newest wrench, s; 0: never. */
  wrenchAtS = 0;
  /** Joints missing in the newest joint state, by their ROS names. */
  missing: readonly string[] = [];
  /** The newest joint state is marked as a simulation's. */
  isSimulated = false;
  /** Names in the newest joint state. */
  names: readonly string[] = [];
  readonly subscription: RosSubscription;
  readonly #model: RobotModel;
  readonly #comparesTorque: boolean;
  readonly #options: RosDriverOptions;
  readonly #onMeasured: (receivedAtS: number) => void;
  readonly #clock: RosClock;
  readonly #order: number[];
  /** Arrival of each signal, s; 0: never. */
  readonly #signalAtS: number[];
  /** Index of the signal with the distance to persons; −1: none. */
  readonly #distance: number;
  readonly #odometer: Odometer = new Odometer();
  #orderOf: readonly string[] = [];
  #jumpedAtS = Number.NEGATIVE_INFINITY;
  #movedUntilS = Number.NEGATIVE_INFINITY;
  #lastStamp: Time = { sec: 0, nanosec: 0 };
  readonly #alternations: Alternations;
  #doClocksAgree: boolean | undefined;
  #worstAgeS = 0;

  /** Subscribes; before the port's `start`. `onMeasured` is called after each measurement of all joints. */
  constructor(port: RosPort, model: RobotModel, options: RosDriverOptions, onMeasured: (receivedAtS: number) => void) {
    this.#model = model;
    this.#comparesTorque = model.torqueObserver !== undefined;
    this.#clock = port.clock;
    this.#options = options;
    this.#onMeasured = onMeasured;
    this.state = createRobotState(options.jointNames.length, options.signals.length);
    this.#order = options.jointNames.map(() => -1);
    this.#signalAtS = options.signals.map(() => 0);
    this.#distance = options.signals.findIndex(({ name }) => name === DISTANCE_SIGNAL);
    this.#alternations = new Alternations(options.jointNames.length);
    const { kind, topic } = options.state;
    this.subscription =
      kind === 'jointStates'
        ? port.subscribe(JointState, topic, SENSOR_QOS, (message, atS) => this.#receiveJoints(message, atS))
        : port.subscribe(Odometry, topic, SENSOR_QOS, (message, atS) => this.#receiveOdometry(message, atS));
  }

  /** True if a joint's reading jumped recently: the arm must not be held there. */
  get hasJumped(): boolean {
    return this.#jumpedAtS > this.#movedUntilS && this.measuredAtS - this.#jumpedAtS < JUMP_COUNTS_FOR_S;
  }

  /** A simulator moved the joints at `atS`: a jump measured then is not an error. */
  sceneWasReset(atS: number): void {
    this.#movedUntilS = Math.max(this.#movedUntilS, atS + RESET_ARRIVES_S);
  }

  /** Subscribes to wrench and signals; before the port's `start`. */
  subscribeSensors(port: RosPort): void {
    const { wrench, signals } = this.#options;
    if (wrench !== undefined) {
      port.subscribe(WrenchStamped, wrench.topic, SENSOR_QOS, ({ wrench: { force, torque } }, atS) => {
        this.state.wrench.set([force.x, force.y, force.z, torque.x, torque.y, torque.z]);
        this.wrenchAtS = atS;
      });
    }
    for (const [index, { topic, type: name, field }] of signals.entries()) {
      const type = messageType(name);
      const value = fieldAt(type, field);
      port.subscribe(type, topic, SENSOR_QOS, (message, atS) => {
        this.state.signals[index] = Number(value.get(message));
        this.#signalAtS[index] = atS;
      });
    }
  }

  /** Arrival of the distance to persons, s; 0: never. */
  get distanceAtS(): number {
    return this.#signalAtS[this.#distance] ?? 0;
  }

  /** Time until which all received signals are fresh, s; 0: none was received, or all are events. */
  get signalsValidUntilS(): number {
    let untilS = 0;
    for (let i = 0; i < this.#signalAtS.length; i++) {
      const { freshnessMs } = this.#options.signals[i]!;
      if (freshnessMs === 0 || this.#signalAtS[i] === 0) continue;
      const validS = this.#signalAtS[i]! + freshnessMs * 1e-3;
      untilS = untilS === 0 ? validS : Math.min(untilS, validS);
    }
    return untilS;
  }

  /** Topic of the robot's file that was never received although it is required; `undefined` if there is none. */
  get silentSensor(): string | undefined {
    const { wrench, signals } = this.#options;
    if (wrench !== undefined && this.wrenchAtS === 0) return wrench.topic;
    return signals.find(({ freshnessMs }, i) => freshnessMs > 0 && this.#signalAtS[i] === 0)?.topic;
  }

  #receiveJoints(message: JointState, receivedAtS: number): void {
    if (!sameNames(message.name, this.#orderOf)) this.#learnOrder(message.name);
    // Other nodes may publish here too, such as a gripper: their messages are no measurement of this robot, and their
    // stamps do not count.
    const lastStamp = this.#lastStamp;
    if (this.missing.length > 0 || !this.#isNew(message.header.stamp)) return;
    const { positionRad, velocityRadPerS, torqueNm } = this.state;
    const sinceS = receivedAtS - this.measuredAtS;
    const stepS = stepOf(lastStamp, message.header.stamp, sinceS);
    for (let i = 0; i < this.#order.length; i++) {
      const from = this.#order[i]!;
      const before = positionRad[i]!;
      positionRad[i] = message.position[from] ?? Number.NaN;
      if (this.measurements > 0 && this.#isJump(i, positionRad[i]! - before, sinceS)) this.#jumpedAtS = receivedAtS;
      // Robots omit these, or send NaN, if they do not measure them. Velocity can be derived.
      const velocity = message.velocity[from] ?? Number.NaN;
      const derived = this.measurements > 0 ? (positionRad[i]! - before) / stepS : 0;
      velocityRadPerS[i] = Number.isNaN(velocity) ? derived : velocity;
      const torque = message.effort[from] ?? Number.NaN;
      // If torques are compared with a model, a missing one must not look like zero.
      torqueNm[i] = Number.isNaN(torque) && !this.#comparesTorque ? 0 : torque;
    }
    this.isSimulated = message.header.frame_id === SIMULATED_FRAME;
    this.#alternations.note(positionRad, receivedAtS);
    this.#measured(receivedAtS);
  }

  /** True if joints alternated between two positions shortly before `nowS`: the arm must not be held at either. */
  isAlternating(nowS: number): boolean {
    return this.#alternations.isSeen(nowS);
  }

  /** A reading that is not finite counts as a jump. */
  #isJump(joint: number, moved: number, sinceS: number): boolean {
    const most = this.#model.joints[joint]!.velocityMaxRadPerS * Math.max(sinceS, SHORTEST_STEP_S);
    return !(Math.abs(moved) <= JUMP_RATIO * most + JUMP_SLACK_RAD);
  }

  #receiveOdometry({ header, pose, twist }: Odometry, receivedAtS: number): void {
    if (!this.#isNew(header.stamp)) return;
    const { position, orientation: q } = pose.pose;
    const yawRad = Math.atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z));
    const { linear, angular } = twist.twist;
    this.#odometer.advance(position.x, position.y, yawRad);
    const { positionRad, velocityRadPerS } = this.state;
    for (const [i, axis] of this.#options.jointNames.entries()) {
      positionRad[i] = this.#odometer.way(axis);
      velocityRadPerS[i] = axis === 'x' ? linear.x : axis === 'y' ? linear.y : axis === 'yaw' ? angular.z : 0;
    }
    this.#measured(receivedAtS);
  }

  #measured(receivedAtS: number): void {
    this.measuredAtS = receivedAtS;
    this.measurements++;
    this.#onMeasured(receivedAtS);
  }

  /** Largest age of a measurement since the last call, s; 0 if stamps cannot be compared with local time. */
  takeWorstAgeS(): number {
    const worstS = this.#worstAgeS;
    this.#worstAgeS = 0;
    return worstS;
  }

  #noteAge(stamp: Time): void {
    const nowNs = this.#clock.nowNs();
    if (nowNs === 0n) return;
    const ageS = Number(nowNs - nanosecondsOf(stamp)) * 1e-9;
    this.#doClocksAgree ??= Math.abs(ageS) < CLOCKS_AGREE_S;
    if (this.#doClocksAgree) this.#worstAgeS = Math.max(this.#worstAgeS, ageS);
  }

  /**
   * A repeated stamp is the same measurement again, and no sign of life; a slightly older one is out of order, and not
   * the present position. Zero means no stamp.
   */
  #isNew(stamp: Time): boolean {
    const { sec, nanosec } = stamp;
    const last = this.#lastStamp;
    if (isSet(stamp)) {
      const backS = last.sec - sec + (last.nanosec - nanosec) * 1e-9;
      if (isSet(last) && backS >= 0 && backS < OUT_OF_ORDER_S) return false;
      this.#noteAge(stamp);
    }
    this.#lastStamp = { sec, nanosec };
    return true;
  }

  #learnOrder(names: readonly string[]): void {
    // The message object is reused by the next one.
    this.names = this.#orderOf = [...names];
    for (const [i, name] of this.#options.rosJointNames.entries()) this.#order[i] = names.indexOf(name);
    this.missing = this.#options.rosJointNames.filter((name) => !names.includes(name));
  }
}

/** Time between the last measurement and this one, s: from valid stamps if possible, since messages come in bursts. */
function stepOf(last: Time, { sec, nanosec }: Time, arrivedAfterS: number): number {
  const stampedS = sec - last.sec + (nanosec - last.nanosec) * 1e-9;
  const isStamped = isSet(last) && stampedS > 0 && stampedS < 1;
  return Math.max(isStamped ? stampedS : arrivedAfterS, SHORTEST_DERIVED_S);
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
