/** Which ports a process listens on: none, in one that can move or stop a robot. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Where process `pid` listens for TCP connections (proc(5)). */
export function tcpListeners(pid: number): string[] {
  const LISTEN = '0A';
  const rows = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').trim().split('\n').slice(1);
  const own = socketsOf(pid);
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter((columns) => columns[3] === LISTEN && own.includes(`socket:[${columns[9]}]`))
    .map((columns) => columns[1]!);
}

function socketsOf(pid: number): string[] {
  const names = readdirSync(`/proc/${pid}/fd`);
  return names.flatMap((name) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${name}`)];
    } catch (error) {
      // Closed meanwhile.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  });
}
