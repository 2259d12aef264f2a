/** The only logging facility: JSON lines on standard error, which leaves standard output to the user. */
import { destination, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** Largest memory for lines that could not be written. */
const WAITING_BYTES = 1 << 18;

/**
 * Creates a logger for the process or part `name`. Level from the environment's `REIN_LOG` (trace, debug, info, warn,
 * error, silent; default info). Never used inside a tick.
 */
export function createLogger(name: string): Logger {
  const lines = destination({ dest: 2, sync: true, maxLength: WAITING_BYTES });
  // A full disk must not end the guard: lines wait for room, and beyond that they are lost.
  lines.on('error', () => undefined);
  return pino({ name, level: process.env['REIN_LOG'] ?? 'info', timestamp: pino.stdTimeFunctions.isoTime }, lines);
}
