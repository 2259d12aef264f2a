import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Agent } from '../../../../src/learner/index.ts';
import { DEFAULT_LEARNER_CONFIG } from '../../../../src/learner/options.ts';
import { readJournal } from '../../../../src/link/index.ts';
import { ReinError } from '../../../../src/model/index.ts';
import { readTrialSpec, TRIAL_FILES, type TrialSpec } from '../../../../src/offline/index.ts';
import { writeTrialSpec } from './spec.ts';
import { runTrial, startTrial } from './trial.ts';
import { readCurve } from './trial-files.ts';
import { TrialParts } from './trial-parts.ts';

const SPEC: TrialSpec = {
  formatVersion: 1,
  environment: { name: 'point', options: {} },
  base: null,
  overseer: null,
  learner: {
    ...DEFAULT_LEARNER_CONFIG,
    algorithm: 'rlpd',
    actorHidden: [16],
    criticHidden: [16],
    batchSize: 16,
    utd: 2,
    warmupSteps: 40,
    bcInitSteps: 50,
    discount: 0.9,
  },
  seed: 3,
  steps: 160,
  randomSteps: 20,
  evaluation: { everySteps: 40, episodes: 3, seed: 7 },
  demonstrations: { episodes: 3, skill: { actionNoise: 0.2 }, onlySuccesses: true, areKept: true },
  from: null,
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'trial-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function folderOf(name: string, fields: Partial<TrialSpec> = {}): string {
  const folder = join(root, name);
  writeTrialSpec(folder, { ...SPEC, ...fields });
  return folder;
}

const curveOf = (folder: string) => readFileSync(join(folder, TRIAL_FILES.curve), 'utf8');
const LOG = join(TRIAL_FILES.transitions, 'epoch-000001-0000.journal');
const logOf = (folder: string) => readFileSync(join(folder, LOG));

const snapshot = Agent.prototype.snapshot;

/** Snapshot of an agent with two calls that were not finite. */
async function withRefusedCalls(this: Agent) {
  return { ...(await snapshot.call(this)), refusedCalls: 2 };
}

/** Ends a trial after `points` evaluations as a kill would: nothing is written or closed in order. */
async function interrupted(folder: string, points: number): Promise<void> {
  const stop = new AbortController();
  let seen = 0;
  const onPoint = () => {
    if (++seen === points) stop.abort(new Error('killed'));
  };
  await expect(runTrial(folder, { onPoint, signal: stop.signal, checkpointEveryS: 0 })).rejects.toThrow('killed');
}

describe('a trial', () => {
  it('trains by the update contract, evaluates on the same episodes, and leaves a policy and a result', async () => {
    const folder = folderOf('a');
    const result = await runTrial(folder);
    const curve = readCurve(folder);
    expect(curve.map(({ step }) => step)).toEqual([0, 40, 80, 120, 160]);
    // No update before 40 steps, then two a step, never more.
    expect(curve.map(({ updates }) => updates)).toEqual([0, 0, 80, 160, 240]);
    expect(result).toMatchObject({ steps: 160, updates: 240, refusedCalls: 0, droppedTransitions: 0, seed: 3 });
    expect(result.last).toEqual(curve.at(-1));
    expect(Object.keys(curve[2]!.metrics)).toEqual(expect.arrayContaining(['criticLoss', 'actorLoss', 'temperature']));
    expect(readdirSync(folder)).toContain(TRIAL_FILES.policy);
    expect(await runTrial(folder)).toEqual(result);
  });

  it.each([1, 4])('that ends after evaluation %i goes on to the same bytes', async (points) => {
    const straight = folderOf('straight');
    const killed = folderOf('killed');
    const whole = await runTrial(straight);
    await interrupted(killed, points);
    const resumed = await runTrial(killed, { checkpointEveryS: 0 });
    expect(curveOf(killed)).toBe(curveOf(straight));
    expect(logOf(killed).equals(logOf(straight))).toBe(true);
    expect({ ...resumed, seconds: 0 }).toEqual({ ...whole, seconds: 0 });
  });

  it('that another process begins while this one gets ready is gone on with, not begun again', async () => {
    const folder = join(root, 'a');
    const open = TrialParts.open;
    vi.spyOn(TrialParts, 'open').mockImplementationOnce(async (spec) => {
      writeTrialSpec(folder, SPEC);
      await interrupted(folder, 2);
      return open(spec);
    });
    await startTrial(folder, SPEC);
    const events = readFileSync(join(folder, TRIAL_FILES.events), 'utf8');
    expect(events.match(/"(begun|resumed)"/g)).toEqual(['"begun"', '"resumed"']);
  });

  it('begins where one was killed as it took the folder', async () => {
    const folder = join(root, 'a');
    mkdirSync(folder);
    for (const name of [`${TRIAL_FILES.spec}.new`, `${TRIAL_FILES.lock}.12345`]) writeFileSync(join(folder, name), '');
    expect(await startTrial(folder, { ...SPEC, steps: 1 })).toMatchObject({ steps: 1 });
  });

  it('that is to end does not finish the training before its first step', async () => {
    const folder = folderOf('a');
    await expect(runTrial(folder, { signal: AbortSignal.abort(new Error('alone')) })).rejects.toThrow('alone');
    expect(readFileSync(join(folder, TRIAL_FILES.events), 'utf8')).toBe('');
  });

  it('of an older version goes on with the defaults of what that did not know', async () => {
    const folder = folderOf('a', { steps: 1 });
    const path = join(folder, TRIAL_FILES.spec);
    const { learner, ...rest } = JSON.parse(readFileSync(path, 'utf8')) as TrialSpec;
    const { nStep: _, ...older } = learner;
    writeFileSync(path, JSON.stringify({ ...rest, learner: older }));
    expect(readTrialSpec(folder).learner.nStep).toBe(DEFAULT_LEARNER_CONFIG.nStep);
    folderOf('a', { steps: 1 });
  });

  it('goes on from the checkpoint before where the newest is damaged, and says so', async () => {
    const straight = folderOf('straight');
    const whole = await runTrial(straight);
    const killed = folderOf('killed');
    await interrupted(killed, 4);
    const checkpoints = join(killed, TRIAL_FILES.checkpoints);
    const newest = join(checkpoints, readdirSync(checkpoints).sort().at(-1)!);
    const bytes = readFileSync(newest);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(newest, bytes);
    const faults: string[] = [];
    const resumed = await runTrial(killed, { onFault: (message) => faults.push(message) });
    expect(faults).toEqual([expect.stringMatching(/is not used: its contents do not match their digest/)]);
    expect(resumed.stateDigest).toBe(whole.stateDigest);
    expect(curveOf(killed)).toBe(curveOf(straight));
  });

  it('begins with the networks of another, and does not keep demonstrations that it is told not to', async () => {
    const first = folderOf('first');
    const refused = vi.spyOn(Agent.prototype, 'snapshot').mockImplementation(withRefusedCalls);
    const counted = vi.spyOn(Agent.prototype, 'refusedCalls', 'get').mockReturnValue(2);
    expect(await runTrial(first)).toMatchObject({ refusedCalls: 2 });
    refused.mockRestore();
    counted.mockRestore();
    const second = folderOf('second', { from: first, demonstrations: null, steps: 60, seed: 4 });
    expect(await runTrial(second)).toMatchObject({ refusedCalls: 0 });
    // The first one's policy is there from the start.
    expect(readCurve(second)[0]!.returns).toEqual(readCurve(first).at(-1)!.returns);
    expect(readCurve(second).map(({ updates }) => updates)).toEqual([0, 0, 40]);
  });
});

describe('a trial is refused', () => {
  it('in a folder that holds another, naming what differs', () => {
    folderOf('a');
    expect(() => folderOf('a', { seed: 4, learner: { ...SPEC.learner, utd: 20 } })).toThrow(
      /holds another trial: learner.utd is 2 there and 20 here; seed is 3 there and 4 here\./,
    );
    expect(() => readTrialSpec(join(root, 'nothing'))).toThrow(/holds no trial: there is no .*trial\.json/);
  });

  it('at its start without leaving anything, so that the corrected one begins in the same folder', async () => {
    const folder = join(root, 'a');
    const misfit = { ...SPEC, steps: 1, learner: { ...SPEC.learner, algorithm: 'residual' as const } };
    for (const wrong of [misfit, { ...SPEC, environment: { name: 'pint', options: {} } }, { ...SPEC, from: root }]) {
      await expect(startTrial(folder, wrong)).rejects.toBeInstanceOf(ReinError);
      expect(existsSync(folder)).toBe(false);
    }
    mkdirSync(folder);
    const started = await startTrial(folder, { ...SPEC, steps: 1 });
    expect(started.steps).toBe(1);
    expect(await startTrial(folder, { ...SPEC, steps: 1 })).toEqual(started);
  });

  it('in a folder that holds anything else', async () => {
    writeFileSync(join(root, 'policy.onnx'), 'of a robot');
    await expect(startTrial(root, { ...SPEC, steps: 1 })).rejects.toThrow(
      `${root} is not empty and holds no trial: policy.onnx.`,
    );
    await expect(startTrial(join(root, 'policy.onnx'), SPEC)).rejects.toMatchObject({
      message: `${join(root, 'policy.onnx')} cannot be written: there is a file where a folder is needed.`,
      remedy: 'Choose another folder, or move the file away.',
    });
    expect(readdirSync(root)).toEqual(['policy.onnx']);
  });

  it.each(['{"steps', 'null', '{}'])(
    'where its result is %s, and gives the same once that is deleted',
    async (text) => {
      const folder = folderOf('a', { steps: 1, demonstrations: null });
      const whole = await runTrial(folder);
      const path = join(folder, TRIAL_FILES.result);
      writeFileSync(path, text);
      await expect(runTrial(folder)).rejects.toMatchObject({
        message: `${path} is damaged: it does not hold the result of a trial.`,
        remedy: expect.stringContaining('Delete this file'),
      });
      rmSync(path);
      expect(await runTrial(folder)).toEqual({ ...whole, seconds: expect.any(Number) });
    },
  );

  it('for an environment that nobody knows', async () => {
    const folder = folderOf('a', { environment: { name: 'pint', options: {} } });
    await expect(runTrial(folder)).rejects.toThrow(
      /There is no environment called "pint", there are .*, did you mean "point"\?/,
    );
  });

  it('where its files are shorter than the checkpoint says, or damaged', async () => {
    const folder = folderOf('a');
    await interrupted(folder, 3);
    const copy = join(root, 'copy');
    cpSync(folder, copy, { recursive: true });
    truncateSync(join(folder, LOG), 500);
    await expect(runTrial(folder)).rejects.toThrow(
      /\.journal has 500 bytes, the checkpoint was written after \d+ bytes of it\./,
    );
    const log = logOf(copy);
    log[400]! ^= 1;
    writeFileSync(join(copy, LOG), log);
    await expect(runTrial(copy)).rejects.toThrow(/journal is damaged in record 3: a record is damaged\./);
    log[400]! ^= 1;
    log[log.length - 1]! ^= 1;
    writeFileSync(join(copy, LOG), log);
    await expect(runTrial(copy)).rejects.toThrow(/journal holds (\d+) transitions, the checkpoint was written after/);
    rmSync(join(copy, LOG));
    await expect(runTrial(copy)).rejects.toMatchObject({
      kind: 'checkpoint',
      message: expect.stringMatching(/\.journal is missing, the checkpoint was written after \d+ bytes of it\.$/),
    });
  });

  it('where the networks to begin with are of another size', async () => {
    const first = folderOf('first', { steps: 1 });
    await runTrial(first);
    const second = folderOf('second', { from: first, learner: { ...SPEC.learner, actorHidden: [8] } });
    await expect(runTrial(second)).rejects.toThrow(/has other networks \(\d+ numbers instead of \d+\)\./);
  });
});

describe('a trial with others beside the policy', () => {
  it('shows the base policy to the learner, and counts what the person decided as an intervention, the same after a kill', async () => {
    const fields: Partial<TrialSpec> = {
      base: { actionNoise: 0.5 },
      overseer: { options: {}, untilStep: 100 },
      demonstrations: { episodes: 2, skill: {}, onlySuccesses: true, areKept: false },
      randomSteps: 0,
    };
    const straight = folderOf('straight', fields);
    const whole = await runTrial(straight);
    const killed = folderOf('killed', fields);
    await interrupted(killed, 3);
    const resumed = await runTrial(killed);
    expect(resumed.stateDigest).toBe(whole.stateDigest);
    const all = [...readJournal(join(straight, TRIAL_FILES.transitions))];
    expect(new Set(all.map(({ source }) => source))).toEqual(new Set(['demo', 'policy', 'scripted_correct']));
    for (const [i, t] of all.entries()) {
      const before = all[i - 1];
      if (before === undefined || before.episode !== t.episode) expect(t.step).toBe(0);
      else expect([...t.observation]).toEqual([...before.nextObservation]);
      if (before?.segment === t.segment) expect([t.source, t.episode]).toEqual([before.source, before.episode]);
    }
  });
});
