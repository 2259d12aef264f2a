/** The list of mutants fits the code: `npm run mutants` runs them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

interface Mutant {
  readonly id: string;
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** What would go wrong with it. */
  readonly breaks: string;
  /** Tests that are run first; those beside the file where absent. */
  readonly tests?: readonly string[];
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const mutants = JSON.parse(readFileSync(join(root, 'tests/mutants/mutants.json'), 'utf8')) as Mutant[];

describe('the list of mutants', () => {
  it('has at least 50, each with a name of its own, and some in every room of src/safety', () => {
    expect(mutants.length).toBeGreaterThanOrEqual(50);
    expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
    const rooms = readdirSync(join(root, 'src/safety'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `src/safety/${name}/`);
    expect(rooms.filter((room) => !mutants.some(({ file }) => file.startsWith(room)))).toEqual([]);
  });

  it.each(mutants)('$id is still one change of one place', ({ file, find, replace, breaks }) => {
    expect(readFileSync(join(root, file), 'utf8').split(find).length - 1).toBe(1);
    expect(replace).not.toBe(find);
    expect(breaks).toMatch(/^[a-z].{15,}$/);
  });
});
