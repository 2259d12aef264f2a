/** The name of the folder of a trial that was given none. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TrialSpec } from './spec.ts';

/** A path below `runs/` at which there is nothing, named after environment, algorithm and seed. Nothing is made. */
export function freeTrialFolder({ environment, learner, seed }: TrialSpec, now: Date = new Date()): string {
  const stamp = now.toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-');
  const path = join('runs', `${stamp}-${environment.name}-${learner.algorithm}-s${seed}`);
  for (let attempt = 1; ; attempt++) {
    const candidate = attempt === 1 ? path : `${path}-${attempt}`;
    if (!existsSync(candidate)) return candidate;
  }
}
