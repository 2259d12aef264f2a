import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestRobot } from '../../tests/support/session.ts';
import { readLabels } from '../record/index.ts';

let robot: TestRobot;
let labels: string;
beforeEach(() => {
  robot = new TestRobot();
  labels = join(robot.folder, 'labels.jsonl');
});
afterEach(() => robot.close());

describe('marks that label states', () => {
  it('take the last steps of the present episode, also where the task judges itself', async () => {
    const session = await robot.open({ policy: await robot.policyFile(), labels, labelSteps: 3 });
    const said: string[] = [];
    session.listen({ event: ({ name, message }) => void (name === 'labelled' && said.push(message)) });
    const seen: number[][] = [];
    const mark = (episode: number) => ({
      purpose: 'training' as const,
      maxSteps: 6,
      onStep: ({ step, nextObservation }: { step: number; nextObservation: Float32Array }) => {
        if (episode === 0) seen.push(Array.from(nextObservation));
        if (episode === 0 && step === 4) session.mark('success', '');
        if (episode === 1 && step === 1) session.mark('failure', '');
      },
    });
    for (const episode of [0, 1]) await session.runEpisode(mark(episode)).done;
    const { header, states, skipped } = readLabels(labels);
    expect(header).toMatchObject({ task: 'insert', schemaHash: robot.setup.schemaHash });
    const shown = states.map(({ episode, step, success, by }) => `${episode}:${step} ${success} ${by}`);
    expect(shown).toEqual(['0:2 true mark', '0:3 true mark', '0:4 true mark', '1:0 false mark', '1:1 false mark']);
    expect(states.slice(0, 3).map(({ observation }) => Array.from(Float32Array.from(observation)))).toEqual(
      seen.slice(2, 5),
    );
    expect(skipped).toBe(0);
    expect(said.at(-1)).toContain('2 states are labelled as no successes; 3 successes and 2 others so far');
  });

  it('are refused before anything moves where the file is of something else', async () => {
    writeFileSync(labels, 'no labels\n');
    const opening = robot.open({ policy: await robot.policyFile(), labels });
    await expect(opening).rejects.toThrow(/is no file of labelled states/);
    expect(readFileSync(labels, 'utf8')).toBe('no labels\n');
  });
});
