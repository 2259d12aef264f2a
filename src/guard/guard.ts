/** The guard: the only writer to the robot. Ticks, and answers requests between ticks. */

import type { Driver, DriverFacts } from '../drivers/index.ts';
import { IDENTIFY_ANEW, isGravityCompensated, ReinError, type RobotModel, type Vec } from '../model/index.ts';
import {
  type GuardAnswer,
  type GuardNotice,
  type GuardRequest,
  HARDWARE,
  type SafetyStateName,
  type SceneLayout,
} from '../rows/index.ts';
import { answerRequest, hasTorque, messageOf, nextSafetyState, type SafetyInput } from '../safety/index.ts';
import { Authority } from './authority.ts';
import type { FirstMotionFault } from './first-motion.ts';
import { GuardTick, type GuardTickOptions } from './guard-tick.ts';
import type { Asker } from './link/link.ts';
import { controlTick } from './tick.ts';

export type GuardOptions = GuardTickOptions;

const FIRST_MOTION_ROW = 34;
/** Rows whose flags the driver sets: the driver's notice for them names the servo and the figure. */
const FROM_HARDWARE: readonly number[] = [10, 13, FIRST_MOTION_ROW, 37, 45, 46, 47];

/** Remedies for a failed first motion: of arms, and of bases. */
const CALIBRATE = "Run `rein calibrate` with the robot's file";
const LOOK_AT_WHEELS =
  "Raise the wheels and run `rein doctor`, then `rein bring-up`, with the robot's file: their motors have to turn, in the commanded direction";

/** For an arm that can be moved by hand while it has no torque, and by nothing once it has. */
const BY_HAND: GuardAnswer = {
  ok: false,
  reason: 'The arm stands outside its joint limits or its workspace: move it inside by hand, then let it go on.',
};
/** Reason if a joint's first motion would begin outside the limits, where a wrong zero looks like a valid pose. */
const OUTSIDE =
  'the arm is read outside its limits, and its joints have not been seen to move since power came on: move it inside by hand with the torque off, or run `rein calibrate`';

/** Refusal if torque, or resuming, would start from an unmeasured pose. */
const UNMEASURED: GuardAnswer = {
  ok: false,
  reason:
    'the joints were not measured in this tick, or the reading was rejected (late, lost, no number, or a jump): repeat the request once they are measured',
  needs: 'reading',
};

/**
 * Owns an open driver. `tick` is called once per control period, `handle` only between ticks, on the same thread.
 *
 * A command moves the robot after `enable` and `activate`. Commands sent before any other request are discarded. After the
 * operator's hold, the policy resumes once it has sent a command and `activate` was requested.
 *
 * @example
 * const facts = await driver.open();
 * const link = lockStepGuard({ nodeIs: 'person', driver, facts, model, action, policyPeriodS: 0.1, clock });
 * await link.advance(1); // torque comes on where the robot is measured
 * await link.request({ kind: 'enable' });
 * await link.request({ kind: 'activate' });
 * link.send(command);
 * await link.advance(10);
 */
export class Guard {
  readonly #driver: Driver;
  readonly #facts: DriverFacts;
  readonly #tick: GuardTick;
  readonly #authority: Authority;
  readonly #model: RobotModel;
  /** Latest hardware notices, by row of the fault table. */
  readonly #said = new Map<number, GuardNotice>();
  #shownFault: FirstMotionFault | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: GuardOptions) {
    this.#driver = options.driver;
    this.#facts = options.facts;
    this.#model = options.model;
    this.#authority = new Authority(options.facts.isSimulated === true);
    this.#tick = new GuardTick(options);
  }

  get state(): SafetyStateName {
    return this.#tick.state;
  }

  /** [n] commanded joint positions, rad: the tick's own array. */
  get referenceRad(): Vec<'rad'> {
    return this.#tick.referenceRad;
  }

  /** True while commands may move the robot, and while it brakes. */
  get isMoving(): boolean {
    return this.#tick.isMoving;
  }

  /** Duration of the torque ramp-down after braking, s; 0: immediate. */
  get exitRampS(): number {
    return this.#tick.exitRampS;
  }

  /** Runs one control period. Tick-safe. */
  tick(): void {
    controlTick(this.#tick);
    this.#authority.see(this.#tick.state);
  }

  /** Answers a request of `by` immediately. A refused request changes nothing. Allocates; a scene reset may take longer than a tick. */
  handle(request: GuardRequest, by: Asker = 'person'): GuardAnswer {
    const tick = this.#tick;
    const reason = this.#authority.refusal(request.kind, by, tick.frame.faultFlags);
    if (reason !== undefined) return { ok: false, reason, needs: 'person' };
    const answer = request.kind === 'acknowledge' ? this.#acknowledge() : this.#answer(request);
    if (answer.ok) this.#authority.granted(request.kind, by);
    this.#authority.see(tick.state);
    return answer;
  }

  #answer(request: GuardRequest): GuardAnswer {
    const tick = this.#tick;
    const input = tick.inputFor(request.kind);
    const answer = this.#answerTo(input);
    if (!answer.ok) return answer;
    if (request.kind === 'activate' && tick.needsFirstMotion) return this.#firstMotion();
    if (request.kind === 'enable' && !hasTorque(tick.state)) {
      const prepared = this.#prepare();
      if (!prepared.ok) return prepared;
    }
    if (request.kind === 'resetScene') {
      const reason = this.#resetScene(request.layout);
      if (reason !== undefined) return { ok: false, reason };
    }
    if (request.kind !== 'activate' && request.kind !== 'permit') tick.forgetCommands();
    tick.enter(nextSafetyState(tick.state, input));
    if (request.kind === 'disable' && tick.exitRampS > 0) tick.disableWhenLetDown();
    return answer;
  }

  /**
   * Returns the next hardware notice for the operator, each once; `undefined` if there is none. Called between ticks by the tick
   * loop, which forwards it.
   */
  takeNotice(): GuardNotice | undefined {
    const notice = this.#firstMotionNotice() ?? this.#hiddenNotice() ?? this.#driver.takeNotice();
    if (notice !== undefined) this.hear(notice);
    return notice;
  }

  /** Stores a hardware notice from here or from other processes: a refusal for its row quotes it. Between ticks. */
  hear(notice: GuardNotice): void {
    if (notice.isOver === true || notice.level === 'info') this.#said.delete(notice.row);
    else this.#said.set(notice.row, notice);
  }

  /** Leaves the robot to the driver's exit policy and releases it. Idempotent. To brake first, request a stop and keep ticking. */
  close(): Promise<void> {
    this.#closing ??= this.#driver.close();
    return this.#closing;
  }

  /** Tests each joint before the first commanded motion: the first `activate` starts the test, and must be repeated. */
  #firstMotion(): GuardAnswer {
    const { firstMotion, isDriven } = this.#tick;
    if (!isDriven) return { ok: false, reason: OUTSIDE };
    if (firstMotion.fault !== undefined) return { ok: false, reason: firstMotion.text() };
    if (firstMotion.isBlocked) {
      const reason = `the first motion of ${firstMotion.text()} has no room either way: move the arm away from limits and obstacles by hand with the torque off, then enable`;
      return { ok: false, reason };
    }
    if (!firstMotion.isRunning) firstMotion.start();
    return { ok: false, reason: `checking ${firstMotion.text()}`, needs: 'state' };
  }

  /** Notice of a failed first motion, once. */
  #firstMotionNotice(): GuardNotice | undefined {
    const { firstMotion } = this.#tick;
    const { fault } = firstMotion;
    if (fault === this.#shownFault) return undefined;
    this.#shownFault = fault;
    if (fault === undefined) return undefined;
    return {
      level: 'error',
      row: FIRST_MOTION_ROW,
      message: `The first motion of ${firstMotion.text()}.`.replace('motion of joint', 'motion: joint'),
      remedy: `${this.#model.base === undefined ? CALIBRATE : LOOK_AT_WHEELS}, then acknowledge and enable: each joint is tried again.`,
    };
  }

  /** Notices of problems that raise no fault: an idle torque observer, readings noisier than stated, a robot that moves after a stop. */
  #hiddenNotice(): GuardNotice | undefined {
    const { sight, noise, moving, state } = this.#tick;
    return sight.takeNotice(hasTorque(state)) ?? noise.takeNotice(hasTorque(state)) ?? moving.takeNotice();
  }

  /** Answer of the state machine to `input`. */
  #answerTo(input: SafetyInput): GuardAnswer {
    const { state, frame } = this.#tick;
    return answerRequest(state, input, (fault) => {
      const said = FROM_HARDWARE.includes(fault.row) ? this.#said.get(fault.row) : undefined;
      return said === undefined ? messageOf(fault, frame, this.#model.joints) : `${said.message} ${said.remedy}`.trim();
    });
  }

  /** Checks that torque can come on now. */
  #prepare(): GuardAnswer {
    if (this.#tick.isOutside && !isGravityCompensated(this.#model)) return BY_HAND;
    const answer = this.#driver.service('prepare');
    if (typeof answer === 'object') return { ok: false, reason: answer.refusal };
    // It may have taken seconds, in which an arm without torque may have moved.
    if (answer === 'done') this.#tick.measureAnew();
    if (!this.#tick.isMeasured) return UNMEASURED;
    const missing = this.#torqueMissing() ?? this.#distanceMissing();
    return missing === undefined ? { ok: true } : { ok: false, reason: missing };
  }

  /** Separation monitoring needs a measured distance of people. */
  #distanceMissing(): string | undefined {
    if (this.#model.separation === undefined || this.#facts.isSimulated === true) return undefined;
    if (this.#facts.measuresDistance === true) return undefined;
    return "separation of the robot's file needs the distance of people, and this driver does not measure it: set driver.distance for a robot behind ROS 2, measure it in a plugin, or leave separation out";
  }

  /** Unmeasured torque is not zero torque: the file's observer would see nothing, or stop the arm at once. */
  #torqueMissing(): string | undefined {
    if (this.#model.torqueObserver === undefined || this.#facts.measuresTorque === false) return undefined;
    if (this.#model.torqueObserver.wrench === 'mean' && this.#facts.measuresMeanWrench !== true)
      return `this driver gives no mean of the tool's force, and torqueObserver.wrench of the robot's file is mean: ${IDENTIFY_ANEW}`;
    const { torqueNm } = this.#tick.frame.robot;
    const silent = this.#model.joints.filter((_, i) => Number.isNaN(torqueNm[i]!)).map(({ name }) => name);
    if (silent.length === 0) return this.#tick.sight.refusal();
    return `no torque of ${silent.join(', ')} is measured (effort in the joint states), and torqueObserver of the robot's file compares it: let the robot report it, or leave torqueObserver out`;
  }

  /** Acknowledges the faults. Refused while the arm may move, and if there is nothing to acknowledge. */
  #acknowledge(): GuardAnswer {
    const tick = this.#tick;
    if (!tick.mayAcknowledge) {
      return { ok: false, reason: `acknowledge is not possible in the state ${tick.state}`, needs: 'state' };
    }
    const isFaulty = (this.#driver.report.hardwareFaults & HARDWARE.servoFault) !== 0;
    const isToRecover = (tick.isLost || isFaulty) && !hasTorque(tick.state);
    if (isToRecover && this.#driver.service('recover') === 'done') tick.measureAnew();
    // It continues from its measured pose, which must therefore exist.
    if (tick.state === 'stopped' && !tick.isMeasured) return UNMEASURED;
    const input = { ...tick.inputFor('acknowledge'), flags: tick.causesLeft() };
    const answer = this.#answerTo(input);
    if (!answer.ok) return answer;
    tick.acknowledge();
    tick.forgetCommands();
    tick.enter(nextSafetyState(tick.state, input));
    return answer;
  }

  /** Resets the scene; returns the reason if that is impossible. */
  #resetScene(layout: SceneLayout): string | undefined {
    const { scene } = this.#driver;
    const { jointNames } = this.#facts;
    if (scene === undefined) return 'the surroundings of this robot cannot be reset by software';
    if (layout.jointsRad.length !== jointNames.length || !layout.jointsRad.every(Number.isFinite)) {
      return `a layout needs ${jointNames.length} finite joint positions`;
    }
    try {
      scene.reset(layout);
    } catch (error) {
      if (error instanceof ReinError) return error.message;
      throw error;
    }
    this.#tick.restartAt(layout.jointsRad);
    return undefined;
  }
}
