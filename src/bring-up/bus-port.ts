/** Serial port of this process, for work between ticks: opened, locked, and closed again. */

import {
  adapterOf,
  DescriptorLine,
  holdPort,
  type LineSettings,
  type LineWarning,
  latencyTimerMs,
  type SerialLine,
  ServoBus,
  type ServoProtocol,
} from '../drivers/serial.ts';
import { type Clock, ReinError, SystemClock } from '../model/index.ts';

export interface BusPort {
  readonly line: SerialLine;
  /** Identity that a calibration is bound to (`adapterOf`). */
  readonly adapter: string;
  /** Time within which a servo answers at this port, s. */
  readonly answerS: number;
  /** Warning to show to the user. */
  readonly warning: LineWarning | undefined;
  close(): Promise<void>;
}

/** Rejects with `ReinError('driver')` that names the problem and its remedy. Replaced in tests. */
export type OpenBusPort = (settings: LineSettings) => Promise<BusPort>;

const ANSWER_S = 0.006;
/** Minimum time to wait for an answer, s: of an id that may be unused, and of an existing servo, which a busy machine delays. */
const PATIENCE_S = { brisk: 0, unhurried: 0.3 } as const;

export type AnswerPace = keyof typeof PATIENCE_S;

/** Works on a process's main thread only. */
export const openBusPort: OpenBusPort = async (settings) => {
  const held = await holdPort(settings);
  try {
    const clock: Clock = new SystemClock();
    const line = new DescriptorLine(held, clock);
    return {
      line,
      // From the requested path: a link may carry the serial number.
      adapter: adapterOf(settings.path ?? held.path),
      answerS: ANSWER_S + (latencyTimerMs(held.path) ?? 0) / 1e3,
      warning: held.warning,
      close: async () => {
        line.close();
        await held.close();
      },
    };
  } catch (error) {
    await held.close();
    throw error;
  }
};

/** Opens the port, calls `work` with it, and closes it in any case. */
export async function withPort<T>(
  open: OpenBusPort,
  settings: LineSettings,
  work: (port: BusPort) => Promise<T>,
): Promise<T> {
  const port = await open(settings);
  try {
    return await work(port);
  } finally {
    await port.close();
  }
}

export function busOn(port: BusPort, protocol: ServoProtocol, pace: AnswerPace = 'unhurried'): ServoBus {
  const answerS = Math.max(port.answerS, PATIENCE_S[pace]);
  return new ServoBus({ line: port.line, protocol, answerS });
}

/** Error for a port that has disappeared meanwhile. */
export function lostPort(path: string): ReinError {
  return new ReinError('driver', `${path} is gone: its cable was pulled, or its adapter has lost power.`, {
    remedy: 'Plug it in again, and repeat the command.',
  });
}
