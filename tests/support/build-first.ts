/** Tests load `dist/`: it is built before the first of them, which takes a second, or nothing where nothing has changed. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export function setup(): void {
  const build = join(import.meta.dirname, '..', '..', 'scripts/build.js');
  // A copy that is broken on purpose (`npm run mutants`) has no build, and its tests load `src/`.
  if (existsSync(build)) execFileSync(process.execPath, [build, '--quiet'], { stdio: 'inherit' });
}
