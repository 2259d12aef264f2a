/**
 * The safety chain: the only place that decides the joint references. Read this file first.
 *
 *   command → sanitize → action map → start guard → limiter → joint brake bound → barrier → tool speed
 *   → energy tank → shield → reference → sent set-point → driver
 *
 * For any input (NaN, a jump, or none), the reference stays inside position, velocity, acceleration and workspace
 * limits, keeps every monitored point below its speed limit, stays clear of obstacles and itself, and can always be
 * brought to rest there (`docs/safety-case.md`). Tick path: no allocation, no throw.
 */
import { type ActionSpec, ArmKinematics, allFinite, type RobotModel, type Vec, zeros } from '../model/index.ts';
import type { ActionCommand, RobotState } from '../rows/index.ts';
import { Barrier } from './avoidance/barrier.ts';
import { Clearances } from './avoidance/clearances.ts';
import { NOT_SEEDED, SOLVER_REJECTED } from './bits.ts';
import { type ChainReport, STAGE, STAGES } from './chain-report.ts';
import { type ChainTrial, isLeftOut } from './chain-trial.ts';
import { ActionMap, type MapInput } from './command/action-map.ts';
import { HandoverWatch } from './command/handover.ts';
import { Sanitizer } from './command/sanitize.ts';
import { StartGuard } from './command/start-guard.ts';
import { brakeStep } from './limits/brake.ts';
import { JointBrakeBound } from './limits/brake-bound.ts';
import { Limiter } from './limits/limiter.ts';
import { PressLimit } from './limits/press-limit.ts';
import { slowDown } from './limits/slow-down.ts';
import { ToolSpeed } from './limits/tool-speed.ts';
import { Margins } from './margins.ts';
import { Recovery } from './recovery.ts';
import { Shield } from './shield/shield.ts';
import { EnergyTank } from './tank/energy-tank.ts';
import { createTickTimes, NOW, PASSED, PERIOD, type TickTimes } from './tick-times.ts';

/** Measured periods are clamped to between these multiples of the nominal one. */
export const SHORTEST_TICK_RATIO = 0.5;
export const LONGEST_TICK_RATIO = 2;

export interface SafetyChainOptions {
  readonly model: RobotModel;
  readonly action: ActionSpec;
  /** Nominal duration of one action, s. */
  readonly policyPeriodS: number;
  /** Time for which acceleration is halved after a hand-over, s; 1 by default. See `HandoverWatch`. */
  readonly handoverS?: number;
  /** [n] the driver's torque limit of each joint, N·m; the model's by default. */
  readonly capNm?: ArrayLike<number> | undefined;
  /** Never set for a real robot: see `ChainTrial`. */
  readonly trial?: ChainTrial;
}

/** Result of a seed; all but `ok` hold the arm until a better seed. */
export type SeedResult = 'ok' | 'notFinite' | 'outsideJointLimits' | 'outsideWorkspace' | 'inCollision';

/**
 * @example
 * const chain = new SafetyChain({ model, action, policyPeriodS: 0.1 });
 * if (chain.seed(state.positionRad) !== 'ok') return;
 * times[NOW] = clock.nowS(); // every tick
 * times[PASSED] = times[NOW] - lastS;
 * chain.apply(command, state, times, report);
 * driver.write(chain.sentRad);
 */
export class SafetyChain {
  /** [n] commanded joint positions, rad. */
  readonly referenceRad: Vec<'rad'>;
  /** [n] velocity of the reference in the last tick, rad/s. */
  readonly referenceVelocityRadPerS: Vec<'rad/s'>;
  /**
   * [n] set-point written to the driver: the reference, or, where the energy tank holds it back, a point behind it,
   * rad; with feed-forward up to v·d/K beside its verified path. It keeps the joint limits, but may stop short; points
   * and bodies are only monitored.
   */
  readonly sentRad: Vec<'rad'>;
  /** [7] tool pose of the reference: x, y, z (m), quaternion w, x, y, z; base frame. */
  readonly referenceTcp: Float64Array = new Float64Array(7);
  /** Cap on every joint's speed as a share of its limit, 0…1. */
  speedRatio = 1;

  readonly #model: RobotModel;
  readonly #times: TickTimes = createTickTimes();
  readonly #periodS: number;
  readonly #reference: ArmKinematics;
  readonly #measured: ArmKinematics;
  readonly #sanitizer: Sanitizer;
  readonly #map: ActionMap;
  readonly #startGuard: StartGuard;
  readonly #handover: HandoverWatch;
  /** Only for an arm whose weight is held by its servos. */
  readonly #press: PressLimit | undefined;
  readonly #limiter: Limiter;
  readonly #brakeBound: JointBrakeBound;
  readonly #barrier: Barrier;
  readonly #toolSpeed: ToolSpeed;
  readonly #shield: Shield;
  /** Undefined for a robot without an energy tank. */
  readonly #tank: EnergyTank | undefined;
  readonly #recovery: Recovery;
  /** Measured at the reference. */
  readonly #clearances: Clearances;
  readonly #margins: Margins;
  /** Report bits of each of `STAGES` in this tick. */
  readonly #bits: Int32Array = new Int32Array(STAGES.length);
  readonly #input: { -readonly [K in keyof MapInput]: MapInput[K] };
  readonly #wanted: Float64Array;
  /** [n] acceleration limits in this tick, rad/s². */
  readonly #accel: Float64Array;
  /** [n] velocity range allowed by limiter and brake bound in this tick, rad/s. */
  readonly #low: Float64Array;
  readonly #high: Float64Array;
  readonly #trial: ChainTrial | undefined;
  #isSeeded = false;
  /** True outside the limits, at a pose from which a human may bring the arm back. */
  #isOutside = false;
  /** True if commands may be followed in this tick: seeded, or a human brings the arm back. */
  #mayFollow = false;

  /**
   * Throws `RangeError` for an action space that the robot does not have, a period that is not > 0, a collision model
   * with unknown names, and a fence without room.
   */
  constructor({ model, action, policyPeriodS, handoverS = 1, capNm, trial }: SafetyChainOptions) {
    if (!(policyPeriodS > 0)) throw new RangeError(`policyPeriodS must be > 0, got ${policyPeriodS}`);
    if (!(handoverS >= 0)) throw new RangeError(`handoverS must be ≥ 0, got ${handoverS}`);
    const n = model.joints.length;
    this.#model = model;
    this.#trial = trial;
    const periodS = 1 / model.controlHz;
    const shortestS = SHORTEST_TICK_RATIO * periodS;
    this.#periodS = periodS;
    this.#reference = new ArmKinematics(model);
    this.#measured = new ArmKinematics(model);
    this.#sanitizer = new Sanitizer(action.dimensions.length);
    this.#map = new ActionMap(model, action, policyPeriodS, shortestS, this.#reference);
    this.#startGuard = new StartGuard(model);
    this.#handover = new HandoverWatch(action.dimensions.length, handoverS);
    this.#press = PressLimit.of(model, capNm ?? model.joints.map(({ torqueMaxNm }) => torqueMaxNm));
    this.#limiter = new Limiter(model, handoverS);
    this.#brakeBound = new JointBrakeBound(model, shortestS);
    this.#toolSpeed = new ToolSpeed(model, this.#reference);
    if (isLeftOut(trial, 'toolSpeed')) this.#toolSpeed.limitMPerS = Number.POSITIVE_INFINITY;
    this.#shield = new Shield(model, this.#toolSpeed);
    const hasTank = model.tank !== undefined && model.base === undefined && !isLeftOut(trial, 'tank');
    this.#tank = hasTank ? new EnergyTank(model, shortestS) : undefined;
    this.#recovery = new Recovery(model);
    this.#clearances = new Clearances(model);
    this.#barrier = new Barrier(model, this.#clearances);
    this.#low = new Float64Array(n);
    this.#high = new Float64Array(n);
    this.referenceRad = zeros<'rad'>(n);
    this.#margins = new Margins(model, this.referenceRad, this.#clearances, this.#shield.fence);
    this.referenceVelocityRadPerS = zeros<'rad/s'>(n);
    this.sentRad = zeros<'rad'>(n);
    this.#wanted = new Float64Array(n);
    this.#accel = new Float64Array(n);
    this.#input = {
      referenceRad: this.referenceRad,
      reference: this.#reference,
      measuredRad: this.referenceRad,
      measured: this.#measured,
    };
    this.referenceRad.set(model.homeRad);
    this.#putSent('off');
    this.#moveReference();
  }

  /**
   * Restarts at rest from the measured joints ([n], rad): the reference becomes the measurement. Outside the limits,
   * nothing moves until a seed inside them, except for a human's commands, slowly and inwards (`Recovery`); non-finite
   * joints leave the reference unchanged. The sent set-point becomes the measurement too, unless `torque` is on: then
   * the robot is still pulled towards the previously sent one, which moves to the reference as the energy tank permits.
   * Tick-safe.
   */
  seed(measuredRad: ArrayLike<number>, torque: 'off' | 'on' = 'off'): SeedResult {
    this.#isSeeded = false;
    this.#isOutside = false;
    this.#handover.reset();
    this.#sanitizer.reset();
    this.#startGuard.reset();
    this.#limiter.reset();
    this.#press?.restart();
    this.referenceVelocityRadPerS.fill(0);
    if (measuredRad.length !== this.referenceRad.length || !allFinite(measuredRad)) return 'notFinite';
    this.referenceRad.set(measuredRad);
    this.#putSent(torque);
    this.#shield.fence?.seed(measuredRad);
    this.#moveReference();
    this.#map.seed(this.#reference);
    this.#isOutside = true;
    if (this.#margins.isBeyondJointLimits) return 'outsideJointLimits';
    if (this.#margins.isOutside) return 'outsideWorkspace';
    if (this.#margins.isInCollision) return 'inCollision';
    this.#isOutside = false;
    this.#isSeeded = true;
    return 'ok';
  }

  /**
   * Runs one tick: moves the reference by at most what is safe. `command` is the newest one, or null if no decider may
   * move the arm: then it brakes and holds. In `tick`, `NOW` is on the clock of `command.issuedAtS`, and `PASSED` is
   * the measured time since the last tick, clamped to [T/2, 2T]. `robot` supplies the measured joints. Fills `out`.
   * `probeRadPerS` ([n], finite): joint velocities requested by the guard itself where there is no command, subject to
   * all limits of a command.
   */
  apply(
    command: ActionCommand | null,
    robot: RobotState,
    tick: TickTimes,
    out: ChainReport,
    probeRadPerS: Float64Array | null = null,
  ): void {
    this.#takeTimes(tick);
    const times = this.#times;
    this.#bits.fill(0);
    this.#mayFollow = this.#isSeeded || (this.#isOutside && command !== null && command.decider === 'human');
    this.#bits[STAGE.sanitize] = this.#mayFollow ? this.#sanitizer.check(command, times) : NOT_SEEDED;
    if (this.#isSeeded && isLeftOut(this.#trial, 'sanitize')) this.#sanitizer.believe(command);
    const isValid = this.#mayFollow && this.#sanitizer.isValid;
    if (!isValid) this.#map.drop();
    if (isValid && this.#sanitizer.isNew) this.#takeCommand(command!, robot);
    this.#tank?.begin(robot, times);
    this.#press?.see(robot.positionRad, times);
    const isProbing = this.#isSeeded && command === null && probeRadPerS !== null;
    const isWanted = isProbing || (isValid && this.#map.hasTarget);
    if (isWanted) this.#follow(isProbing ? probeRadPerS : null);
    else this.#brake();

    // The reference is the integral of the permitted velocity; the next tick starts from it, not from the measurement.
    const velocity = this.referenceVelocityRadPerS;
    this.#limiter.record(this.#wanted, velocity, times);
    for (let i = 0; i < velocity.length; i++) {
      velocity[i] = this.#wanted[i]!;
      this.referenceRad[i] = this.referenceRad[i]! + velocity[i]! * times[PERIOD]!;
    }
    this.#moveReference();
    this.#send(isWanted);
    this.#shield.fence?.follow(this.referenceRad, robot.positionRad);
    this.#fill(out, command);
  }

  /**
   * Refills the energy tank to its initial content. Allowed only in standby, or after a person has placed the robot
   * elsewhere, at rest; nothing else may refill it. Tick-safe.
   */
  refillTank(): void {
    this.#tank?.refill();
  }

  /** Called when a base was put back to where it was first seeded. Tick-safe. */
  putBack(): void {
    this.#shield.fence?.putBack();
  }

  /** Largest speed of any monitored point, m/s; Infinity for no limit. See `ToolSpeed`. Tick-safe. */
  get toolSpeedMPerS(): number {
    return this.#toolSpeed.limitMPerS;
  }

  set toolSpeedMPerS(limit: number) {
    if (!isLeftOut(this.#trial, 'toolSpeed')) this.#toolSpeed.limitMPerS = limit;
  }

  /** Writes into `out` ([A]) how far the reference is beyond the set-point of the followed action, in action units. Tick-safe. */
  writeShortfall(out: Float64Array): void {
    this.#map.shortfall(out, this.referenceRad, this.#reference);
  }

  #takeCommand(command: ActionCommand, robot: RobotState): void {
    if (robot.positionRad.length !== this.referenceRad.length || !allFinite(robot.positionRad)) {
      this.#map.drop();
      this.#bits[STAGE.actionMap] = SOLVER_REJECTED;
      return;
    }
    if (this.#handover.isHandover(command, this.#sanitizer.action, this.#times))
      this.#limiter.startHandover(this.#times);
    this.#measured.forward(robot.positionRad);
    this.#input.measuredRad = robot.positionRad;
    this.#bits[STAGE.actionMap] = this.#map.command(this.#sanitizer.action, this.#input, this.#times);
    if (!this.#isSeeded || isLeftOut(this.#trial, 'startGuard')) return;
    this.#bits[STAGE.startGuard] = this.#startGuard.check(this.#map, this.#input);
  }

  #follow(probeRadPerS: Float64Array | null): void {
    const bits = this.#bits;
    const times = this.#times;
    const u = this.#wanted;
    const v = this.referenceVelocityRadPerS;
    if (this.#trial?.wantedRadPerS !== undefined) u.set(this.#trial.wantedRadPerS);
    else if (probeRadPerS !== null) u.set(probeRadPerS);
    else {
      this.#limiter.writeAccel(this.#accel, times);
      this.#map.follow(u, this.referenceRad, this.#reference, v, this.#accel, times);
      const pressed = this.#press?.apply(u, this.#map.wayRad, this.referenceRad, this.#reference, times) ?? 0;
      bits[STAGE.actionMap] = bits[STAGE.actionMap]! | pressed;
    }
    if (!allFinite(u)) {
      this.#brake();
      bits[STAGE.actionMap] = bits[STAGE.actionMap]! | SOLVER_REJECTED;
      return;
    }
    if (!this.#isSeeded) {
      this.#recovery.apply(u, this.referenceRad, this.#clearances.h, times);
      // It may stop at once: the payable velocity lies between standstill and the wanted one.
      this.#low.fill(0);
      bits[STAGE.toolSpeed] = this.#toolSpeed.apply(u, this.#low, times);
      if (this.#tank?.isHeld) u.fill(0);
      else if (this.#tank !== undefined) bits[STAGE.tank] = this.#tank.limit(u, this.referenceRad, this.#low, times);
      return;
    }
    const trial = this.#trial;
    // The sent set-point lags behind the reference: first they rejoin.
    if (this.#tank?.isHeld) this.#tank.rejoin(u, this.referenceRad, times);
    if (!isLeftOut(trial, 'limiter')) {
      const slowed = slowDown(u, this.#model, this.speedRatio);
      bits[STAGE.limiter] = slowed | this.#limiter.apply(u, v, times);
    }
    if (!isLeftOut(trial, 'brakeBound')) bits[STAGE.brakeBound] = this.#brakeBound.apply(u, this.referenceRad, times);
    if (!isLeftOut(trial, 'barrier')) bits[STAGE.barrier] = this.#steer();
    bits[STAGE.toolSpeed] = this.#toolSpeed.apply(u, v, times);
    if (this.#tank !== undefined) bits[STAGE.tank] = this.#tank.limit(u, this.referenceRad, v, times);
    if (isLeftOut(trial, 'shield')) return;
    bits[STAGE.shield] = this.#shield.apply(u, this.referenceRad, this.#clearances, v, times);
  }

  /** Smooth avoidance, before the shield has to act. */
  #steer(): number {
    const times = this.#times;
    const v = this.referenceVelocityRadPerS;
    this.#limiter.writeBox(this.#low, this.#high, v, times);
    if (!isLeftOut(this.#trial, 'brakeBound')) this.#brakeBound.narrow(this.#low, this.#high, this.referenceRad, times);
    return this.#barrier.apply(this.#wanted, this.#low, this.#high, v, this.#reference, times);
  }

  /** Takes the next step of the brake path that was verified when the present velocity was permitted. */
  #brake(): void {
    // Outside the limits no path was verified: the arm stops at once, from at most 0.1 rad/s.
    if (this.#isSeeded) brakeStep(this.#wanted, this.#model, this.referenceVelocityRadPerS, this.#times);
    else this.#wanted.fill(0);
  }

  /** Moves the sent set-point with a newly set reference, at once where no torque can pull the robot. */
  #putSent(torque: 'off' | 'on'): void {
    if (torque === 'on' && this.#tank !== undefined) {
      this.#tank.referencePut(this.referenceRad);
      return;
    }
    this.sentRad.set(this.referenceRad);
    this.#tank?.restAt(this.referenceRad);
  }

  /** Derives the sent set-point from the reference and charges the tank. */
  #send(isWanted: boolean): void {
    if (this.#tank === undefined) {
      this.sentRad.set(this.referenceRad);
      return;
    }
    const held = this.#tank.send(this.sentRad, this.referenceRad, this.referenceVelocityRadPerS, this.#times, isWanted);
    this.#bits[STAGE.tank] = this.#bits[STAGE.tank]! | held;
  }

  #moveReference(): void {
    this.#reference.forward(this.referenceRad);
    this.#reference.writeTcp(this.referenceTcp);
    this.#clearances.measure(this.#reference);
  }

  /** Clamps the period to the measured one within [T/2, 2T]; NaN gives the nominal one. */
  #takeTimes(tick: TickTimes): void {
    const times = this.#times;
    const periodS = this.#periodS;
    times[NOW] = tick[NOW]!;
    times[PASSED] = tick[PASSED]!;
    times[PERIOD] = Math.min(Math.max(tick[PASSED]!, SHORTEST_TICK_RATIO * periodS), LONGEST_TICK_RATIO * periodS);
    if (Number.isNaN(times[PERIOD])) times[PERIOD] = periodS;
  }

  #fill(out: ChainReport, command: ActionCommand | null): void {
    const isFollowing = this.#mayFollow && this.#sanitizer.isValid && this.#map.hasTarget;
    let bits = 0;
    for (let stage = 0; stage < STAGES.length; stage++) {
      const own = this.#bits[stage]!;
      bits |= own;
      out.stages[stage]!.bits = own;
      out.stages[stage]!.changed = own !== 0;
    }
    out.changed = bits !== 0;
    out.bits = bits;
    out.isFollowing = isFollowing;
    out.decider = isFollowing ? this.#handover.decider : 'hold';
    out.commandSeq = isFollowing ? command!.seq : -1;
    out.isStopLatched = this.#sanitizer.isLatched;
    this.#margins.fill(out, this.referenceVelocityRadPerS);
    this.#toolSpeed.fill(out, this.referenceVelocityRadPerS);
    this.#tank?.fill(out);
  }
}
