/** A folder for a trial that was given none. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TrialSpec, writeTrialSpec } from './spec.ts';

/** Makes `out`, or a new folder below `runs/` that is named after environment, algorithm and seed; gives its path. */
export function createTrialFolder(out: string | undefined, spec: TrialSpec, now: Date = new Date()): string {
  const folder = out ?? firstFree(spec, now);
  writeTrialSpec(folder, spec);
  return folder;
}

function firstFree({ environment, learner, seed }: TrialSpec, now: Date): string {
  const stamp = now.toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-');
  const path = join('runs', `${stamp}-${environment.name}-${learner.algorithm}-s${seed}`);
  for (let attempt = 1; ; attempt++) {
    const candidate = attempt === 1 ? path : `${path}-${attempt}`;
    if (!existsSync(candidate)) return candidate;
  }
}
