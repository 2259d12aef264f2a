/**
 * Lets a script, or a process of a test, read TypeScript of this repository, which Node 20 does not support: import this file first,
 * then `await import('….ts')`. Types are removed without checking, as in `scripts/build.js`. Never in the product.
 */
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { transform } from 'esbuild';

// Node loads this file once more, in a separate thread, for the hook below.
if (isMainThread) register(import.meta.url);

/** Node's module hook. */
export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const file = fileURLToPath(url);
  const options = { loader: 'ts', format: 'esm', target: 'node20', sourcefile: file, sourcemap: 'inline' };
  const { code } = await transform(await readFile(file, 'utf8'), options);
  return { format: 'module', source: code, shortCircuit: true };
}
