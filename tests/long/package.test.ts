/** What `npm run package` gives: a program, a library with types, and examples that run in an empty project. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PackedProject, packedProject } from '../support/packed.ts';

const root = join(import.meta.dirname, '..', '..');
let project: PackedProject;

beforeAll(() => {
  project = packedProject();
}, 240_000);
afterAll(() => project.remove());

describe('the package', () => {
  it('holds the compiled program with its types, and nothing for builders', () => {
    const { files } = project;
    for (const path of [
      'bin/rein.js',
      'dist/cli/main.js',
      'config/tasks/insert.yaml',
      'types/index.d.ts',
      'examples/my-arm.js',
    ])
      expect(files).toContain(path);
    expect(files.filter((path) => /\.map$|^dist\/(\.|bench)|^(src|packages|tests)\//.test(path))).toEqual([]);
  });

  it.each([
    ['rein-emulate', 'emulate', 'feetech', '--duration', '1'],
    ['rein-lab', 'train', '--env', 'point', '--steps', '20'],
    ['rein-lab', 'pretrain', '--env', 'point', '--out', 'pretrained'],
  ])('does without %s beside it: rein %s says how to get it', (name, ...args) => {
    const { code, stdout, stderr } = project.run('rein', ...args);
    expect(stderr).toContain(`rein: This needs the package ${name}, which is not installed.\n  → Run npm run package `);
    expect(stderr).toContain(`npm install --ignore-scripts <checkout>/${name}-*.tgz\n`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(project.run('rein', args[0]!, '--help').stdout).toContain(`rein ${args[0]}`);
  });

  it('runs with rein-emulate beside it', () => {
    project.installBeside('rein-emulate');
    const { code, stdout, stderr } = project.run('rein', 'emulate', 'feetech', '--duration', '1', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/"ready".*"robot":"so101"[\s\S]*"ended"/);
  });

  it('runs with rein-lab beside it', () => {
    project.installBeside('rein-lab');
    const trained = project.run('rein', 'train', '--env', 'point', '--steps', '20', '--out', 'trained');
    // Twenty steps are all warm-up, and it says so.
    expect(trained).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^rein: The policy does not move in 20 steps.*\n$/),
    });
    const exported = project.run('rein', 'export', 'policy', 'trained', '--out', 'trained.onnx');
    expect(exported).toMatchObject({ code: 0, stderr: '' });
  });

  it('types what it exports, and refuses what is wrong', () => {
    project.put(
      'typed.ts',
      `import { defineAlgorithm, openRobot, type Driver, type Task } from 'rein';
import { mul, sac, type Step } from 'rein/learner';
const robot = await openRobot({ task: 'insert' });
const frames: number = robot.observation.frames;
// @ts-expect-error it is a number
const wrong: string = robot.observation.frames;
export default defineAlgorithm({ name: 'x', create: () => ({ ...sac, name: 'x' }) });
export type All = [Driver, Task, Step, typeof mul, typeof frames, typeof wrong];
`,
    );
    const options = { noEmit: true, strict: true, module: 'nodenext', target: 'es2023', skipLibCheck: true, types: [] };
    project.put('tsconfig.json', JSON.stringify({ compilerOptions: options, files: ['typed.ts'] }));
    const tsc = join(root, 'node_modules/typescript-native/bin/tsc');
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', project.folder], { encoding: 'utf8' });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });

  it('loads nothing native where a driver imports it', () => {
    project.put(
      'light.js',
      `await import('rein'); await import('rein/learner');
console.log(process.report.getReport().sharedObjects.filter((path) => /onnxruntime|zeromq/.test(path)).length);`,
    );
    expect(project.run('node', 'light.js').stdout).toBe('0\n');
  });
});

describe('the examples', () => {
  it('have at most 60 lines each', () => {
    const folder = join(root, 'examples');
    for (const name of readdirSync(folder).filter((file) => file.endsWith('.js'))) {
      expect(readFileSync(join(folder, name), 'utf8').split('\n').length - 1, name).toBeLessThanOrEqual(60);
    }
  });

  it('open a robot and drive it', () => {
    const { code, stdout, stderr } = project.run('node', 'open-a-robot.js');
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^(episode \d: (not )?inserted after \d+ steps, .*\n){5}$/);
    expect(code).toBe(0);
  });

  it('run a robot of their own on a task of their own, by a policy of their own', () => {
    // An episode takes 4 s at most, and three times as long on a busy machine, which starts late too.
    const ran = project.run('rein', 'run', '--task', './reach.yaml', '--duration', '15', '--quiet', '--out', 'ran');
    expect(ran.stderr).toBe('');
    expect(ran.stdout).toMatch(/without help [1-9]\d* of the last/);
    expect(ran.stdout).toContain('safety 0 violations');
    expect(ran.code).toBe(0);
  });

  it('learn it by an algorithm of their own, shown by an operator of their own', () => {
    const learned = project.run('rein', 'sim', '--task', './reach.yaml', '--quiet', '--out', 'learned');
    expect(learned.stderr).toBe('');
    expect(learned.code).toBe(0);
    expect(existsSync(join(project.folder, 'learned', 'policy.onnx'))).toBe(true);
    const { code } = project.run(
      'rein',
      'eval',
      '--task',
      './reach.yaml',
      '--policy',
      'learned/policy.onnx',
      '--episodes',
      '4',
    );
    expect(code).toBeLessThanOrEqual(1);
  });
});

describe('a plugin that is installed', () => {
  const arm = (rein: object): void => {
    project.put(
      'node_modules/rein-my-arm/package.json',
      JSON.stringify({ name: 'rein-my-arm', version: '1.2.3', type: 'module', exports: './my-arm.js', rein }),
    );
    project.put('node_modules/rein-my-arm/my-arm.js', readFileSync(join(root, 'examples/my-arm.js'), 'utf8'));
  };

  it('is listed, checked and driven by the name of its package', () => {
    arm({ kind: 'driver', contract: 2 });
    expect(project.run('rein', 'plugins').stdout).toMatch(/^driver {2}rein-my-arm {2}1\.2\.3 {2}.*my-arm\.js\n$/);
    expect(project.run('rein', 'plugins', '--check', '--json')).toMatchObject({ code: 0 });
    inPlaceOf('module: ./my-arm.js', 'module: rein-my-arm');
    const ran = project.run('rein', 'run', '--task', './other.yaml', '--duration', '2', '--quiet', '--out', 'by-name');
    expect(ran.stderr).toBe('');
    expect(ran.code).toBe(0);
  });

  it('is refused where it is of another kind or of another contract', () => {
    arm({ kind: 'driver', contract: 7 });
    const listed = project.run('rein', 'plugins');
    expect(listed.stdout).toContain('refused: the package rein-my-arm is written against version 7');
    expect(listed.code).toBe(1);
    refused('version 7 of the contract for drivers');
    arm({ kind: 'task', contract: 1 });
    refused('is a task, and a driver is asked for here');
  });
});

describe('a module that is not what it has to be is refused in a sentence, and nothing moves', () => {
  it.each([
    ['is not there', undefined, /^rein: other-arm\.yaml:\d+:11: there is no file .*bad\.js\n {2}→/],
    [
      'throws',
      "throw new Error('no bus')",
      /^rein: The driver .*bad\.js cannot be loaded: Error: no bus\.\n {2}→ .*\n$/,
    ],
    [
      'is of another kind',
      "import { defineTask } from 'rein'; export default defineTask({ name: 'x', create() {} })",
      /is a task, and a driver is asked for here\.\n {2}→/,
    ],
    ['exports nothing', '', /has no default export\.\n {2}→/],
    [
      'gives no driver',
      "import { defineDriver } from 'rein'; export default defineDriver({ name: 'x', create: () => ({ open() {} }) })",
      /^rein: The driver x cannot be used: it has no function called read\.\n {2}→/,
    ],
    [
      'has wrong options',
      "import { defineDriver } from 'rein'; export default defineDriver({ name: 'x', create() {}, options: { parse() { throw new Error('lagS is no number'); } } })",
      /^rein: The options of x are wrong: lagS is no number\.\n/,
    ],
  ])('%s', (_, text, message) => {
    if (text !== undefined) project.put('bad.js', text);
    inPlaceOf('module: ./my-arm.js', 'module: ./bad.js');
    const ran = project.run('rein', 'run', '--task', './other.yaml', '--duration', '2', '--quiet', '--out', 'bad');
    rmSync(join(project.folder, 'bad'), { recursive: true, force: true });
    expect(ran.stderr).toMatch(message);
    expect(ran.stdout).toBe('');
    expect(ran.code).toBe(1);
  });

  it('an example without its package', () => {
    rmSync(join(project.folder, 'node_modules', 'rein'), { recursive: true });
    const { code, stderr } = project.run('node', 'open-a-robot.js');
    expect(stderr).toMatch(/^The package rein is not installed here: .*\n$/);
    expect(code).toBe(1);
  });
});

/** The task of the examples on their arm, with `to` for `from` in the arm's file. */
function inPlaceOf(from: string, to: string): void {
  const read = (path: string): string => readFileSync(join(root, 'examples', path), 'utf8');
  project.put('other-arm.yaml', read('my-arm.yaml').replace(from, to));
  project.put('other.yaml', read('reach.yaml').replace('./my-arm.yaml', './other-arm.yaml'));
}

function refused(message: string): void {
  const { code, stderr } = project.run('rein', 'run', '--task', './other.yaml', '--duration', '2', '--quiet');
  expect(stderr).toContain(message);
  expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
  expect(code).toBe(1);
}
