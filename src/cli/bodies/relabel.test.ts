import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { arm6Setup } from '../../../tests/support/arm6.ts';
import { heard } from '../../../tests/support/heard.ts';
import { resolvedConfigText } from '../../config/index.ts';
import { Replay } from '../../learner/index.ts';
import { DEFAULT_LEARNER_CONFIG, interventionRule } from '../../learner/options.ts';
import { openJournal, readJournal } from '../../link/index.ts';
import { runPretraining } from '../../offline/index.ts';
import { RUN_FILES, readRelabelling } from '../../record/index.ts';
import { createTransition, type Source } from '../../rows/index.ts';
import type { RelabelOptions } from '../relabel.ts';
import { relabelBody } from './relabel.ts';

const loadLab = () => import('../../../packages/lab/src/lab.ts');

const LEARNER = { ...DEFAULT_LEARNER_CONFIG, actorHidden: [4], criticHidden: [4], batchSize: 4, bcInitSteps: 5 };
/** Two episodes: p policy, c a person who corrects. */
const EPISODES = ['ppppccpp', 'pppp'];

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'relabel-'));
  const setup = arm6Setup();
  writeFileSync(join(folder, RUN_FILES.config), resolvedConfigText(setup.config));
  const { schemaHash, observationSize, actionSize } = setup;
  const journal = openJournal({ dir: join(folder, 'journal'), schemaHash, runId: 'r', observationSize, actionSize });
  for (const [episode, letters] of EPISODES.entries()) {
    for (const [step, letter] of [...letters].entries()) {
      const source: Source = letter === 'p' ? 'policy' : 'human_correct';
      const truncated = step === letters.length - 1;
      journal.append({ ...createTransition(observationSize, actionSize), episode, step, source, truncated });
    }
  }
  await journal.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NOTHING = { rule: {}, episode: undefined, as: undefined, steps: undefined, list: false, undo: undefined };

/** Output of the command. */
async function relabel(options: Partial<RelabelOptions>): Promise<string> {
  const { stdout } = await heard(() => relabelBody({ ...NOTHING, run: folder, ...options }));
  return stdout;
}

async function learnedFrom(out: string): Promise<number> {
  const data = { kind: 'run', folder } as const;
  return (await runPretraining({ data, learner: LEARNER, seed: 1, out: join(folder, out) }, () => undefined, loadLab))
    .transitions;
}

describe('rein relabel', () => {
  it('says things of a run that pre-training and learners follow, and takes them back, with the journal as it was', async () => {
    const journal = readFileSync(join(folder, 'journal', 'files.jsonl'));
    expect(await relabel({ list: true })).toBe('This run has no relabel entries.\n');
    expect(await learnedFrom('a')).toBe(12);

    await relabel({ rule: { leaveOutBeforeSteps: 3, onsetPenalty: 1 } });
    await relabel({ episode: '0', as: 'success' });
    await relabel({ episode: '0', as: 'recovery', steps: '4-4' });
    expect(await relabel({ episode: '1:1', as: 'drop' })).toBe(
      [
        '   1  rule: leaveOutBeforeSteps=3 onsetPenalty=1',
        '   2  episode 1:0: success',
        '   3  episode 1:0: recovery from step 4 to 4',
        '   4  episode 1:1: dropped',
        '',
      ].join('\n'),
    );
    // All of the first episode but the three steps before its onset; nothing of the second.
    expect(await learnedFrom('b')).toBe(5);

    const said = readRelabelling(folder);
    const transitions = [...readJournal(join(folder, 'journal'))];
    const dropped = transitions.map((each) => said.apply(each));
    expect(dropped).toEqual(transitions.map(({ episode }) => episode === 1));
    const [, , , , recovered, corrected, , last] = transitions;
    expect([recovered!.source, corrected!.source]).toEqual(['human_recover', 'human_correct']);
    expect(last).toMatchObject({ reward: 1, terminated: true, truncated: false });
    const { observation, executed } = last!;
    const interventions = interventionRule(said.rule);
    const replay = new Replay(observation.length, executed.length, 100, { interventions });
    transitions.forEach((each, i) => void replay.add(each, { isLeftOut: dropped[i]! }));
    expect(replay.counts()).toMatchObject({ online: 12, demonstrations: 2 });

    for (const undo of [1, 3, 4]) await relabel({ undo });
    expect(await relabel({ list: true })).toBe('   2  episode 1:0: success\n');
    expect(await learnedFrom('c')).toBe(12);
    expect(readFileSync(join(folder, 'journal', 'files.jsonl'))).toEqual(journal);
  });

  it.each([
    [{ undo: 77 }, 'No relabelling 77 is in effect'],
    [{ episode: '5', as: 'drop' }, 'no episode 5 of start 1'],
    [{ episode: 'x', as: 'drop' }, '"x" is no episode'],
    [{ episode: '1', as: 'recovery' }, 'The policy decided all of the steps'],
    [{ episode: '0', as: 'recovery', steps: '4' }, '"4" is not a range of steps'],
    [{ episode: '0', as: 'correction', steps: '5-4' }, '"5-4" is not a range of steps'],
    [{ episode: '0', as: 'correction', steps: '4-8' }, 'The episode has no step 8: its last is 7.'],
    [{ episode: '0', as: 'correction', steps: '3-5' }, 'No person had taken over in step 3'],
    [{ rule: { demonstrate: 'some' } }, 'demonstrate'],
    [{ undo: 2, rule: { foo: 1 } }, 'foo'],
    [{ rule: { demonstrate: 'none' }, episode: '999', as: 'failure' }, 'no episode 999 of start 1'],
    [{ run: '/nowhere' }, 'There is no folder /nowhere.'],
  ] as const)('refuses %j in a sentence', async (options, sentence) => {
    const before = readFileSync(join(folder, 'relabel.jsonl'), 'utf8');
    await expect(relabelBody({ ...NOTHING, run: folder, ...options })).rejects.toThrow(sentence);
    expect(readFileSync(join(folder, 'relabel.jsonl'), 'utf8')).toBe(before);
  });
});
