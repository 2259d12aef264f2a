import { expect, it } from 'vitest';
import type { StepValues } from '../../link/index.ts';
import { createTransition, type Transition } from '../../rows/index.ts';
import { StepValueReports } from './step-value-reports.ts';

let nowMs: number;
let sent: [robotId: string, values: StepValues][];
/** Critics whose value of a step is the sum of its observation and action, and which take `costMs` for it. */
function critics(costMs = 0): { updates: number; rows: number[]; criticValues: typeof criticValues } {
  const rows: number[] = [];
  const criticValues = async (observations: Float32Array, actions: Float32Array): Promise<Float32Array> => {
    rows.push(observations.length);
    nowMs += costMs;
    return observations.map((seen, i) => seen + actions[i]!);
  };
  return { updates: 1, rows, criticValues };
}

function reports(): StepValueReports {
  nowMs = 1000;
  sent = [];
  return new StepValueReports({ send: (...report) => void sent.push(report), nowMs: () => nowMs });
}

function stepOf(step: number, more: Partial<Transition> = {}): Transition {
  const t = createTransition(1, 1);
  t.observation[0] = step;
  t.executed[0] = 0.5;
  return Object.assign(t, { epoch: 1, episode: 2, step, ...more });
}

it('tells each robot the values of its own steps, once, and nothing of demonstrations', async () => {
  const values = reports();
  const agent = critics();
  values.take(stepOf(3, { source: 'demo' }), 'left');
  for (const step of [4, 5]) values.take(stepOf(step), 'left');
  values.take(stepOf(8, { epoch: 7, source: 'human_correct' }), 'right');
  await values.look(agent);
  expect(sent).toEqual([
    ['left', { epoch: 1, episode: 2, steps: [4, 5], values: [4.5, 5.5] }],
    ['right', { epoch: 7, episode: 2, steps: [8], values: [8.5] }],
  ]);
  nowMs += 1000;
  await values.look(agent);
  expect(agent.rows).toEqual([3]);
});

it('looks at the newest 64 steps of the present episode, and only those', async () => {
  const values = reports();
  values.take(stepOf(1, { episode: 1 }), 'arm');
  for (let step = 0; step < 100; step++) values.take(stepOf(step), 'arm');
  await values.look(critics());
  expect(sent[0]![1].steps).toEqual(Array.from({ length: 64 }, (_, i) => i + 36));
  values.take(stepOf(100), 'arm');
  values.take(stepOf(0, { episode: 3 }), 'arm');
  nowMs += 1000;
  await values.look(critics());
  expect(sent[1]![1]).toMatchObject({ episode: 3, steps: [0] });
});

it('looks four times a second at most, and takes a four-hundredth of the time however slow the critics are', async () => {
  for (const [costMs, everyMs] of [
    [0.1, 250],
    [5, 2000],
    [20, 8000],
  ] as const) {
    const values = reports();
    const agent = critics(costMs);
    for (let step = 0; nowMs < 81_000; step++) {
      nowMs += 5;
      values.take(stepOf(step), 'arm');
      await values.look(agent);
    }
    const most = 80_000 / (everyMs + costMs);
    expect(agent.rows.length).toBeLessThan(most + 3);
    expect(agent.rows.length).toBeGreaterThan(0.9 * most);
  }
});

it('is not held up by a look that took long once', async () => {
  const values = reports();
  for (const [step, costMs] of [500, 0.5, 0.5, 100, 0.5].entries()) {
    values.take(stepOf(step), 'arm');
    await values.look(critics(costMs));
    nowMs += 251;
  }
  expect(sent.map(([, { steps }]) => steps)).toEqual([[0], [1], [2], [3], [4]]);
});

it('waits until the critics have learned, and leaves out what is not finite', async () => {
  const values = reports();
  values.take(stepOf(0), 'arm');
  await values.look({ ...critics(), updates: 0 });
  expect(sent).toEqual([]);
  values.take(stepOf(1), 'arm');
  values.take(stepOf(Number.NaN), 'other');
  const agent = critics();
  await values.look({
    updates: 1,
    criticValues: async (...rows) => (await agent.criticValues(...rows)).fill(Number.NaN, 1),
  });
  expect(sent).toEqual([['arm', { epoch: 1, episode: 2, steps: [0], values: [0.5] }]]);
});
