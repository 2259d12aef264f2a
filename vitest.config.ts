import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const root = import.meta.dirname;
const inFolder = (folder: string): string => `tests/${folder}/**/*.test.ts`;
const UNIT = ['src/**/*.test.ts', 'bench/**/*.test.ts', inFolder('{arch,bench,contract}')];

/** Unit tests that replace a module: they run isolated, or their replacement would reach other files. */
const replacing = ['src', 'bench'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => `${folder}/${path}`)
    .filter((path) => /\bvi\.(mock|doMock)\(/.test(readFileSync(join(root, path), 'utf8'))),
);

/** A suite: the files of one folder, or of several. Its files share one process and its modules, unless `isolate` is set. */
function suite(name: string, include: readonly string[], more: Record<string, unknown> = {}) {
  return {
    extends: true as const,
    test: {
      name,
      include: [...include],
      isolate: false,
      ...more,
    },
  };
}

/** Files of these run one at a time, after those of suites that one names beside them. */
const ALONE = { fileParallelism: false, sequence: { groupOrder: 1 } };
/** These wait more than they compute: two files take half of the time of one after the other, and a third of two cores stays free. */
const REAL_TIME = { maxWorkers: 2, sequence: { groupOrder: 2 } };

/** `npm run test:long`: property tests try ten times as much, and have ten times as long. */
const isLong = process.env['REIN_LONG_TESTS'] === '1';
const LIMIT_MS = isLong ? 1_200_000 : 120_000;

export default defineConfig({
  resolve: { alias: isLong ? { 'fast-check': join(root, 'tests/support/ten-times.ts') } : {} },
  test: {
    pool: 'forks',
    setupFiles: [join(root, 'tests/support/real-timers.ts')],
    // The suites share what is compiled of a file.
    experimental: { fsModuleCache: true },
    // Twice as many as two cores: half of what tests of processes take of the clock is waiting.
    maxWorkers: 4,
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    projects: [
      // One suite, so that each of its processes loads the product once.
      suite('together', [...UNIT, inFolder('{sim-time,process,browser}')], { exclude: replacing }),
      suite('isolated', replacing, { isolate: true }),
      suite('real-time', [inFolder('real-time')], REAL_TIME),
      suite('ros', [inFolder('ros')], process.env['AMENT_PREFIX_PATH'] ? { ...ALONE, isolate: true } : {}),
      suite('long', [inFolder('long')], ALONE),
    ],
  },
});
