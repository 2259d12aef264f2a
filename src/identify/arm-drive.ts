/**
 * Moves an arm along a path through its guard, at the pace of the guard's frames, in lock-step or in real time. Any
 * fault that the guard reports ends the motion, in the frame that reports it.
 */

import { createActionCommand, faultText, type GuardLink } from '../guard/index.ts';
import { ReinError, type RobotModel } from '../model/index.ts';
import type { ActionCommand, GuardFrame, SafetyStateName } from '../rows/index.ts';
import { faultsOf, TORQUE_FAULTS, withRow } from '../safety/index.ts';
import type { JointPath } from './joint-path.ts';
import { actionPeriodS, actionTicks, PathFollower } from './path-follower.ts';

/** Longest lease that a guard accepts, s (row 2): a busy machine may be late, and at the end of so small a step the arm stands. */
const LEASE_S = 0.5;

/**
 * Distance beyond which a reference has left its path, rad: delays shift it by a tick or two at the announced speed,
 * deflections by more.
 */
const OFF_PATH_RAD = 0.04;

/** Called with the elapsed time of one of its motions, s. */
export type OnPassed = (passedS: number) => void;
/** Called for every frame received. */
export type OnFrame = (frame: GuardFrame) => void;

export class ArmDrive {
  readonly #model: RobotModel;
  readonly #link: GuardLink;
  readonly #signal: AbortSignal | undefined;
  readonly #command: ActionCommand;
  readonly #ticks: number;
  #trouble: ReinError | undefined;
  #isSilent = false;

  /** Torque may be off: `awaitReady` waits for it. */
  constructor(model: RobotModel, link: GuardLink, signal?: AbortSignal) {
    this.#model = model;
    this.#link = link;
    this.#signal = signal;
    this.#command = createActionCommand(model.joints.length);
    this.#command.decider = 'script';
    this.#command.leaseS = LEASE_S;
    this.#ticks = actionTicks(model);
  }

  /** Waits, without limit, until torque has been switched on. */
  async awaitReady(): Promise<void> {
    const link = this.#link;
    while (link.latest.state !== 'ready') {
      if (link.latest.state === 'fault') throw this.#stopped(link.latest);
      await this.#pass();
    }
  }

  /** Holds still for `durationS`. */
  async stand(durationS: number, see: OnFrame, onPassed: OnPassed): Promise<void> {
    const leave = this.#watch('ready', see);
    try {
      for (let atS = 0; atS < durationS; atS += actionPeriodS(this.#model)) {
        await this.#pass();
        onPassed(atS);
      }
    } finally {
      leave();
    }
  }

  /** Requests permission to move until it is granted: for a real arm, by a person. Nothing moves. */
  async activate(): Promise<void> {
    for (;;) {
      this.#command.action.fill(0);
      this.#send();
      const answer = await this.#inTime(this.#link.request({ kind: 'activate' }));
      if (answer.ok) return;
      // After power-up each joint is tried first (row 34).
      const isChecking = answer.needs === 'state' && this.#link.latest.state === 'ready';
      if (answer.needs !== 'person' && !isChecking) throw refused('activate', answer.reason);
      await this.#pass();
      if (this.#link.latest.state !== 'ready') throw this.#stopped(this.#link.latest);
    }
  }

  /**
   * Follows `path`, which begins at the arm's position, no faster than announced. If delayed, it continues from there
   * without catching up. Rejects if its reference leaves the path.
   */
  async follow(path: JointPath, see: OnFrame, onPassed: OnPassed): Promise<void> {
    const link = this.#link;
    const follower = new PathFollower(this.#model, path);
    const leave = this.#watch('active.policy', see);
    try {
      while (!follower.isOver) {
        onPassed(follower.atS);
        follower.write(this.#command.action, link.latest.referenceRad);
        this.#send();
        await this.#pass();
        follower.pass(link.latest.robot.measuredAtS - this.#command.issuedAtS);
        const left = follower.left(link.latest.referenceRad, OFF_PATH_RAD);
        if (left >= 0) throw offPath(this.#model.joints[left]!.name);
      }
    } finally {
      leave();
    }
  }

  /** Withdraws the permission to move: the arm brakes and holds. A silent guard receives no request: without commands the arm stands. */
  async hold(): Promise<void> {
    if (this.#link.lostReason !== undefined || this.#isSilent) return;
    await this.#inTime(this.#link.request({ kind: 'hold' })).catch(ignoreSilence);
  }

  #send(): void {
    this.#command.seq++;
    this.#command.issuedAtS = this.#link.latest.robot.measuredAtS;
    this.#link.send(this.#command);
  }

  /** Waits for the duration of one action. */
  async #pass(): Promise<void> {
    this.#signal?.throwIfAborted();
    await this.#inTime(this.#link.advance(this.#ticks));
    this.#signal?.throwIfAborted();
    if (this.#trouble !== undefined) throw this.#trouble;
  }

  async #inTime<T>(waited: Promise<T>): Promise<T> {
    try {
      return await inTime(this.#link, waited);
    } catch (error) {
      this.#isSilent ||= error instanceof SilentGuard;
      throw error;
    }
  }

  /** Forwards frames, and records the first that is not in the state `expected` or has any fault. */
  #watch(expected: SafetyStateName, see: OnFrame): () => void {
    const look = (frame: GuardFrame): void => {
      see(frame);
      if (frame.state !== expected || frame.faultFlags !== 0) this.#trouble ??= this.#stopped(frame);
    };
    const leaveFrames = this.#link.onFrame(look);
    // Notices from before are over, or show as faults in the frames.
    let isEarlier = true;
    const leaveNotices = this.#link.onNotice(({ level, row, message, remedy }) => {
      if (isEarlier || level !== 'error') return;
      this.#trouble ??= new ReinError('driver', `${STOPPED} ${withRow(message, row)}`, { remedy });
    });
    isEarlier = false;
    return () => {
      leaveFrames();
      leaveNotices();
    };
  }

  #stopped(frame: GuardFrame): ReinError {
    const faults = faultsOf(frame.faultFlags);
    const why = faultText(frame, this.#model.joints, frame.faultFlags);
    return new ReinError('driver', `${STOPPED} ${why || `it is ${frame.state}.`}`, {
      remedy: (faults.some(({ bit }) => (bit & TORQUE_FAULTS) !== 0) ? CHANGED_ARM : faults[0]?.remedy) ?? BEGIN_AGAIN,
    });
  }
}

const STOPPED = 'The arm was stopped while it was identified:';
const BEGIN_AGAIN = 'Check what stopped it, then begin again.';
/** The limits of its file belong to another arm: a remedy to identify it would be circular. */
const CHANGED_ARM =
  'Check what touched it. If nothing did, its tool, load or gains have changed: take torqueObserver out of its file, then begin again.';

function offPath(joint: string): ReinError {
  return new ReinError('driver', `${joint} was held back from its path, and the arm was stopped.`, {
    remedy: 'Check what is in the way, or reduce the load on the computer, then begin again.',
  });
}

/** A guard that cannot be reached, or is silent, is reported elsewhere. */
function ignoreSilence(error: unknown): void {
  if (!(error instanceof ReinError)) throw error;
}

/** Sends a request to the guard; throws with its reason if it refuses. */
export async function ask(link: GuardLink, request: Parameters<GuardLink['request']>[0]): Promise<void> {
  const answer = await inTime(link, link.request(request), ANSWER_MS);
  if (!answer.ok) throw refused(request.kind, answer.reason);
}

function refused(what: string, reason: string): ReinError {
  return new ReinError('driver', `The guard refuses to ${what}: ${reason}.`);
}

/** Silence after which a guard counts as lost, ms: it ticks every few milliseconds. */
export const SILENCE_MS = 1000;
/** Longest wait for an answer that requires a driver to prepare, ms. */
export const ANSWER_MS = 10_000;

/** Awaits `waited`; rejects if it takes longer than `limitMs` in real time. In lock-step, time stands still meanwhile. */
export async function inTime<T>({ shape }: GuardLink, waited: Promise<T>, limitMs: number = SILENCE_MS): Promise<T> {
  if (shape.timing === 'lock-step') return waited;
  let timer: NodeJS.Timeout | undefined;
  const silent = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SilentGuard(limitMs)), limitMs);
  });
  try {
    return await Promise.race([waited, silent]);
  } finally {
    clearTimeout(timer);
  }
}

/** Signals a guard to which requests are useless. */
export class SilentGuard extends ReinError {
  constructor(limitMs: number) {
    super('link', `No message from the guard for ${limitMs / 1000} s.`, {
      remedy: 'Check what delays the computer or the robot, then begin again.',
    });
  }
}
