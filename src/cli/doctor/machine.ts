/** Checks of the machine itself: Node, cores, rights, ports, disk. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { DEFAULT_LEARNER_ADDRESS } from '../learn.ts';
import type { DoctorCheck, Finding } from './check.ts';

const MIB = 1024 * 1024;

/** Free disk space that a run may need, and the least with which one should be started. */
const WANTED_MIB = 1024;
const NEEDED_MIB = 100;

/** Checks of this file. `folder`: the folder that runs are written to. */
export function machineChecks(folder: string): readonly DoctorCheck[] {
  return [
    { name: 'node', whenBroken: 'fail', run: async () => node(process.versions.node) },
    { name: 'cores', whenBroken: 'warn', run: async () => cores(availableParallelism()) },
    { name: 'real time', whenBroken: 'warn', run: async () => realTime() },
    { name: 'learner ports', whenBroken: 'warn', run: () => learnerPorts() },
    { name: 'runs folder', whenBroken: 'fail', run: async () => writable(folder) },
    { name: 'disk', whenBroken: 'warn', run: () => disk(folder) },
  ];
}

/** `bin/rein.js` refuses older versions before this can run. */
function node(version: string): Finding {
  return { status: 'ok', detail: `version ${version}` };
}

/** Robot and learner need a core each. */
export function cores(count: number): Finding {
  if (count >= 2) return { status: 'ok', detail: `${count}` };
  return {
    status: 'warn',
    detail: 'one core: robot and learner share it, training is slow',
    remedy: 'give this machine two cores',
  };
}

/** Tries to start a process with real-time priority, as the tick's thread requests it. */
function realTime(): Finding {
  const run = spawnSync('chrt', ['-f', '50', process.execPath, '--version'], { timeout: 10_000 });
  if (run.status === 0) return { status: 'ok', detail: 'the tick may have real-time priority (SCHED_FIFO)' };
  const why = run.error === undefined ? 'this user may not use SCHED_FIFO' : 'chrt is not installed';
  const remedy =
    run.error === undefined
      ? 'add "@realtime - rtprio 99" to /etc/security/limits.d/realtime.conf and this user to the group realtime'
      : 'install util-linux';
  return {
    status: 'warn',
    detail: `${why}: ticks will be late more often on a busy machine; simulation does not need it`,
    remedy,
  };
}

/** `rein learn` uses its port for transitions and the next one for weights. */
async function learnerPorts(): Promise<Finding> {
  const first = Number(DEFAULT_LEARNER_ADDRESS.split(':').at(-1));
  const findings = await Promise.all([portFree(first), portFree(first + 1)]);
  const taken = findings.find((finding) => finding.status !== 'ok');
  return taken ?? { status: 'ok', detail: `${first} and ${first + 1} are free` };
}

/** Checks that TCP port `port` is free on this machine's loopback. */
export async function portFree(port: number): Promise<Finding> {
  const server = createServer();
  const code = await new Promise<string | undefined>((done) => {
    server.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => done(undefined)));
  });
  if (code === undefined) return { status: 'ok', detail: `${port} is free` };
  const remedy = `end the program that uses it, or give rein learn another --bind`;
  return { status: 'warn', detail: `port ${port} on 127.0.0.1 cannot be used (${code})`, remedy };
}

/** Checks that a folder can be created below `folder`, or where it will be created. */
export function writable(folder: string): Finding {
  const parent = existing(folder);
  try {
    rmdirSync(mkdtempSync(join(parent, '.rein-doctor-')));
    return { status: 'ok', detail: `${folder} can be written` };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
    return {
      status: 'fail',
      detail: `${parent} cannot be written (${code})`,
      remedy: 'start rein elsewhere, or give it --out',
    };
  }
}

async function disk(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(existing(folder));
  return diskFinding((bavail * bsize) / MIB);
}

export function diskFinding(freeMib: number): Finding {
  const detail = `${freeMib >= 1024 ? `${(freeMib / 1024).toFixed(1)} GiB` : `${Math.floor(freeMib)} MiB`} free`;
  if (freeMib >= WANTED_MIB) return { status: 'ok', detail };
  const remedy = 'remove old folders in runs/';
  return {
    status: freeMib < NEEDED_MIB ? 'fail' : 'warn',
    detail: `${detail}; a run may need ${WANTED_MIB} MiB`,
    remedy,
  };
}

/** Returns `folder`, or its nearest existing ancestor. */
function existing(folder: string): string {
  let path = resolve(folder);
  while (!existsSync(path) && dirname(path) !== path) path = dirname(path);
  return path;
}
