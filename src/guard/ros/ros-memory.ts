/** What the guard's main thread, which listens to the ROS processes, and the tick's thread share. */
import type { SharedRingMemory } from '../shared-ring.ts';

/** Words that both threads see. */
export const ROS_WORDS = {
  /** The life of the bridge that is ready; −1: none is. */
  generation: 0,
  /** 1 while the process that can only stop is ready. */
  stopper: 1,
  /** The number of the last request that was answered. */
  answered: 2,
  /** 1 when that was granted. */
  answerOk: 3,
  /** Bytes of `text` that say why not. */
  textBytes: 4,
  /** 1 when the processes could not be started; `text` says why. */
  failed: 5,
  /** How often the process that can only stop has stopped the robot. */
  stopsPast: 6,
  words: 7,
} as const;

export const TEXT_BYTES = 2048;

/** Plain data for `workerData`. The descriptors are of the same process, so they mean the same in both threads. */
export interface RosMemory {
  readonly state: SharedRingMemory;
  readonly words: SharedArrayBuffer;
  readonly text: SharedArrayBuffer;
  readonly commandFd: number;
  readonly pulseFd: number;
}

/** Puts `text` where the other thread finds it. */
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
