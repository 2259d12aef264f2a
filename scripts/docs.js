/**
 * Writes the pages generated from code: docs/config.md and docs/schema/*.json from the configuration's schemas, docs/faults.md from the
 * fault table, docs/serial-writes.md from the drivers' tables of writes, docs/why-not-learning.md from the checks of a run,
 * docs/ros2/reference.md from the registration of topics, parameters and launch arguments; the statements of pages of figures on how much
 * newer the code is; and before them src/ros/messages/definitions.ts, from the definitions of ROS interfaces.
 * `--check` writes nothing and fails if a committed file differs from its generated form.
 */
import './node-version.js';
import './read-typescript.js';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFaultProofs } from './fault-proofs.js';
import { withAges, withLinkedAges } from './page-age.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const schemaFolder = join(root, 'docs', 'schema');
const isCheck = process.argv.includes('--check');

const { rosDefinitions } = await import('./ros/definitions.ts');
// First, as it is imported by the code that the pages are generated from.
const definitions = stale(new Map([[join(root, 'src', 'ros', 'messages', 'definitions.ts'), rosDefinitions(root)]]));
const { configReference, editorSchemas } = await import('../src/config/reference.ts');
const { faultReference } = await import('./fault-page.ts');
const { rosReference } = await import('./ros/page.ts');
const { serialWritesReference } = await import('./serial-writes-page.ts');
const { whyReference } = await import('./why-page.ts');

/** Pages of figures that are not measured again with each change of the code. */
const OF_FIGURES = ['docs/safety-check.md', 'docs/results.md', 'docs/reward-classifier.md'];
const counted = (path) => withAges(read(join(root, path)), root);

const pages = new Map([
  [join(root, 'docs', 'config.md'), configReference()],
  [join(root, 'docs', 'faults.md'), faultReference(findFaultProofs(root))],
  [join(root, 'docs', 'serial-writes.md'), serialWritesReference()],
  [join(root, 'docs', 'why-not-learning.md'), whyReference()],
  [join(root, 'docs', 'ros2', 'reference.md'), await rosReference(root)],
  ...OF_FIGURES.map((path) => [join(root, path), counted(path)]),
  [join(root, 'README.md'), withLinkedAges(counted('README.md'), counted)],
  ...editorSchemas().map(({ file, text }) => [join(schemaFolder, file), text]),
]);

const written = [...definitions, ...stale(pages)];
const leftOver = list(schemaFolder).filter((file) => !pages.has(file));

if (!isCheck) {
  for (const file of leftOver) rmSync(file);
  console.log(written.length + leftOver.length === 0 ? 'docs are current' : `wrote ${written.map(shown).join(', ')}`);
} else if (written.length + leftOver.length > 0) {
  console.error(`Not current: ${[...written, ...leftOver].map(shown).join(', ')}. Run: npm run docs`);
  process.exitCode = 1;
}

/** Files whose text differs; they are written, unless it is a check. */
function stale(texts) {
  const files = [...texts].filter(([file, text]) => read(file) !== text).map(([file]) => file);
  for (const file of isCheck ? [] : files) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, texts.get(file));
  }
  return files;
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
