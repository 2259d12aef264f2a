/** What a driver cannot do between ticks, for those who asked and for the guard's notices. */
import { type GuardNotice, ReinError, withoutFullStop } from '../../core/index.ts';
import type { SerialLine } from './line.ts';

/** The `ReinError` that `act` throws; all else goes on. */
export function refusalOf(act: () => void): ReinError | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (error instanceof ReinError) return error;
    throw error;
  }
}

/** What is wrong and what mends it, as one sentence without its end: a refusal to `prepare`. */
export function refusalText({ message, remedy = '' }: ReinError): string {
  return withoutFullStop(`${message} ${remedy}`.trim());
}

/** What there is to say of a line that was opened, as news. */
export function warningNotice({ warning }: Pick<SerialLine, 'warning'>): GuardNotice | undefined {
  return warning && { level: 'warn', row: 0, ...warning };
}

export function refusalNotice({ message, remedy = '' }: ReinError, row: number): GuardNotice {
  return { level: 'error', row, message, remedy };
}
