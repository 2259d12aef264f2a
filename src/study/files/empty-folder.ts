/** Folders that are written into only where nothing is there. */
import { readdirSync } from 'node:fs';
import { ReinError, storage } from '../../core/index.ts';

/**
 * Throws `ReinError('storage')` where `folder` holds anything that `isOwn` does not know, or cannot be read; one that is not
 * there is empty. `state`: what the folder is then, for people.
 */
export function checkEmpty(folder: string, state: string, isOwn: (name: string) => boolean): void {
  const others = namesIn(folder).filter((name) => !isOwn(name));
  if (others.length === 0) return;
  const shown = others.length > 3 ? [...others.slice(0, 3), '…'] : others;
  throw new ReinError('storage', `${folder} ${state}: ${shown.join(', ')}.`, { remedy: 'Choose another folder.' });
}

function namesIn(folder: string): string[] {
  return storage(folder, () => {
    try {
      return readdirSync(folder).sort();
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw cause;
    }
  });
}
