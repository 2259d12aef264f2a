/** What a node's process tells the process that started it. */
import { type ErrorKind, ReinError } from '../../core/index.ts';

/** The node gives up: it would fail in the same way again. */
export interface FailedMessage {
  readonly kind: 'failed';
  readonly error: { readonly kind: ErrorKind; readonly message: string; readonly remedy: string | undefined };
}

/** Resolves when the message has left this process: one that was only queued would go with it. */
export function tellParent(message: { readonly kind: string }): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(message, () => resolve());
  });
}

/** Ends this process with code 1: what a person will read goes to the parent, a mistake of ours to standard error. */
export async function endFailed(error: unknown): Promise<never> {
  if (error instanceof ReinError) {
    const { kind, message, remedy } = error;
    const failed: FailedMessage = { kind: 'failed', error: { kind, message, remedy } };
    await tellParent(failed);
  } else {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  }
  process.exit(1);
}
