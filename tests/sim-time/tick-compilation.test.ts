/** What is compiled once a robot is there: little, since compiling the tick holds it up by milliseconds. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { IS_LONG } from '../support/long.ts';

const script = fileURLToPath(new URL('../support/tick-compilation.js', import.meta.url));
const FLAGS = ['--single-threaded', '--no-use-osr', '--trace-opt', '--trace-deopt'];
const MOST_COMPILATIONS = 16;
const MOST_BAILOUTS = 4;

describe('the tick after its warm-up', () => {
  // The latter at the walls of its workspace and beside its own links.
  it.each([['joints', 'arm6'] as const, ...(IS_LONG ? [['tool', 'so101'] as const] : [])])(
    'is compiled already, for objects that it has not seen: %s of %s',
    (moved, robot) => {
      const options = { encoding: 'utf8', maxBuffer: 1 << 28 } as const;
      const output = execFileSync(process.execPath, [...FLAGS, script, robot, moved], options);
      const [before = '', after = ''] = output.split('WARM\n');
      const count = (text: string, what: string): number => text.split(what).length - 1;
      expect(after).toContain('STATE active.policy');
      // Else the flags no longer say what is counted here.
      expect(count(before, '[completed compiling')).toBeGreaterThan(100);
      expect(count(after, '[completed compiling')).toBeLessThan(MOST_COMPILATIONS);
      expect(count(after, '[bailout')).toBeLessThan(MOST_BAILOUTS);
    },
  );
});
