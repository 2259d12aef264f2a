/** Memory shared between the guard's main thread, which receives from the ROS processes, and the tick's thread. */
import type { SharedRingMemory } from '../shared-ring.ts';

/** Shared words of both threads. */
export const ROS_WORDS = {
  /** Generation of the bridge that is ready; −1: none. */
  generation: 0,
  /** 1 while the ROS stopper is ready. */
  stopper: 1,
  /** Number of the last answered request. */
  answered: 2,
  /** 1 if that request was granted. */
  answerOk: 3,
  /** Length of the reason in `text`, bytes. */
  textBytes: 4,
  /** 1 if the processes could not be started; the reason is in `text`. */
  failed: 5,
  /** Number of stops by the ROS stopper so far. */
  stopsPast: 6,
  words: 7,
} as const;

export const TEXT_BYTES = 2048;

/** Plain data for `workerData`. The descriptors belong to the process, so they are valid in both threads. */
export interface RosMemory {
  readonly state: SharedRingMemory;
  readonly words: SharedArrayBuffer;
  readonly text: SharedArrayBuffer;
  readonly commandFd: number;
  readonly pulseFd: number;
}

/** Stores `text` for the other thread. */
export function writeText(memory: Pick<RosMemory, 'words' | 'text'>, text: string): void {
  const bytes = new Uint8Array(TEXT_BYTES);
  const { written } = new TextEncoder().encodeInto(text, bytes);
  new Uint8Array(memory.text).set(bytes);
  Atomics.store(new Int32Array(memory.words), ROS_WORDS.textBytes, written);
}

export function readText(memory: Pick<RosMemory, 'words' | 'text'>): string {
  const length = Atomics.load(new Int32Array(memory.words), ROS_WORDS.textBytes);
  return Buffer.from(new Uint8Array(memory.text).slice(0, length)).toString('utf8');
}
