/** What a child sends is believed by no parent: plugins run in children, and may send anything. */
import { expect, it } from 'vitest';
import { readAnswer, readBusMessage } from '../../src/guard/index.ts';
import { failureIn } from '../../src/host/index.ts';
import { readNodeMessage } from '../../src/identify/identify-messages.ts';
import { joinedIn } from '../../src/ros/node/run-node.ts';
import { readLiveNodeMessage } from '../../src/session/run/messages.ts';
import { createRunStatus } from '../../src/session/status.ts';
import { readLearnerMessage } from '../../src/sim/learner-child.ts';

const KINDS = [
  'status',
  'print',
  'joined',
  'announced',
  'progress',
  'found',
  'ready',
  'fault',
  'done',
  'failed',
  'answer',
  'bus',
];
const RUBBISH: readonly unknown[] = [
  undefined,
  null,
  3,
  'x',
  true,
  [],
  [null],
  {},
  { kind: null },
  { error: null },
  { kind: 'elsewhere' },
  ...KINDS.flatMap((kind) => [
    { kind },
    { kind, error: null, status: null, line: null, runId: null, lines: [null], packed: 3, address: 'x', message: {} },
    { kind, error: {}, status: {}, line: 3, runId: 3, lines: 'x', passedS: 1, weightsAddress: 'x', id: 1, answer: {} },
  ]),
];

it.each([
  ["a guard's bus", readBusMessage],
  ['why it gives up', failureIn],
  ["a guard's answer", readAnswer],
  ["a node's status", readLiveNodeMessage],
  ["the run of a ROS node's learner", joinedIn],
  ['an identification', readNodeMessage],
  ["a learner's report", readLearnerMessage],
])('no rubbish is taken for %s', (_, read) => {
  for (const sent of RUBBISH) expect([sent, read(sent)]).toEqual([sent, undefined]);
});

/** As a channel between processes passes it on. */
const passed = (message: object): unknown => JSON.parse(JSON.stringify(message));

it('why a child gives up arrives as it was', () => {
  const error = { kind: 'policy', message: 'It is full of NaN.', remedy: 'Train again.' };
  expect(failureIn(passed({ kind: 'failed', error }))).toMatchObject({ name: 'ReinError', ...error });
  expect(failureIn(passed({ kind: 'failed', error: { ...error, remedy: undefined } }))?.remedy).toBeUndefined();
});

it("a guard's bus arrives as it was, and is refused with anything else in it", () => {
  const bus = { path: '/dev/ttyUSB0', stopFrames: ['ff01', '00'] };
  const message = { kind: 'bus', bus, watch: { silenceMs: 100, missedMs: 25, realTimePriority: 'try' } };
  expect(readBusMessage(passed({ ...message, watch: { ...message.watch, tickThread: undefined } }))).toEqual(message);
  for (const wrong of [
    { bus: { ...bus, path: '' } },
    { bus: { ...bus, stopFrames: [] } },
    { bus: { ...bus, stopFrames: ['f'] } },
    { bus: { ...bus, stopFrames: 'ff' } },
    { watch: { ...message.watch, silenceMs: 0 } },
    { watch: { ...message.watch, realTimePriority: 'yes' } },
    { more: 1 },
  ]) {
    expect(readBusMessage(passed({ ...message, ...wrong }))).toBeUndefined();
  }
});

it('a status arrives as it was, also with a number that JSON does not have', () => {
  const status = {
    ...createRunStatus('run', 'insert', 3),
    phaseProgress: { done: 1, total: 2, unit: 'episodes', beside: 'training' },
    success: { successes: 1, episodes: 2, helped: 1, rates: { successesPerHour: 61, humanStepShare: 0.5 } },
    successHistory: [0.1],
    operator: {
      driving: 'you',
      keys: 't',
      prompt: 'Show it.',
      person: { isInControl: true, isStopped: false, stepScale: 0.5, lastKey: 't' },
    },
    tool: { positionM: [1, 2, 3], offsetM: [1, 2, 3], forceN: 4 },
    messages: ['Begun.'],
  };
  expect(readLiveNodeMessage(passed({ kind: 'status', status }))).toEqual({ kind: 'status', status });
  const unknown = { ...status, utdAchieved: Number.NaN };
  expect(readLiveNodeMessage(passed({ kind: 'status', status: unknown }))).toEqual({ kind: 'status', status: unknown });
});
