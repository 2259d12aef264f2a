import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const root = import.meta.dirname;
const inFolder = (folder: string): string => `tests/${folder}/**/*.test.ts`;
const UNIT = [
  'src/**/*.test.ts',
  'packages/*/src/**/*.test.ts',
  'bench/**/*.test.ts',
  inFolder('{arch,bench,contract}'),
];

/** Unit tests that replace a module: they run isolated, or their replacement would reach other files. */
const replacing = ['src', 'packages', 'bench'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => `${folder}/${path}`)
    .filter((path) => /\bvi\.(mock|doMock)\(/.test(readFileSync(join(root, path), 'utf8'))),
);

/** `npm run coverage` counts lines of `src/`. */
const isCounted = process.argv.some((argument) => argument.startsWith('--coverage'));

/** A suite: the files of one folder, or of several. Its files share one process and its modules, unless `isolate` is set. */
function suite(name: string, include: readonly string[], more: Record<string, unknown> = {}) {
  return {
    extends: true as const,
    ...(more['isolate'] === true || isCounted ? {} : { plugins: [AS_IT_SHIPS] }),
    test: {
      name,
      include: [...include],
      isolate: false,
      server: { deps: { external: [/\/dist\//] } },
      ...more,
    },
  };
}

/**
 * Tests load the product as it ships: an import of `src/`, `bench/` or a package is one of its `dist/`, which Node reads by itself. Compiled anew for
 * each test process it would cost a sixth of the whole.
 */
const AS_IT_SHIPS = {
  name: 'as-it-ships',
  enforce: 'pre' as const,
  resolveId(source: string, importer: string | undefined): string | undefined {
    if (importer === undefined || !/^[./].*\.ts$/.test(source) || source.endsWith('.test.ts')) return undefined;
    const path = relative(root, resolve(dirname(importer), source));
    const built = path.replace(/^(packages\/[^/]+\/)src\//, '$1dist/').replace(/^(src\/|(?=bench\/))/, 'dist/');
    const output = join(root, `${built.slice(0, -'ts'.length)}js`);
    return built !== path && existsSync(output) ? output : undefined;
  },
};

/** Folders whose files start programs: one that came last would keep a single core busy after all others. */
const STARTS_PROGRAMS = /[/\\]tests[/\\](process|sim-time|contract|ros)[/\\]/;

class ProgramsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const [first, last]: [TestSpecification[], TestSpecification[]] = [[], []];
    for (const file of await super.sort(files)) (STARTS_PROGRAMS.test(file.moduleId) ? first : last).push(file);
    return [...first, ...last];
  }
}

/** Most code of a test runs a few times: compiled at once, it takes a tenth less. Not where time is judged: it is as the robot has it there. */
const FEW_TIMES = { execArgv: ['--always-sparkplug', '--max-semi-space-size=64'] };

/** Files of these run one at a time, after those of suites that one names beside them. */
const ALONE = { fileParallelism: false, sequence: { groupOrder: 1 } };
/** These wait more than they compute: two files take half of the time of one after the other, and a third of two cores stays free. */
const REAL_TIME = { maxWorkers: 2, sequence: { groupOrder: 2 } };

/** A browser is as busy as two. */
const BROWSER = { maxWorkers: 2, sequence: { groupOrder: 3 } };

/** `npm run test:long`: property tests try ten times as much (`tests/support/cases.ts`), and have ten times as long. */
const isLong = process.env['REIN_LONG_TESTS'] === '1';
const LIMIT_MS = isLong ? 1_200_000 : 120_000;

export default defineConfig({
  resolve: { alias: { 'fast-check': join(root, 'tests/support/cases.ts') } },
  test: {
    pool: 'forks',
    globalSetup: join(root, 'tests/support/build-first.ts'),
    setupFiles: [join(root, 'tests/support/real-timers.ts')],
    // The suites share what is compiled of a file.
    experimental: { fsModuleCache: true },
    // Twice as many as two cores: half of what tests of processes take of the clock is waiting.
    maxWorkers: 4,
    sequence: { sequencer: ProgramsFirst },
    testTimeout: LIMIT_MS,
    // What is polled for comes, or the machine is slow: vitest's own limit is a second.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: LIMIT_MS,
    projects: [
      // One suite, so that each of its processes loads the product once.
      suite('together', [...UNIT, inFolder('{sim-time,process}')], { exclude: replacing, ...FEW_TIMES }),
      suite('isolated', replacing, { isolate: true, ...FEW_TIMES }),
      suite('browser', [inFolder('browser')], BROWSER),
      suite('real-time', [inFolder('real-time')], REAL_TIME),
      suite('ros', [inFolder('ros')], process.env['AMENT_PREFIX_PATH'] ? { ...ALONE, isolate: true } : {}),
      suite('long', [inFolder('long')], ALONE),
    ],
  },
});
