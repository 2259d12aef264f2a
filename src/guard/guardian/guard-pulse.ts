/** The guard's end of the guardian's pipes, used by its tick: two system calls a tick that never wait. */
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { type Clock, messageOf, ReinError } from '../../core/index.ts';
import { ANSWER_BYTE, PULSE_BYTE } from './protocol.ts';

/** A guardian that has not answered for so long is frozen, s. One that is dead is known at once. */
const UNANSWERED_S = 0.2;
/** Answers of so many ticks are read at once. */
const ANSWERS = 64;

/** Descriptors of both pipes. */
export interface PulsePipes {
  readonly pulseFd: number;
  readonly answersFd: number;
}

/**
 * Opens both, without waiting for the guardian: so it may die and come back. Throws `ReinError('driver')`; nothing stays open
 * then.
 */
export function openPulsePipes(pulse: string, answers: string): PulsePipes {
  const opened: number[] = [];
  const open = (path: string, flags: number): number => {
    opened.push(openSync(path, flags | constants.O_NONBLOCK));
    return opened.at(-1)!;
  };
  try {
    // A pipe can be opened for writing only while somebody has it open for reading: for this moment we do.
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

/** Made before the pipes are there: until `connect`, nothing is watched. */
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

  /** The pipes are there. Whoever opened them closes them, after the last beat; without a goodbye the guardian stops the bus then. */
  connect(pipes: PulsePipes): void {
    this.#pipes ??= pipes;
  }

  get isConnected(): boolean {
    return this.#pipes !== undefined;
  }

  /** Whether a guardian is there that would stop the bus, as of the last beat. Tick-safe. */
  get isWatched(): boolean {
    return this.#isHeard && this.#clock.nowS() - this.#answeredAtS <= UNANSWERED_S;
  }

  /** The guardian took this guard for frozen and stopped the bus, and torque has not been off since. Tick-safe. */
  get isStoppedPast(): boolean {
    return this.#isStoppedPast;
  }

  /** One byte to the guardian, and its answers to the ones before. Tick-safe: no wait; throws nothing. */
  beat(): void {
    if (this.#pipes === undefined) return;
    this.#isHeard = this.#write(this.#pipes.pulseFd, this.#isArmed ? PULSE_BYTE.armed : PULSE_BYTE.idle);
    this.#readAnswers(this.#pipes.answersFd);
  }

  /** Before torque comes on: from now on silence stops the robot. */
  arm(): void {
    // What it answered before this belongs to a stop that is over.
    if (this.#pipes !== undefined) this.#readAnswers(this.#pipes.answersFd);
    this.#isArmed = true;
    this.#isStoppedPast = false;
    this.beat();
  }

  /** After torque is off, or when an orderly end begins: silence means nothing any more, death still does. */
  disarm(): void {
    this.#isArmed = false;
    this.beat();
  }

  /** The robot stands and the driver is closed: the guardian's work is done. */
  goodbye(): void {
    if (this.#pipes !== undefined) this.#write(this.#pipes.pulseFd, PULSE_BYTE.goodbye);
  }

  #write(fd: number, byte: number): boolean {
    this.#byte[0] = byte;
    try {
      return writeSync(fd, this.#byte) === 1;
    } catch {
      return false; // EPIPE: it is dead. EAGAIN: it has not read for minutes.
    }
  }

  #readAnswers(fd: number): void {
    try {
      const count = readSync(fd, this.#answers);
      if (count === 0) return;
      this.#answeredAtS = this.#clock.nowS();
      for (let i = 0; i < count; i++) if (this.#answers[i] === ANSWER_BYTE.stopped) this.#isStoppedPast = this.#isArmed;
    } catch {
      // Nothing there: it has not answered yet, and how long that is counts. A guardian that keeps up has answered the beat
      // of the last tick, so only one that is late or dead costs this Error.
    }
  }
}
