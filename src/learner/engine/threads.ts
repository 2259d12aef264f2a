/**
 * How many threads a training session takes and whether they spin while they wait, by what the machine is doing.
 *
 * Measured with 256×256 layers on two cores (twin critics, 20 updates a call): two spinning threads 49 ms, two that sleep
 * 62 ms, one 88 ms on a quiet machine; beside a program on both cores 190, 97 and 91 ms. A spinning thread burns some 40 ms
 * after each call, which a control loop on the same machine misses at its deadlines.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { clamp } from '../../core/index.ts';

/** What a session is given. */
export interface ThreadChoice {
  /** Threads of the runtime for one operation, ≥ 1. */
  readonly threads: number;
  /** Whether they wait in a loop, which saves their waking and takes their cores. */
  readonly spinning: boolean;
}

/** What a machine has and what is taken of it. */
export interface MachineLoad {
  readonly cores: number;
  /** How much of all cores other programs use, [0, 1]. */
  readonly busyShare: number;
  /** A process that controls a robot runs here: its deadlines come first. */
  readonly hasRobot: boolean;
}

/** Cores by which others may be busy on a machine that counts as quiet. */
const QUIET_CORES = 0.15;
/** More threads than this share too little work in layers of a few hundred units. */
const MOST_THREADS = 4;

/** What `asked` comes to on a machine like this. Spinning only where every thread has a core that nobody else uses. */
export function chooseThreads(asked: number | 'auto', { cores, busyShare, hasRobot }: MachineLoad): ThreadChoice {
  const busyCores = cores * clamp(busyShare, 0, 1);
  const free = cores - busyCores - (hasRobot ? 1 : 0);
  // Half a core and more is worth a thread that sleeps when it waits.
  const threads = asked === 'auto' ? clamp(Math.floor(free + 0.5), 1, MOST_THREADS) : asked;
  return { threads, spinning: threads > 1 && !hasRobot && threads <= free + QUIET_CORES };
}

/** The same for this machine as it is now; looks at it for 200 ms, except where one thread is asked for. */
export async function threadsHere(asked: number | 'auto', hasRobot = false): Promise<ThreadChoice> {
  if (asked === 1) return { threads: 1, spinning: false };
  return chooseThreads(asked, await sampleLoad(hasRobot));
}

/** Time of all cores since the machine began, in its own unit. */
interface CoreTimes {
  readonly total: number;
  readonly idle: number;
}

/** What `sampleLoad` reads; tests put numbers of their own in its place. */
export interface LoadSource {
  readonly cores: number;
  /** The first line of `/proc/stat`, or `undefined` where there is none. */
  readonly coreTimes: () => string | undefined;
  /** CPU time of this process so far, s. */
  readonly ownS: () => number;
  readonly nowS: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** How long the machine is watched, ms. */
const WATCH_MS = 200;

/** Watches the machine for 200 ms. Where its times cannot be read (not Linux), it counts as quiet. */
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

/** Fields of `man 5 proc_stat`: user, nice, system, idle, iowait, irq, softirq, steal; the guests' are in user and nice. */
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
