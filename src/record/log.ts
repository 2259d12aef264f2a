/** The one way to write a log: JSON lines on standard error, so that standard output stays a person's. */
import { destination, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** Lines that could not be written wait in so much memory at most. */
const WAITING_BYTES = 1 << 18;

/**
 * A logger for the process or part `name`. Level from the environment's `REIN_LOG` (trace, debug, info, warn, error,
 * silent; default info). Never used inside a tick.
 */
export function createLogger(name: string): Logger {
  const lines = destination({ dest: 2, sync: true, maxLength: WAITING_BYTES });
  // A full disk must not end the guard: lines wait for room, and beyond that they are lost.
  lines.on('error', () => undefined);
  return pino({ name, level: process.env['REIN_LOG'] ?? 'info', timestamp: pino.stdTimeFunctions.isoTime }, lines);
}
