/** A session's requests to the guard besides motion: stopping, standing still, acknowledging. */

import type { RunSetup } from '../config/setup.ts';
import { driverKind } from '../drivers/index.ts';
import { activate, faultText, type GuardLink, holdAgain, isLatched } from '../guard/index.ts';
import { type JointModel, ReinError } from '../model/index.ts';
import type { GuardFrame } from '../rows/index.ts';
import { faultsOf } from '../safety/index.ts';

/** Time limit for the arm to come to rest, s. */
const STANDS_AFTER_S = 3;
/** Ticks within which a remaining cause stops the robot again: three that count, and some until it is reported. */
const HOLDS_TICKS = 6;

export class GuardControl {
  readonly #link: GuardLink;
  readonly #joints: readonly JointModel[];
  readonly #isArranged: boolean;

  constructor(link: GuardLink, setup: RunSetup) {
    this.#link = link;
    this.#joints = setup.config.robot.joints;
    this.#isArranged = arrangesScene(setup);
  }

  /** Brakes and holds, latched. Resolves when the guard has accepted it. */
  async stop(): Promise<void> {
    await this.#link.request({ kind: 'stop' });
  }

  /** Waits until the arm stands, or its time limit is over. */
  async stands(): Promise<void> {
    const link = this.#link;
    for (let i = 0; i < STANDS_AFTER_S * link.shape.controlHz; i++) {
      if (link.lostReason !== undefined || !isMoving(link.latest)) return;
      await link.advance(1);
    }
  }

  /** Reason why no motion can begin now, one sentence; `undefined` if it can. */
  refusal(): { readonly message: string; readonly remedy: string } | undefined {
    const { lostReason, latest } = this.#link;
    if (lostReason !== undefined) {
      return { message: `The guard cannot be reached: ${lostReason}.`, remedy: 'Start the robot again.' };
    }
    if (latest.state === 'stopping') return { message: 'The robot is braking.', remedy: 'Wait, then reset.' };
    if (latest.state !== 'stopped' && latest.state !== 'fault' && latest.state !== 'disconnected') return undefined;
    const message = faultText(latest, this.#joints);
    if (message !== '')
      return {
        message,
        remedy: faultsOf(latest.faultFlags)
          .map((fault) => fault.remedy)
          .join(' '),
      };
    if (latest.state === 'disconnected') {
      return { message: 'The robot does not answer.', remedy: 'Check cable and power.' };
    }
    return { message: 'The robot was stopped.', remedy: 'Reset, then go on.' };
  }

  /**
   * Requests permission to move, as far as a program may: a simulated robot goes on by itself unless a serious fault or a person stopped
   * it. `undefined`: granted, and the robot holds. Else the reason why a person is required, and whether for permission alone. Takes a tick
   * or two; requests no motion.
   */
  async leave(): Promise<{ readonly reason: string; readonly isLeaveAlone: boolean } | undefined> {
    const link = this.#link;
    const held = await holdAgain(link);
    const answer = held.ok ? await activate(link) : held;
    if (answer.ok) {
      await link.request({ kind: 'hold' });
      return undefined;
    }
    const isLeaveAlone = answer.needs === 'person';
    // A new scene may remove any other obstacle.
    return this.#isArranged && held.ok && !isLeaveAlone ? undefined : { reason: answer.reason, isLeaveAlone };
  }

  /**
   * Acknowledges a stop after a person has seen its cause: faults whose cause is gone are cleared, and the robot holds with torque again.
   * Never moves it. False if it held already. Throws `ReinError('driver')` if a cause remains, or stops it again at once.
   */
  async reset(): Promise<boolean> {
    const link = this.#link;
    await link.advance(1);
    await this.stands();
    const wasHeld = !isLatched(link.latest) && link.latest.state !== 'standby';
    const answer = await holdAgain(link);
    if (!answer.ok) {
      throw new ReinError('driver', `The robot does not go on: ${answer.reason}`, {
        remedy: 'Remove the cause, then reset again.',
      });
    }
    await link.advance(HOLDS_TICKS);
    // A cause that stops it at once is reported after it has come to rest.
    await this.stands();
    const held = this.refusal();
    if (held !== undefined) {
      throw new ReinError('driver', `The robot does not go on: ${held.message}`, { remedy: held.remedy });
    }
    return !wasHeld;
  }
}

function isMoving({ state }: GuardFrame): boolean {
  return state === 'stopping' || state === 'active.policy' || state === 'active.human';
}

/** True if software can arrange robot and objects: in simulation, and if a robot behind ROS offers it. */
export function arrangesScene({ task, driver }: RunSetup): boolean {
  if (task.isArrangedByPeople === true) return false;
  return driverKind(driver.name).arrangesScene?.(driver.options) ?? true;
}
