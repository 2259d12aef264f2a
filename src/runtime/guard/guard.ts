/** The guard: the only one that writes to the robot. Ticks, and answers wishes between ticks. */
import type { GuardAnswer, GuardRequest, SafetyStateName, SceneLayout } from '../../core/index.ts';
import type { Driver } from '../../drivers/driver.ts';
import type { TickingGuard } from '../guard-link/index.ts';
import { controlTick } from '../tick.ts';
import { GuardTick, type GuardTickOptions } from './guard-tick.ts';

export type GuardOptions = GuardTickOptions;

const OK: GuardAnswer = { ok: true };

/**
 * Owns an open driver. `tick` is called once per control period, `handle` only between ticks, on the same thread.
 *
 * @example
 * const link = new MemoryGuardLink({ shape, clock, createGuard: (port) => new Guard({ driver, model, action, policyPeriodS: 0.1, clock, port }) });
 * await link.request({ kind: 'enable' });
 * await link.advance(1);
 * await link.request({ kind: 'activate' });
 */
export class Guard implements TickingGuard {
  readonly #driver: Driver;
  readonly #now: () => number;
  readonly #tick: GuardTick;
  #closing: Promise<void> | undefined;

  constructor(options: GuardOptions) {
    this.#driver = options.driver;
    this.#now = () => options.clock.nowS();
    this.#tick = new GuardTick(options);
  }

  get state(): SafetyStateName {
    return this.#tick.state;
  }

  /** True while the robot is moved by a command or brakes. */
  get isMoving(): boolean {
    return this.#tick.isActive || this.#tick.state === 'stopping';
  }

  /** One control period. Tick-safe. */
  tick(): void {
    controlTick(this.#tick);
  }

  /** Answers a wish, now. Refused wishes change nothing. Allocates; a reset of the scene may take longer than a tick. */
  handle(request: GuardRequest): GuardAnswer {
    switch (request.kind) {
      case 'enable':
        return this.#enable();
      case 'disable':
        return this.#disable();
      case 'activate':
        return this.#activate();
      case 'hold':
        if (this.#tick.isActive) this.#tick.beginStop('ready');
        return OK;
      case 'stop':
        if (this.#tick.isTorqueOn) this.#tick.beginStop('stopped');
        return OK;
      case 'acknowledge':
        return this.#acknowledge();
      case 'resetScene':
        return this.#resetScene(request.layout);
    }
  }

  /** Leaves the robot to the driver's exit policy and releases it. Idempotent. To brake first, stop and tick on. */
  close(): Promise<void> {
    this.#tick.state = 'disconnected';
    this.#closing ??= this.#driver.close();
    return this.#closing;
  }

  #enable(): GuardAnswer {
    const tick = this.#tick;
    if (tick.isTorqueOn) return tick.state === 'ready' ? OK : refuse(`the guard is in state "${tick.state}"`);
    if (tick.state !== 'standby') return refuse(`the guard is in state "${tick.state}"`);
    this.#driver.enable();
    tick.isTorqueOn = true;
    tick.state = 'ready';
    return OK;
  }

  #disable(): GuardAnswer {
    const tick = this.#tick;
    if (this.isMoving) return refuse('the robot is moving: hold or stop it first');
    this.#driver.disable();
    tick.isTorqueOn = false;
    if (tick.state !== 'fault') tick.state = 'standby';
    return OK;
  }

  #activate(): GuardAnswer {
    const tick = this.#tick;
    if (tick.isActive) return OK;
    const isHolding = tick.state === 'ready' || (tick.state === 'stopping' && tick.stopEnd === 'ready');
    if (!isHolding) return refuse(`the guard is in state "${tick.state}"`);
    if (tick.seedResult === 'outsideJointLimits') return refuse('a joint is outside its limits');
    if (tick.seedResult === 'outsideWorkspace') return refuse('the tool is outside the workspace');
    if (tick.seedResult !== 'ok') return refuse('no valid measurement of the robot has been read yet');
    tick.forgetCommand();
    tick.lease.grant(this.#now());
    tick.state = 'active.policy';
    return OK;
  }

  #acknowledge(): GuardAnswer {
    const tick = this.#tick;
    if (tick.state !== 'stopped' && tick.state !== 'fault') return OK;
    // After a fault the last measurement may be old.
    if (tick.state === 'fault') tick.forgetPose();
    else tick.seed(tick.frame.robot.positionRad);
    tick.state = tick.isTorqueOn ? 'ready' : 'standby';
    return OK;
  }

  #resetScene(layout: SceneLayout): GuardAnswer {
    const tick = this.#tick;
    const { scene } = this.#driver;
    if (scene === undefined) return refuse('the surroundings of this robot cannot be reset by software');
    if (tick.state === 'fault' || tick.state === 'disconnected') return refuse(`the guard is in state "${tick.state}"`);
    const joints = this.#driver.jointNames.length;
    if (layout.jointsRad.length !== joints || !layout.jointsRad.every(Number.isFinite)) {
      return refuse(`a layout needs ${joints} finite joint positions`);
    }
    scene.reset(layout);
    tick.plausibility.restart();
    tick.seed(layout.jointsRad);
    tick.forgetCommand();
    tick.state = tick.isTorqueOn ? 'ready' : 'standby';
    return OK;
  }
}

function refuse(reason: string): GuardAnswer {
  return { ok: false, reason };
}
