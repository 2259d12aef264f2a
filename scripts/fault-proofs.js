/** Finds the tests that prove a row of the fault table: calls of `faultRow` in test files. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const CALL = /\bfaultRow\(\s*(\d+|\[[\d,\s]+\])\s*,\s*'(fake|process|real-time)'\s*,\s*(['"`])((?:\\.|(?!\3).)*)\3/gs;
/** Tests against a real ROS 2 are skipped without one; architecture tests quote calls. Neither proves anything. */
const LEFT_OUT = [join('tests', 'ros'), join('tests', 'arch')];

/** Every proof below `root`, by file: `{ row, clock, file, title }`. */
export function findFaultProofs(root) {
  const proofs = [];
  for (const folder of ['src', 'packages', 'tests']) {
    const names = readdirSync(join(root, folder), { recursive: true }).filter((name) => name.endsWith('.test.ts'));
    for (const name of names.sort()) {
      const file = join(folder, name);
      if (!LEFT_OUT.some((folder) => file.startsWith(folder)))
        proofs.push(...proofsIn(file, readFileSync(join(root, file), 'utf8')));
    }
  }
  return proofs;
}

/** The proofs in one test file. */
export function proofsIn(file, text) {
  return [...text.matchAll(CALL)].flatMap(([, rows, clock, , title]) =>
    [...rows.matchAll(/\d+/g)].map(([row]) => ({ row: Number(row), clock, file, title: spoken(title) })),
  );
}

/** Title that stands for many tests: the varying part is replaced. */
function spoken(title) {
  return title.replaceAll("\\'", "'").replaceAll(/\$\{[^}]*\}/g, '…');
}
