/** Whether this process may use the terminal: a background job that changes its mode is suspended (SIGTTOU). */
import { readFileSync } from 'node:fs';

/** True where standard input and output are a terminal and this process is in its foreground group. */
export function ownsTerminal(
  input: { readonly isTTY?: boolean } = process.stdin,
  output: { readonly isTTY?: boolean } = process.stdout,
  processStat: string | undefined = ownStat(),
): boolean {
  return input.isTTY === true && output.isTTY === true && isInForeground(processStat);
}

/** What `stat` (proc(5), `/proc/self/stat`) says: tpgid, field 8, against pgrp, field 5. Without it: assumed. */
export function isInForeground(stat: string | undefined): boolean {
  if (stat === undefined) return true;
  // The name, field 2, may hold spaces and brackets; state, field 3, follows its last bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [group, terminalGroup] = [fields[2], fields[5]];
  return group === undefined || terminalGroup === undefined || group === terminalGroup;
}

function ownStat(): string | undefined {
  try {
    return readFileSync('/proc/self/stat', 'utf8');
  } catch {
    // No proc file system here.
    return undefined;
  }
}
