import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PointEnvironment } from '../../../packages/lab/src/environments/point.ts';
import { writeTrialSpec } from '../../../packages/lab/src/trial/spec.ts';
import { runTrial } from '../../../packages/lab/src/trial/trial.ts';
import { readCurve } from '../../../packages/lab/src/trial/trial-files.ts';
import { arm6Setup } from '../../../tests/support/arm6.ts';
import { resolvedConfigText } from '../../config/index.ts';
import { createSetup } from '../../config/setup.ts';
import { Bindings, createAgent, Session, Training } from '../../learner/index.ts';
import { DEFAULT_LEARNER_CONFIG, type LearnerConfig } from '../../learner/options.ts';
import { writeLearnerCheckpoint } from '../../learner/service/learner-checkpoint.ts';
import { type ActionRange, BASE_ACTION, Rng } from '../../model/index.ts';
import { loadPolicyFile, openBasePolicy } from '../../policy/index.ts';
import { RUN_FILES } from '../../record/index.ts';
import type { TrialSpec } from '../trial-spec.ts';
import { type ActionMeaning, meaningIn } from './action-meaning.ts';
import { openActor } from './actor.ts';
import { exportPolicy } from './export-policy.ts';
import { checkGoldenBatch, goldenObservations } from './golden-batch.ts';
import { runPretraining } from './pretrain.ts';

const loadLab = () => import('../../../packages/lab/src/lab.ts');

/** Error of the action map inside the model; the execution of actions stays unchanged. */
const wrong = vi.hoisted(() => ({ factor: 1 }));
vi.mock('./action-meaning.ts', async (original) => {
  const { meaningIn, meaningOnRobot } = await original<typeof import('./action-meaning.ts')>();
  const wronged = ({ ranges, carryOut }: ActionMeaning): ActionMeaning => ({
    ranges: ranges.map((range) => ({ ...range, low: range.low * wrong.factor, high: range.high * wrong.factor })),
    carryOut,
  });
  return {
    meaningIn: (...given: Parameters<typeof meaningIn>) => wronged(meaningIn(...given)),
    meaningOnRobot: (...given: Parameters<typeof meaningOnRobot>) => wronged(meaningOnRobot(...given)),
  };
});

const LEARNER: LearnerConfig = {
  ...DEFAULT_LEARNER_CONFIG,
  actorHidden: [16],
  criticHidden: [16],
  batchSize: 16,
  bcInitSteps: 300,
  warmupSteps: 10,
  normaliseObservations: true,
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'export-'));
  wrong.factor = 1;
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function trial(name: string, fields: Partial<TrialSpec>): string {
  const folder = join(root, name);
  writeTrialSpec(folder, {
    formatVersion: 1,
    environment: { name: 'point', options: {} },
    base: null,
    overseer: null,
    demonstrations: null,
    from: null,
    learner: LEARNER,
    seed: 1,
    steps: 30,
    randomSteps: 10,
    evaluation: { everySteps: 30, episodes: 5, seed: 7 },
    ...fields,
  });
  return folder;
}

function trained(name: string): Promise<string> {
  const folder = trial(name, {});
  return runTrial(folder).then(() => folder);
}

/** A robot's run as a learner leaves it, with a checkpoint of untrained networks. */
async function robotRun(algorithm: LearnerConfig['algorithm'] = 'rlpd', policyVersion = 3) {
  const { config } = arm6Setup();
  const setup = createSetup({ ...config, learner: { ...config.learner, ...LEARNER, algorithm } });
  const folder = join(root, 'arm');
  mkdirSync(folder);
  writeFileSync(join(folder, RUN_FILES.config), resolvedConfigText(setup.config));
  const { parts, actionSize } = setup;
  const training = await Training.open({ parts, actionSize, config: setup.config.learner, seed: 1 });
  await writeLearnerCheckpoint(folder, {
    runId: 'run',
    schemaHash: setup.schemaHash,
    policyVersion,
    ...(await training.state()),
    replay: { online: 0, demonstrations: 0, received: 0 },
  });
  await training.close();
  return { folder, setup };
}

/** Output of the file by itself, as in its metadata: `command` is the action in the units of the ranges, which are returned. */
async function runAlone(file: string, observationSize: number, noiseSize: number): Promise<ActionRange[]> {
  const bytes = readFileSync(file);
  const text = bytes.toString('utf8');
  const listed = /\[\{"name".*?\}\]/.exec(text.slice(text.lastIndexOf('\u0007command')))![0];
  const ranges: ActionRange[] = JSON.parse(listed);
  expect(text).toContain('commandOf');
  const session = await Session.create(bytes);
  const inputs = new Bindings();
  inputs.set('observation', new Float32Array(observationSize).fill(0.3), [1, observationSize]);
  if (noiseSize > 0) inputs.set('noise', new Float32Array(noiseSize), [1, noiseSize]);
  const { action, command, mean } = await session.evaluate(inputs);
  await session.close();
  const actions = [...(action!.data as Float32Array)];
  if (mean !== undefined) {
    for (const [i, value] of [...(mean.data as Float32Array)].entries())
      expect(actions[i]).toBeCloseTo(Math.tanh(value), 6);
  }
  expect(command!.shape).toEqual([1, ranges.length]);
  for (const [i, { high }] of ranges.entries()) expect(Number(command!.data[i]) / high).toBeCloseTo(actions[i]!, 6);
  return ranges;
}

describe('an exported policy', () => {
  it.each(['rlpd', 'td3'] as const)('of %s does what the learner does, on the robot runtime', async (algorithm) => {
    const folder = trial('a', { learner: { ...LEARNER, algorithm } });
    await runTrial(folder);
    const out = join(root, 'deep', 'p.onnx');
    const exported = await exportPolicy(folder, out, () => {}, loadLab);
    expect(exported).toMatchObject({ path: out, algorithm, observationSize: 2, actionSize: 1, observations: 256 });
    expect(exported.maxDifference).toBeLessThan(1e-4);
    expect(exported.maxCommandDifference).toBeLessThan(1e-4);
    expect(await runAlone(out, 2, algorithm === 'td3' ? 1 : 0)).toMatchObject([{ name: 'step', unit: 'm', high: 0.2 }]);

    const taken = join(root, 'deep', 'taken');
    mkdirSync(taken);
    await expect(exportPolicy(folder, taken, () => {}, loadLab)).rejects.toMatchObject({
      message: `${taken} cannot be written: there is a folder where a file is needed.`,
      remedy: 'Choose the path of a file.',
    });
    expect(existsSync(`${taken}.new`)).toBe(false);
  });

  it.each([
    ['rlpd', 0, 3],
    ['td3', 4, 0],
  ] as const)(
    "of a robot's run with %s commands what its safety chain carries out, and acts on the robot",
    async (algorithm, noiseSize, policyVersion) => {
      const { folder, setup } = await robotRun(algorithm, policyVersion);
      const out = join(root, 'arm.onnx');
      const exported = await exportPolicy(folder, out, () => {}, loadLab);
      const { observationSize, actionSize, schemaHash, task } = setup;
      expect(exported).toMatchObject({ path: out, observationSize, actionSize, observations: 256 });
      expect(exported.maxCommandDifference).toBeLessThan(1e-4);
      expect(await runAlone(out, observationSize, noiseSize)).toMatchObject(
        task.action.dimensions.map(({ name, unit, scale }) => ({ name, unit, low: -scale, high: scale })),
      );
      const policy = await loadPolicyFile(out, { observationSize, actionSize, schemaHash });
      expect(policy.version).toBe(Math.max(1, policyVersion));
      const seen = new Float32Array(observationSize).fill(0.3);
      const [alone, asBase] = [new Float32Array(actionSize), new Float32Array(actionSize)];
      await policy.decide(seen, { rng: new Rng(1), purpose: 'evaluate' }, alone);
      await policy.close();
      const once = [{ name: BASE_ACTION, size: actionSize, unit: '1', frame: 'none' }];
      const inTask = { observation: { ...task.observation, once }, action: task.action };
      const { policyHz } = setup.config.task;
      await expect(openBasePolicy({ file: out, ...inTask, policyHz: 2 * policyHz })).rejects.toThrow(
        `was made for ${policyHz} steps a second`,
      );
      const base = await openBasePolicy({ file: out, ...inTask, policyHz });
      await base.act(seen, asBase);
      await base.close();
      for (const [i, value] of alone.entries()) expect(asBase[i]).toBeCloseTo(value, 6);
    },
  );

  it.each([
    ['rein train', async () => trained('wrong')],
    ['a robot', async () => (await robotRun()).folder],
  ])(
    'of %s whose map is another one than that of those who carry it out is refused, and nothing written',
    async (_, run) => {
      const folder = await run();
      const out = join(root, 'p.onnx');
      wrong.factor = 1.001;
      await expect(exportPolicy(folder, out, () => {}, loadLab)).rejects.toMatchObject({
        kind: 'policy',
        message: expect.stringMatching(/command differs by 1.0e-3 of half its range from how .* on 256 obs/),
      });
      expect(existsSync(out)).toBe(false);
    },
  );

  it('is refused where it differs, with the difference', async () => {
    const sizes = { parts: { stateSize: 2 }, actionSize: 1 };
    const environment = new PointEnvironment();
    const meaning = meaningIn(environment);
    const [one, other] = await Promise.all([1, 2].map((seed) => createAgent({ ...sizes, config: LEARNER, seed })));
    const actor = await openActor({ agent: one!, encoder: undefined });
    const check = checkGoldenBatch(
      await other!.exportPolicy({}, undefined, meaning.ranges),
      actor,
      goldenObservations(environment, 8),
      meaning,
    );
    await expect(check).rejects.toThrow(/differs from the learner's by .* on 8 observations, at most 0\.0001/);
    const silent = checkGoldenBatch(await one!.exportPolicy(), actor, goldenObservations(environment, 8), meaning);
    await expect(silent).rejects.toThrow("gives no 'action' and 'command' by itself");
    for (const each of [actor, one!, other!]) await each.close();
  });

  it('is refused where the map inside the model is not the one that is declared', async () => {
    const sizes = { parts: { stateSize: 2 }, actionSize: 1 };
    const environment = new PointEnvironment();
    const meaning = meaningIn(environment);
    const agent = await createAgent({ ...sizes, config: LEARNER, seed: 1 });
    const actor = await openActor({ agent, encoder: undefined });
    const shifted = meaning.ranges.map((range) => ({ ...range, high: range.high + 1e-4 }));
    const model = await agent.exportPolicy({}, undefined, shifted);
    const check = checkGoldenBatch(model, actor, goldenObservations(environment, 8), meaning);
    await expect(check).rejects.toThrow(/command differs by 2.5e-4 of half its range/);
    await expect(agent.exportPolicy({}, undefined, [])).rejects.toThrow(
      '0 ranges are given for an action of 1 numbers',
    );
    for (const each of [actor, agent]) await each.close();
  });

  it('needs a run', async () => {
    await expect(exportPolicy(root, join(root, 'p.onnx'), () => {}, loadLab)).rejects.toThrow(
      /is no run: it has neither/,
    );
  });
});

describe('pre-training', () => {
  it('gives networks that a training begins with, from an expert and from what a training has recorded', async () => {
    const demonstrations = { episodes: 10, skill: {}, onlySuccesses: true, areKept: true };
    const environment = { name: 'point', options: {} };
    const data = { kind: 'environment', environment, base: null, demonstrations } as const;
    const out = join(root, 'pre');
    const silent = (): void => undefined;
    const result = await runPretraining({ data, learner: LEARNER, seed: 3, out }, silent, loadLab);
    expect(result.transitions).toBeGreaterThan(20);
    expect(result.cloning.lastLoss).toBeLessThan(result.cloning.firstLoss / 2);
    expect(JSON.parse(readFileSync(join(out, 'pretraining.json'), 'utf8'))).toMatchObject({
      transitions: result.transitions,
    });

    const better = trial('better', { from: out, randomSteps: 0 });
    const fresh = trial('fresh', {});
    await runTrial(better);
    await runTrial(fresh);
    const first = (folder: string) => readCurve(folder)[0]!;
    expect(first(better).successes).toBeGreaterThan(first(fresh).successes!);

    const again = { data: { kind: 'run', folder: fresh } as const, learner: LEARNER, seed: 3 };
    expect((await runPretraining({ ...again, out: join(root, 'pre2') }, silent, loadLab)).transitions).toBe(30);
    await expect(runPretraining({ ...again, out }, silent, loadLab)).rejects.toThrow(
      /pre\S* is not empty: checkpoints, policy.onnx, pretraining.json\.$/,
    );
  });
});
