/** Tasks that their files describe, through `rein sim`: shown by their scripts, trained a little, judged, and drawn. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadReportData } from '../../src/monitor/index.ts';
import type { RunSummary } from '../../src/record/index.ts';
import { TINY, transitionsOf } from '../support/rein.ts';
import { reinHere } from '../support/rein-here.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'rein-described-'));
  const overlay = TINY.replace(/^ {2}operator: .*\n/m, '')
    .replace('demonstrations: 4', 'demonstrations: 1')
    .replace('episodes: 2', 'episodes: 1');
  writeFileSync(join(dir, 'tiny.yaml'), overlay);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe.each([
  ['reach', []],
  ['push', ['mark', 'block']],
])('rein sim --task %s', (task, things) => {
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
});
