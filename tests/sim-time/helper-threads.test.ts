/** Who compiles for the tick: threads that a load on every core does not starve, and not the main thread's work raised with them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const priority = fileURLToPath(new URL('../../dist/guard/priority.js', import.meta.url));
/** Prints what `/proc` has of each thread: whether it is the main one, its real-time priority and its policy (1: SCHED_FIFO). */
const PROGRAM = `
  import { readdirSync, readFileSync } from 'node:fs';
  const { raiseHelperThreads } = await import(process.argv[1]);
  raiseHelperThreads();
  console.log(JSON.stringify(readdirSync('/proc/self/task').map((thread) => {
    const fields = readFileSync('/proc/self/task/' + thread + '/stat', 'utf8').split(') ')[1].split(' ');
    return { isMain: thread === String(process.pid), priority: Number(fields[37]), policy: Number(fields[38]) };
  })));
`;
const mayRaise = spawnSync('chrt', ['-f', '1', 'true']).status === 0;

describe("V8's helper threads", () => {
  it.skipIf(!mayRaise)('are raised, below the tick, and the main thread is not', () => {
    const args = ['--v8-pool-size=1', '--input-type=module', '-e', PROGRAM, priority];
    const threads: { isMain: boolean; priority: number; policy: number }[] = JSON.parse(
      execFileSync(process.execPath, args, { encoding: 'utf8' }),
    );
    const helpers = threads.filter(({ isMain }) => !isMain);
    expect(helpers.length).toBeGreaterThan(0);
    for (const { priority, policy } of helpers) expect({ priority, policy }).toEqual({ priority: 1, policy: 1 });
    expect(threads.filter(({ isMain }) => isMain)).toEqual([{ isMain: true, priority: 0, policy: 0 }]);
  });
});
