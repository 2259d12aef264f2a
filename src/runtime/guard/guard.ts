/** The guard: the only one that writes to the robot. Ticks, and answers wishes between ticks. */
import {
  type GuardAnswer,
  type GuardRequest,
  ReinError,
  type SafetyStateName,
  type SceneLayout,
} from '../../core/index.ts';
import type { Driver } from '../../drivers/index.ts';
import { answerRequest, hasTorque, nextSafetyState } from '../../safety/index.ts';
import type { TickingGuard } from '../guard-link/index.ts';
import { controlTick } from '../tick.ts';
import { GuardTick, type GuardTickOptions } from './guard-tick.ts';

export type GuardOptions = GuardTickOptions;

/**
 * Owns an open driver. `tick` is called once per control period, `handle` only between ticks, on the same thread.
 *
 * A command moves the robot after `enable` and `activate`. What was sent before any other request is forgotten. After a
 * person let go, the policy goes on once its command was sent and `activate` was asked for.
 *
 * @example
 * const createGuard = (port) => new Guard({ driver, model, action, policyPeriodS: 0.1, clock, port });
 * const link = new MemoryGuardLink({ shape, clock, createGuard });
 * await link.request({ kind: 'enable' });
 * await link.request({ kind: 'activate' });
 * link.send(command);
 * await link.advance(10);
 */
export class Guard implements TickingGuard {
  readonly #driver: Driver;
  readonly #tick: GuardTick;
  #closing: Promise<void> | undefined;

  constructor(options: GuardOptions) {
    this.#driver = options.driver;
    this.#tick = new GuardTick(options);
  }

  get state(): SafetyStateName {
    return this.#tick.state;
  }

  /** True while commands may move the robot, and while it brakes. */
  get isMoving(): boolean {
    const { state } = this.#tick;
    return state === 'active.policy' || state === 'active.human' || state === 'stopping';
  }

  /** One control period. Tick-safe. */
  tick(): void {
    controlTick(this.#tick);
  }

  /** Answers a wish, now. Refused wishes change nothing. Allocates; a reset of the scene may take longer than a tick. */
  handle(request: GuardRequest): GuardAnswer {
    if (request.kind === 'acknowledge') return this.#acknowledge();
    const tick = this.#tick;
    const input = tick.inputFor(request.kind);
    const answer = answerRequest(tick.state, input);
    if (!answer.ok) return answer;
    if (request.kind === 'enable' && !hasTorque(tick.state)) {
      const reason = this.#driver.prepare?.();
      if (reason !== undefined) return { ok: false, reason };
    }
    if (request.kind === 'resetScene') {
      const reason = this.#resetScene(request.layout);
      if (reason !== undefined) return { ok: false, reason };
    }
    if (request.kind !== 'activate') tick.forgetCommands();
    tick.enter(nextSafetyState(tick.state, input));
    return answer;
  }

  /** Leaves the robot to the driver's exit policy and releases it. Idempotent. To brake first, stop and tick on. */
  close(): Promise<void> {
    this.#closing ??= this.#driver.close();
    return this.#closing;
  }

  /** An operator has seen the faults. Refused where the arm may move and where there is nothing to see. */
  #acknowledge(): GuardAnswer {
    const tick = this.#tick;
    if (!tick.mayAcknowledge) return { ok: false, reason: `acknowledge is not possible in the state ${tick.state}` };
    const input = { ...tick.inputFor('acknowledge'), flags: tick.causesLeft() };
    const answer = answerRequest(tick.state, input);
    if (!answer.ok) return answer;
    tick.acknowledge();
    tick.forgetCommands();
    tick.enter(nextSafetyState(tick.state, input));
    return answer;
  }

  /** Says why not, where it cannot be done. */
  #resetScene(layout: SceneLayout): string | undefined {
    const { scene, jointNames } = this.#driver;
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
