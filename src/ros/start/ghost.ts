/**
 * Whether a node of our name died without a word: ROS shows it on the graph for some seconds more, and it must not keep
 * its successor from beginning. A file with the process id tells, per user, ROS domain and name.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface NodeMark {
  /** The one before left its mark and is not alive. */
  readonly hasGhost: boolean;
  /** An orderly end leaves no mark. */
  clear(): void;
}

/** Leaves the mark of this process. Without a place for it nobody is a ghost. */
export function leaveMark(fullName: string, domain: string, folder: string = markFolder()): NodeMark {
  const path = join(folder, `${domain}${fullName.replaceAll('/', '-')}.pid`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const before = pidIn(path);
    const isAlive = before !== undefined && before !== process.pid && runs(before);
    // A living one of our name keeps its mark: it is not a ghost, and ROS shows that we are two.
    if (isAlive) return { hasGhost: false, clear: () => undefined };
    writeFileSync(path, String(process.pid));
    return { hasGhost: before !== undefined, clear: () => rmSync(path, { force: true }) };
  } catch {
    return { hasGhost: false, clear: () => undefined };
  }
}

function markFolder(): string {
  return join(tmpdir(), `rein-nodes-${process.getuid?.() ?? 0}`);
}

function pidIn(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined; // there was none
  }
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
