import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { saveHandMade } from '../../../tests/support/reward-classifier.ts';
import { schemaHash } from '../../model/index.ts';
import type { GuardFrame } from '../../rows/index.ts';
import type { Outcome, Task, Verdict } from '../task.ts';
import { judgedByClassifier } from './judged-by-classifier.ts';

/** Task with two observed numbers; its own rules return `own`. */
function taskOf(own: Partial<Verdict> = {}, more: Partial<Task> = {}): Task {
  return {
    name: 'mock',
    observation: { frames: 1, fields: [{ name: 'joint', size: 2, unit: '1', frame: 'none' }] },
    action: { kind: 'cartesian', dimensions: [{ name: 'x', scale: 0.01, unit: 'm' }] },
    signalNames: [],
    maxSteps: 10,
    goal: 'success is up to the test',
    drawLayout: () => ({ jointsRad: [], objects: {}, signals: {} }),
    observe: () => undefined,
    judge: (_frame, out) => void Object.assign(out, { reward: 0, terminated: false, success: false }, own),
    ...more,
  };
}

let dir: string;
let file: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'rein-judged-'));
  file = join(dir, 'reward.onnx');
  const { observation, action } = taskOf();
  saveHandMade(file, { schemaHash: schemaHash(observation, action), observationSize: 2, column: 1 });
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const frame = {} as GuardFrame;

/** Verdicts on states whose second numbers are `values`. */
function verdicts(task: Task, values: readonly number[]): Verdict[] {
  task.open?.();
  task.begin?.(frame);
  return values.map((value) => {
    const out: Verdict = { reward: 0, terminated: false, success: false };
    task.judge(frame, out, Float32Array.of(5, value));
    return out;
  });
}

const SUCCESS = { reward: 1, terminated: true, success: true };
const NOTHING = { reward: 0, terminated: false, success: false };
const FAILURE = { reward: 0, terminated: true, success: false };

describe('a task that is judged by a classifier', () => {
  it('succeeds where the classifier says so, and not where its own rules do', () => {
    const task = judgedByClassifier(taskOf({ reward: 1, terminated: true, success: true }), { file, forSteps: 1 });
    expect(verdicts(task, [-1, 1])).toEqual([NOTHING, SUCCESS]);
    expect(task.ownVerdict).toEqual(SUCCESS);
    expect(task.goal).toContain(file);
  });

  it('succeeds once enough steps count one after another, anew in each episode', () => {
    const task = judgedByClassifier(taskOf(), { file, forSteps: 2 });
    expect(verdicts(task, [1, -1, 1, 1]).map(({ success }) => success)).toEqual([false, false, false, true]);
    expect(verdicts(task, [1, -1]).map(({ success }) => success)).toEqual([false, false]);
    expect(verdicts(task, [1]).map(({ success }) => success)).toEqual([false]);
  });

  it('fails where its own rules say so', () => {
    const task = judgedByClassifier(taskOf({ terminated: true }), { file, forSteps: 1 });
    expect(verdicts(task, [-1])).toEqual([FAILURE]);
  });

  it('says what an episode would be from its start: a success where the classifier is sure, a failure by its own rules', () => {
    const starts = (own: Outcome | undefined, value: number, forSteps: number): Outcome | undefined => {
      const task = judgedByClassifier(taskOf({}, { startsAs: () => own }), { file, forSteps });
      task.open?.();
      return task.startsAs?.(frame, Float32Array.of(5, value));
    };
    expect([starts('success', -1, 1), starts(undefined, 1, 1), starts('failure', 1, 1)]).toEqual([
      undefined,
      'success',
      'failure',
    ]);
    expect([starts(undefined, 1, 2), starts('success', 1, 2)]).toEqual([undefined, 'success']);
  });

  it('pays nothing for a state that is not finite', () => {
    const task = judgedByClassifier(taskOf(), { file, forSteps: 1 });
    expect(verdicts(task, [Number.NaN, Number.POSITIVE_INFINITY]).map(({ success }) => success)).toEqual([false, true]);
  });

  it('takes another threshold where one is given', () => {
    const task = judgedByClassifier(taskOf(), { file, forSteps: 1, threshold: 0.9 });
    expect(verdicts(task, [0.001, 0.01]).map(({ success }) => success)).toEqual([false, true]);
  });

  it('still takes marks, and compares with nothing where people alone judge', () => {
    const task = judgedByClassifier(taskOf({}, { takesMarks: true, isArrangedByPeople: true }), { file, forSteps: 1 });
    expect([task.takesMarks, task.isArrangedByPeople, task.ownVerdict]).toEqual([true, true, undefined]);
    const both = judgedByClassifier(taskOf({}, { takesMarks: true, hasRules: true }), { file, forSteps: 1 });
    expect(both.ownVerdict).toBeDefined();
    const neither = judgedByClassifier(taskOf({}, { hasRules: false }), { file, forSteps: 1 });
    expect(neither.ownVerdict).toBeUndefined();
  });

  it('is refused before anything moves where the classifier is missing, damaged, another, or for another task', () => {
    const opened = (config: Parameters<typeof judgedByClassifier>[1], task = taskOf()) => {
      return () => judgedByClassifier(task, config).open?.();
    };
    expect(opened({ file: join(dir, 'none.onnx'), forSteps: 1 })).toThrow(/none.onnx cannot be read: there is no such/);
    expect(opened({ file, forSteps: 1, sha256: '0'.repeat(64) })).toThrow(/is another classifier than the task's file/);
    const { observation } = taskOf();
    const wider = { ...observation, fields: [{ ...observation.fields[0]!, size: 3 }] };
    expect(opened({ file, forSteps: 1 }, taskOf({}, { observation: wider }))).toThrow(/is for arm6\/mock \(schema/);
    const damaged = join(dir, 'damaged.onnx');
    const bytes = readFileSync(file);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(damaged, bytes);
    expect(opened({ file: damaged, forSteps: 1 })).toThrow(/damaged.json cannot be read/);
    writeFileSync(join(dir, 'damaged.json'), readFileSync(join(dir, 'reward.json')));
    expect(opened({ file: damaged, forSteps: 1 })).toThrow(/is not the file that damaged.json describes/);
    writeFileSync(join(dir, 'damaged.json'), '{"format":"rein-policy/1"}');
    expect(opened({ file: damaged, forSteps: 1 })).toThrow(/does not say "format": "rein-reward\/1"/);
  });
});
