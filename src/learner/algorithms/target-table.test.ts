/** From transitions to y: termination, truncation and multi-step windows in one table. */
import { expect, it } from 'vitest';
import { Rng } from '../../model/index.ts';
import { createTransition, type Transition } from '../../rows/index.ts';
import { Graph } from '../engine/graph.ts';
import { Bindings, Session } from '../engine/session.ts';
import { DEFAULT_LEARNER_CONFIG } from '../options/learner-config.ts';
import { Replay } from '../replay/replay.ts';
import { UpdateInputs } from '../update/update-inputs.ts';
import { criticTarget } from './sac.ts';

/** Steps 0, 1, 2 … with rewards 1, 2, 4 …; the observation after each is ten times its number from 1. */
function stepsOf(changes: readonly Partial<Transition>[]): Transition[] {
  return changes.map((fields, i) => {
    const t = Object.assign(createTransition(1, 1), { reward: 2 ** i, seq: i, step: i, ...fields });
    t.observation.fill(10 * i);
    t.nextObservation.fill(10 * (i + 1));
    return t;
  });
}

/** y of every row with γ = ½ and windows of `nStep`, where values equal the observation and α·log π is −1. */
async function targetsOf(transitions: readonly Transition[], nStep: number): Promise<number[]> {
  const rows = transitions.length;
  const replay = new Replay(1, 1, rows);
  for (const transition of transitions) expect(replay.add(transition)).toBe('accepted');
  // As many rows as there are: each comes once, in order.
  const config = {
    ...DEFAULT_LEARNER_CONFIG,
    criticOnlySteps: 0,
    discount: 0.5,
    nStep,
    batchSize: rows,
    demoFraction: 0,
  };
  const spec = { parts: { stateSize: 1 }, actionSize: 1, config };
  const columns = {
    reward: new Float32Array(rows),
    discount: new Float32Array(rows),
    next_observation: new Float32Array(rows),
  };
  const random = { batch: new Rng(1), noise: new Rng(2), subset: new Rng(3) };
  const inputs = new UpdateInputs({ inputs: [] }, spec, 1, columns);
  inputs.fill({ replay, visibleCount: rows, demoFraction: 0, call: 0, random });

  const g = new Graph('target', 'float64');
  const column = (values: Float32Array) => g.constant(values, [rows, 1]);
  const values = g.constant(columns.next_observation, [1, rows, 1]);
  const entropy = { temperature: g.constant(1), logProbability: column(new Float32Array(rows).fill(-1)) };
  g.output('y', criticTarget(column(columns.reward), column(columns.discount), values, entropy));
  const session = await Session.create(g.serialize());
  const { y } = await session.evaluate(new Bindings());
  await session.close();
  return Array.from(y!.data, Number);
}

// After step 1 an episode ends, or nothing does. V + 1 of the next observations: 11, 21 and 31.
const goesOn = [1 + 11 / 2, 2 + 21 / 2, 4 + 31 / 2];
const cutAfterTwo = [1 + 2 / 2 + 21 / 4, 2 + 21 / 2, 4 + 31 / 2];
it.each<[string, Partial<Transition>, Partial<Transition>, readonly number[], readonly number[]]>([
  ['nothing', {}, {}, goesOn, [1 + 2 / 2 + 4 / 4 + 31 / 8, 2 + 4 / 2 + 31 / 4, 4 + 31 / 2]],
  ['the episode, by the task', { terminated: true }, { episode: 1, step: 0 }, goesOn.with(1, 2), [2, 2, 4 + 31 / 2]],
  ['the episode, by its time', { truncated: true }, { episode: 1, step: 0 }, goesOn, cutAfterTwo],
  [
    'the episode, by the task at its last moment',
    { terminated: true, truncated: true },
    { episode: 1, step: 0 },
    goesOn.with(1, 2),
    [2, 2, 4 + 31 / 2],
  ],
  ['the segment', {}, { segment: 1 }, goesOn, cutAfterTwo],
  ['the record: a step is missing', {}, { seq: 3, step: 3 }, goesOn, cutAfterTwo],
  ['the process on the robot', {}, { epoch: 1, seq: 0 }, goesOn, cutAfterTwo],
])('where %s ends after two of three steps', async (_, second, third, oneStep, threeSteps) => {
  const transitions = stepsOf([{}, second, third]);
  expect(await targetsOf(transitions, 1)).toEqual(oneStep);
  expect(await targetsOf(transitions, 3)).toEqual(threeSteps);
});
