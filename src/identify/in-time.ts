/** Waits for a guard that end where it hangs: one that does is not lost, and nothing else would ever end them. */
import { ReinError } from '../core/index.ts';
import type { GuardLink } from '../guard/index.ts';

/** A guard that is there says something within so long: it ticks every few milliseconds. */
export const SILENCE_MS = 1000;
/** It may take so long over an answer for which a driver makes itself ready. */
export const ANSWER_MS = 10_000;

/** `waited`, or a rejection where it takes longer than `limitMs` in real time. In lock-step, time stands still meanwhile. */
export async function inTime<T>({ shape }: GuardLink, waited: Promise<T>, limitMs: number = SILENCE_MS): Promise<T> {
  if (shape.timing === 'lock-step') return waited;
  let timer: NodeJS.Timeout | undefined;
  const silent = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SilentGuard(limitMs)), limitMs);
  });
  try {
    return await Promise.race([waited, silent]);
  } finally {
    clearTimeout(timer);
  }
}

/** It is of no use to ask such a guard for anything. */
export class SilentGuard extends ReinError {
  constructor(limitMs: number) {
    super('link', `The guard has said nothing for ${limitMs / 1000} s.`, {
      remedy: 'See what holds up the machine or the robot, then begin again.',
    });
  }
}
