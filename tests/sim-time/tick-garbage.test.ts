/** What the guard's tick leaves on the heap: next to nothing, since a collection holds the next tick up. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('../support/tick-garbage.js', import.meta.url));
/** As the guard runs, on one thread. */
const FLAGS = ['--single-threaded', '--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'];
/**
 * The clock, the mock and the commands leave about 50, a boxed number is 16: what a loop over joints or links leaves is seen.
 * The chain alone leaves nothing at all, which `npm run bench -- safety` asserts.
 */
const MOST_BYTES = 200;

describe('a tick of the guard', () => {
  // Of the arms, the one with most links that are near each other.
  it('leaves next to no garbage', () => {
    const output = execFileSync(process.execPath, [...FLAGS, script, 'arm7'], { encoding: 'utf8' });
    const { bytesPerTick, state } = JSON.parse(output) as { bytesPerTick: number; state: string };
    expect(state).toBe('active.policy');
    expect(bytesPerTick).toBeLessThan(MOST_BYTES);
  });
});
