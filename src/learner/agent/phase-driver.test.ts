/** Content and order of draws, on an engine that only records its inputs. */
import { describe, expect, it } from 'vitest';
import { Rng } from '../../model/index.ts';
import { createTransition } from '../../rows/index.ts';
import { sac } from '../algorithms/sac.ts';
import type { CallReport, OpenPhase, TrainingEngine } from '../compute/training-engine.ts';
import { DEFAULT_LEARNER_CONFIG } from '../options/learner-config.ts';
import { Replay } from '../replay/replay.ts';
import type { LearnerSpec } from '../update/spec.ts';
import { buildUpdateGraph } from '../update/update-graph.ts';
import { type Draw, type InputArrays, inputArrays } from '../update/update-inputs.ts';
import { PhaseDriver } from './phase-driver.ts';

const UPDATES = 2;
const spec: LearnerSpec = {
  parts: { stateSize: 1 },
  actionSize: 1,
  config: {
    ...DEFAULT_LEARNER_CONFIG,
    criticOnlySteps: 0,
    actorHidden: [2],
    criticHidden: [2],
    batchSize: 4,
    critics: 4,
    criticSubset: 2,
  },
};

const replay = new Replay(1, 1, 100);
for (let i = 0; i < 50; i++) {
  const t = createTransition(1, 1);
  t.observation[0] = i;
  replay.add(t);
}

/** An engine with two sets of inputs. `seen` is a copy of each call's inputs; `fails` makes the next call fail. */
class WritingEngine {
  readonly spec: LearnerSpec = spec;
  readonly seen: InputArrays[] = [];
  fails = false;
  readonly #sets: InputArrays[] = [];

  async open(): Promise<OpenPhase> {
    const updateGraph = buildUpdateGraph(sac, spec);
    this.#sets.push(inputArrays(updateGraph, UPDATES), inputArrays(updateGraph, UPDATES));
    return { inputs: updateGraph.inputs, sets: this.#sets };
  }

  async run(_: string, set: number): Promise<CallReport> {
    this.seen.push(structuredClone(this.#sets[set]!));
    if (this.fails) throw new Error('lost');
    return { values: {}, isSound: true };
  }
}

async function open() {
  const engine = new WritingEngine();
  const driver = await PhaseDriver.open(engine as unknown as TrainingEngine, 'update', UPDATES);
  const root = new Rng(5);
  const random = { batch: root.fork('batch'), noise: root.fork('noise'), subset: root.fork('subset') };
  const draw = (call: number): Draw => ({ replay, visibleCount: 20 + call, demoFraction: 0, call, random });
  return { engine, driver, random, draw };
}

async function plainly(calls: number): Promise<readonly InputArrays[]> {
  const { engine, driver, draw } = await open();
  for (let call = 0; call < calls; call++) await driver.run(draw(call), undefined);
  return engine.seen;
}

describe('a phase whose batches are drawn ahead', () => {
  it('gives its calls the same numbers as one whose batches are not', async () => {
    const { engine, driver, draw } = await open();
    for (let call = 0; call < 4; call++) await driver.run(draw(call), draw(call + 1));
    expect(engine.seen).toEqual(await plainly(4));
  });

  it('draws again what it forgot, the same', async () => {
    const { engine, driver, draw, random } = await open();
    for (let call = 0; call < 4; call++) {
      await driver.run(draw(call), draw(call + 1));
      driver.rewind(random);
    }
    expect(engine.seen).toEqual(await plainly(4));
  });

  it('draws again where the call that comes is another than was thought', async () => {
    const { engine, driver, draw } = await open();
    await driver.run(draw(0), draw(7));
    await driver.run(draw(1), undefined);
    expect(engine.seen).toEqual(await plainly(2));
  });

  it.each([[undefined], ['drawn ahead']])('takes back what a failed call drew: %s', async (ahead) => {
    const { engine, driver, draw } = await open();
    const next = (call: number) => (ahead === undefined ? undefined : draw(call));
    await driver.run(draw(0), next(1));
    engine.fails = true;
    await expect(driver.run(draw(1), next(2))).rejects.toThrow('lost');
    engine.fails = false;
    await driver.run(draw(1), next(2));
    const [first, second] = await plainly(2);
    expect(engine.seen).toEqual([first, second, second]);
  });
});
