/**
 * A whole robot as it is started: simulated arm, guard with its two ROS processes, supervisor and node. Start-up time, and
 * the cost of its processes while the node is active.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SystemClock } from '../../src/model/index.ts';
import { Children } from './children.ts';
import { NodeClient } from './node-client.ts';
import { cpuPercent, type ProcessCost, processTree } from './processes.ts';
import { slopeOf } from './samples.ts';

export interface SystemResult {
  /** Time from the start of the node's program to each state, s. Excludes `launch` itself. */
  readonly unconfiguredS: number;
  readonly activeS: number;
  readonly seconds: number;
  readonly processes: readonly SystemProcess[];
}

export interface SystemProcess {
  readonly name: string;
  /** Average share of one core. */
  readonly cpuPercent: number;
  readonly rssMb: number;
  /** Least squares over the last four fifths of the time; meaningful from some minutes on. */
  readonly rssSlopeMbPerHour: number;
}

const UP_MS = 30_000;
const SAMPLE_S = 5;
/** Share of the time in which memory is still filling up. */
const WARM_SHARE = 0.2;
const SIM_IS_UP = /Ctrl\+C ends it/;

/** Starts everything, and observes it for `seconds` once it is active. */
export async function measureSystem(seconds: number, onMinute: (minute: number) => void): Promise<SystemResult> {
  const children = new Children();
  const folder = mkdtempSync(join(tmpdir(), 'rein-bench-'));
  children.atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const clock = new SystemClock();
  let client: NodeClient | undefined;
  try {
    await children.program('packages/emulate/dist/ros/sim-main.js', ['--ros-args', '-p', 'robot:=arm6-ros'], SIM_IS_UP);
    client = await NodeClient.open();
    const startS = clock.nowS();
    const parameters = ['robot:=arm6-ros', 'operator:=twist', `out:=${join(folder, 'run')}`];
    await children.program(
      'dist/ros/node-main.js',
      ['--ros-args', ...parameters.flatMap((given) => ['-p', given])],
      /^/,
    );
    await client.reached('unconfigured', UP_MS);
    const unconfiguredS = clock.nowS() - startS;
    await client.transition('configure');
    await client.transition('activate');
    await client.reached('active', UP_MS);
    const activeS = clock.nowS() - startS;
    const samples = await watch(seconds, onMinute);
    return { unconfiguredS, activeS, seconds, processes: describe(samples) };
  } finally {
    await client?.close();
    await children.end();
  }
}

interface Sample {
  readonly atS: number;
  readonly costs: readonly ProcessCost[];
}

async function watch(seconds: number, onMinute: (minute: number) => void): Promise<Sample[]> {
  const clock = new SystemClock();
  const startS = clock.nowS();
  const samples: Sample[] = [];
  for (let minute = 0; ; ) {
    const atS = clock.nowS() - startS;
    samples.push({ atS, costs: processTree(process.pid) });
    if (atS >= seconds) return samples;
    if (atS >= 60 * (minute + 1)) onMinute(++minute);
    await delay(1e3 * Math.min(SAMPLE_S, Math.max(0.05, seconds - atS)));
  }
}

function describe(samples: readonly Sample[]): SystemProcess[] {
  const first = samples[0]!;
  const last = samples[samples.length - 1]!;
  const shares = cpuPercent(first.costs, last.costs, last.atS - first.atS);
  const warm = samples.filter(({ atS }) => atS >= WARM_SHARE * last.atS);
  return last.costs.map(({ pid, name, rssMb }) => {
    const own = warm.flatMap(({ atS, costs }) => {
      const cost = costs.find((one) => one.pid === pid);
      return cost === undefined ? [] : [{ atS, rssMb: cost.rssMb }];
    });
    const perS = slopeOf(
      own.map(({ atS }) => atS),
      own.map((one) => one.rssMb),
    );
    return { name, cpuPercent: shares[name] ?? Number.NaN, rssMb, rssSlopeMbPerHour: 3600 * perS };
  });
}
