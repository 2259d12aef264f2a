/** A serial port of this process, for work between ticks: opened, locked, and closed again. */
import { type Clock, ReinError, SystemClock } from '../core/index.ts';
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

export interface BusPort {
  readonly line: SerialLine;
  /** What a calibration is bound to (`adapterOf`). */
  readonly adapter: string;
  /** What a servo may take to answer here, s. */
  readonly answerS: number;
  /** What people should know of it. */
  readonly warning: LineWarning | undefined;
  close(): Promise<void>;
}

/** Rejects with `ReinError('driver')` that says what is wrong and what to do. Tests have their own. */
export type OpenBusPort = (settings: LineSettings) => Promise<BusPort>;

const ANSWER_S = 0.006;
/** How long an answer is waited for at least, s: of an id that may be nobody's, and of a servo that is there, which a busy machine makes late. */
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
      // Of the path that was asked for: a link may carry the number.
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

/** Opens the port, does `work` with it, and closes it whatever happens. */
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

/** The port went away meanwhile. */
export function lostPort(path: string): ReinError {
  return new ReinError('driver', `${path} is gone: its cable was pulled, or its adapter has lost power.`, {
    remedy: 'Plug it in again, and repeat the command.',
  });
}
