/** A phase switch, through `rein sim`: the base policy brings the tool near the goal, the learned one acts from there. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseMetrics, RUN_FILES } from '../../src/record/index.ts';
import { chunkPolicy } from '../support/base-policies.ts';
import { TINY, transitionsOf } from '../support/rein.ts';
import { reinHere } from '../support/rein-here.ts';

const WITHIN_M = 0.12;
const SCALE_M = 0.2;
let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'rein-phase-'));
  // A tenth of what it sees, which is the way to the goal: a base that knows where to go, and is slow.
  writeFileSync(join(dir, 'base.onnx'), chunkPolicy({ inputShape: [1, 3], outputShape: [1, 3], bias: 0 }));
  const overlay = TINY.replace(/^ {2}operator: .*\n/m, '')
    .replace('demonstrations: 4', 'demonstrations: 1')
    .replace('minimumSteps: 150', 'minimumSteps: 40');
  writeFileSync(join(dir, 'tiny.yaml'), overlay);
  const reach = readFileSync(new URL('../../config/tasks/reach.yaml', import.meta.url), 'utf8');
  const task = reach.replace('maxSteps: 50', 'maxSteps: 40').concat(`
basePolicy: { file: base.onnx, inputs: [{ name: observation.state, fields: [goal_from_tool] }] }
phaseSwitch:
  all:
    - { rule: near, place: tool, to: goal, withinM: ${WITHIN_M} }
  forSteps: 2
`);
  writeFileSync(join(dir, 'phased.yaml'), task);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it('lets the base policy drive alone until the rule holds, and the learned policy from there, said of each step and in the report', async () => {
  const size = ['--steps', '60', '--eval-episodes', '1', '--seed', '2'];
  const { code, stderr } = await reinHere(
    ['sim', '--task', './phased.yaml', '--config', 'tiny.yaml', '--out', 'run', '--quiet', ...size],
    dir,
  );
  expect([0, 1], stderr).toContain(code);
  const steps = transitionsOf(join(dir, 'run'));
  expect(steps.filter(({ source }) => source === 'demo').every(({ isBasePhase }) => !isBasePhase)).toBe(true);
  const own = steps.filter(({ source }) => source !== 'demo');
  const base = own.filter(({ isBasePhase }) => isBasePhase);
  expect(base.length).toBeGreaterThan(5);
  expect(own.length - base.length).toBeGreaterThan(5);
  const farM = (t: (typeof own)[number]): number => SCALE_M * Math.hypot(...t.observation.slice(9, 12));
  let near = 0;
  for (const [i, t] of own.entries()) {
    const before = own[i - 1];
    near = t.step === 0 ? 0 : near;
    near = farM(t) <= WITHIN_M ? near + 1 : 0;
    const wasBase = t.step === 0 || before!.isBasePhase;
    expect(t.isBasePhase).toBe(wasBase && near < 2);
    // The base's own action, and no weights; then the learned ones.
    if (t.isBasePhase) expect([...t.policyAction]).toEqual([...t.observation.slice(-3)]);
    expect(t.policyVersion > 0).toBe(!t.isBasePhase);
    if (t.step > 0) expect(t.segment !== before!.segment).toBe(before!.isBasePhase !== t.isBasePhase);
  }
  const { records } = parseMetrics(readFileSync(join(dir, 'run', RUN_FILES.metrics), 'utf8'));
  const episodes = records.flatMap((each) => (each.kind === 'episode' && each.purpose === 'training' ? [each] : []));
  expect(episodes.some(({ basePhase }) => basePhase?.endedBy === 'rule')).toBe(true);
  const report = readFileSync(join(dir, 'run', 'report.html'), 'utf8');
  expect(report).toMatch(/The base policy drove in \d+(\.\d+)?\s?% of the steps/);
}, 60_000);
