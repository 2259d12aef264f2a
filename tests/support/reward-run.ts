/** The folder of a run that nobody drove: a peg that goes down step by step, and is in from a depth on. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ResolvedConfig, resolvedConfigText } from '../../src/config/index.ts';
import { createSetup } from '../../src/config/setup.ts';
import { openJournal } from '../../src/link/index.ts';
import { frameSize, Rng } from '../../src/model/index.ts';
import { createTransition } from '../../src/rows/index.ts';

/** `hole_offset` of the newest frame, z: from where on the peg is in. */
export const IN_FROM = 0.35;

/** Writes configuration and journal of `episodes` episodes into `folder`; every fourth ends at its time limit. */
export async function writeRun(folder: string, config: ResolvedConfig, episodes: number): Promise<void> {
  const { task, schemaHash, observationSize, actionSize } = createSetup(config);
  const at = frameSize(task.observation) * (task.observation.frames - 1);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.yaml'), resolvedConfigText({ ...config, run: { ...config.run, id: 'made' } }));
  const dir = join(folder, 'journal');
  const journal = openJournal({ dir, runId: 'made', schemaHash, observationSize, actionSize });
  const rng = new Rng(config.seed).fork('made run');
  for (let episode = 0; episode < episodes; episode++) {
    let depth = -1.3;
    for (let step = 0; step < 30; step++) {
      const transition = createTransition(observationSize, actionSize);
      const isStuck = episode % 4 === 3 && depth > 0;
      depth += isStuck ? 0 : rng.uniformIn(0.1, 0.3);
      transition.nextObservation.set([rng.uniformIn(-0.1, 0.1), rng.uniformIn(-0.1, 0.1), depth], at);
      const isIn = depth >= IN_FROM;
      const isLast = isIn || step === 29;
      const said = { reward: isIn ? 1 : 0, terminated: isIn, truncated: isLast && !isIn };
      journal.append(Object.assign(transition, { episode, step, ...said }));
      if (isLast) break;
    }
  }
  await journal.close();
}
