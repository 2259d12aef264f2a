/** What a session asks the guard beside motion: to stop, to stand, to forget what was acknowledged. */

import type { RunSetup } from '../config/setup.ts';
import { type GuardFrame, type JointModel, ReinError } from '../core/index.ts';
import { driverKind } from '../drivers/index.ts';
import { activate, faultText, type GuardLink, holdAgain, isLatched } from '../guard/index.ts';
import { faultsOf } from '../safety/index.ts';

/** The arm has so long to come to rest, s. */
const STANDS_AFTER_S = 3;
/** A cause that is still there stops the robot again within so many ticks: three that count, and some to hear of it. */
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

  /** Brakes and holds, latched. Resolves when the guard has taken it. */
  async stop(): Promise<void> {
    await this.#link.request({ kind: 'stop' });
  }

  /** Waits until the arm stands, or has had its time. */
  async stands(): Promise<void> {
    const link = this.#link;
    for (let i = 0; i < STANDS_AFTER_S * link.shape.controlHz; i++) {
      if (link.lostReason !== undefined || !isMoving(link.latest)) return;
      await link.advance(1);
    }
  }

  /** Why no motion can begin now, one sentence; `undefined` where it can. */
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
   * Leave to move, as far as a program may ask for it: a simulated robot goes on by itself unless something serious or somebody
   * stopped it. `undefined`: given, and it holds. Else why a person is needed, and whether for leave alone. Takes a tick or two; asks for
   * no motion.
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
    // What else is in its way, a new scene may mend.
    return this.#isArranged && held.ok && !isLeaveAlone ? undefined : { reason: answer.reason, isLeaveAlone };
  }

  /**
   * A person has seen why the robot stands: faults whose cause is gone are forgotten, and it holds with torque again.
   * Never moves it. False where it held already. Throws `ReinError('driver')` where a cause is still there, or
   * stops it again at once.
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
    // What stops it at once is named once it stands.
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

/** Whether software can put robot and objects in place: in simulation, and where a robot behind ROS offers it. */
export function arrangesScene({ task, driver }: RunSetup): boolean {
  if (task.isArrangedByPeople === true) return false;
  return driverKind(driver.name).arrangesScene?.(driver.options) ?? true;
}
