/** Commands whose body is a package of its own (`packages/`), because a robot does without it. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ReinError } from '../../core/index.ts';
import type { LoadLab } from '../../offline/index.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The environments of trials, for commands that take runs of `rein train` as well as those of robots. */
export const loadLab: LoadLab = () => fromPackage('rein-lab', () => import('rein-lab/lab'));

/** What `load` imports of the package `name`. Rejects with `ReinError('environment')` where the package is not installed. */
export async function fromPackage<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const missing = code === 'ERR_MODULE_NOT_FOUND' && /^Cannot find (?:package|module) '([^']*)'/.exec(message)?.[1];
    if (missing !== name) throw error;
    throw new ReinError('environment', `This needs the package ${name}, which is not installed.`, {
      remedy: existsSync(`${ROOT}scripts/build.js`)
        ? `Run npm ci in ${ROOT}.`
        : `Run npm run package in Rein's checkout, then, where rein is installed: npm install --ignore-scripts <checkout>/${name}-*.tgz`,
    });
  }
}
