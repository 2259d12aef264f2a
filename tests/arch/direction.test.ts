/** Every rule of `.dependency-cruiser.cjs` is seen to bite: a small house is built wrong, one wrong import a rule. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const { forbidden, options } = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs'));

/** Rule, the importing file, what it imports. */
const wrong: readonly (readonly [rule: string, from: string, to: string])[] = [
  ['no-cycles', 'src/core/a.ts', './b.ts'],
  ['core-imports-nothing-of-src', 'src/core/up.ts', '../safety/index.ts'],
  ['siblings-import-core-only', 'src/safety/sideways.ts', '../drivers/index.ts'],
  ['siblings-import-core-only', 'src/tasks/up.ts', '../runtime/index.ts'],
  ['runtime-imports-nothing-above-it', 'src/runtime/up.ts', '../cli/index.ts'],
  ['ros-and-monitor-apart', 'src/ros/sideways.ts', '../monitor/index.ts'],
  ['core-and-safety-import-no-package', 'src/safety/package.ts', 'zod'],
  ['safety-does-no-io', 'src/safety/file.ts', 'node:fs'],
  ['core-does-no-io', 'src/core/file.ts', 'node:fs'],
  ['tick-does-no-io', 'src/guard/tick.ts', 'node:fs'],
  ['guard-loads-no-model-and-no-network', 'src/guard/guard-process.ts', '../../learner/link/index.ts'],
  ['no-development-packages-in-the-product', 'src/tasks/tool.ts', 'fast-check'],
  ['src-does-not-import-tests', 'src/drivers/tested.ts', './thing.test.ts'],
  ['nothing-unresolvable', 'src/tasks/typo.ts', './no-such-file.ts'],
  ['index-only-from-depth-1', 'src/runtime/peek.ts', '../drivers/inner/secret.ts'],
  ['index-only-from-depth-2', 'src/runtime/guard/peek.ts', '../../drivers/thing.ts'],
  ['index-only-from-depth-3', 'src/runtime/guard/deep/peek.ts', '../../../drivers/thing.ts'],
  ['index-passes-on-its-own', 'src/guard/index.ts', '../../drivers/thing.ts'],
  ['home-of-mujoco', 'src/drivers/mock/heavy.ts', '@mujoco/mujoco'],
  ['home-of-onnxruntime-node', 'src/runtime/guard/heavy.ts', 'onnxruntime-node'],
  ['home-of-zeromq', 'src/learner/heavy.ts', 'zeromq'],
  ['home-of-serialport', 'src/runtime/serial.ts', 'serialport'],
  ['home-of-rclnodejs', 'src/ros/node.ts', 'rclnodejs'],
  ['home-of-pino', 'src/runtime/heavy.ts', 'pino'],
  ['home-of-rxjs', 'src/guard/scheduler.ts', 'rxjs'],
  ['home-of-yaml', 'src/tasks/heavy.ts', 'yaml'],
  ['home-of-zod', 'src/tasks/schema.ts', 'zod'],
  ['home-of-commander', 'src/runtime/arguments.ts', 'commander'],
];

/** Imports that every rule lets pass. */
const right: readonly (readonly [from: string, to: string])[] = [
  ['src/core/b.ts', './a.ts'],
  ['src/safety/chain.ts', '../core/index.ts'],
  ['src/drivers/mujoco/mujoco-driver.ts', '@mujoco/mujoco'],
  ['src/drivers/mujoco/scene.ts', '../thing.ts'],
  ['src/drivers/thing.test.ts', 'fast-check'],
  ['src/link/server.ts', 'zeromq'],
  ['src/link/index.ts', './server.ts'],
  ['src/record/log.ts', 'pino'],
  ['src/runtime/node.ts', '../drivers/index.ts'],
  ['src/ros/rclnodejs/binding.ts', 'rclnodejs'],
  ['src/cli/sim.ts', '../runtime/index.ts'],
];

const targets = ['core', 'safety', 'drivers', 'runtime', 'cli', 'monitor', 'learner']
  .map((folder) => `src/${folder}/index.ts`)
  .concat('src/drivers/thing.ts', 'src/drivers/inner/secret.ts');

let house: string;
let bites: Set<string>;

beforeAll(async () => {
  house = mkdtempSync(join(tmpdir(), 'rein-arch-'));
  for (const path of targets) put(path, 'export const x = 1;\n');
  for (const [from, to] of right) put(from, `import '${to}';\n`);
  for (const [, from, to] of wrong) put(from, `import '${to}';\n`);
  // Which packages are for development only is read from package.json.
  put('package.json', JSON.stringify({ type: 'module', devDependencies: { 'fast-check': '*' } }));
  symlinkSync(join(root, 'node_modules'), join(house, 'node_modules'));
  const { tsConfig: _, ...rest } = options;
  const cruiseOptions: ICruiseOptions = { ...rest, ruleSet: { forbidden }, validate: true, baseDir: house };
  const { output } = await cruise(['src'], cruiseOptions);
  bites = new Set((output as ICruiseResult).summary.violations.map((bite) => `${bite.rule.name}: ${bite.from}`));
});

afterAll(() => rmSync(house, { recursive: true, force: true }));

describe('the dependency rules', () => {
  it.each(wrong)('%s refuses %s importing %s', (rule, from) => {
    expect(bites).toContain(`${rule}: ${from}`);
  });

  it.each(right)('let %s import %s', (from) => {
    const ofThisFile = [...bites].filter((bite) => bite.endsWith(`: ${from}`) && !bite.startsWith('no-cycles'));
    expect(ofThisFile).toEqual([]);
  });

  it('are all tried here', () => {
    const tried = new Set(wrong.map(([rule]) => rule));
    expect(forbidden.map((rule: { name: string }) => rule.name).filter((name: string) => !tried.has(name))).toEqual([]);
  });
});

describe('trials of the chain', () => {
  it('are named by the safety check alone: no robot is driven with stages left out', () => {
    const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
    const naming = files.filter((path) => {
      return (
        path.endsWith('.ts') && /ChainTrial|\btrial\b.*new SafetyChain|new SafetyChain\([^)]*\btrial\b/.test(read(path))
      );
    });
    const allowed = /^(safety\/|runtime\/safety-check\/)/;
    expect(naming.filter((path) => !allowed.test(path))).toEqual([]);
    expect(naming.length).toBeGreaterThan(0);
  });
});

function read(path: string): string {
  return readFileSync(join(root, 'src', path), 'utf8');
}

function put(path: string, text: string): void {
  mkdirSync(dirname(join(house, path)), { recursive: true });
  writeFileSync(join(house, path), text);
}
