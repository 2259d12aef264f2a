/** The measurements run, and say what they promise to say; how fast a machine is, is no test's business. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CdrBenchResult } from '../../bench/ros/cdr-bench.ts';
import { benchHere, measure } from '../support/bench.ts';

describe('bench cdr', () => {
  it('tells time and garbage of every message, and none of it is left by what is sent at every tick', () => {
    const { text, printed, written } = measure<CdrBenchResult>('cdr', '--seconds', '0.1');
    expect(printed).toEqual(written);
    for (const { name, encodeNs, decodeNs } of written.cases) {
      expect(Math.min(encodeNs, decodeNs)).toBeGreaterThan(0);
      expect(text).toContain(`\n${name} `);
    }
    const [joints] = written.cases;
    expect(joints?.name).toBe('JointState, 6 joints');
    // A heap number here or there is the compiler's affair.
    expect(joints?.encodeGarbageBytes).toBeLessThan(40);
    expect(joints?.decodeGarbageBytes).toBeLessThan(40);
  });
});

describe('the command line', () => {
  it.each(['--help', 'tick --help', 'learner --help', 'cdr --help'])('teaches: %s', async (line) => {
    const { code, stdout } = await benchHere(...line.split(' '));
    expect(code).toBe(0);
    expect(stdout).toContain('$ npm run bench -- ');
  });

  it.each(['nonsense', 'tick --seconds 0', 'learner --calls 0', 'cdr --seconds 0'])('refuses: %s', async (line) => {
    const { code, stderr } = await benchHere(...line.split(' '));
    expect(code).toBe(2);
    expect(stderr).not.toBe('');
  });

  it('says in one sentence that a result cannot be written, before it measures', async () => {
    const file = join(tmpdir(), 'no-such-rein', 'folder.json');
    const { code, stdout, stderr } = await benchHere('learner', '--json', file);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^rein: .*cannot be written.*\n/);
    expect(stdout).toBe('');
  });
});
