/** Tasks that their files describe, through `rein sim`: shown by their scripts, trained a little, judged, and drawn. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadReportData } from '../../src/monitor/report.ts';
import type { RunSummary } from '../../src/record/index.ts';
import { IS_LONG } from '../support/long.ts';
import { TINY, transitionsOf } from '../support/rein.ts';
import { reinHere } from '../support/rein-here.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'rein-described-'));
  const overlay = TINY.replace(/^ {2}operator: .*\n/m, '').replace('demonstrations: 4', 'demonstrations: 1');
  writeFileSync(join(dir, 'tiny.yaml'), overlay);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

// One without things is trained in sim-reset.test.ts, too.
describe.each([...(IS_LONG ? [['reach', []] as const] : []), ['push', ['mark', 'block']] as const])(
  'rein sim --task %s',
  (task, things) => {
    it('shows, trains, judges and draws it, and its pictures hold what is beside the robot', async () => {
      const size = ['--steps', '30', '--eval-episodes', '1', '--seed', '2'];
      const files = ['--config', 'tiny.yaml', '--out', task, '--json', `${task}.json`, '--quiet'];
      const { code } = await reinHere(['sim', '--task', task, ...files, ...size], dir);
      // So few steps need not reach the target.
      expect([0, 1]).toContain(code);
      const summary: RunSummary = JSON.parse(readFileSync(join(dir, `${task}.json`), 'utf8'));
      expect(summary.safety.violations).toBe(0);
      const steps = transitionsOf(join(dir, task));
      const shown = steps.filter(({ source }) => source === 'demo');
      // Only what succeeded is kept: it ended with the reward, and nothing before paid.
      expect(shown.at(-1)).toMatchObject({ reward: 1, terminated: true });
      expect(shown.slice(0, -1).some(({ reward, terminated }) => reward !== 0 || terminated)).toBe(false);
      expect(steps.length - shown.length).toBeGreaterThanOrEqual(30);
      const { recordings } = await loadReportData(join(dir, task));
      expect(recordings.length).toBe(2);
      const drawn = recordings[0]!.geoms.map(({ name }) => name);
      expect(drawn).toEqual(expect.arrayContaining(['floor', 'hand', ...things]));
      expect(readFileSync(join(dir, task, 'report.html'), 'utf8')).toMatch(/^<!doctype html>/i);
    }, 60_000);
  },
);

it.runIf(IS_LONG)(
  "rein sim --task pick shows a grasp, and its policy closes, lets be or opens the SO-101's gripper, and nothing between",
  async () => {
    const size = ['--steps', '60', '--eval-episodes', '1', '--seed', '2'];
    const files = ['--config', 'tiny.yaml', '--out', 'pick', '--json', 'pick.json', '--quiet'];
    const { code } = await reinHere(['sim', '--task', 'pick', ...files, ...size], dir);
    expect([0, 1]).toContain(code);
    const summary: RunSummary = JSON.parse(readFileSync(join(dir, 'pick.json'), 'utf8'));
    expect(summary.safety.violations).toBe(0);
    const steps = transitionsOf(join(dir, 'pick'));
    const shown = steps.filter(({ source }) => source === 'demo');
    expect(shown.at(-1)).toMatchObject({ reward: 1, terminated: true });
    // Open on the way, closed from the block on.
    const grasp = shown.findIndex(({ executed }) => executed[3]! < -0.5);
    expect(grasp).toBeGreaterThan(0);
    expect(shown.slice(grasp).every(({ humanAction }) => humanAction[3]! <= 0)).toBe(true);
    const decided = steps.filter(({ source }) => source === 'policy').map(({ policyAction }) => policyAction[3]!);
    expect(decided.length).toBeGreaterThanOrEqual(60);
    for (const command of decided) expect([-1, 0, 1]).toContain(command);
    const moved = steps.filter(({ source }) => source === 'policy').map(({ policyAction }) => policyAction[0]!);
    expect(moved.every((x) => [-1, 0, 1].includes(x))).toBe(false);
  },
  60_000,
);
