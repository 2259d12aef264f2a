/** Core time and memory of the processes of a measurement, from the kernel's tables. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** The kernel's clock ticks per second, the unit of core time; 100 on every Linux that Node runs on. */
const TICKS_PER_S = 100;
const PAGE_BYTES = 4096;

export interface ProcessCost {
  readonly pid: number;
  /** Name of its script, e.g. `bridge-main`. */
  readonly name: string;
  /** Core time since its start, s. */
  readonly cpuS: number;
  readonly rssMb: number;
}

/** Returns process `root` and all its descendants. */
export function processTree(root: number): ProcessCost[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? []);
  const found: ProcessCost[] = [];
  const wanted = [root];
  for (let pid = wanted.pop(); pid !== undefined; pid = wanted.pop()) {
    const own = all.find((one) => one.pid === pid);
    if (own !== undefined) found.push(own);
    wanted.push(...all.filter((one) => one.parent === pid).map((one) => one.pid));
  }
  return found;
}

/** Share of one core used by each process between `before` and `after`, by name, %. */
export function cpuPercent(
  before: readonly ProcessCost[],
  after: readonly ProcessCost[],
  elapsedS: number,
): Record<string, number> {
  const shares: Record<string, number> = {};
  for (const { pid, name, cpuS } of after) {
    const began = before.find((one) => one.pid === pid)?.cpuS ?? 0;
    shares[name] = (shares[name] ?? 0) + (100 * (cpuS - began)) / elapsedS;
  }
  return shares;
}

function readProcess(pid: number): (ProcessCost & { readonly parent: number }) | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in parentheses and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    const cpuS = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
    const rssMb = (Number(fields[21]) * PAGE_BYTES) / 1e6;
    return { pid, parent: Number(fields[1]), name: nameOf(args), cpuS, rssMb };
  } catch {
    // The process ended meanwhile.
    return undefined;
  }
}

function nameOf(args: readonly string[]): string {
  const script = args.find((arg) => arg.endsWith('.js'));
  return basename(script ?? args[0] ?? '').replace(/\.js$/, '');
}
