/**
 * Moves an arm along a path through its guard, at the pace of the guard's frames, in lock-step or in real time. Whatever the guard finds
 * wrong ends it, in the frame that says so.
 */
import {
  type ActionCommand,
  type ActionSpec,
  type GuardFrame,
  ReinError,
  type RobotModel,
  type SafetyStateName,
} from '../../core/index.ts';
import { COMMAND_LATE, faultsOf, sentenceOf, withRow } from '../../safety/index.ts';
import { createActionCommand, type GuardLink } from '../guard-link/index.ts';
import type { JointPath } from './joint-path.ts';

/** Actions a second while it moves. */
const ACTION_HZ = 20;
export const IDENTIFY_PERIOD_S: number = 1 / ACTION_HZ;
/** The longest that a guard follows a command, s (row 2): a busy machine may be late, and at the end of so small a step the arm stands. */
const LEASE_S = 0.5;
/** A guard that is there says something within so long, in real time: it ticks every few milliseconds. */
const SILENCE_MS = 1000;

/** Told how much of one of its motions has passed, s. */
export type OnPassed = (passedS: number) => void;
/** Called for every frame that comes. */
export type OnFrame = (frame: GuardFrame) => void;

/** The action of an identification: every joint by itself. */
export function identifyAction(model: RobotModel): ActionSpec {
  const dimensions = model.joints.map(({ name, velocityMaxRadPerS }) => ({
    ...{ name, unit: 'rad' as const },
    scale: velocityMaxRadPerS / ACTION_HZ,
  }));
  return { kind: 'joint', dimensions };
}

export class ArmDrive {
  readonly #model: RobotModel;
  readonly #link: GuardLink;
  readonly #signal: AbortSignal | undefined;
  readonly #action: ActionSpec;
  readonly #command: ActionCommand;
  readonly #ticks: number;
  #trouble: ReinError | undefined;

  /** Torque may be off: `awaitReady` waits for it. */
  constructor(model: RobotModel, link: GuardLink, signal?: AbortSignal) {
    this.#model = model;
    this.#link = link;
    this.#signal = signal;
    this.#action = identifyAction(model);
    this.#command = createActionCommand(model.joints.length);
    this.#command.decider = 'human';
    this.#command.leaseS = LEASE_S;
    this.#ticks = Math.max(1, Math.round(model.controlHz / ACTION_HZ));
  }

  /** Waits, for as long as it takes, until somebody has put torque on. */
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
      for (let atS = 0; atS < durationS; atS += IDENTIFY_PERIOD_S) {
        await this.#pass();
        onPassed(atS);
      }
    } finally {
      leave();
    }
  }

  /** Asks for leave to move until it is given: a real arm's is a person's to give. Nothing moves. */
  async activate(): Promise<void> {
    for (;;) {
      this.#command.action.fill(0);
      this.#send();
      const answer = await this.#link.request({ kind: 'activate' });
      if (answer.ok) return;
      if (answer.needs !== 'person') throw refused('activate', answer.reason);
      await this.#pass();
      if (this.#link.latest.state !== 'ready') throw this.#stopped(this.#link.latest);
    }
  }

  /** Follows `path`, which begins where the arm is. */
  async follow(path: JointPath, see: OnFrame, onPassed: OnPassed): Promise<void> {
    const link = this.#link;
    const target = new Float64Array(this.#model.joints.length);
    const { dimensions } = this.#action;
    const leave = this.#watch('active.human', see);
    const startS = link.latest.robot.measuredAtS;
    try {
      for (;;) {
        const atS = link.latest.robot.measuredAtS - startS;
        if (atS >= path.durationS) return;
        onPassed(atS);
        path.write(target, atS + IDENTIFY_PERIOD_S);
        for (const [i, { scale }] of dimensions.entries()) {
          const share = (target[i]! - link.latest.referenceRad[i]!) / scale;
          this.#command.action[i] = Math.min(Math.max(share, -1), 1);
        }
        this.#send();
        await this.#pass();
      }
    } finally {
      leave();
    }
  }

  /** Takes back the leave to move: the arm brakes and holds. */
  async hold(): Promise<void> {
    if (this.#link.lostReason === undefined) await this.#link.request({ kind: 'hold' }).catch(() => undefined);
  }

  #send(): void {
    this.#command.seq++;
    this.#command.issuedAtS = this.#link.latest.robot.measuredAtS;
    this.#link.send(this.#command);
  }

  /** Lets the time of one action pass. */
  async #pass(): Promise<void> {
    this.#signal?.throwIfAborted();
    const link = this.#link;
    if (link.shape.timing === 'lock-step') await link.advance(this.#ticks);
    else await heardInTime(link.advance(this.#ticks));
    this.#signal?.throwIfAborted();
    if (this.#trouble !== undefined) throw this.#trouble;
  }

  /** Hands frames on, and remembers the first that is of another state than `expected` or tells of any fault. */
  #watch(expected: SafetyStateName, see: OnFrame): () => void {
    const look = (frame: GuardFrame): void => {
      see(frame);
      if (frame.state !== expected || frame.faultFlags !== 0) this.#trouble ??= this.#stopped(frame, expected);
    };
    const leaveFrames = this.#link.onFrame(look);
    // What was told before is over, or is a fault in the frames.
    let isEarlier = true;
    const leaveNotices = this.#link.onNotice(({ level, row, sentence, remedy }) => {
      if (isEarlier || level !== 'error') return;
      this.#trouble ??= new ReinError('driver', `${STOPPED} ${withRow(sentence, row)}`, { remedy });
    });
    isEarlier = false;
    return () => {
      leaveFrames();
      leaveNotices();
    };
  }

  #stopped(frame: GuardFrame, expected: SafetyStateName = 'ready'): ReinError {
    // A hand that lets go is no fault to the guard, and its arm is ready again: here, nobody meant to let go.
    const late = expected === 'active.human' && frame.state === 'ready' ? COMMAND_LATE : 0;
    const faults = faultsOf(frame.faultFlags | late);
    const why = faults.map((fault) => withRow(sentenceOf(fault, frame, this.#model.joints), fault.row)).join(' ');
    return new ReinError('driver', `${STOPPED} ${why || `it is ${frame.state}.`}`, {
      remedy: faults[0]?.remedy ?? 'See what stopped it, then begin again.',
    });
  }
}

const STOPPED = 'The arm was stopped while it was identified:';

/** Asks the guard for something, and throws with its reason where it refuses. */
export async function ask(link: GuardLink, request: Parameters<GuardLink['request']>[0]): Promise<void> {
  const answer = await link.request(request);
  if (!answer.ok) throw refused(request.kind, answer.reason);
}

function refused(what: string, reason: string): ReinError {
  return new ReinError('driver', `The guard refuses to ${what}: ${reason}.`);
}

/** `passed`, or a rejection where the guard is silent: one that hangs is not lost, and nothing would ever end the wait. */
async function heardInTime(passed: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const silent = new Promise<never>((_, reject) => {
    const message = `The guard has said nothing for ${SILENCE_MS / 1000} s.`;
    const remedy = 'See what holds up the machine or the robot, then begin again.';
    timer = setTimeout(() => reject(new ReinError('link', message, { remedy })), SILENCE_MS);
  });
  try {
    await Promise.race([passed, silent]);
  } finally {
    clearTimeout(timer);
  }
}
