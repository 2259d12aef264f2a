/** The two pipes between a ROS process and the guard: written by the guard's tick, and read by the guard's main thread. */
import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { ROS_MESSAGE, type RosAnswer, TO_GUARD_FD } from '../../drivers/index.ts';
import { encodeJson, MessageDecoder, type MessageHandler, NumbersMessage } from '../../guard/index.ts';
import type { GuardNotice } from '../../rows/index.ts';

/** Measurements are dropped beyond this: the guard is not reading, and will only want the newest. */
const MAX_UNREAD_BYTES = 16 * 1024;

/** Reads the named pipe at `path`. Resolves when the guard is gone and all that it wrote has been passed on. */
export function openInbox(path: string, onMessage: MessageHandler): Promise<void> {
  const inbox = new Socket({ fd: openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), writable: false });
  const decoder = new MessageDecoder(onMessage);
  inbox.on('data', (bytes) => decoder.push(bytes));
  return new Promise((resolve) => {
    inbox.once('end', resolve);
    inbox.once('error', () => resolve());
  });
}

/** Calls `onEnd` once when the guard closes this process's standard input, as by its death. `onNudge`: for each byte before. */
export function watchGuard(onNudge: () => void, onEnd: () => void): void {
  process.stdin.on('data', onNudge);
  process.stdin.once('end', onEnd);
  process.stdin.once('error', onEnd);
}

/** Writes to the guard. Never blocks, never throws. */
export interface ToGuard {
  ready(): void;
  /** Returns false if it was dropped. */
  state(numbers: Float64Array): boolean;
  answer(id: number, answer: RosAnswer): void;
  notice(notice: GuardNotice): void;
  /** Reports that the robot is being stopped without the guard. */
  acted(): void;
  /** Reports why this process cannot do its work. */
  failed(message: string, remedy: string): void;
}

export function openToGuard(stateNumbers: number): ToGuard {
  const pipe = new Socket({ fd: TO_GUARD_FD, readable: false });
  // The end of the guard is detected on the inbox.
  pipe.on('error', () => undefined);
  const message = new NumbersMessage(ROS_MESSAGE.state, Math.max(1, stateNumbers));
  const json = (kind: number, value: unknown): void => void pipe.write(encodeJson(kind, value));
  return {
    ready: () => json(ROS_MESSAGE.ready, {}),
    state: (numbers) => {
      if (pipe.writableLength > MAX_UNREAD_BYTES) return false;
      message.numbers.set(numbers);
      // The stream may keep the bytes until the pipe accepts them.
      pipe.write(message.seal().slice());
      return true;
    },
    answer: (id, answer) => json(ROS_MESSAGE.answer, { id, ...answer }),
    notice: (notice) => json(ROS_MESSAGE.notice, notice),
    acted: () => json(ROS_MESSAGE.acted, {}),
    failed: (message, remedy) => json(ROS_MESSAGE.failed, { level: 'error', row: 0, message, remedy }),
  };
}
