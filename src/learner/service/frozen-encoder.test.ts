import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { arm6Setup } from '../../../tests/support/arm6.ts';
import { freeAddress } from '../../../tests/support/free-port.ts';
import { createSetup, type RunSetup } from '../../config/setup.ts';
import { type PolicyWeights, Rng } from '../../model/index.ts';
import { loadPolicyFile, OnnxPolicy } from '../../policy/index.ts';
import { createTransition } from '../../rows/index.ts';
import { LearnerConnection, saveWeights } from '../../session/index.ts';
import { encoderFor } from '../../session/rollout.ts';
import { Graph } from '../engine/graph.ts';
import { reduceMean } from '../ops/reduce.ts';
import { reshape } from '../ops/shape.ts';
import { Learner } from './learner.ts';

const STEPS = 12;
let folder: string;
let address: string;
let faults: string[];
let closers: (() => Promise<void>)[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'learner-eyes-'));
  address = await freeAddress();
  [faults, closers] = [[], []];
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
});

/** The arm's task, with the last 16 numbers of its observation as a 4 x 4 image; encoder: means of columns, times `scale`. */
function seeingSetup(): RunSetup {
  const { config } = arm6Setup('insert', 3);
  const frozen = { file: join(folder, 'columns.onnx'), variants: 3, padding: 1 };
  const learner = { ...config.learner, actorHidden: [8], criticHidden: [8], batchSize: 4, bcInitSteps: 2 };
  const setup = createSetup({ ...config, learner: { ...learner, encoder: { ...learner.encoder, frozen } } });
  const image = { channels: 1, height: 4, width: 4 };
  return { ...setup, parts: { stateSize: setup.observationSize - 16, image } };
}

function writeEncoder(axes: readonly number[]): void {
  const g = new Graph('columns');
  const features = reduceMean(g.input('x', [1, 1, 4, 4]), axes);
  g.output('y', reshape(features, [1, features.size]));
  writeFileSync(join(folder, 'columns.onnx'), g.serialize());
}

async function startLearner(setup: RunSetup, start: 'fresh' | 'resume'): Promise<Learner> {
  const onFault = (message: string): void => void faults.push(message);
  const learner = await Learner.start({
    setup,
    runId: 'run',
    bind: address,
    folder,
    start,
    onFault,
    engine: 'local',
    hasRobot: false,
  });
  closers.push(() => learner.close());
  return learner;
}

async function demonstrated(setup: RunSetup): Promise<LearnerConnection> {
  const common = { setup, runId: 'run', robotId: 'arm', address, folder, keep: 'newest' } as const;
  const robot = new LearnerConnection({ ...common, onFault: () => undefined });
  closers.push(() => robot.close());
  await robot.connected(5000);
  const rng = new Rng(5);
  for (let i = 0; i < STEPS; i++) {
    const step = createTransition(setup.observationSize, setup.actionSize);
    for (const numbers of [step.observation, step.nextObservation]) {
      for (let k = 0; k < numbers.length; k++) numbers[k] = rng.uniformIn(0, 1);
    }
    robot.record(Object.assign(step, { source: 'demo', terminated: i === STEPS - 1 }));
  }
  robot.demonstrationsComplete(STEPS);
  expect(await robot.drain(5000)).toBe(true);
  return robot;
}

async function until(condition: () => boolean, what: string): Promise<void> {
  for (let i = 0; !condition(); i++) {
    if (i > 1000) throw new Error(`${what} did not happen: ${faults.join(' ')}`);
    await delay(10);
  }
}

describe('a learner behind a frozen encoder', { timeout: 30_000 }, () => {
  it('takes raw observations, and its robots need no more than the same file', async () => {
    writeEncoder([1, 2]);
    const setup = seeingSetup();
    const first = await startLearner(setup, 'fresh');
    const training = first.run();
    const robot = await demonstrated(setup);
    await until(() => first.status.version > 0, 'the first weights');
    let bundle: PolicyWeights | undefined;
    await until(() => {
      bundle ??= robot.takeNewest();
      return bundle !== undefined;
    }, 'weights at the robot');
    const { observationSize, actionSize, schemaHash } = setup;
    const expected = { observationSize, actionSize, schemaHash };
    const policy = new OnnxPolicy({ ...expected, ...encoderFor(setup) });
    closers.push(() => policy.close());
    expect((await policy.swap(bundle!)).ok).toBe(true);
    const blind = new OnnxPolicy(expected);
    expect(await blind.swap(bundle!)).toMatchObject({ ok: false, error: { message: /where this robot has none/ } });

    // The saved file is self-contained, and gives the same.
    const file = await loadPolicyFile(await saveWeights(setup, bundle!, join(folder, 'saved')), expected);
    closers.push(() => file.close());
    const observation = new Float32Array(observationSize).fill(0.3);
    const [one, other] = [new Float32Array(actionSize), new Float32Array(actionSize)];
    await policy.decide(observation, { rng: new Rng(1), purpose: 'evaluate' }, one);
    await file.decide(observation, { rng: new Rng(1), purpose: 'evaluate' }, other);
    for (const [i, value] of one.entries()) expect(other[i]).toBeCloseTo(value, 5);

    first.end();
    await training;
    await robot.close();
    await first.close();
    const second = await startLearner(setup, 'resume');
    expect(second.statusLine()).toContain(`waiting for ${STEPS} of ${STEPS} transitions`);
    await second.close();
    // Features of different encoders must not be mixed.
    writeEncoder([1, 3]);
    await expect(startLearner(setup, 'resume')).rejects.toThrow(
      /were trained through .*columns\.onnx \(SHA-256 \w+\), not through .*columns\.onnx \(SHA-256 \w+\)\./,
    );
  });

  it('is refused for an encoder that it does not have', async () => {
    await expect(startLearner(seeingSetup(), 'fresh')).rejects.toThrow(/The encoder .*columns\.onnx cannot be read\./);
  });
});
