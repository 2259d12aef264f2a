import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { childPids, endLeftovers, goesAway, Rein } from '../support/rein.ts';
import { reinHere } from '../support/rein-here.ts';

const STUDY = `
kind: environment
title: A point
claim: More is better.
source: nobody
environment: point
steps: 80
seeds: 1
evaluation: { everySteps: 40, episodes: 2 }
learner: { actorHidden: [8], criticHidden: [8], batchSize: 8, warmupSteps: 20, demoFraction: 0, bcInitSteps: 0 }
variants:
  one: { title: one update, learner: { utd: 1 } }
  four: { title: four updates, learner: { utd: 4 } }
checks:
  - { kind: order, better: four, worse: one, measure: return, part: end }
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-sweep-'));
  writeFileSync(join(folder, 'mine.yaml'), STUDY);
});
afterEach(() => {
  endLeftovers();
  rmSync(folder, { recursive: true, force: true });
});

/** Long, and silent between its first evaluation and its last: a child that nobody listens to is told by nothing that it prints. */
const LONG = STUDY.replace('steps: 80', 'steps: 1200').replace('everySteps: 40', 'everySteps: 100000');

const at = (...path: string[]) => join(folder, 'runs/studies/mine', ...path);

const digestOf = (result: string) => (JSON.parse(result) as { stateDigest: string }).stateDigest;

describe('rein sweep', { timeout: 60_000 }, () => {
  it('goes on after a stop with what is missing, and makes its page without training', async () => {
    const stopped = new Rein(['sweep', 'mine.yaml'], folder);
    await stopped.printed(/^one 0: finished$/m);
    stopped.child.kill('SIGTERM');
    expect(await stopped.ended).toMatchObject({ code: 130 });
    expect(stopped.stdout).toContain('The same command goes on from here.');
    const first = readFileSync(at('one-0/result.json'), 'utf8');

    const whole = await reinHere(['sweep', 'mine.yaml'], folder);
    expect(whole).toMatchObject({ code: 0, stderr: '' });
    expect(whole.stdout).toContain('mine: 2 runs, 1 finished');
    expect(whole.stdout).toMatch(
      /\| one update \| 1 \(0\) \| 80 \| 60 \|.*\n\| four updates \| 1 \(0\) \| 80 \| 240 \|/,
    );
    expect(whole.stdout).toMatch(/not decided: four updates has .* than one update\./);
    expect(readFileSync(at('one-0/result.json'), 'utf8')).toBe(first);
    expect(existsSync(at('one-0/journal'))).toBe(false);

    rmSync(at('study.md'));
    const page = await reinHere(['sweep', 'mine.yaml', '--page'], folder);
    expect(page.stdout).not.toContain('finished');
    expect(readFileSync(at('study.md'), 'utf8')).toContain('![A point](study.svg)');
  });

  it('killed with SIGKILL leaves no run that goes on alone, and the next one waits for it and ends with the same weights', async () => {
    writeFileSync(join(folder, 'mine.yaml'), LONG);
    const killed = new Rein(['sweep', 'mine.yaml', '--only', 'four'], folder);
    await killed.printed(/^four 0: step 0 of 1200/m);
    const [run] = childPids(killed.child.pid!);
    // Held up, so that the next sweep surely finds it there.
    process.kill(run!, 'SIGSTOP');
    killed.child.kill('SIGKILL');
    const next = new Rein(['sweep', 'mine.yaml', '--only', 'four'], folder);
    try {
      await next.printed(new RegExp(`^four 0: waits for process ${run}, which works on this run$`, 'm'));
      expect(existsSync(at('four-0/result.json'))).toBe(false);
    } finally {
      process.kill(run!, 'SIGCONT');
    }
    expect(await goesAway(run!)).toBe(true);
    expect(await next.ended).toMatchObject({ code: 0, stderr: '' });
    expect(next.stdout).toContain('four 0: finished');
    // It was not the one left alone that finished.
    expect(readFileSync(at('four-0/events.jsonl'), 'utf8')).toContain('"resumed"');

    const straight = await reinHere(['sweep', 'mine.yaml', '--only', 'four', '--out', 'straight'], folder);
    expect(straight).toMatchObject({ code: 0, stderr: '' });
    const whole = readFileSync(join(folder, 'straight/four-0/result.json'), 'utf8');
    expect(digestOf(readFileSync(at('four-0/result.json'), 'utf8'))).toBe(digestOf(whole));
    expect(readFileSync(at('four-0/curve.jsonl'), 'utf8')).toBe(
      readFileSync(join(folder, 'straight/four-0/curve.jsonl'), 'utf8'),
    );
  });

  it('says before the first run what is wrong, and leaves a folder of other runs alone', async () => {
    writeFileSync(join(folder, 'bad.yaml'), STUDY.replace('environment: point', 'environment: pointt'));
    const wrong = await reinHere(['sweep', 'bad.yaml'], folder);
    expect(wrong).toMatchObject({ code: 1 });
    expect(wrong.stderr).toMatch(/There is no environment called "pointt", there are .*, did you mean "point"\?/);
    expect(existsSync(join(folder, 'runs'))).toBe(false);
  });
});
