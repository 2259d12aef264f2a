/** `rein safety identify` through the guard's own process, in real time, against what it finds in lock-step. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IdentifyFolder, identify } from '../support/identify-folder.ts';
import { rein } from '../support/rein.ts';

const PATIENCE_MS = 120_000;
/** Limits found in real time and in lock-step, at most so much apart: late ticks show in the references. */
const FACTOR = 1.5;
/** A run that is over in seconds, with limits that were found. */
const SHORT = `
task:
  demonstrations: 1
  training: { minimumSteps: 20 }
  validation: { everySteps: 20, episodes: 1 }
learner: { actorHidden: [32, 32], criticHidden: [32, 32], bcInitSteps: 10, batchSize: 32 }
robot:
`;
let folder: IdentifyFolder;

beforeEach(() => {
  folder = new IdentifyFolder();
});
afterEach(() => folder.clear());

describe('rein safety identify in real time', { timeout: PATIENCE_MS }, () => {
  it('finds the limits of lock-step, in a piece that the next run takes', async () => {
    const { path: dir } = folder;
    const at = (name: string): string => folder.at(name);
    // Late ticks blur what is measured, and of more motion less is seen of them.
    const args = ['arm6', '--duration', '8', '--quiet'];
    const live = await rein(identify(...args, '--real-time', '--json', 'live.json'), dir);
    expect(live.stderr).toMatch(/arm6 will stand for 3 s with torque on, and move:\n {2}about its home pose for 8 s/);
    expect(live.stderr).not.toContain('c lets it move');
    expect([live.code, `${live.stdout}\n${live.stderr}`]).toEqual([0, expect.any(String)]);
    expect(live.stdout).toContain('The file is right within its margins.');
    const piece = readFileSync(at('piece.yaml'), 'utf8');
    expect(piece).toContain('#   rein safety identify arm6 --duration 8 --filter 0.028 --seed 1 --real-time');
    expect(await rein(identify(...args, '--json', 'lockstep.json', '--force'), dir)).toMatchObject({ code: 0 });
    const [found, expected] = ['live.json', 'lockstep.json'].map((name) => JSON.parse(readFileSync(at(name), 'utf8')));
    for (const key of ['servoMaxNm', 'externalMaxNm']) {
      for (const [i, limit] of found.observer[key].entries()) {
        expect(limit / expected.observer[key][i], `${key} ${i}`).toBeLessThan(FACTOR);
        expect(limit / expected.observer[key][i], `${key} ${i}`).toBeGreaterThan(1 / FACTOR);
      }
    }
    expect(found.lost).toBeLessThanOrEqual(0.01 * found.samples);
    expect(found.observer.wrench).toBe('mean');
    folder.expectStanding();

    writeFileSync(at('taken.yaml'), `${SHORT}${piece.replace(/^/gm, '  ')}`);
    const sim = ['sim', '--config', 'taken.yaml', '--out', 'run', '--steps', '20', '--eval-episodes', '1', '--quiet'];
    const run = await rein(sim, dir);
    expect(run.stdout).toContain('20 steps');
    expect(run.stderr).not.toContain('A force or load acts on the arm');
    const limits = /externalMaxNm:\n((?: +- .*\n)+)/.exec(readFileSync(at('run/config.yaml'), 'utf8'))?.[1];
    expect(limits?.match(/[\d.]+/g)?.map(Number)).toEqual(found.observer.externalMaxNm);
  });
});
