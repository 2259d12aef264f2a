/** A lock file that names its process, so that no two processes write in one folder; it becomes void when its process ends. */
import { linkSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { parseObject, ReinError } from '../model/index.ts';
import { isRunning } from './ends-with.ts';
import { storage } from './write-error.ts';

/** A held lock. */
export interface DirectoryLock {
  /** Releases the lock. Safe to call twice. */
  release(): void;
  /** Makes the process `pid` the holder: a child that works under the lock keeps it if this process dies. */
  handTo(pid: number): void;
}

interface Holder {
  readonly pid: number;
  /** Start time of the process in clock ticks since boot, so that a reused process id is not mistaken for the holder. */
  readonly started: string;
}

/**
 * Takes the lock `path` of `what`. Throws `ReinError('storage')` naming both and the process, with `remedy`, if a live
 * process holds it, and `WriteError` if it cannot be written.
 */
export function acquireLock(
  path: string,
  what: string,
  remedy: string = 'stop that process, or choose another folder with --out',
): DirectoryLock {
  return storage(path, () => takeLock(path, what, remedy));
}

function takeLock(path: string, what: string, remedy: string): DirectoryLock {
  const own = holderFor(process.pid);
  const mine = `${path}.${own.pid}`;
  for (let attempt = 0; attempt < 5; attempt++) {
    if (claim(path, mine, JSON.stringify(own))) return held(path, own);
    const holder = readHolder(path);
    if (holder !== undefined && isAlive(holder)) {
      throw new ReinError('storage', `${what} is in use by process ${holder.pid}`, { remedy });
    }
    setAside(path, mine, holder);
  }
  throw new ReinError('storage', `the lock ${path} cannot be taken`, { remedy: `remove ${path} by hand` });
}

/** Id of the live process that holds the lock `path`; `undefined` if there is none. */
export function lockHolder(path: string): number | undefined {
  const holder = readHolder(path);
  return holder !== undefined && isAlive(holder) ? holder.pid : undefined;
}

function held(path: string, own: Holder): DirectoryLock {
  let holder = own;
  return {
    release: () => releaseLock(path, holder),
    handTo: (pid) => {
      holder = holderFor(pid);
      rewrite(path, `${path}.${own.pid}`, JSON.stringify(holder));
    },
  };
}

/** Replaces the file atomically; on a full disk overwrites it in place, padded to the old length. */
function rewrite(path: string, mine: string, content: string): void {
  try {
    writeFileSync(mine, content);
    renameSync(mine, path);
  } catch {
    rmSync(mine, { force: true });
    writeFileSync(path, content.padEnd(readFileSync(path).length), { flag: 'r+' });
  }
}

function holderFor(pid: number): Holder {
  return { pid, started: processStart(pid) ?? 'unknown' };
}

/** Writes the whole content first and links it into place: no process ever reads a half-written lock. */
function claim(path: string, mine: string, content: string): boolean {
  try {
    writeFileSync(mine, content);
    linkSync(mine, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    // On a full disk the file may be empty or missing.
    rmSync(mine, { force: true });
  }
}

/** Moves a dead holder's lock away; if another process has replaced it meanwhile, puts that lock back. */
function setAside(path: string, mine: string, dead: Holder | undefined): void {
  const aside = `${mine}.stale`;
  try {
    renameSync(path, aside);
    const moved = readHolder(aside);
    const isSomebodyElse = moved !== undefined && (moved.pid !== dead?.pid || moved.started !== dead.started);
    if (isSomebodyElse) linkSync(aside, path);
    unlinkSync(aside);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT' && code !== 'EEXIST') throw error; // both mean that another process was faster
  }
}

function releaseLock(path: string, own: Holder): void {
  const holder = readHolder(path);
  if (holder?.pid === own.pid && holder.started === own.started) rmSync(path, { force: true });
}

function readHolder(path: string): Holder | undefined {
  try {
    const { pid, started } = parseObject(readFileSync(path, 'utf8')) ?? {};
    return typeof pid === 'number' && typeof started === 'string' ? { pid, started } : undefined;
  } catch {
    return undefined; // gone or unreadable: no known holder
  }
}

function isAlive(holder: Holder): boolean {
  if (!isRunning(holder.pid)) return false;
  const started = processStart(holder.pid);
  return started === undefined || holder.started === 'unknown' || started === holder.started;
}

/** Field 22 of /proc/PID/stat; `undefined` without /proc. */
function processStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined; // not Linux, or the process has just gone
  }
}
