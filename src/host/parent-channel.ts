/**
 * IPC channel between a process and its parent. Neither end can bring down the other: a message that cannot be sent is
 * dropped, as the end of the other process is detected separately, and received messages are validated.
 */
import { asObject, type ErrorKind, type PackedError, packError, ReinError, unpackError } from '../model/index.ts';

/** The child gives up: it would fail again in the same way. */
interface FailedMessage {
  readonly kind: 'failed';
  readonly error: PackedError;
}

/** The child's end of the channel. */
export interface ParentChannel<Message extends { readonly kind: string }> {
  /** Aborted on SIGTERM, and when the parent has ended. */
  readonly ending: AbortSignal;
  /** Resolves when the message has left this process: one that is only queued would be lost at exit. */
  send(message: Message): Promise<void>;
  /** Lets this process exit. */
  close(): void;
}

/**
 * Opens the channel of this process to its parent. A terminal signals the whole process group: the parent decides what
 * follows on the signals in `ignored`.
 */
export function openParentChannel<Message extends { readonly kind: string }>(
  ignored: readonly NodeJS.Signals[] = ['SIGINT'],
): ParentChannel<Message> {
  const ending = new AbortController();
  const end = (): void => ending.abort();
  for (const signal of ignored) process.on(signal, () => undefined);
  process.on('SIGTERM', end);
  onParentGone(end);
  return { ending: ending.signal, send: sendToParent, close: closeParentChannel };
}

/** Calls `listener` when the parent of this process has ended, also if it ended before the call. Never without a parent. */
export function onParentGone(listener: () => void): void {
  process.on('disconnect', listener);
  if (process.send !== undefined && !process.connected) listener();
}

/** Sends the parent a message, if there is one. Resolves when it has left this process, or cannot; never rejects. */
export function sendToParent<Message extends { readonly kind: string }>(message: Message): Promise<void> {
  return new Promise((resolve) => {
    // Without a callback Node reports a parent that has just died as an error of this process, and ends it.
    if (process.send === undefined || !process.connected) resolve();
    else process.send(message, () => resolve());
  });
}

/** Lets this process exit. */
export function closeParentChannel(): void {
  if (process.connected) process.disconnect();
}

/** Ends this process with code 1: a `ReinError` goes to the parent, an error of Rein's own code to standard error. */
export async function endFailed(error: unknown): Promise<never> {
  if (error instanceof ReinError) {
    const failed: FailedMessage = { kind: 'failed', error: packError(error) };
    await sendToParent(failed);
  } else {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  }
  process.exit(1);
}

/** The parent's end of the channel to a child, as in `ChildProcess`. */
interface ChildEnd {
  readonly connected: boolean;
  send(message: object, callback: (error: Error | null) => void): boolean;
}

/** Sends a child a message if it is connected. Never throws, and a failure emits no `error` on the child. */
export function sendToChild(child: ChildEnd | undefined, message: object): void {
  if (child?.connected === true) child.send(message, () => undefined);
}

/** A child started for one answer, as in `ChildProcess`. */
interface AnsweringChild {
  on(event: 'message' | 'exit' | 'disconnect' | 'error', listener: (first: unknown, second: unknown) => void): unknown;
  kill(signal: 'SIGKILL'): unknown;
}

/** Outcome of a child. */
export interface ChildAnswer {
  /** The last message that it sent: a `ReinError` if it gave up, `undefined` if it sent none. Not validated. */
  readonly answer: unknown;
  /** How it ended, in the words of `howEnded`. */
  readonly how: string;
  /** It exceeded its time limit and was killed. */
  readonly isLate: boolean;
}

/**
 * Resolves with the answer of a child once it has ended and all its messages are received. It is killed after `limitMs`, restarted
 * by each message that `isProgress` accepts. Rejects with the child's `error` if it cannot run or is aborted.
 */
export async function answerOfChild(
  child: AnsweringChild,
  limitMs: number,
  isProgress: (message: unknown) => boolean = () => false,
): Promise<ChildAnswer> {
  let answer: unknown;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, limitMs);
  child.on('message', (message) => {
    answer = failureIn(message) ?? message;
    if (isProgress(message)) timer.refresh();
  });
  const failed = new Promise<never>((_, reject) => child.on('error', reject));
  const exited = new Promise<string>((resolve) => {
    child.on('exit', (code, signal) => resolve(howEnded(code, signal)));
  });
  const disconnected = new Promise<unknown>((resolve) => child.on('disconnect', resolve));
  try {
    const [how] = await Promise.race([Promise.all([exited, disconnected]), failed]);
    return { answer, how, isLate };
  } finally {
    clearTimeout(timer);
  }
}

/** Describes how a process ended: by its exit code or by a signal. */
export function howEnded(code: unknown, signal: unknown): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}

/** Returns the error with which the child that sent `message` gives up; `undefined` for any other message. */
export function failureIn(message: unknown): ReinError | undefined {
  const { kind, error } = asObject(message) ?? {};
  const packed = kind === 'failed' ? asObject(error) : undefined;
  if (typeof packed?.['kind'] !== 'string' || typeof packed['message'] !== 'string') return undefined;
  const remedy = typeof packed['remedy'] === 'string' ? packed['remedy'] : undefined;
  return unpackError({ kind: packed['kind'] as ErrorKind, message: packed['message'], remedy });
}
