import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';

/**
 * Makes a folder and all that leads to it. Absolute: where the working directory is gone, Node tries to make a relative path for ever.
 * Rejects where it cannot.
 */
export async function makeFolder(path: string): Promise<void> {
  await mkdir(resolve(path), { recursive: true });
}
