/**
 * The channel between a process and the one that started it. Neither end is brought down by the other: what cannot be sent is
 * dropped, for the end of that process is noticed by itself, and what comes is taken for nothing that it is not.
 */
import { asObject } from './json.ts';
import { type ErrorKind, type PackedError, packError, ReinError, unpackError } from './result.ts';

/** A child gives up: it would fail in the same way again. */
interface FailedMessage {
  readonly kind: 'failed';
  readonly error: PackedError;
}

/** A child's end of the channel. */
export interface ParentChannel<Message extends { readonly kind: string }> {
  /** Aborted on SIGTERM, and when the parent is gone. */
  readonly ending: AbortSignal;
  /** Resolves when the message has left this process: one that was only queued would go with it. */
  send(message: Message): Promise<void>;
  /** Lets this process end by itself. */
  close(): void;
}

/**
 * Opens the channel of this process to its parent. What a terminal sends reaches the whole group: of `ignored` the parent decides what
 * follows.
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

/** Calls `listener` when the parent of this process is gone, also where it went before anybody listened. Never without one. */
export function onParentGone(listener: () => void): void {
  process.on('disconnect', listener);
  if (process.send !== undefined && !process.connected) listener();
}

/** Sends the parent a message, where there is one. Resolves when it has left this process, or cannot; never rejects. */
export function sendToParent<Message extends { readonly kind: string }>(message: Message): Promise<void> {
  return new Promise((resolve) => {
    // Without a callback Node reports a parent that has just died as an error of this process, and ends it.
    if (process.send === undefined || !process.connected) resolve();
    else process.send(message, () => resolve());
  });
}

/** Lets this process end by itself. */
export function closeParentChannel(): void {
  if (process.connected) process.disconnect();
}

/** Ends this process with code 1: what a person will read goes to the parent, a mistake of ours to standard error. */
export async function endFailed(error: unknown): Promise<never> {
  if (error instanceof ReinError) {
    const failed: FailedMessage = { kind: 'failed', error: packError(error) };
    await sendToParent(failed);
  } else {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  }
  process.exit(1);
}

/** A parent's end of the channel to a child, as `ChildProcess` has it. */
interface ChildEnd {
  readonly connected: boolean;
  send(message: object, callback: (error: Error | null) => void): boolean;
}

/** Sends a child a message, where it still listens. Never throws, and no failure of it is an `error` of the child. */
export function sendToChild(child: ChildEnd | undefined, message: object): void {
  if (child?.connected === true) child.send(message, () => undefined);
}

/** A child that is started for one answer, as `ChildProcess` has it. */
interface AnsweringChild {
  on(event: 'message' | 'exit' | 'disconnect' | 'error', listener: (first: unknown, second: unknown) => void): unknown;
  kill(signal: 'SIGKILL'): unknown;
}

/** What a child came to. */
export interface ChildAnswer {
  /** The last message that it sent: a `ReinError` where it gave up, `undefined` where it sent none. To be checked. */
  readonly answer: unknown;
  /** How it ended, as `howEnded` has it. */
  readonly how: string;
  /** It had its time, and was killed. */
  readonly isLate: boolean;
}

/**
 * The answer of a child, once it has ended and all that it sent has come. It is killed after `limitMs`, which begin anew with each message
 * that `isProgress` knows. Rejects with the `error` of one that cannot run or is aborted.
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

/** How a process ended, for people: by its own code, or by a signal. */
export function howEnded(code: unknown, signal: unknown): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}

/** Why the child that sent `message` gives up; `undefined` where it is another message, or none at all. */
export function failureIn(message: unknown): ReinError | undefined {
  const { kind, error } = asObject(message) ?? {};
  const packed = kind === 'failed' ? asObject(error) : undefined;
  if (typeof packed?.['kind'] !== 'string' || typeof packed['message'] !== 'string') return undefined;
  const remedy = typeof packed['remedy'] === 'string' ? packed['remedy'] : undefined;
  return unpackError({ kind: packed['kind'] as ErrorKind, message: packed['message'], remedy });
}
