/** The guard's end of the guardian's pipes, used by its tick: two non-blocking system calls per tick. */
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { type Clock, messageOf, ReinError } from '../../model/index.ts';
import { ANSWER_BYTE, PULSE_BYTE } from './protocol.ts';

/** Time without an answer after which the guardian counts as frozen, s. A dead one is detected at once. */
const UNANSWERED_S = 0.2;
/** Largest number of answers read at once. */
const ANSWERS = 64;

/** Descriptors of both pipes. */
export interface PulsePipes {
  readonly pulseFd: number;
  readonly answersFd: number;
}

/**
 * Opens both pipes without waiting for the guardian, which may thus die and come back. Throws `ReinError('driver')`, leaving
 * nothing open.
 */
export function openPulsePipes(pulse: string, answers: string): PulsePipes {
  const opened: number[] = [];
  const open = (path: string, flags: number): number => {
    opened.push(openSync(path, flags | constants.O_NONBLOCK));
    return opened.at(-1)!;
  };
  try {
    // A pipe can be opened for writing only while it is open for reading: it is opened for both for this moment.
    const both = open(pulse, constants.O_RDWR);
    const pipes = { pulseFd: open(pulse, constants.O_WRONLY), answersFd: open(answers, constants.O_RDONLY) };
    closeSync(both);
    return pipes;
  } catch (cause) {
    for (const fd of opened) closeSync(fd);
    throw new ReinError('driver', `The guardian's pipes cannot be opened: ${messageOf(cause)}.`, {
      remedy: 'Something removed them from the folder for temporary files: begin again.',
      cause,
    });
  }
}

/** Heartbeat to the guardian. Constructed before the pipes exist: until `connect`, the bus is unwatched. */
export class GuardPulse {
  readonly #clock: Clock;
  readonly #byte: Uint8Array = new Uint8Array(1);
  readonly #answers: Uint8Array = new Uint8Array(ANSWERS);
  #pipes: PulsePipes | undefined;
  #isArmed = false;
  #isHeard = false;
  #answeredAtS = Number.NEGATIVE_INFINITY;
  #isStoppedPast = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sets the pipes, owned by the caller, who closes them after the last beat; without `goodbye` the guardian then stops the bus. */
  connect(pipes: PulsePipes): void {
    this.#pipes ??= pipes;
  }

  get isConnected(): boolean {
    return this.#pipes !== undefined;
  }

  /** True if a guardian was ready to stop the bus at the last beat. Tick-safe. */
  get isWatched(): boolean {
    return this.#isHeard && this.#clock.nowS() - this.#answeredAtS <= UNANSWERED_S;
  }

  /** True if the guardian judged this guard frozen and stopped the bus, and torque has not been off since. Tick-safe. */
  get isStoppedPast(): boolean {
    return this.#isStoppedPast;
  }

  /** Sends one byte to the guardian, and reads its answers to previous ones. Tick-safe: never waits, never throws. */
  beat(): void {
    if (this.#pipes === undefined) return;
    this.#isHeard = this.#write(this.#pipes.pulseFd, this.#isArmed ? PULSE_BYTE.armed : PULSE_BYTE.idle);
    this.#readAnswers(this.#pipes.answersFd);
  }

  /** Called before torque comes on: from now on silence stops the robot. */
  arm(): void {
    // Earlier answers belong to a previous stop.
    if (this.#pipes !== undefined) this.#readAnswers(this.#pipes.answersFd);
    this.#isArmed = true;
    this.#isStoppedPast = false;
    this.beat();
  }

  /** Called after torque is off, or at the beginning of an orderly end: silence no longer stops the robot, death still does. */
  disarm(): void {
    this.#isArmed = false;
    this.beat();
  }

  /** Called once the robot stands and the driver is closed: ends the guardian's work. */
  goodbye(): void {
    if (this.#pipes !== undefined) this.#write(this.#pipes.pulseFd, PULSE_BYTE.goodbye);
  }

  #write(fd: number, byte: number): boolean {
    this.#byte[0] = byte;
    try {
      return writeSync(fd, this.#byte) === 1;
    } catch {
      return false; // EPIPE: the guardian is dead. EAGAIN: it has not read for minutes.
    }
  }

  #readAnswers(fd: number): void {
    try {
      const count = readSync(fd, this.#answers);
      if (count === 0) return;
      this.#answeredAtS = this.#clock.nowS();
      for (let i = 0; i < count; i++) if (this.#answers[i] === ANSWER_BYTE.stopped) this.#isStoppedPast = this.#isArmed;
    } catch {
      // No answer yet, and the time without one is measured. A guardian that keeps up has answered the beat of the last
      // tick, so only a late or dead one costs this Error.
    }
  }
}
