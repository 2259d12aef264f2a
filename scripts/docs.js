/**
 * Writes the pages that come from code: docs/config.md and docs/schema/*.json from the configuration's schemas,
 * docs/faults.md from the fault table, docs/ros2/reference.md from what registers topics, parameters and launch arguments.
 * `--check` writes nothing and fails when a committed page is not what would be written.
 */
import './node-version.js';
import './read-typescript.js';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFaultProofs } from './fault-proofs.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const schemaFolder = join(root, 'docs', 'schema');
const isCheck = process.argv.includes('--check');

const { configReference, editorSchemas } = await import('../src/runtime/config/index.ts');
const { faultReference } = await import('../src/safety/index.ts');
const { rosReference } = await import('./ros-reference/page.ts');

const pages = new Map([
  [join(root, 'docs', 'config.md'), configReference()],
  [join(root, 'docs', 'faults.md'), faultReference(findFaultProofs(root))],
  [join(root, 'docs', 'ros2', 'reference.md'), await rosReference(root)],
  ...editorSchemas().map(({ file, text }) => [join(schemaFolder, file), text]),
]);

const stale = [...pages].filter(([file, text]) => read(file) !== text).map(([file]) => file);
const leftOver = list(schemaFolder).filter((file) => !pages.has(file));

if (!isCheck) {
  mkdirSync(schemaFolder, { recursive: true });
  for (const file of stale) writeFileSync(file, pages.get(file));
  for (const file of leftOver) rmSync(file);
  console.log(stale.length + leftOver.length === 0 ? 'docs are current' : `wrote ${stale.map(shown).join(', ')}`);
} else if (stale.length + leftOver.length > 0) {
  console.error(`Not current: ${[...stale, ...leftOver].map(shown).join(', ')}. Run: npm run docs`);
  process.exitCode = 1;
}

function shown(file) {
  return basename(file);
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function list(folder) {
  try {
    return readdirSync(folder).map((file) => join(folder, file));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
