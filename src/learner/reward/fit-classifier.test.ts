import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Rng } from '../../model/index.ts';
import { readDenseModel } from '../../onnx/index.ts';
import { Bindings, Session } from '../engine/session.ts';
import {
  buildClassifier,
  CLASSIFIER_SETTINGS,
  type ClassifierData,
  type ClassifierFit,
  ClassifierTrainer,
} from './fit-classifier.ts';

/** Successes are within 0.5 of (1, 0); two numbers out of an observation of four. */
const COLUMNS = [3, 1];
const OBSERVATION = 4;

function drawn(count: number, seed: number): ClassifierData {
  const rng = new Rng(seed);
  const states = Array.from({ length: count }, (_, i) => {
    const reach = i % 3 === 0 ? 0.3 : 1.5;
    return [1 + rng.uniformIn(-reach, reach), rng.uniformIn(-reach, reach)];
  });
  return { states, isSuccess: states.map(([x, y]) => Math.hypot(x! - 1, y!) < 0.5) };
}

let trainer: ClassifierTrainer;
beforeAll(async () => {
  trainer = await ClassifierTrainer.open(COLUMNS.length, { ...CLASSIFIER_SETTINGS, hidden: [32, 32] });
});
afterAll(() => trainer.close());

/** A whole observation, with arbitrary numbers outside the classifier's inputs. */
const observed = ([x, y]: ArrayLike<number> & Iterable<number>): number[] => [7, y!, -9, x!];

function logitOf(fit: ClassifierFit): (state: readonly number[]) => number {
  const net = readDenseModel(buildClassifier(fit, { observationSize: OBSERVATION, columns: COLUMNS }));
  if (typeof net === 'string') throw new Error(net);
  return (state) => net.run(observed(state))[0]!;
}

describe('a reward classifier', () => {
  it('tells fresh states apart', async () => {
    const logit = logitOf(await trainer.fit(drawn(200, 1), 0));
    const fresh = drawn(600, 2);
    const wrong = fresh.states.filter((state, i) => logit(Array.from(state)) > 0 !== fresh.isSuccess[i]).length;
    expect(wrong / 600).toBeLessThan(0.08);
  });

  it('takes nothing for a success that lies far beyond the successes, where nobody has labelled anything', async () => {
    const rng = new Rng(3);
    const sides = [0.75, -0.75].flatMap((side) =>
      Array.from({ length: 60 }, () => [side + rng.uniformIn(-0.25, 0.25), rng.uniformIn(-0.5, 0.5)]),
    );
    const logit = logitOf(await trainer.fit({ states: sides, isSuccess: sides.map(([x]) => x! > 0) }, 0));
    expect(logit([0.75, 0])).toBeGreaterThan(0);
    const far = [2.5, 2.8].flatMap((x) => [-0.5, 0, 0.5].map((y) => [x, y] as const));
    expect(far.filter((state) => logit(state) > 0)).toEqual([]);
  });

  it('is the same to the bit for one seed, and another for another', async () => {
    const data = drawn(60, 1);
    const [one, same, other] = [await trainer.fit(data, 5), await trainer.fit(data, 5), await trainer.fit(data, 6)];
    expect(same.weights).toEqual(one.weights);
    expect(other.weights).not.toEqual(one.weights);
  });

  it('says in the runtime what it says without, calibrated', async () => {
    const fit = await trainer.fit(drawn(60, 1), 0);
    const calibration = { slope: 0.7, offset: -0.4 };
    const bytes = buildClassifier(fit, { observationSize: OBSERVATION, columns: COLUMNS, calibration });
    const net = readDenseModel(bytes);
    if (typeof net === 'string') throw new Error(net);
    const session = await Session.create(bytes);
    for (const state of drawn(20, 3).states) {
      const bindings = new Bindings();
      bindings.set('observation', Float32Array.from(observed(Array.from(state))), [1, OBSERVATION]);
      const { probability } = await session.evaluate(bindings);
      expect(net.run(observed(Array.from(state)))[0]).toBeCloseTo(Number(probability!.data[0]), 5);
    }
    await session.close();
  });
});
