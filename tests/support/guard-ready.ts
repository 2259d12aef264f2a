/** Waits until a guard's process has opened its robot. */
import type { ChildProcess } from 'node:child_process';

export function guardReady(guard: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    guard.on('message', (message: { readonly kind?: string }) => {
      if (message.kind === 'ready') resolve();
    });
    guard.once('exit', () => reject(new Error('the guard ended before it was ready')));
  });
}
