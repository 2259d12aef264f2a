import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { reportBody, reportLine } from './report.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-report-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const EPISODE = { kind: 'episode', tS: 5, envStep: 40, episode: 0, purpose: 'training', success: true, steps: 40 };
const COSTS = { returnSum: 1, interventions: 1, interventionSteps: 10, filterShare: 0, tankDrainJ: 0, marginMin: 1 };

it('writes the page of a live run, which has no summary, and of a learner that was stopped', async () => {
  writeFileSync(join(folder, 'config.yaml'), 'run:\n  command: run\n  task: insert\n');
  writeFileSync(join(folder, 'metrics.jsonl'), `${JSON.stringify({ ...EPISODE, ...COSTS, policyVersion: 3 })}\n`);
  expect(await reportBody({ run: folder })).toBe(0);
  const page = readFileSync(join(folder, 'report.html'), 'utf8');
  expect(page).toContain('<h1>');
  expect(page).not.toContain('ended before its evaluation');
  expect(page).toMatch(/1 of 1 training episodes succeeded/);
  expect(page).toMatch(/25\.0 % of the steps by people or the script/);
});

it('refuses a folder that is no run, and one that is not there', async () => {
  await expect(reportBody({ run: folder })).rejects.toThrow('holds no run');
  await expect(reportBody({ run: join(folder, 'gone') })).rejects.toThrow('is not a folder that can be read');
});

it('says what is in the way of the page', async () => {
  writeFileSync(join(folder, 'config.yaml'), 'run:\n  command: run\n  task: insert\n');
  mkdirSync(join(folder, 'report.html.new'));
  await expect(reportBody({ run: folder })).rejects.toMatchObject({
    name: 'ReinError',
    message: `${join(folder, 'report.html')} cannot be written: there is a folder where a file is needed.`,
  });
});

it('keeps a run from failing for its report', async () => {
  const gone = join(folder, 'gone');
  const line = await reportLine(gone);
  expect(line).toBe(`  report not written: ${gone} is not a folder that can be read; try: rein report ${gone}`);
});
