/**
 * The tick's end of the pipes to the ROS processes.
 *
 * Commands go straight from this thread into a non-blocking named pipe: one system call of some microseconds, and never a
 * wait. The path through the main thread would add its poll (up to 2 ms) and the delays of a normal-priority thread. The
 * guard holds both ends of the pipe, so that its descriptor remains valid, and is not reused, when the process behind it
 * dies. A full pipe means that no process reads it: the command is dropped.
 */
import { writeSync } from 'node:fs';
import {
  commandNumbers,
  PULSE,
  ROS_MESSAGE,
  type RosAnswer,
  type RosDriverOptions,
  type RosLink,
  type RosRequest,
  stateNumbers,
} from '../../drivers/index.ts';
import { patientMs, remedyForLate } from '../../host/index.ts';
import { ReinError } from '../../model/index.ts';
import { encodeJson, NumbersMessage } from '../link/wire.ts';
import { SharedRingReader } from '../shared-ring.ts';
import { ROS_WORDS, type RosMemory, readText } from './ros-memory.ts';

/** Time limit for the processes to start. */
const START_MS = 20_000;
const POLL_MS = 5;
/** Largest atomic write to a pipe (POSIX: PIPE_BUF of Linux). */
const PIPE_BYTES = 4096;

export class WorkerRosLink implements RosLink {
  readonly #memory: RosMemory;
  readonly #words: Int32Array;
  readonly #states: SharedRingReader;
  readonly #command: NumbersMessage;
  readonly #pulse: NumbersMessage = new NumbersMessage(ROS_MESSAGE.pulse, PULSE.numbers);
  #asked = 0;

  constructor(memory: RosMemory, options: RosDriverOptions) {
    if (memory.state.rowNumbers !== stateNumbers(options)) throw new RangeError('the shared memory has another size');
    this.#memory = memory;
    this.#words = new Int32Array(memory.words);
    this.#states = new SharedRingReader(memory.state);
    this.#command = new NumbersMessage(ROS_MESSAGE.command, commandNumbers(options));
  }

  async open(): Promise<void> {
    const startMs = patientMs(START_MS);
    const limitMs = performance.now() + startMs;
    while (this.generation() < 0 || !this.isStopperReady()) {
      if (Atomics.load(this.#words, ROS_WORDS.failed) === 1) {
        const [message, remedy] = readText(this.#memory).split('\n');
        throw new ReinError('driver', message ?? '', { remedy: remedy || undefined });
      }
      if (performance.now() > limitMs) {
        throw new ReinError(
          'driver',
          `The ROS bridge and the ROS stopper were not ready within ${Math.round(startMs / 1000)} s.`,
          {
            remedy: remedyForLate(
              "Run `npm run ros:doctor`, and look at the lines before this one in the guard's log.",
            ),
          },
        );
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  generation(): number {
    return Atomics.load(this.#words, ROS_WORDS.generation);
  }

  isStopperReady(): boolean {
    return Atomics.load(this.#words, ROS_WORDS.stopper) === 1;
  }

  stopsPast(): number {
    return Atomics.load(this.#words, ROS_WORDS.stopsPast);
  }

  takeState(row: Float64Array): boolean {
    return this.#states.takeNewest(row);
  }

  send(row: Float64Array): boolean {
    this.#command.numbers.set(row);
    return tryWrite(this.#memory.commandFd, this.#command.seal());
  }

  pulse(row: Float64Array): boolean {
    this.#pulse.numbers.set(row);
    return tryWrite(this.#memory.pulseFd, this.#pulse.seal());
  }

  ask(request: RosRequest, timeoutMs: number): RosAnswer {
    const id = ++this.#asked;
    const message = encodeJson(ROS_MESSAGE.request, { id, generation: this.generation(), request });
    if (message.length > PIPE_BYTES) return { ok: false, reason: 'the request is too long' };
    if (!tryWrite(this.#memory.commandFd, message))
      return { ok: false, reason: 'the ROS bridge does not read requests' };
    const limitMs = performance.now() + timeoutMs;
    for (;;) {
      const answered = Atomics.load(this.#words, ROS_WORDS.answered);
      if (answered === id) break;
      const leftMs = limitMs - performance.now();
      if (leftMs <= 0) return { ok: false, reason: `the ROS bridge did not answer within ${timeoutMs} ms` };
      Atomics.wait(this.#words, ROS_WORDS.answered, answered, leftMs);
    }
    if (Atomics.load(this.#words, ROS_WORDS.answerOk) === 1) return { ok: true };
    return { ok: false, reason: readText(this.#memory) };
  }

  /** The main thread owns the processes and ends them after this thread has ended. */
  async close(): Promise<void> {}
}

function tryWrite(fd: number, bytes: Uint8Array): boolean {
  try {
    return writeSync(fd, bytes) === bytes.length;
  } catch {
    return false;
  }
}
