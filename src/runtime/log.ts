/** The one way to write a log: JSON lines on standard error, so that standard output stays a person's. */
import { destination, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/**
 * A logger for the process or part `name`. Level from the environment's `REIN_LOG` (trace, debug, info, warn, error,
 * silent; default info). Never used inside a tick.
 */
export function createLogger(name: string): Logger {
  return pino(
    { name, level: process.env['REIN_LOG'] ?? 'info', timestamp: pino.stdTimeFunctions.isoTime },
    destination({ dest: 2, sync: true }),
  );
}
