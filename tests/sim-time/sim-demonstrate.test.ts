/** A person who shows the task at the keyboard of `rein sim`: asked, counted, recorded, given up and skipped. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseMetrics } from '../../src/record/index.ts';
import { IS_LONG } from '../support/long.ts';
import { runInTerminal, whyNoTerminal } from '../support/pty.ts';
import { REIN, rein, TINY, transitionsOf } from '../support/rein.ts';

const why = whyNoTerminal();
if (why !== undefined) console.log(`skipped: demonstrations at a terminal: ${why}`);

/** Straight down is success: a wide hole below the tool, whose place is known. */
const EASY = TINY.replace(
  'task:',
  `task:
  hole: { clearanceM: 0.003, spreadM: 0, yawSpreadRad: 0 }
  estimate: { errorM: 0, heightErrorM: 0, yawErrorRad: 0 }
  start: { spreadM: 0, heightM: 0.01, heightSpreadM: 0, yawSpreadRad: 0 }
  success: { depthM: 0.002 }`,
)
  .replace('initialRate: 0.5', 'initialRate: 0')
  // A person needs longer than the script.
  .replace('maxSteps: 30', 'maxSteps: 80');

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'rein-shown-'));
  writeFileSync(join(dir, 'easy.yaml'), EASY);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe.skipIf(why !== undefined)('a person who is asked for demonstrations', () => {
  it.runIf(IS_LONG)(
    'is told of each and of how to go on, gives some up, and skips the rest; only what succeeded is a demonstration',
    async () => {
      const out = join(dir, 'shown');
      const options = ['--demonstrations', 'keyboard', '--config', join(dir, 'easy.yaml')];
      const command = [
        REIN,
        'sim',
        ...options,
        '--steps',
        '1',
        '--eval-episodes',
        '1',
        '--monitor',
        'off',
        '--out',
        out,
      ];
      const result = await runInTerminal(
        ['env', 'NO_COLOR=1', 'TERM=xterm', 'COLUMNS=140', process.execPath, ...command],
        [
          { expect: 'Show 1 of 4' },
          { sleepS: 0.5 },
          { send: 't' },
          { sleepS: 0.3 },
          // Up is no insertion: this one is given up.
          { hold: 'r', delayS: 0.3, times: 10, periodS: 0.04 },
          { send: 'n' },
          { expect: 'Not kept: it was given up' },
          { sleepS: 0.8 },
          { hold: 'f', delayS: 0.3, times: 90, periodS: 0.04 },
          { expect: 'Show 2 of 4' },
          { sleepS: 0.8 },
          { send: '\r' },
          { expect: 'Rein · training' },
        ],
        60,
      );
      expect(result).toMatchObject({ missing: null, timedOut: false });
      expect(result.output).toContain('Driving: you');
      expect(result.output).toMatch(/to go +-?[\d.]+/);
      const shown = transitionsOf(out).filter(({ source }) => source === 'demo');
      expect(shown.length).toBeGreaterThan(2);
      expect(shown.filter(({ terminated }) => terminated).length).toBeGreaterThanOrEqual(1);
      // What was kept goes down, as the key says.
      expect(shown.filter(({ humanAction }) => humanAction[2]! < 0).length).toBeGreaterThan(shown.length / 2);
      expect(shown.some(({ humanAction }) => humanAction[2]! > 0)).toBe(false);
      const { records } = parseMetrics(readFileSync(join(out, 'metrics.jsonl'), 'utf8'));
      const counted = records.filter((record) => record.kind === 'episode' && record.purpose === 'demonstration');
      expect(counted).toHaveLength(shown.filter(({ terminated }) => terminated).length);
    },
    90_000,
  );
});

it('is not waited for where there is no terminal', async () => {
  const ended = await rein(['sim', '--demonstrations', 'keyboard', '--out', join(dir, 'none')], dir);
  expect(ended.code).toBe(1);
  expect(ended.stderr).toContain('--demonstrations keyboard needs a terminal of its own');
});
