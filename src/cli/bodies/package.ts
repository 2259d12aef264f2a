/** Commands whose body is a separate package (`packages/`), because a robot does not need it. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ReinError } from '../../model/index.ts';
import type { LoadLab } from '../../offline/index.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Environments of trials, for commands that accept runs of `rein train` besides those of robots. */
export const loadLab: LoadLab = () => fromPackage('rein-lab', () => import('rein-lab/lab'));

/** Resolves to what `load` imports from the package `name`. Rejects with `ReinError('environment')` if it is not installed. */
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
