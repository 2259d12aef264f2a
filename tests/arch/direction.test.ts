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
  ['no-cycles', 'src/model/a.ts', './b.ts'],
  ['room-model', 'src/model/up.ts', '../rows/index.ts'],
  ['room-rows', 'src/rows/up.ts', '../host/index.ts'],
  ['room-host', 'src/host/up.ts', '../rows/index.ts'],
  ['room-onnx', 'src/onnx/up.ts', '../host/index.ts'],
  ['room-safety', 'src/safety/sideways.ts', '../drivers/index.ts'],
  ['room-plant', 'src/plant/up.ts', '../drivers/index.ts'],
  ['room-drivers', 'src/drivers/up.ts', '../guard/index.ts'],
  ['room-policy', 'src/policy/up.ts', '../learner/index.ts'],
  ['room-teleop', 'src/teleop/up.ts', '../session/index.ts'],
  ['room-tasks', 'src/tasks/up.ts', '../config/index.ts'],
  ['room-link', 'src/link/up.ts', '../learner/index.ts'],
  ['room-record', 'src/record/up.ts', '../safety/index.ts'],
  ['room-guard', 'src/guard/up.ts', '../config/index.ts'],
  ['room-learner', 'src/learner/up.ts', '../config/index.ts'],
  ['room-config', 'src/config/up.ts', '../session/index.ts'],
  ['room-session', 'src/session/up.ts', '../sim/index.ts'],
  ['room-identify', 'src/identify/up.ts', '../sim/index.ts'],
  ['room-bring-up', 'src/bring-up/up.ts', '../sim/index.ts'],
  ['room-sim', 'src/sim/up.ts', '../offline/index.ts'],
  ['room-offline', 'src/offline/up.ts', '../monitor/index.ts'],
  ['room-schema', 'src/schema/up.ts', '../drivers/index.ts'],
  ['room-safety', 'src/safety/schema.ts', '../schema/index.ts'],
  ['room-robot-import', 'src/robot-import/up.ts', '../session/index.ts'],
  ['room-safety-check', 'src/safety-check/up.ts', '../session/index.ts'],
  ['room-ros', 'src/ros/sideways.ts', '../sim/index.ts'],
  ['room-monitor', 'src/monitor/up.ts', '../ros/index.ts'],
  ['session-takes-settings-of-the-learner-only', 'src/session/learns.ts', '../learner/index.ts'],
  ['package-emulate', 'packages/emulate/src/up.ts', '../../../src/session/index.ts'],
  ['package-lab', 'packages/lab/src/up.ts', '../../../src/session/index.ts'],
  ['package-lab', 'packages/lab/src/sideways.ts', '../../emulate/src/index.ts'],
  ['rooms-by-their-doors-from-packages', 'packages/emulate/src/peek.ts', '../../../src/drivers/thing.ts'],
  ['robot-without-packages', 'src/cli/emulate.ts', '../../packages/emulate/src/index.ts'],
  ['rooms-by-their-doors', 'src/guard/peek.ts', '../drivers/thing.ts'],
  ['rooms-by-their-doors', 'src/guard/deep/peek.ts', '../../drivers/inner/secret.ts'],
  ['nobody-enters-by-his-own-door', 'src/guard/round.ts', './index.ts'],
  ['model-and-safety-import-no-package', 'src/safety/package.ts', 'zod'],
  ['safety-does-no-io', 'src/safety/file.ts', 'node:fs'],
  ['model-does-no-io', 'src/model/file.ts', 'node:fs'],
  ['tick-does-no-io', 'src/guard/tick.ts', 'node:fs'],
  ['guard-loads-no-model-and-no-network', 'src/guard/guard-process.ts', '../link/server.ts'],
  ['no-development-packages-in-the-product', 'src/tasks/tool.ts', 'fast-check'],
  ['product-imports-no-test-and-no-bench', 'src/drivers/tested.ts', './thing.test.ts'],
  ['nothing-unresolvable', 'src/tasks/typo.ts', './no-such-file.ts'],
  ['surface-passes-on-doors', 'src/index.ts', './drivers/thing.ts'],
  ['surface-is-for-others', 'src/tasks/round.ts', '../index.ts'],
  ['surface-loads-nothing-heavy', 'src/index.ts', './link/index.ts'],
  ['home-of-mujoco', 'src/drivers/mock/heavy.ts', '@mujoco/mujoco'],
  ['home-of-onnxruntime-node', 'src/guard/heavy.ts', 'onnxruntime-node'],
  ['home-of-zeromq', 'src/learner/heavy.ts', 'zeromq'],
  ['home-of-serialport', 'src/guard/serial.ts', 'serialport'],
  ['home-of-node-hid', 'src/session/mouse.ts', 'node-hid'],
  ['home-of-rclnodejs', 'src/ros/node.ts', 'rclnodejs'],
  ['home-of-pino', 'src/guard/logs.ts', 'pino'],
  ['home-of-yaml', 'src/tasks/heavy.ts', 'yaml'],
  ['home-of-zod', 'src/learner/schema.ts', 'zod'],
  ['home-of-commander', 'src/session/arguments.ts', 'commander'],
  ['home-of-core', 'src/session/server.ts', '@mcap/core'],
  ['home-of-schemas', 'src/session/server.ts', '@foxglove/schemas'],
  ['home-of-fastify', 'src/session/server.ts', 'fastify'],
  ['home-of-ws', 'src/session/socket.ts', 'ws'],
  ['home-of-rxjs', 'src/session/streams.ts', 'rxjs'],
  ['home-of-preact', 'src/monitor/page.ts', 'preact'],
  ['home-of-three', 'src/monitor/picture.ts', 'three'],
  ['home-of-uplot', 'src/monitor/plot.ts', 'uplot'],
  ['home-of-uqr', 'src/monitor/code.ts', 'uqr'],
];

/** Imports that every rule lets pass. */
const right: readonly (readonly [from: string, to: string])[] = [
  ['src/model/b.ts', './a.ts'],
  ['src/rows/frame.ts', '../model/index.ts'],
  ['src/safety/chain.ts', '../model/index.ts'],
  ['src/plant/mujoco-module.ts', '@mujoco/mujoco'],
  ['src/drivers/mujoco/scene.ts', '../thing.ts'],
  ['src/drivers/mujoco/mujoco-driver.ts', '../../plant/mujoco.ts'],
  ['src/drivers/thing.test.ts', 'fast-check'],
  ['src/link/server.ts', 'zeromq'],
  ['src/link/index.ts', './server.ts'],
  ['src/record/log.ts', 'pino'],
  ['src/session/node.ts', '../learner/options.ts'],
  ['src/learner/options/bc.ts', 'zod'],
  ['src/drivers/mock/options.ts', '../../schema/index.ts'],
  ['src/drivers/ros/options.ts', 'zod'],
  ['src/sim/arm.ts', '../plant/mujoco.ts'],
  ['src/ros/rclnodejs/binding.ts', 'rclnodejs'],
  ['src/cli/sim.ts', '../sim/index.ts'],
  ['packages/emulate/src/bus.ts', '../../../src/drivers/index.ts'],
];

const targets = [
  'model',
  'rows',
  'host',
  'schema',
  'safety',
  'plant',
  'drivers',
  'guard',
  'link',
  'learner',
  'config',
  'session',
  'sim',
  'offline',
  'monitor',
  'ros',
]
  .map((folder) => `src/${folder}/index.ts`)
  .concat('src/drivers/thing.ts', 'src/drivers/inner/secret.ts', 'src/plant/mujoco.ts', 'src/learner/options.ts')
  .concat('packages/emulate/src/index.ts');

let house: string;
let bites: Set<string>;

beforeAll(async () => {
  house = mkdtempSync(join(tmpdir(), 'rein-arch-'));
  for (const path of targets) put(path, 'export const x = 1;\n');
  for (const [from, to] of right) put(from, `import '${to}';\n`);
  for (const [, from] of wrong) {
    const imports = wrong.filter(([, other]) => other === from).map(([, , to]) => `import '${to}';\n`);
    put(from, imports.join(''));
  }
  // Which packages are for development only is read from package.json.
  put('package.json', JSON.stringify({ type: 'module', devDependencies: { 'fast-check': '*' } }));
  symlinkSync(join(root, 'node_modules'), join(house, 'node_modules'));
  const { tsConfig: _, ...rest } = options;
  const cruiseOptions: ICruiseOptions = { ...rest, ruleSet: { forbidden }, validate: true, baseDir: house };
  const { output } = await cruise(['src', 'packages'], cruiseOptions);
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
    const allowed = /^(safety|safety-check)\//;
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
