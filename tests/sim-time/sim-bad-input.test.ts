/**
 * Bad input to the program: one clear sentence, an exit code that says so, nothing lost, and no arm that moved. Each command
 * is refused once in a process of its own, which must then end by itself; the other sentences come from within this process.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeMlpGraph } from '../../bench/policy/mlp-graph.ts';
import { readPolicyManifest, savePolicyFile } from '../../src/policy/index.ts';
import { faultRow } from '../support/fault-row.ts';
import { IS_LONG } from '../support/long.ts';
import { type Ended, endLeftovers, rein, TINY, transitionsOf } from '../support/rein.ts';
import { reinHere } from '../support/rein-here.ts';

let dir: string;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'rein-bad-'));
  writeFileSync(join(dir, 'tiny.yaml'), TINY);
  const size = ['--steps', '160', '--eval-episodes', '1', '--monitor', 'off'];
  await reinHere(['sim', '--config', 'tiny.yaml', '--out', 'good', '--quiet', ...size], dir);
}, 240_000);
afterAll(() => {
  endLeftovers();
  rmSync(dir, { recursive: true, force: true });
});

/** Refused by a process of its own. */
async function refused(args: readonly string[], message: RegExp, nodeArgs: readonly string[] = []): Promise<string> {
  return expectRefused(await rein(args, dir, nodeArgs), message);
}

/** Refused within this process. */
async function refusedHere(args: readonly string[], message: RegExp): Promise<string> {
  return expectRefused(await reinHere(args, dir), message);
}

/** It ended with 1 after `sentence` on standard error, with neither a stack nor anything that moved before it. */
function expectRefused({ code, stdout, stderr }: Omit<Ended, 'signal'>, message: RegExp): string {
  expect(stderr).toMatch(message);
  expect(stderr).not.toMatch(/mistake in Rein|\n {4}at /);
  expect(stdout).not.toMatch(/demonstrations|training|success \d/);
  expect(code).toBe(1);
  return stderr;
}

/** A copy of the good run's policy and configuration. */
function copyOfPolicy(name: string): string {
  mkdirSync(join(dir, name));
  for (const file of ['policy.onnx', 'policy.json', 'config.yaml']) {
    cpSync(join(dir, 'good', file), join(dir, name, file));
  }
  return join(dir, name);
}

function otherRobot(folder: string): void {
  const path = join(folder, 'config.yaml');
  writeFileSync(path, readFileSync(path, 'utf8').replace('historyFrames: 3', 'historyFrames: 2'));
}

describe('a configuration', () => {
  const wrong: readonly [string, string | Buffer, RegExp][] = [
    ['is not YAML', 'a: [\n', /^rein: overlay\.yaml:2:1: this is not YAML: /],
    ['is not text', Buffer.from([0, 255]), /^rein: overlay\.yaml: this is not a text file/],
    [
      'has a key that does not exist',
      'task: { maxStep: 3 }\n',
      /overlay\.yaml:1:9: unknown key "maxStep".*did you mean "maxSteps"\?/,
    ],
    ['has a value out of range', 'learner: { utd: .nan }\n', /overlay\.yaml:1:17: \.nan is not a finite number/],
  ];
  for (const [what, content, message] of wrong) {
    faultRow(33, 'process', `that ${what} is refused with its place`, async (promised) => {
      writeFileSync(join(dir, 'overlay.yaml'), content);
      await refusedHere(['sim', '--config', 'overlay.yaml', '--out', 'never'], message);
      expect(existsSync(join(dir, 'never')) ? 1 : 0).toBe(promised('startedWrong'));
    });
  }

  it('with several mistakes ends with a line of its own, and a module that is not there with what helps', async () => {
    writeFileSync(join(dir, 'overlay.yaml'), 'task: { maxStep: 3 }\nlearner: { utdd: 1 }\n');
    await refusedHere(
      ['sim', '--config', 'overlay.yaml', '--out', 'never'],
      /^overlay\.yaml:1:9: .*\noverlay\.yaml:2:12: .*\nrein: the lines above say what is wrong\.\n {2}→ .*\n$/,
    );
    writeFileSync(
      join(dir, 'overlay.yaml'),
      'learner: { algorithm: plugin, algorithmPlugin: { module: ./gone.js } }\n',
    );
    await refusedHere(
      ['sim', '--config', 'overlay.yaml', '--out', 'never'],
      /^rein: overlay\.yaml:1:\d+: there is no file .*gone\.js\n {2}→ A module's path counts from the file that names it/,
    );
  });

  it.each([
    [
      'process.exit(0)',
      /^rein: The loading of .*bad\.js ended its process instead \(exit code 0\)\.\n {2}→ Let the module/,
    ],
    ["throw new Error('no gpu')", /^rein: The algorithm .*bad\.js cannot be loaded: Error: no gpu\.\n/],
  ] as const)('of an algorithm whose module is wrong says that alone: %s', async (text, message) => {
    writeFileSync(join(dir, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(dir, 'bad.js'), text);
    writeFileSync(join(dir, 'overlay.yaml'), 'learner: { algorithm: plugin, algorithmPlugin: { module: ./bad.js } }\n');
    const { code, stdout, stderr } = await reinHere(
      ['sim', '--config', 'overlay.yaml', '--out', 'never', '--quiet'],
      dir,
    );
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(message);
    expect(existsSync(join(dir, 'never'))).toBe(false);
  });

  it.runIf(IS_LONG)('that is not there, or a task that nobody knows, is refused by name', async () => {
    await refused(['sim', '--config', 'nowhere.yaml'], /^rein: nowhere\.yaml: there is no such file\n/);
    await refusedHere(['sim', '--task', 'juggle'], /^rein: there is no task called "juggle", there are .*insert/);
  });
});

describe('a folder', () => {
  it('that holds a run is left as it is', async () => {
    const before = readdirSync(join(dir, 'good')).sort();
    const config = readFileSync(join(dir, 'good', 'config.yaml'), 'utf8');
    await refusedHere(['sim', '--out', 'good'], /^rein: good holds a run already \(config\.yaml\)\.\n/);
    expect(readdirSync(join(dir, 'good')).sort()).toEqual(before);
    expect(readFileSync(join(dir, 'good', 'config.yaml'), 'utf8')).toBe(config);
  });

  it('that cannot be made is refused, as is a file for --json that cannot be written', async () => {
    await refusedHere(['sim', '--out', '/proc/rein'], /^rein: The run's folder cannot be made: ENOENT/);
    await refusedHere(['sim', '--out', 'tiny.yaml/run'], /^rein: The run's folder cannot be made: ENOTDIR/);
    await refusedHere(
      ['sim', '--out', 'never', '--json', 'nowhere/x.json'],
      /^rein: The file of --json cannot be written/,
    );
    await refusedHere(
      ['eval', '--policy', 'good', '--json', '.'],
      /^rein: The file of --json cannot be written: EISDIR/,
    );
    expect(existsSync(join(dir, 'never'))).toBe(false);
  });
});

describe('a policy file', () => {
  const evaluate = (name: string): string[] => ['eval', '--policy', `${name}/policy.onnx`];

  it('that is missing, or has lost the file beside it, is refused', async () => {
    await refusedHere(evaluate('nowhere'), /^rein: nowhere\/policy\.onnx cannot be read: there is no such file\.\n/);
    rmSync(join(copyOfPolicy('bare'), 'policy.json'));
    await refusedHere(evaluate('bare'), /^rein: bare\/policy\.json cannot be read/);
    rmSync(join(copyOfPolicy('homeless'), 'config.yaml'));
    await refusedHere(evaluate('homeless'), /^rein: homeless\/config\.yaml is missing: .*\.\n {2}→ .*--task/);
  });

  it.runIf(IS_LONG)('of another kind is refused as one', async () => {
    const message = /^rein: tiny\.yaml is no ONNX file\.\n/;
    await refusedHere(['eval', '--policy', 'tiny.yaml'], message);
    await refused(['run', '--policy', 'tiny.yaml', '--operator', 'none', '--out', 'never'], message);
  });

  it('that is truncated, or no network at all, is refused', async () => {
    truncateSync(join(copyOfPolicy('cut'), 'policy.onnx'), 2000);
    await refusedHere(evaluate('cut'), /^rein: cut\/policy\.onnx is not the file that policy\.json describes/);
    const folder = copyOfPolicy('text');
    const { digest: _, ...manifest } = await readPolicyManifest(folder);
    await savePolicyFile(folder, Buffer.from('this is not a network'), manifest);
    await refusedHere(evaluate('text'), /^rein: text\/policy\.onnx cannot be used\. /);
  });

  it.runIf(IS_LONG)('of another robot is refused', async () => {
    otherRobot(copyOfPolicy('foreign'));
    await refusedHere(
      evaluate('foreign'),
      /^rein: foreign\/policy\.onnx is for arm6\/insert .*, not for this robot and task/,
    );
  });

  it.runIf(IS_LONG)('full of NaN is refused', async () => {
    const folder = copyOfPolicy('nan');
    const { digest: _, ...manifest } = await readPolicyManifest(folder);
    const { observationSize, actionSize } = manifest;
    const sizes = { observationSize, actionSize, hiddenSizes: [8], parameters: 'baked' } as const;
    await savePolicyFile(folder, writeMlpGraph({ ...sizes, valueAt: () => Number.NaN }).graph, manifest);
    await refused(evaluate('nan'), /^rein: nan\/policy\.onnx cannot be used\. .*(NaN|finite)/);
  });
});

describe('rein learn', () => {
  const resume = (name: string): string[] => ['learn', '--resume', name, '--bind', 'tcp://127.0.0.1:0'];

  /** A copy of the good run, as if `rein learn` had made it. */
  function copyAsLearner(name: string): void {
    cpSync(join(dir, 'good'), join(dir, name), { recursive: true });
    const path = join(dir, name, 'config.yaml');
    writeFileSync(path, readFileSync(path, 'utf8').replace('command: sim', 'command: learn'));
  }

  it('does not resume the run of another command, and leaves all as it was', async () => {
    const report = join(dir, 'good', 'report.html');
    const [before, writtenMs] = [readdirSync(join(dir, 'good')), statSync(report).mtimeMs];
    await refusedHere(resume('good'), /^rein: good holds a run of rein sim, and none of rein learn\.\n {2}→ /);
    expect([readdirSync(join(dir, 'good')), statSync(report).mtimeMs]).toEqual([before, writtenMs]);
  });

  it.runIf(IS_LONG)('does not resume from checkpoints that are damaged, and keeps them', async () => {
    copyAsLearner('damaged');
    const folder = join(dir, 'damaged', 'checkpoints');
    const names = readdirSync(folder).sort();
    for (const name of names) truncateSync(join(folder, name), 1000);
    const message =
      /rein: (All \d checkpoints|The only checkpoint) in damaged\/checkpoints (are|is) damaged: update-.*\.ckpt\.\n/;
    await refused(resume('damaged'), message);
    expect(readdirSync(folder).sort()).toEqual(names);
  });

  it.runIf(IS_LONG)('does not resume from a checkpoint of another robot', async () => {
    copyAsLearner('strange');
    otherRobot(join(dir, 'strange'));
    await refusedHere(resume('strange'), /^rein: The checkpoint .* has another robot or task/);
  });

  it.runIf(IS_LONG)('names a port in use, and leaves nothing that is in the way of a second try', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const args = ['learn', '--bind', `tcp://127.0.0.1:${port}`, '--out', 'taken'];
    await refusedHere(args, new RegExp(`^rein: port ${port} on 127\\.0\\.0\\.1 is in use\n`));
    expect(existsSync(join(dir, 'taken'))).toBe(false);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('a Node too old', () => {
  it('is told so before anything else is loaded', async () => {
    writeFileSync(join(dir, 'old.cjs'), "Object.defineProperty(process.versions, 'node', { value: '18.19.0' });");
    const stderr = await refused(['sim'], /^rein: this is Node 18\.19\.0; Rein needs Node /, ['-r', './old.cjs']);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

const disk = mkdtempSync(join(tmpdir(), 'rein-disk-'));
const mounted = process.platform === 'linux' && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1400k', 'none', disk]);
const hasDisk = mounted !== false && mounted.status === 0;
afterAll(() => {
  if (hasDisk) spawnSync('umount', [disk]);
  rmSync(disk, { recursive: true, force: true });
});
if (!hasDisk) console.log('skipped: a full disk: a file system of its own may not be mounted here');

describe.skipIf(!hasDisk)('a full disk', () => {
  /** Leaves all but `pages` of 4 KiB to a run. */
  function fill(pages: number): void {
    spawnSync('dd', ['if=/dev/zero', `of=${join(disk, 'filler')}`, 'bs=4k', `count=${pages}`]);
  }

  it('from the start is refused before the arm moves', async () => {
    fill(348);
    await refusedHere(
      ['sim', '--config', 'tiny.yaml', '--out', join(disk, 'a')],
      /^rein: .*(ENOSPC|the disk has 0 MiB left)/,
    );
    rmSync(join(disk, 'a'), { recursive: true });
  });

  it.runIf(IS_LONG)('ends a run with one sentence, and all that was recorded before can be read', async () => {
    // There is room for a few checkpoints and some hundred steps; a trace would take it all on a machine that is slow.
    fill(190);
    const run = [
      'sim',
      '--config',
      'tiny.yaml',
      '--steps',
      '100000',
      '--eval-episodes',
      '1',
      '--trace',
      'off',
      '--out',
      join(disk, 'b'),
    ];
    const { code, stderr, stdout } = await rein(run, dir);
    expect(stderr).toMatch(/^rein: The journal cannot be written: .*\n {2}→ Make room on the disk.*\n$/);
    expect(code).toBe(1);
    const acked = [...stdout.matchAll(/(?:training|validating) \| steps (\d+)/g)].map((match) => Number(match[1]));
    const recorded = transitionsOf(join(disk, 'b')).length;
    expect(recorded).toBeGreaterThan(60);
    expect(recorded).toBeGreaterThanOrEqual(Math.max(...acked));
  });
});
