/** Back to where an episode may begin without the simulator, through `rein sim`: by a script, and by a second policy. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resolveConfig } from '../../src/config/index.ts';
import { createSetup } from '../../src/config/setup.ts';
import { Graph } from '../../src/learner/engine/graph.ts';
import { matmul } from '../../src/learner/engine/linear.ts';
import { add, clip } from '../../src/learner/ops/elements.ts';
import { savePolicyFile } from '../../src/policy/index.ts';
import { parseMetrics, RUN_FILES } from '../../src/record/index.ts';
import { IS_LONG } from '../support/long.ts';
import { TINY, transitionsOf } from '../support/rein.ts';
import { reinHere } from '../support/rein-here.ts';

const START_M = [0.42, 0, 0.35];
const SPREAD_M = 0.03;
/** Middle and half of the task's workspace, m: how a tool's place is seen. */
const MIDDLE_M = [0.45, 0, 0.31];
const HALF_M = [0.17, 0.3, 0.21];
const RESETS = {
  script: 'reset: { by: script, waypoints: [{ toolM: [0.42, 0, 0.4] }] }',
  policy: `reset: { by: policy, policy: back, all: [{ rule: inside, place: tool, minM: [0.4, -0.02, 0.33], maxM: [0.44, 0.02, 0.37] }] }`,
} as const;
let dir: string;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'rein-reset-'));
  const overlay = TINY.replace(/^ {2}operator: .*\n/m, '')
    .replace('demonstrations: 4', 'demonstrations: 1')
    .replace('minimumSteps: 150', 'minimumSteps: 40')
    .replace('maxSteps: 30', 'maxSteps: 20');
  writeFileSync(join(dir, 'tiny.yaml'), overlay);
  const reach = readFileSync(new URL('../../config/tasks/reach.yaml', import.meta.url), 'utf8')
    .replace('spreadM: [0.12, 0.2, 0.15]', 'spreadM: [0, 0, 0]')
    .replace('atM: [0.45, 0, 0.35]', 'atM: [0.5, 0.15, 0.3]')
    .replace('spreadM: [0.05, 0.05, 0.05]', `spreadM: [${SPREAD_M}, ${SPREAD_M}, ${SPREAD_M}]`);
  for (const [by, reset] of Object.entries(RESETS)) writeFileSync(join(dir, `${by}.yaml`), `${reach}${reset}\n`);
  await savePolicyFile(join(dir, 'back'), backPolicy(15), manifestOf('script.yaml'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Goes from where the tool is seen to the middle of where it starts. */
function backPolicy(observationSize: number): Uint8Array {
  const gain = 6;
  const weights = new Float32Array(observationSize * 3);
  for (let k = 0; k < 3; k++) weights[k * 3 + k] = -gain;
  const bias = START_M.map((at, k) => (gain * (at - MIDDLE_M[k]!)) / HALF_M[k]!);
  const g = new Graph('back');
  const seen = g.input('observation', [1, observationSize]);
  const way = matmul(seen, g.constant(weights, [observationSize, 3]));
  g.output('action', clip(add(way, g.constant(Float32Array.from(bias), [1, 3])), -1, 1));
  return g.serialize();
}

function manifestOf(task: string) {
  const { observationSize, actionSize, schemaHash } = createSetup(resolveConfig({ task: join(dir, task), seed: 1 }));
  return {
    runId: 'back',
    version: 1,
    parent: 0,
    trainingStep: 0,
    updates: 0,
    schemaHash,
    createdAt: '2026-01-02T03:04:05.000Z',
    observationSize,
    actionSize,
    robot: 'arm7',
    task: 'back',
  };
}

it.each<keyof typeof RESETS>(IS_LONG ? ['script', 'policy'] : ['policy'])(
  'brings the tool back by a %s after each episode, and breaks no limit',
  async (by) => {
    const size = ['--steps', '60', '--eval-episodes', '1', '--seed', '2'];
    const files = ['--config', 'tiny.yaml', '--out', by, '--json', `${by}.json`, '--quiet'];
    const { code, stderr } = await reinHere(['sim', '--task', `./${by}.yaml`, ...files, ...size], dir);
    expect([0, 1], stderr).toContain(code);
    expect(JSON.parse(readFileSync(join(dir, `${by}.json`), 'utf8')).safety.violations).toBe(0);
    const { records } = parseMetrics(readFileSync(join(dir, by, RUN_FILES.metrics), 'utf8'));
    const resets = records.flatMap((each) => (each.kind === 'reset' ? [each] : []));
    const episodes = records.filter((each) => each.kind === 'episode' && each.purpose === 'training');
    expect(episodes.length).toBeGreaterThan(1);
    expect(resets).toHaveLength(episodes.length - 1);
    expect(resets).toEqual(resets.map((each) => ({ ...each, by, isBack: true, setBackBy: null })));
    // Nothing of the way back is recorded, and each episode begins where it ends.
    const begun = transitionsOf(join(dir, by)).filter(({ source, step }) => source !== 'demo' && step === 0);
    expect(begun).toHaveLength(episodes.length);
    for (const { observation } of begun) {
      for (const [k, at] of START_M.entries()) {
        expect(Math.abs(MIDDLE_M[k]! + HALF_M[k]! * observation[k]! - at)).toBeLessThan(SPREAD_M + 0.01);
      }
    }
    expect(readFileSync(join(dir, by, 'report.html'), 'utf8')).toContain(
      `${resets.length} of ${resets.length} ways back`,
    );
  },
  60_000,
);

it.runIf(IS_LONG)(
  'begins no episode that is a success already: the simulator puts it back',
  async () => {
    // Home is where an episode starts, and the script only goes to the goal.
    const reach = readFileSync(join(dir, 'script.yaml'), 'utf8')
      .replace(/^start:\n(?: .*\n)*/m, '')
      .replace(/^reset: .*$/m, 'reset: { by: script, waypoints: [{ toolM: [0.5, 0.15, 0.3] }] }');
    writeFileSync(join(dir, 'there.yaml'), reach);
    const size = ['--steps', '60', '--eval-episodes', '1', '--seed', '2', '--config', 'tiny.yaml', '--out', 'there'];
    const { code, stderr } = await reinHere(['sim', '--task', './there.yaml', '--quiet', ...size], dir);
    expect([0, 1], stderr).toContain(code);
    const { records } = parseMetrics(readFileSync(join(dir, 'there', RUN_FILES.metrics), 'utf8'));
    const resets = records.flatMap((each) => (each.kind === 'reset' ? [each] : []));
    expect(resets.length).toBeGreaterThan(0);
    expect(resets).toEqual(resets.map((each) => ({ ...each, isBack: false, setBackBy: 'simulator' })));
    const training = transitionsOf(join(dir, 'there')).filter(({ source }) => source !== 'demo');
    expect(training.filter(({ step, terminated }) => step === 0 && terminated)).toEqual([]);
  },
  60_000,
);
