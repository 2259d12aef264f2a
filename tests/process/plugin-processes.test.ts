/** Which processes of a run load modules of others, and how one is refused. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PLUGIN_CONTRACTS, type PluginKind } from '../../src/host/plugin.ts';
import { LiveRun, until } from '../support/live-run.ts';
import { IS_LONG } from '../support/long.ts';
import { type Ended, endLeftovers, rein, reinLines } from '../support/rein.ts';

let run: LiveRun;

beforeEach(() => {
  run = new LiveRun(mkdtempSync(join(tmpdir(), 'rein-plugins-')));
  putExamples(run.folder);
});
afterEach(async () => {
  endLeftovers();
  await run.end();
  rmSync(run.folder, { recursive: true, force: true });
});

const MODULES = {
  task: 'reach.js',
  policy: 'go-there.js',
  operator: 'go-there-by-hand.js',
  driver: 'my-arm.js',
  algorithm: 'my-sac.js',
};

/** What the driver's example takes of the package. */
const REPORT = `import { createDriverReport } from '${new URL('../../dist/drivers/driver.js', import.meta.url)}';`;

function markOf(kind: string): string {
  return `{ kind: '${kind}', contract: ${PLUGIN_CONTRACTS[kind as PluginKind].version} }`;
}

function exampleOf(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../examples/${name}`, import.meta.url)), 'utf8');
}

/** `text` with `part` changed, which has to stand there. */
function replaced(text: string, part: string, by: string): string {
  expect(text).toContain(part);
  return text.replace(part, by);
}

function put(name: string, text: string): void {
  writeFileSync(join(run.folder, name), text);
}

/** The examples, each of which notes which process loads it. */
function putExamples(folder: string): void {
  const putHere = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  for (const name of ['reach.yaml', 'my-sac.yaml', 'inverse-kinematics.js']) putHere(name, exampleOf(name));
  // A machine that is busy with other tests keeps a slow tick.
  putHere('my-arm.yaml', replaced(exampleOf('my-arm.yaml'), 'controlHz: 100', 'controlHz: 20'));
  putHere('package.json', '{ "type": "module" }');
  for (const [kind, name] of Object.entries(MODULES)) putHere(name, recording(kind, exampleOf(name), folder));
}

/** The example in `text` without the package that it imports, noting which process loads it. */
function recording(kind: string, text: string, folder = run.folder): string {
  const note = `appendFileSync(${JSON.stringify(join(folder, 'loads'))}, \`\${process.pid} ${kind} \${process.argv[1]}\\n\`);`;
  const mark = `const define = (plugin) => ({ ...plugin, rein: ${markOf(kind)} });`;
  const body = text
    .replace(/import \{ define\w+ \} from 'rein';/, '')
    .replace(/import \{ createDriverReport, defineDriver \} from 'rein';/, REPORT)
    .replace(/default define\w+\(/, 'default define(');
  return `import { appendFileSync } from 'node:fs';\n${note}\n${mark}\n${body}`;
}

interface Load {
  readonly pid: number;
  readonly kind: string;
  readonly program: string;
}

function loads(): Load[] {
  const path = join(run.folder, 'loads');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
  return lines.map((line) => {
    const [pid, kind, path] = line.split(' ');
    return { pid: Number(pid), kind: kind!, program: basename(path!) };
  });
}

describe('rein run', { timeout: 180_000 }, () => {
  const options = ['--task', './reach.yaml', '--operator', 'scripted', '--out', 'robot', '--quiet'];

  it('loads no module of others where the channel is that lets a robot go on, and goes on whatever one sends', async () => {
    const sent = [null, 3, 'x', {}, { error: null }, { kind: 'failed', error: null }, { kind: 'status', status: null }];
    const rubbish = `for (const sent of ${JSON.stringify(sent)}) process.send?.(sent);`;
    put('go-there.js', `${recording('policy', exampleOf('go-there.js'))}\n${rubbish}`);
    const moving = run.start('run', ...options, '--duration', '2');
    expect(await moving.exit).toBe(0);
    expect(moving.said()).toContain('safety 0 violations');
    const found = loads();
    expect(found.filter(({ pid }) => pid === moving.child.pid)).toEqual([]);
    const programsOf = (kind: string): string[] => [
      ...new Set(found.filter((load) => load.kind === kind).map(({ program }) => program)),
    ];
    for (const kind of ['task', 'policy', 'operator']) {
      expect([kind, ...programsOf(kind)]).toEqual([kind, 'check-process.js', 'node-process.js']);
    }
    expect(programsOf('driver')).toEqual(['guard-worker.js']);
    expect(programsOf('algorithm')).toEqual([]);
  });

  const define = (kind: string, members: string): string =>
    `export default { name: 'x', rein: ${markOf(kind)}, ${members} };`;
  const wrongOptions = "create() {}, open() {}, options: { parse() { throw new Error('no number'); } }";

  it.runIf(IS_LONG)('brakes, and says so, where a module writes bytes of its own into the channel', async () => {
    const policy = replaced(
      exampleOf('go-there.js'),
      '=> stepTowards(',
      "=> ++calls === 10 ? writeSync(3, 'garbage\\n') : stepTowards(",
    );
    const garbage = "import { writeSync } from 'node:fs';\nlet calls = 0;";
    put('go-there.js', `${recording('policy', policy)}\n${garbage}`);
    const moving = run.start('run', ...options);
    expect(await moving.exit).toBe(1);
    expect(moving.said()).toMatch(
      /^rein: The process that supervises the robot fails: the guard brakes the robot.*\n {2}→ A module .* file descriptor 3/m,
    );
    await until(() => run.motion('robot').at(-1)?.state === 'stopped', 'a standing robot');
    expect(run.motion('robot').some(({ state }) => state.startsWith('active'))).toBe(true);
  });

  it.runIf(IS_LONG)('loads no inference there either', () => {
    const door = new URL('../../dist/session/supervision.js', import.meta.url);
    const list = "process.report.getReport().sharedObjects.filter((path) => path.includes('onnxruntime'))";
    const script = `await import(${JSON.stringify(door.href)}); console.log(${list}.length);`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(stdout).toBe('0\n');
  });

  describe('refuses in a sentence, before anything moves,', () => {
    const further = [
      [
        'operator',
        'whose options are wrong',
        define('operator', wrongOptions),
        'The options of x are wrong: no number.',
      ],
      ['task', 'that gives nothing', define('task', 'create() {}'), 'create() gave no object.'],
      ['operator', 'that gives nothing', define('operator', 'create() {}'), 'create() gave no object.'],
      ['task', 'that ends its process', 'process.exit(0);', 'reach.js.'],
      ['operator', 'that ends its process', 'process.exit(0);', 'while it tried the operator /'],
    ] as const;
    /** One of each way to be wrong; the same of other kinds of plugin in the long run. */
    const wrong = [
      ['task', 'that throws', "throw new Error('no bus');", 'cannot be loaded: Error: no bus.'],
      ['policy', 'that awaits', 'await 1;', 'awaits something while it loads.'],
      ['operator', 'that exports nothing', '', 'has no default export.'],
      ['policy', 'of another kind', define('driver', 'open() {}'), 'is a driver, and a policy is asked for here.'],
      ['task', 'whose options are wrong', define('task', wrongOptions), 'The options of x are wrong: no number.'],
      ['policy', 'that gives nothing', define('policy', 'open() {}'), 'open() gave no object.'],
      ['policy', 'that ends its process', 'process.exit(3);', 'ended (exit code 3) while it tried the policy /'],
      ...(IS_LONG ? further : []),
    ] as const;
    let folders: string;
    let ends: readonly Ended[];

    beforeAll(async () => {
      folders = mkdtempSync(join(tmpdir(), 'rein-refused-'));
      const lines = wrong.map(([kind, , text], i) => {
        const folder = join(folders, String(i));
        mkdirSync(folder);
        putExamples(folder);
        writeFileSync(join(folder, MODULES[kind]), text);
        return [folder, ['run', ...options]] as const;
      });
      ends = await reinLines(lines);
    }, 180_000);
    afterAll(() => rmSync(folders, { recursive: true, force: true }));

    it.each(wrong.map((row, i) => [...row, i] as const))('a %s %s', (_kind, _what, _text, message, i) => {
      const { code, stdout, stderr } = ends[i]!;
      expect(code).toBe(1);
      const [said, remedy, ...more] = `${stdout}${stderr}`.trimEnd().split('\n');
      expect(said).toMatch(/^rein: /);
      expect(said).toContain(message);
      expect([(remedy ?? '  → ').slice(0, 4), ...more]).toEqual(['  → ']);
      expect(existsSync(join(folders, String(i), 'robot'))).toBe(false);
    });
  });

  const neverOpens = (): string =>
    replaced(exampleOf('my-arm.js'), 'open: async () => {', 'open: async () => {\n await new Promise(() => {});');
  it
    .runIf(IS_LONG)
    .each<readonly [string, () => string]>([
      ['ends its process while it loads', () => 'process.exit(0);'],
      ...(IS_LONG ? [['never opens', neverOpens] as const] : []),
    ])('names a driver that %s, and says what to look at', async (_, text) => {
    put(MODULES.driver, recording('driver', text()));
    const refused = run.start('run', ...options);
    expect(await refused.exit).toBe(1);
    const [said, remedy] = refused.said().trimEnd().split('\n');
    expect(said).toMatch(/^rein: The guard's thread ended while it opened the driver .*my-arm\.js/);
    expect(remedy).toMatch(/^ {2}→ Check what the driver does/);
  });

  it.runIf(IS_LONG)('ends at Ctrl+C while a module takes its time', async () => {
    put(
      'go-there.js',
      recording(
        'policy',
        "export default define({ name: 'x', open: () => new Promise(() => setInterval(() => {}, 1e3)) });",
      ),
    );
    const waiting = run.start('run', ...options);
    await until(() => loads().some((load) => load.kind === 'policy'), 'the policy');
    waiting.child.kill('SIGINT');
    expect(await waiting.exit).toBe(130);
    expect(run.files('robot')).toEqual([]);
    const [{ pid } = { pid: 0 }] = loads();
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

describe('rein sim', { timeout: 180_000 }, () => {
  it.runIf(IS_LONG)('is not done where a module ends its process in the middle, and says so', async () => {
    put('my-sac.yaml', 'algorithm: sac\n');
    const open = 'open: async () => {';
    put(MODULES.driver, recording('driver', replaced(exampleOf('my-arm.js'), open, `${open}\n process.exit(0);`)));
    const ended = run.start('sim', '--task', './reach.yaml', '--out', 'robot', '--quiet');
    expect(await ended.exit).toBe(1);
    expect(ended.said()).toMatch(/^rein: The process was ended while it was at work\.\n {2}→ Look for process\.exit/m);
  });
});

describe('rein plugins --check', { timeout: 180_000 }, () => {
  it('reports each module by itself, whatever others do while they load', async () => {
    put('exits.js', 'process.exit(0);');
    put('kills.js', "process.kill(process.pid, 'SIGKILL');");
    // As an endless loop, but it leaves the machine to others.
    put('loops.js', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);');
    put(
      'stays.js',
      `console.log('loud');\n${recording('policy', exampleOf('go-there.js'))}\nsetInterval(() => 0, 1000);`,
    );
    const modules = ['./exits.js', './kills.js', './loops.js', './stays.js', 'my-arm.js', './gone.js'];
    const { code, stdout } = await rein(['plugins', '--check', '--json', ...modules], run.folder);
    const rows = (JSON.parse(stdout) as { plugins: Record<string, string | null>[] }).plugins;
    expect(rows.map(({ kind, trouble }) => [kind, trouble])).toEqual([
      ['module', expect.stringMatching(/^The loading of .*exits\.js ended its process instead \(exit code 0\)\.$/)],
      ['module', expect.stringMatching(/kills\.js ended its process instead \(signal SIGKILL\)\.$/)],
      ['module', expect.stringMatching(/^The loading of .*loops\.js does not end within 10 s\.$/)],
      ['policy', null],
      ['driver', null],
      ['module', expect.stringContaining('cannot be loaded')],
    ]);
    expect(rows.map(({ remedy }) => typeof remedy)).toEqual([
      'string',
      'string',
      'string',
      'object',
      'object',
      'string',
    ]);
    expect(rows[2]!['remedy']).toMatch(/^(Let the module|The machine is busy)/);
    expect(code).toBe(1);
    const pids = new Set(loads().map(({ pid }) => pid));
    expect(pids.size).toBe(2);
  });

  it.runIf(IS_LONG)('loads no more than two modules at a time', async () => {
    const path = JSON.stringify(join(run.folder, 'spans'));
    const names = Array.from({ length: 5 }, (_, i) => `./slow-${i}.js`);
    for (const name of names) {
      put(
        name,
        `import { appendFileSync } from 'node:fs';
appendFileSync(${path}, '+');
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
process.on('exit', () => appendFileSync(${path}, '-'));`,
      );
    }
    await rein(['plugins', '--check', ...names], run.folder);
    const spans = [...readFileSync(join(run.folder, 'spans'), 'utf8')];
    expect(spans).toHaveLength(10);
    const open = spans.map((_, i) => spans.slice(0, i + 1).reduce((n, sign) => n + (sign === '+' ? 1 : -1), 0));
    expect(Math.max(...open)).toBeLessThanOrEqual(2);
  });

  it.runIf(IS_LONG)('is what looks at a module, and nothing else does', async () => {
    const { code, stderr } = await rein(['plugins', './my-arm.js'], run.folder);
    expect([code, loads()]).toEqual([2, []]);
    expect(stderr).toContain('--check');
  });
});
