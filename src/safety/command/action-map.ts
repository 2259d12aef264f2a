/**
 * Maps a normalised action to a joint velocity. A new command sets a target relative to the reference; every tick then
 * moves towards it so that it is reached at the end of the policy period, and held after that.
 */
import {
  type ActionSpec,
  type ArmKinematics,
  clamp,
  DampedLeastSquares,
  isFree,
  jointActionUnit,
  limitMarginsOf,
  type RobotModel,
  rotationError,
  TOOL_AXES,
  toolAxisOf,
  turnAboutZ,
  yawBetween,
} from '../../model/index.ts';
import { TARGET_BOXED, TARGET_LEASHED } from '../bits.ts';
import { BrakeBound } from '../limits/brake-bound.ts';
import { fitIntoBox } from '../limits/velocity-box.ts';
import { NOW, PERIOD, type TickTimes } from '../tick-times.ts';

/** Distance of targets from the walls, so that the shield has room to let the tool leave again, m. */
const WALL_INSET_M = 0.001;
/** Damping starts to grow where the manipulability falls below this share of the home pose's. */
const HEALTHY_SHARE = 0.2;
/** Slack of a free axis, which has no leash and runs on as its speed requires, m or rad. */
const FREE_SLACK = 1e6;

/** Inputs of a new command: the reference pose and the measured pose. */
export interface MapInput {
  readonly referenceRad: Float64Array;
  readonly reference: ArmKinematics;
  readonly measuredRad: Float64Array;
  readonly measured: ArmKinematics;
}

/** Action mapping for one robot and one action space. Tick-safe after construction. */
export class ActionMap {
  readonly kind: ActionSpec['kind'];
  /** True if a target is set; without one there is nothing to follow. */
  hasTarget = false;
  /** [3] target of the tool point, m (cartesian). */
  readonly targetM: Float64Array = new Float64Array(3);
  /** [9] target orientation (cartesian). */
  readonly targetRotation: Float64Array = new Float64Array(9);
  /** [n] target joints, rad: of joint actions, and of joints that a cartesian action moves besides the tool. */
  readonly targetRad: Float64Array;
  /** [n] remaining joint motion to the target at the last `follow`, rad. */
  readonly wayRad: Float64Array;

  readonly #model: RobotModel;
  readonly #scale: Float64Array;
  /** Tool axis of each action dimension, as an index into `TOOL_AXES`; −1 for one that moves a joint. */
  readonly #axis: readonly number[];
  /** Joint of each action dimension; −1 for one that moves the tool. */
  readonly #joint: readonly number[];
  /** [n] 1 for a joint that a cartesian action moves besides the tool, such as a gripper's. */
  readonly #isBeside: Uint8Array;
  readonly #policyPeriodS: number;
  readonly #bound: BrakeBound;
  readonly #solver: DampedLeastSquares;
  readonly #healthyGain: number;
  readonly #nominal: Float64Array = new Float64Array(9);
  readonly #error: Float64Array = new Float64Array(6);
  readonly #move: Float64Array = new Float64Array(4);
  /** [n] margins to the position limits, rad. */
  readonly #margins: Float64Array;
  readonly #low: Float64Array;
  readonly #high: Float64Array;
  /** [n] velocities of joints besides the tool, while the arm's are fitted, rad/s. */
  readonly #beside: Float64Array;
  /** [n] permitted overshoot of each joint beyond its target in this tick, rad. */
  readonly #slack: Float64Array;
  /** [n] displacement plus slack, rad: the distance in which a joint has to stop. */
  readonly #room: Float64Array;
  /** [n] braking distance from the step's mean velocity: a joint may arrive at that speed, so that steps join smoothly. */
  readonly #runOn: Float64Array;
  /** [n] stopping speeds, rad/s: the largest speed from which each joint can stop within `#room`. */
  readonly #stoppable: Float64Array;
  /** Leash length remaining beyond the target: per joint, or of the tool. */
  readonly #slackJoints: Float64Array;
  #slackM = 0;
  #slackRad = 0;
  #commandedAtS = 0;
  #isFresh = false;

  /** Throws `RangeError` if a dimension's name or unit does not fit the kind of action. */
  constructor(model: RobotModel, spec: ActionSpec, policyPeriodS: number, shortestS: number, home: ArmKinematics) {
    const n = model.joints.length;
    this.kind = spec.kind;
    this.#model = model;
    this.#margins = limitMarginsOf(model);
    this.#policyPeriodS = policyPeriodS;
    this.#bound = new BrakeBound(shortestS);
    this.#axis = spec.dimensions.map(({ name }) => toolAxisOf(spec.kind, name));
    this.#joint = spec.dimensions.map(({ name }, k) =>
      this.#axis[k]! >= 0 ? -1 : model.joints.findIndex((joint) => joint.name === name),
    );
    checkSpec(model, spec, home);
    this.#scale = Float64Array.from(spec.dimensions, (dimension) => dimension.scale);
    this.#solver = new DampedLeastSquares(n, home.taskRows);
    this.#isBeside = Uint8Array.from(model.joints, (_, i) =>
      spec.kind === 'cartesian' && this.#joint.includes(i) ? 1 : 0,
    );
    this.targetRad = new Float64Array(n);
    this.wayRad = new Float64Array(n);
    this.#low = new Float64Array(n);
    this.#high = new Float64Array(n);
    this.#beside = new Float64Array(n);
    this.#slack = new Float64Array(n);
    this.#room = new Float64Array(n);
    this.#runOn = new Float64Array(n);
    this.#stoppable = new Float64Array(n);
    this.#slackJoints = new Float64Array(n);
    this.#healthyGain = HEALTHY_SHARE * this.#solver.solve(this.wayRad, home.jacobian(), this.#error, 0);
    this.#nominal.set(home.tcpRotation);
  }

  /** Restarts from `reference`, whose orientation becomes the one that is held. */
  seed(reference: ArmKinematics): void {
    this.hasTarget = false;
    this.#nominal.set(reference.tcpRotation);
  }

  /** Drops the target. */
  drop(): void {
    this.hasTarget = false;
  }

  /** Sets the target for a new `action` ([A], in [−1, 1]) that arrives in the tick of `times`. Returns reason bits. */
  command(action: Float64Array, input: MapInput, times: TickTimes): number {
    this.#commandedAtS = times[NOW]!;
    this.hasTarget = true;
    this.#isFresh = true;
    return this.kind === 'cartesian' ? this.#commandTool(action, input) : this.#commandJoints(action, input);
  }

  /**
   * Writes the velocity of the next tick of `times` into `out` (n, rad/s), for a reference at `referenceRad` that moves
   * with `velocity`; shaped so that no joint accelerates harder than `accel` (n, rad/s² > 0).
   */
  follow(
    out: Float64Array,
    referenceRad: Float64Array,
    reference: ArmKinematics,
    velocity: Float64Array,
    accel: Float64Array,
    times: TickTimes,
  ): void {
    const dtS = times[PERIOD]!;
    this.#findWay(referenceRad, reference);
    // Subtracts before comparing: the rounding of an arrival time would depend on how late in a run it is.
    const leftS = this.#policyPeriodS - (times[NOW]! - this.#commandedAtS);
    const hasArrived = leftS < dtS / 2;
    if (this.#isFresh) this.#allowRunOn(accel, times);
    if (hasArrived) this.#slack.fill(0);
    else this.#spreadSlack();
    this.#findStoppable(accel, times);
    let canStop = true;
    for (let i = 0; i < out.length; i++) {
      const change = accel[i]! * dtS;
      const fastest = this.#stoppable[i]!;
      out[i] = clamp(this.wayRad[i]! / Math.max(leftS, dtS), -fastest, fastest);
      this.#low[i] = velocity[i]! - change;
      this.#high[i] = velocity[i]! + change;
      if (this.#isBeside[i] === 0) canStop &&= Math.abs(velocity[i]!) <= change;
    }
    // From rest the direction is kept, or an arm beside a wall could set off into it. Once moving, each joint is
    // clamped separately: one that must reverse first does not delay the others.
    if (canStop) this.#fitArm(out);
    else for (let i = 0; i < out.length; i++) out[i] = clamp(out[i]!, this.#low[i]!, this.#high[i]!);
  }

  /** Writes into `out` ([A]) how far the reference is beyond the target, in action units; zeros without a target. */
  shortfall(out: Float64Array, referenceRad: Float64Array, reference: ArmKinematics): void {
    for (let k = 0; k < out.length; k++) {
      const axis = this.#axis[k]!;
      const joint = this.#joint[k]!;
      let beyond = 0;
      if (joint >= 0) beyond = referenceRad[joint]! - this.targetRad[joint]!;
      else if (axis < 3) beyond = reference.tcpPositionM[axis]! - this.targetM[axis]!;
      else beyond = yawBetween(reference.tcpRotation, this.targetRotation);
      out[k] = this.hasTarget ? beyond / this.#scale[k]! : 0;
    }
  }

  /** Fills `wayRad` with the remaining joint motion to the target, rad. */
  #findWay(referenceRad: Float64Array, reference: ArmKinematics): void {
    if (this.kind === 'joint') {
      for (let i = 0; i < this.wayRad.length; i++) this.wayRad[i] = this.targetRad[i]! - referenceRad[i]!;
      return;
    }
    for (let k = 0; k < 3; k++) this.#error[k] = this.targetM[k]! - reference.tcpPositionM[k]!;
    rotationError(this.#error, this.targetRotation, reference.tcpRotation, 3);
    this.#solver.solve(this.wayRad, reference.jacobian(), this.#error, this.#healthyGain);
    for (let i = 0; i < this.wayRad.length; i++) {
      if (this.#isBeside[i] === 1) this.wayRad[i] = this.targetRad[i]! - referenceRad[i]!;
    }
  }

  /** Scales the velocities of the arm into their box by one factor; joints besides the tool are clamped separately and delay no others. */
  #fitArm(out: Float64Array): void {
    for (let i = 0; i < out.length; i++) {
      if (this.#isBeside[i] === 0) continue;
      this.#beside[i] = clamp(out[i]!, this.#low[i]!, this.#high[i]!);
      out[i] = 0;
      this.#low[i] = -1;
      this.#high[i] = 1;
    }
    fitIntoBox(out, this.#low, this.#high);
    for (let i = 0; i < out.length; i++) if (this.#isBeside[i] === 1) out[i] = this.#beside[i]!;
  }

  /**
   * Fills `#stoppable` with the speeds from which joints can stop within their displacement and slack. On the way, the
   * leash bounds this: a blocked arm is not overrun. After arrival, the target does: no overshoot, no hunting.
   */
  #findStoppable(accel: Float64Array, times: TickTimes): void {
    const stoppable = this.#stoppable;
    const room = this.#room;
    for (let i = 0; i < room.length; i++) room[i] = Math.abs(this.wayRad[i]!) + this.#slack[i]!;
    this.#bound.writeSpeeds(stoppable, room, accel, times);
    for (let i = 0; i < room.length; i++) {
      // A motion that one tick can cover and the next can stop needs no braking distance.
      const oneTick = Math.min(room[i]! / times[PERIOD]!, accel[i]! * this.#bound.shortestS);
      stoppable[i] = Math.max(stoppable[i]!, oneTick);
    }
  }

  #allowRunOn(accel: Float64Array, times: TickTimes): void {
    this.#isFresh = false;
    const runOnS = times[PERIOD]! - this.#bound.shortestS / 2;
    for (let i = 0; i < this.wayRad.length; i++) {
      const mean = Math.abs(this.wayRad[i]!) / this.#policyPeriodS;
      this.#runOn[i] = (mean * mean) / (2 * accel[i]!) + mean * runOnS;
    }
  }

  /** On the way a joint may run on as far as the leash and the step's own speed allow. */
  #spreadSlack(): void {
    const e = this.#error;
    // The tool's leash, shared in proportion to the displacement of each joint; 0/0: no displacement and no leash left.
    const ratio = Math.min(
      this.#slackM / Math.sqrt(e[0]! * e[0]! + e[1]! * e[1]! + e[2]! * e[2]!),
      this.#slackRad / Math.sqrt(e[3]! * e[3]! + e[4]! * e[4]! + e[5]! * e[5]!),
    );
    const share = Number.isNaN(ratio) ? 0 : Math.min(ratio, 1e6);
    for (let i = 0; i < this.#slack.length; i++) {
      const isByItself = this.kind === 'joint' || this.#isBeside[i] === 1;
      const leash = isByItself ? this.#slackJoints[i]! : share * Math.abs(this.wayRad[i]!);
      this.#slack[i] = Math.min(leash, this.#runOn[i]!);
    }
  }

  #commandTool(action: Float64Array, input: MapInput): number {
    const move = this.#move;
    move.fill(0);
    for (let k = 0; k < action.length; k++) {
      if (this.#axis[k]! >= 0) move[this.#axis[k]!] = this.#scale[k]! * action[k]!;
    }
    let bits = this.#commandJoints(action, input);
    const { leashM, leashRad, workspace } = this.#model;
    const measuredM = input.measured.tcpPositionM;
    for (let k = 0; k < 3; k++) this.targetM[k] = input.reference.tcpPositionM[k]! + move[k]!;

    // The servo's force grows with the distance between target and tool: the leash bounds it.
    const lead = distance(this.targetM, measuredM);
    this.#slackM = Math.max(0, leashM - lead);
    if (lead > leashM) {
      bits |= TARGET_LEASHED;
      for (let k = 0; k < 3; k++) {
        this.targetM[k] = measuredM[k]! + (leashM / lead) * (this.targetM[k]! - measuredM[k]!);
      }
    }
    for (let k = 0; k < 3; k++) {
      // Outside the box, the target moves inwards only by the requested motion.
      const from = input.reference.tcpPositionM[k]!;
      const low = from < workspace.minM[k]! ? from : workspace.minM[k]! + WALL_INSET_M;
      const high = from > workspace.maxM[k]! ? from : workspace.maxM[k]! - WALL_INSET_M;
      const inside = clamp(this.targetM[k]!, low, high);
      if (inside !== this.targetM[k]) bits |= TARGET_BOXED;
      this.targetM[k] = inside;
    }

    // Yaw is relative to the orientation held since the start; the tool's tilt always stays that of the start.
    const yaw = yawBetween(input.reference.tcpRotation, this.#nominal);
    const measuredYaw = yawBetween(input.measured.tcpRotation, this.#nominal);
    let lag = yaw + move[3]! - measuredYaw;
    lag -= 2 * Math.PI * Math.round(lag / (2 * Math.PI));
    if (Math.abs(lag) > leashRad) bits |= TARGET_LEASHED;
    this.#slackRad = Math.max(0, leashRad - Math.abs(lag));
    turnAboutZ(this.targetRotation, this.#nominal, measuredYaw + clamp(lag, -leashRad, leashRad));
    return bits;
  }

  #commandJoints(action: Float64Array, input: MapInput): number {
    let bits = 0;
    const { leashM, leashRad } = this.#model;
    this.targetRad.set(input.referenceRad);
    this.#slackJoints.fill(0);
    for (let k = 0; k < action.length; k++) {
      const i = this.#joint[k]!;
      if (i < 0) continue;
      const joint = this.#model.joints[i]!;
      if (isFree(joint)) {
        // The measured odometry is irrelevant to the target: there is nothing to snap back to.
        this.targetRad[i] = input.referenceRad[i]! + this.#scale[k]! * action[k]!;
        this.#slackJoints[i] = FREE_SLACK;
        continue;
      }
      const wanted = input.referenceRad[i]! + this.#scale[k]! * action[k]!;
      const measured = input.measuredRad[i]!;
      const leash = joint.kind === 'prismatic' ? leashM : leashRad;
      const leashed = clamp(wanted, measured - leash, measured + leash);
      if (leashed !== wanted) bits |= TARGET_LEASHED;
      // Beyond the limits, the target moves inwards only by the requested motion.
      const low = Math.min(joint.positionMinRad + this.#margins[i]!, input.referenceRad[i]!);
      const high = Math.max(joint.positionMaxRad - this.#margins[i]!, input.referenceRad[i]!);
      const target = clamp(leashed, low, high);
      if (target !== leashed) bits |= TARGET_BOXED;
      this.targetRad[i] = target;
      this.#slackJoints[i] = leash - Math.abs(target - measured);
    }
    return bits;
  }
}

function distance(a: Float64Array, b: Float64Array): number {
  const x = a[0]! - b[0]!;
  const y = a[1]! - b[1]!;
  const z = a[2]! - b[2]!;
  return Math.sqrt(x * x + y * y + z * z);
}

function checkSpec(model: RobotModel, { kind, dimensions }: ActionSpec, { topology }: ArmKinematics): void {
  if (kind === 'cartesian' && model.base !== undefined)
    throw new RangeError('a mobile base has no tool for cartesian actions');
  const isToolAxis = (name: string): boolean => toolAxisOf(kind, name) >= 0;
  const joints = model.joints.filter((_, i) => kind === 'joint' || !topology.carriesTool(i));
  const names = [...(kind === 'cartesian' ? TOOL_AXES : []), ...joints.map((joint) => joint.name)];
  for (const { name, unit, scale } of dimensions) {
    const joint = isToolAxis(name) ? undefined : joints.find((each) => each.name === name);
    if (joint === undefined && !isToolAxis(name))
      throw new RangeError(`no ${kind} action is called ${name}; there are ${names.join(', ')}`);
    const needed = joint === undefined ? (name === 'yaw' ? 'rad' : 'm') : jointActionUnit(joint);
    if (unit !== needed) throw new RangeError(`action ${name} is in ${needed}, not ${unit}`);
    if (!(scale > 0)) throw new RangeError(`scale of action ${name} must be > 0`);
  }
  if (new Set(dimensions.map(({ name }) => name)).size !== dimensions.length)
    throw new RangeError('two action dimensions move the same coordinate');
}
