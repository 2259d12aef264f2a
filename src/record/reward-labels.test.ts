import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { appendLabels, type LabelHeader, type LabelledState, readLabels } from './reward-labels.ts';

const header: LabelHeader = {
  task: 'insert',
  robot: 'arm6',
  schemaHash: '0123456789abcdef',
  observation: { frames: 2, fields: [{ name: 'depth', size: 1, unit: 'm', frame: 'base' }] },
  action: { kind: 'cartesian', dimensions: [{ name: 'x', scale: 0.01, unit: 'm' }] },
};
const state = (step: number, success: boolean, observation: ArrayLike<number> = [0, step]): LabelledState => {
  return { success, by: 'task', run: 'a1', epoch: 1, episode: 3, step, observation };
};

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'rein-labels-'));
  path = join(dir, 'labels.jsonl');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('a file of labelled states', () => {
  it('gives back what was appended, each float32 as it was', () => {
    const observation = Float32Array.of(Math.fround(Math.PI), 1.1754943508222875e-38);
    appendLabels(path, header, [state(1, false)]);
    appendLabels(path, header, [state(2, true, observation)]);
    const file = readLabels(path);
    expect(file.header).toMatchObject({ ...header });
    expect(file.states.map(({ step, success }) => [step, success])).toEqual([
      [1, false],
      [2, true],
    ]);
    expect(Float32Array.from(file.states[1]!.observation)).toEqual(observation);
    expect(file.skipped).toBe(0);
  });

  it('counts a state once that stands twice, as it was labelled last', () => {
    appendLabels(path, header, [state(1, true), state(2, false)]);
    appendLabels(path, header, [{ ...state(1, false), by: 'mined' }]);
    expect(readLabels(path).states.map(({ step, success, by }) => [step, success, by])).toEqual([
      [1, false, 'mined'],
      [2, false, 'task'],
    ]);
  });

  it('loses one line and no more where a crash has cut it', () => {
    appendLabels(path, header, [state(1, true)]);
    appendFileSync(path, '{"success":true,"by":"ta');
    appendLabels(path, header, [state(2, false)]);
    const { states, skipped } = readLabels(path);
    expect(states.map(({ step }) => step)).toEqual([1, 2]);
    expect(skipped).toBe(1);
  });

  it('leaves out what is no state: too few numbers, numbers that are none, an unknown source', () => {
    appendLabels(path, header, [state(1, true)]);
    const wrong = [{ observation: [1] }, { observation: [1, null] }, { by: 'guess' }, { success: 'yes' }, { step: -1 }];
    for (const change of wrong) appendFileSync(path, `${JSON.stringify({ ...state(9, true), ...change })}\n`);
    expect(readLabels(path)).toMatchObject({ skipped: wrong.length, states: [{ step: 1 }] });
  });

  it('takes no states of another task or observation, and is left as it was', () => {
    appendLabels(path, header, [state(1, true)]);
    const before = readFileSync(path, 'utf8');
    const foreign = { ...header, schemaHash: 'fedcba9876543210' };
    expect(() => appendLabels(path, foreign, [state(2, true)])).toThrow(
      /is of arm6\/insert \(schema 0123456789abcdef\)/,
    );
    expect(() => appendLabels(path, { ...header, task: 'push' }, [state(2, true)])).toThrow(/this is arm6\/push/);
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it('is refused in one sentence where it is none', () => {
    expect(() => readLabels(path)).toThrow(/cannot be read/);
    for (const text of ['', 'hello', '{"format":"rein-policy/1"}', '{"format":"rein-reward-labels/1","task":"a"}\n']) {
      writeFileSync(path, text);
      expect(() => readLabels(path), text).toThrow(/is no file of labelled states/);
    }
  });
});
