/** What `rein sim` leaves behind, whether it repeats, and whether the figure can be had again from the policy's file. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseMetrics, type RunSummary } from '../../src/record/index.ts';
import { IS_LONG } from '../support/long.ts';
import { readMcap } from '../support/mcap.ts';
import { type Ended, endLeftovers, rein, TINY, transitionsOf } from '../support/rein.ts';
import { reinHere } from '../support/rein-here.ts';

let dir: string;
let first: Ended;
let again: Ended;
let other: Omit<Ended, 'signal'>;

/** As many as are shared among two workers. */
const EPISODES = 9;

/** The command line of a run, whose configuration is written. */
function sim(name: string, seed: number, overlay: string, episodes = EPISODES): string[] {
  writeFileSync(join(dir, `${name}.yaml`), overlay);
  const size = ['--steps', '150', '--eval-episodes', String(episodes), '--seed', String(seed)];
  return ['sim', '--config', `${name}.yaml`, '--out', name, '--json', `${name}.json`, '--quiet', ...size];
}

const summaryOf = (name: string): RunSummary => JSON.parse(readFileSync(join(dir, `${name}.json`), 'utf8'));

/** Records without what is told in time: stamps, rates, histograms, and what is on its way between two processes. */
function timelessMetrics(path: string): unknown[] {
  const { records } = parseMetrics(readFileSync(path, 'utf8'));
  return records.flatMap((record) => {
    if (record.kind === 'histogram' || record.kind === 'link') return [];
    const { tS: _, updatesPerS: __, ...timeless } = record as typeof record & { updatesPerS?: number };
    // Where one of two runs would ask for help.
    return [record.kind === 'episode' ? { ...timeless, idleSteps: undefined } : timeless];
  });
}

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'rein-sim-'));
  // The first has the machine to itself, the second does not. The target is no part of what happens, nor is help where nobody may be asked for it: two runs
  // that repeat each other may differ in both.
  // The third, in the long run, has another seed, and no time to train.
  first = await rein([...sim('first', 3, TINY), '--monitor', '127.0.0.1:0'], dir);
  const easy = TINY.replace('task:', 'task:\n  target: { successRate: 0 }\n  help: { by: value, afterSteps: 3 }');
  const hurried = TINY.replace('minimumSteps: 150', 'minimumSteps: 150, timeLimitS: 0.01');
  if (!IS_LONG) return;
  [again, other] = await Promise.all([
    rein([...sim('again', 3, easy), '--monitor', 'off'], dir),
    reinHere(sim('other', 4, hurried, 4), dir),
  ]);
}, 240_000);
afterAll(() => {
  endLeftovers();
  rmSync(dir, { recursive: true, force: true });
});

describe('rein sim', () => {
  it('leaves everything that it promises in the folder of the run', () => {
    const files = ['policy.onnx', 'policy.json', 'config.yaml', 'metrics.jsonl', 'metrics-learner.jsonl'];
    for (const name of [...files, 'summary.json', 'report.html']) {
      expect(existsSync(join(dir, 'first', name)), name).toBe(true);
    }
    expect(readdirSync(join(dir, 'first', 'recordings'))).toEqual(['1-first.json', '2-last.json']);
    expect(readdirSync(join(dir, 'first', 'checkpoints')).length).toBeGreaterThan(0);
    expect(readdirSync(join(dir, 'first')).filter((name) => /\.(new|tmp)$/.test(name))).toEqual([]);
    for (const folder of ['first', 'first/learner']) {
      expect(readdirSync(join(dir, folder)).filter((name) => name.startsWith('events.out.tfevents.'))).toHaveLength(1);
    }
    for (const name of ['metrics.jsonl', 'metrics-learner.jsonl']) {
      const { records, skipped } = parseMetrics(readFileSync(join(dir, 'first', name), 'utf8'));
      expect(skipped).toBe(0);
      expect(records.length).toBeGreaterThan(0);
    }
    expect(readFileSync(join(dir, 'first', 'report.html'), 'utf8')).toMatch(/^<!doctype html>/i);
  });

  it('leaves a trace that the library of the format reads whole: steps, joints, shapes and what was said', async () => {
    const { schemas, messages } = await readMcap(join(dir, 'first', 'trace.mcap'));
    expect(Object.fromEntries(schemas)).toMatchObject({
      '/joints': 'foxglove.JointStates',
      '/scene': 'foxglove.SceneUpdate',
      '/tf': 'foxglove.FrameTransforms',
      '/log': 'foxglove.Log',
    });
    const steps = messages.get('/step')!.length;
    expect(steps).toBeGreaterThan(10);
    for (const topic of ['/frame', '/joints', '/joints/reference', '/tf']) {
      expect([topic, messages.get(topic)!.length]).toEqual([topic, steps]);
    }
    const [{ joints }, { transforms }] = [messages.get('/joints')![0]!, messages.get('/tf')![0]!] as never as [
      { readonly joints: readonly { readonly name: string; readonly position: number }[] },
      { readonly transforms: readonly { readonly child_frame_id: string }[] },
    ];
    expect(joints.map(({ position }) => Number.isFinite(position))).toEqual(joints.map(() => true));
    // All shapes stand in frames that something moves.
    const frames = ['base', ...transforms.map(({ child_frame_id }) => child_frame_id)];
    const { entities } = messages.get('/scene')![0] as never as {
      readonly entities: readonly { readonly frame_id: string }[];
    };
    expect(frames).toEqual(expect.arrayContaining(entities.map(({ frame_id }) => frame_id)));
    expect(entities.length).toBeGreaterThan(2 * joints.length - 2);
    expect(messages.get('/run')!.length).toBeGreaterThan(0);
    expect(messages.get('/episode')!.length).toBeGreaterThan(2);
  });

  it('writes a summary with every key that scripts rely on, the same beside the report and where --json says', () => {
    const summary = summaryOf('first');
    expect(JSON.parse(readFileSync(join(dir, 'first', 'summary.json'), 'utf8'))).toEqual(summary);
    const number = expect.any(Number);
    expect(summary).toMatchObject({
      success_rate: number,
      eval_episodes: EPISODES,
      env_steps: number,
      updates: number,
      utd: number,
      updates_per_s: number,
      interventions: number,
      intervention_steps: number,
      wall_s: number,
      seed: 3,
      safety: { violations: 0, changed_ticks: number, ticks: number, restarts: number },
      link: { sent: number, acked: number, duplicated: 0, lost: 0 },
      policy_version: number,
      successes_per_hour: number,
      training_successes_per_hour: number,
      human_step_share: summary.intervention_steps / summary.env_steps,
    });
  });

  it('tells successes per hour and the human share of steps beside success, in its last words and in its report', () => {
    const work =
      /work {6}\d+(\.\d)? successes an hour in training, \d+(\.\d)? in evaluation .*; \d+\.\d % of the training steps by people/;
    expect(first.stdout).toMatch(work);
    const report = readFileSync(join(dir, 'first', 'report.html'), 'utf8');
    expect(report).toContain('Successes per hour');
    expect(report).toMatch(/successes an hour, resets included; \d+\.\d % of the steps by people/);
  });

  it('sends every transition of its journal once, and does every update that they pay for', () => {
    const { link, env_steps, updates, interventions, intervention_steps } = summaryOf('first');
    const journal = transitionsOf(join(dir, 'first'));
    const online = journal.filter(({ source }) => source !== 'demo');
    expect(link).toEqual({ sent: journal.length, acked: journal.length, duplicated: 0, lost: 0 });
    expect(online).toHaveLength(env_steps);
    expect(updates).toBe(4 * (env_steps - 100));
    expect(online.filter(({ source }) => source !== 'policy')).toHaveLength(intervention_steps);
    const { records } = parseMetrics(readFileSync(join(dir, 'first', 'metrics.jsonl'), 'utf8'));
    const episodes = records.flatMap((r) => (r.kind === 'episode' && r.purpose === 'training' ? [r] : []));
    expect(episodes.reduce((sum, e) => sum + e.steps, 0)).toBe(env_steps);
    expect(episodes.reduce((sum, e) => sum + e.interventions, 0)).toBe(interventions);
  });

  it('ends with 1 and the reason where the target is missed, with 0 where it is met', () => {
    expect(first.code).toBe(1);
    expect(first.stderr).toMatch(/^rein: target missed: success was \d+\.\d %, the target is 97\.0 %\n$/);
    if (IS_LONG) expect(again).toMatchObject({ code: 0, stderr: '' });
  });

  it.runIf(IS_LONG)('repeats itself with the same seed, transition for transition', () => {
    expect(transitionsOf(join(dir, 'again'))).toEqual(transitionsOf(join(dir, 'first')));
    const { env_steps, updates, success_rate, policy_version, safety } = summaryOf('first');
    expect(summaryOf('again')).toMatchObject({ env_steps, updates, success_rate, policy_version, safety });
    const [a, b] = ['first', 'again'].map((name) => readFileSync(join(dir, name, 'recordings', '2-last.json'), 'utf8'));
    expect(b).toBe(a);
  });

  it.runIf(IS_LONG)(
    'learns the same policy to the bit and writes the same metrics, but for times, however busy the machine',
    () => {
      const [a, b] = ['first', 'again'].map((name) => readFileSync(join(dir, name, 'policy.onnx')));
      expect(b!.equals(a!)).toBe(true);
      const [c, d] = ['first', 'again'].map((name) => JSON.parse(readFileSync(join(dir, name, 'policy.json'), 'utf8')));
      for (const key of ['version', 'updates', 'trainingStep']) expect(d[key], key).toBe(c[key]);
      for (const file of ['metrics.jsonl', 'metrics-learner.jsonl']) {
        const [x, y] = ['first', 'again'].map((name) => timelessMetrics(join(dir, name, file)));
        expect(y!.length).toBeGreaterThan(0);
        expect(y).toEqual(x);
      }
    },
  );

  it.runIf(IS_LONG)(
    'would ask for help by its progress where its task says by value, and says so: when values come depends on the machine',
    async () => {
      const { messages } = await readMcap(join(dir, 'again', 'trace.mcap'));
      expect(JSON.stringify(messages.get('/log'))).toContain('asks for help by its progress, not by value');
      expect(readFileSync(join(dir, 'again', 'config.yaml'), 'utf8')).toMatch(
        /help:\n\s+by: progress\n\s+afterSteps: 3/,
      );
    },
  );

  it.runIf(IS_LONG)(
    'trains no more where a person gave it a time that is over already, judges what it has, and says so',
    () => {
      expect(other.stdout).toContain('ended by  the time that it was given; without --time-limit');
      expect(summaryOf('other')).toMatchObject({ ended_by: 'wall', env_steps: 0, eval_episodes: 4 });
      expect(summaryOf('first').ended_by).toMatch(/^(steps|confirmed)$/);
    },
  );

  it.runIf(IS_LONG)('does something else with another seed', () => {
    expect(other.code).toBe(1);
    const [a, b] = ['first', 'other'].map((name) => transitionsOf(join(dir, name))[0]!);
    expect([...b!.observation]).not.toEqual([...a!.observation]);
  });
});

describe('rein eval', () => {
  it('finds the same success on the same episodes, from the file of the policy alone', async () => {
    const ended = await reinHere(['eval', '--policy', 'first/policy.onnx', '--json', 'eval.json'], dir);
    const summary = summaryOf('first');
    const result = JSON.parse(readFileSync(join(dir, 'eval.json'), 'utf8'));
    const { success_rate, successes_per_hour } = summary;
    expect(result).toMatchObject({ success_rate, successes_per_hour, human_step_share: 0, eval_episodes: EPISODES });
    expect(ended.stdout).toMatch(/\d successes an hour, resets included; 0\.0 % of the steps/);
    const { records } = parseMetrics(readFileSync(join(dir, 'first', 'metrics.jsonl'), 'utf8'));
    const evaluation = records.find((record) => record.kind === 'evaluation');
    expect(evaluation).toMatchObject({ successes: result.successes, meanSteps: result.mean_steps });
    expect(ended.code).toBe(1);
    const twice = ['--policy', 'first/policy.onnx', '--against', 'first', '--episodes', '2', '--json', 'both.json'];
    const compared = await reinHere(['eval', ...twice], dir);
    expect(compared.code).toBe(0);
    expect(compared.stdout).toContain('They cannot be told apart');
    const both = JSON.parse(readFileSync(join(dir, 'both.json'), 'utf8'));
    expect(both).toMatchObject({ eval_episodes: 2, difference: 0, pairs: { onlyFirst: 0, onlySecond: 0 } });
  });
});
