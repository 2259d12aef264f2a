/**
 * Number of threads of a training session, and whether they spin while waiting, depending on the machine's load.
 *
 * Measured with 256×256 layers on two cores (twin critics, 20 updates a call): two spinning threads 49 ms, two sleeping
 * 62 ms, one 88 ms on an idle machine; beside a program on both cores 190, 97 and 91 ms. A spinning thread burns some 40 ms
 * after each call, which makes a control loop on the same machine miss its deadlines.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { clamp } from '../../model/index.ts';

/** Threads of a session. */
export interface ThreadChoice {
  /** Threads of the runtime for one operation, ≥ 1. */
  readonly threads: number;
  /** True if waiting threads spin, which saves the wake-up time but occupies their cores. */
  readonly spinning: boolean;
}

/** Cores of a machine and their load. */
export interface MachineLoad {
  readonly cores: number;
  /** Fraction of all cores used by other programs, [0, 1]. */
  readonly busyShare: number;
  /** A process that controls a robot runs here: its deadlines take precedence. */
  readonly hasRobot: boolean;
}

/** Largest load by other programs, in cores, of a machine that counts as idle. */
const QUIET_CORES = 0.15;
/** With more threads, each has too little work in layers of a few hundred units. */
const MOST_THREADS = 4;

/** Resolves `asked` for a machine with this load. Threads spin only if each has an otherwise idle core. */
export function chooseThreads(asked: number | 'auto', { cores, busyShare, hasRobot }: MachineLoad): ThreadChoice {
  const busyCores = cores * clamp(busyShare, 0, 1);
  const free = cores - busyCores - (hasRobot ? 1 : 0);
  // From half a free core on, another thread that sleeps while waiting is worthwhile.
  const threads = asked === 'auto' ? clamp(Math.floor(free + 0.5), 1, MOST_THREADS) : asked;
  return { threads, spinning: threads > 1 && !hasRobot && threads <= free + QUIET_CORES };
}

/** Same for this machine, after watching its load for 200 ms unless one thread is requested. */
export async function threadsHere(asked: number | 'auto', hasRobot = false): Promise<ThreadChoice> {
  if (asked === 1) return { threads: 1, spinning: false };
  return chooseThreads(asked, await sampleLoad(hasRobot));
}

/** Cumulative time of all cores since boot, in clock ticks. */
interface CoreTimes {
  readonly total: number;
  readonly idle: number;
}

/** Data source of `sampleLoad`; replaceable in tests. */
export interface LoadSource {
  readonly cores: number;
  /** First line of `/proc/stat`, or `undefined` if there is none. */
  readonly coreTimes: () => string | undefined;
  /** CPU time of this process so far, s. */
  readonly ownS: () => number;
  readonly nowS: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Sampling time of the load, ms. */
const WATCH_MS = 200;

/** Samples the load for 200 ms. A machine whose times cannot be read (not Linux) counts as idle. */
export async function sampleLoad(hasRobot: boolean, source: LoadSource = thisMachine()): Promise<MachineLoad> {
  const { cores } = source;
  const [before, ownBefore, startS] = [parseTimes(source.coreTimes()), source.ownS(), source.nowS()];
  await source.sleep(WATCH_MS);
  const after = parseTimes(source.coreTimes());
  const elapsed = before === undefined || after === undefined ? 0 : after.total - before.total;
  if (before === undefined || after === undefined || elapsed <= 0) return { cores, busyShare: 0, hasRobot };
  const busy = 1 - (after.idle - before.idle) / elapsed;
  const own = (source.ownS() - ownBefore) / ((source.nowS() - startS) * cores);
  return { cores, busyShare: clamp(busy - own, 0, 1), hasRobot };
}

/** Fields of `man 5 proc_stat`: user, nice, system, idle, iowait, irq, softirq, steal; guest times are part of user and nice. */
function parseTimes(line: string | undefined): CoreTimes | undefined {
  const fields = line
    ?.match(/^cpu\s+(.*)/)?.[1]
    ?.trim()
    .split(/\s+/)
    .map(Number)
    .slice(0, 8);
  if (fields === undefined || fields.length < 5 || !fields.every(Number.isFinite)) return undefined;
  return { total: fields.reduce((sum, n) => sum + n, 0), idle: fields[3]! + fields[4]! };
}

function thisMachine(): LoadSource {
  return {
    cores: availableParallelism(),
    coreTimes: () => {
      try {
        return readFileSync('/proc/stat', 'utf8').split('\n', 1)[0];
      } catch {
        return undefined;
      }
    },
    ownS: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
    nowS: () => performance.now() / 1000,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  };
}
