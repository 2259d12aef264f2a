/** Messages between a process and the one that started it. */
import { type PackedError, packError, ReinError } from '../../core/index.ts';
import type { RunRequest } from '../run-request.ts';
import type { RunStatus } from '../status.ts';

/** A child gives up: it would fail in the same way again. */
export interface FailedMessage {
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
  process.on('disconnect', end);
  // A parent that went away before anybody listened for that.
  if (process.send !== undefined && !process.connected) end();
  return {
    ending: ending.signal,
    send: sendToParent,
    close: () => {
      if (process.connected) process.disconnect();
    },
  };
}

/** Sends the parent a message, where there is one. Resolves when it has left this process. */
export function sendToParent(message: { readonly kind: string }): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(message, () => resolve());
  });
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

/** What a node is started with, as JSON in its first argument. */
export interface NodeStart {
  readonly request: RunRequest;
  /** `config.yaml` of the run. */
  readonly configFile: string;
  /** The run's folder: journal and metrics. */
  readonly folder: string;
  /** The learner's run, or the folder's where there is no learner. Absent: whatever the learner says when it answers. */
  readonly runId?: string | undefined;
  /** Where the guard listens. */
  readonly socketPath: string;
  /** When the whole run began, however often its node was started anew: seconds of the machine's monotonic clock. */
  readonly startedAtS: number;
}

/** What the process that holds the terminal hands on to the node. */
export type ToNodeMessage =
  /** What a person typed, base64. */
  | { readonly kind: 'keys'; readonly bytes: string }
  /** The terminal has gone away. */
  | { readonly kind: 'keysLost' };

/** What the node tells the process that started it, besides why it gives up. */
export type LiveNodeMessage =
  | { readonly kind: 'status'; readonly status: RunStatus }
  | { readonly kind: 'print'; readonly line: string };
