import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SteadyPolicy, savePolicy } from '../../bench/policy/steady-policy.ts';
import { MOCK_FRAME, MockBusReader } from '../../src/drivers/mock/mock-bus.ts';
import type { Transition } from '../../src/rows/index.ts';
import { checkRunRequest } from '../../src/session/run-request.ts';
import { faultRow } from '../support/fault-row.ts';
import { freeAddress } from '../support/free-port.ts';
import { childOf, LiveRun, until } from '../support/live-run.ts';
import { IS_LONG } from '../support/long.ts';
import { runInTerminal, whyNoTerminal } from '../support/pty.ts';
import { endLeftovers, reinLines } from '../support/rein.ts';

let run: LiveRun;

beforeEach(() => {
  run = new LiveRun(mkdtempSync(join(tmpdir(), 'rein-alone-')));
});
afterEach(async () => {
  endLeftovers();
  await run.end();
  rmSync(run.folder, { recursive: true, force: true });
});

/** A policy that hardly moves, in `name`; what `policy` says may spoil it. */
function policyFile(name: string, policy: SteadyPolicy = {}): Promise<string> {
  return savePolicy(join(run.folder, name), policy);
}

describe('a robot without a learner', { timeout: 180_000 }, () => {
  it('acts by the mean of a policy file for as long as it is asked to, and ends in order', async () => {
    const file = await policyFile('good');
    const options = ['--config', run.mockConfig(), '--start', 'now', '--duration', '8'];
    const moving = run.start('run', '--policy', file, ...options, '--out', 'robot');
    expect(await moving.exit).toBe(0);
    const journal = run.journal('robot');
    // How many steps that is depends on the machine.
    expect(journal).not.toEqual([]);
    for (const t of journal) {
      expect(t.policyVersion).toBe(7);
      expect(Math.abs(t.policyAction[0]!)).toBeLessThan(0.1);
    }
    expect(run.motion('robot').at(-1)).toMatchObject({ state: 'stopped', decider: 'hold' });
    expect(moving.said()).toContain('0 violations');
  });

  it.runIf(IS_LONG && whyNoTerminal() === undefined)(
    'is taken over from the keyboard, records it as a correction, and ends at Ctrl+C',
    async () => {
      const rein = [process.execPath, fileURLToPath(new URL('../../bin/rein.js', import.meta.url)), 'run'];
      const options = [
        '--policy',
        await policyFile('good'),
        '--config',
        run.mockConfig(),
        '--operator',
        'keyboard',
        '--monitor',
        'off',
        '--out',
        join(run.folder, 'robot'),
      ];
      const [seenPath, givenBackPath] = [join(run.folder, 'seen'), join(run.folder, 'given-back')];
      const typed = runInTerminal(
        ['env', 'NO_COLOR=1', ...rein, ...options],
        [
          { expect: 'press c to continue' },
          { send: 'c' },
          { expect: 'Driving: policy' },
          { send: 't' },
          { expect: 'Driving: you' },
          { hold: 'w', whenFile: seenPath, delayS: 0.3, periodS: 0.03 },
          { send: 'g' },
          { whenFile: givenBackPath },
          { send: '\u0003' },
        ],
        120,
      );
      // Keys are typed until the journal has what they are for: how long that takes is the machine's.
      const isForward = (t: Transition): boolean =>
        t.source === 'human_correct' && t.humanAction[0]! > 0 && t.executed[0]! > 0;
      await until(() => run.journal('robot').some(isForward), 'a step forward');
      writeFileSync(seenPath, '');
      await until(() => run.journal('robot').at(-1)?.source === 'policy', 'the policy again');
      writeFileSync(givenBackPath, '');
      const result = await typed;
      expect(result.missing).toBeNull();
      expect(result.exitCode).toBe(130);
      expect(result.echo.after).toBe(result.echo.before);
      const journal = run.journal('robot');
      expect(journal.some(isForward)).toBe(true);
      expect(journal.at(-1)!.source).toBe('policy');
      expect(run.motion('robot').map((m) => m.decider)).toContain('human');
      expect(run.motion('robot').at(-1)).toMatchObject({ state: 'stopped', decider: 'hold' });
    },
  );

  it.runIf(IS_LONG)('starts nothing where an end is asked for while its folder is opened', async () => {
    const asked = new AbortController();
    const policy = await policyFile('good');
    const out = join(run.folder, 'robot');
    const observer = { status: () => undefined, print: () => asked.abort(new Error('asked to end')) };
    const { runRobot } = (await import(
      new URL('../../dist/index.js', import.meta.url).href
    )) as typeof import('../../src/index.ts');
    const ended = runRobot({ task: 'insert', policy, out, durationS: 1, signal: asked.signal, observer });
    await expect(ended).rejects.toThrow('asked to end');
    expect(run.files('robot')).not.toContain('guard.log');
  });

  it.runIf(IS_LONG)('does not move a simulated robot that somebody stopped before it was there', async () => {
    const { runRobot } = (await import(
      new URL('../../dist/session/supervision.js', import.meta.url).href
    )) as typeof import('../../src/session/supervision.ts');
    const said: string[] = [];
    const request = checkRunRequest({
      task: 'insert',
      policy: await policyFile('good'),
      start: 'now',
      durationS: 1,
      out: join(run.folder, 'robot'),
    });
    await runRobot({
      request,
      observer: { status: () => undefined, print: (line) => void said.push(line) },
      // The page of an earlier run: its Stop is handed on as soon as anybody listens.
      watcher: { packet: () => undefined, asks: (ask) => ask({ kind: 'stop' }) },
      signal: new AbortController().signal,
      onInterrupt: () => undefined,
    });
    expect(said.join('\n')).toContain('The robot was stopped before it began');
    expect(run.motion('robot').filter(({ state }) => state.startsWith('active'))).toEqual([]);
    expect(run.journal('robot')).toEqual([]);
  });
});

describe('a robot on a bus of its own', { timeout: 240_000 }, () => {
  it.runIf(IS_LONG)('is stopped on its bus when the guard dies, and the run says so', async () => {
    const busPath = join(run.folder, 'bus');
    spawnSync('mkfifo', [busPath]);
    const bus = openSync(busPath, constants.O_RDWR | constants.O_NONBLOCK);
    const kinds = new Set<number>();
    const reader = new MockBusReader((kind) => kinds.add(kind));
    const take = (): boolean => {
      const bytes = new Uint8Array(65_536);
      try {
        reader.push(bytes.subarray(0, readSync(bus, bytes)));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      }
      return kinds.has(MOCK_FRAME.stop);
    };
    const config = run.mockConfig(`  busPath: ${busPath}\n`);
    const policy = await policyFile('good');
    const moving = run.start(
      'run',
      '--policy',
      policy,
      '--config',
      config,
      '--out',
      'robot',
      '--quiet',
      '--start',
      'now',
    );
    await until(() => {
      take();
      return run.journal('robot').length > 3;
    }, 'motion');
    expect(kinds.has(MOCK_FRAME.reference)).toBe(true);
    expect(take()).toBe(false);
    process.kill(childOf(moving.child, 'guard-process.js'), 'SIGKILL');
    expect(await moving.exit).toBe(1);
    expect(moving.said()).toMatch(/^rein: The guard ended \(signal SIGKILL\): nothing can move the robot any more\.\n/);
    expect(take()).toBe(true);
    closeSync(bus);
    expect(readFileSync(join(run.folder, 'robot', 'guard.log'), 'utf8')).toContain(
      'The guard is dead: the bus was stopped',
    );
  });
});

describe('a robot that is started wrong', { timeout: 180_000 }, () => {
  /** Each of the command lines ends with code 1 and one sentence, which it gives; nothing was started or written. */
  async function refused(...lines: readonly (readonly string[])[]): Promise<string[]> {
    const ends = await reinLines(lines.map((args) => [run.folder, ['run', '--out', 'robot', ...args]]));
    expect(run.files('robot')).toEqual([]);
    return ends.map(({ code, stdout, stderr }) => {
      expect(code).toBe(1);
      const [message, remedy, ...more] = `${stdout}${stderr}`.trimEnd().split('\n');
      expect(message).toMatch(/^rein: /);
      expect(remedy).toMatch(/^ {2}→ /);
      expect(more).toEqual([]);
      return message!;
    });
  }

  faultRow(
    7,
    'process',
    'says that a policy file is truncated, of another robot, full of NaN, or not there',
    async () => {
      const truncated = await policyFile('truncated');
      writeFileSync(truncated, readFileSync(truncated).subarray(0, 200));
      const foreign = await policyFile('foreign', { schemaHash: '00112233445566ff' });
      const broken = await policyFile('broken', { valueAt: (i) => (i === 3 ? Number.NaN : 1e-3) });
      const said = await refused(...[truncated, foreign, broken, 'nowhere.onnx'].map((file) => ['--policy', file]));
      expect(said).toEqual([
        expect.stringContaining('truncated'),
        expect.stringContaining('not for this robot and task'),
        expect.stringContaining('cannot be used'),
        expect.stringContaining('cannot be read'),
      ]);
      // The command ends by itself, too.
      const alone = run.start('run', '--out', 'robot', '--policy', 'nowhere.onnx');
      expect(await alone.exit).toBe(1);
      expect(alone.said()).toContain(said.at(-1));
    },
  );

  it.runIf(IS_LONG)('says that there is nothing that could decide', async () => {
    expect(await refused([], ['--operator', 'keyboard'])).toEqual([
      expect.stringContaining('no policy and no learner'),
      expect.stringContaining('needs a terminal'),
    ]);
  });

  it.runIf(IS_LONG)('names the learner where the check ends while it is asked', async () => {
    const learner = createServer();
    learner.listen(0, '127.0.0.1');
    await once(learner, 'listening');
    const address = `tcp://127.0.0.1:${(learner.address() as AddressInfo).port}`;
    const starting = run.start('run', '--learner', address, '--out', 'robot');
    const [socket] = (await once(learner, 'connection')) as [Socket];
    process.kill(childOf(starting.child, 'check-process.js'), 'SIGKILL');
    expect(await starting.exit).toBe(1);
    expect(starting.said()).toContain(`ended (signal SIGKILL) while it tried the learner ${address}.`);
    socket.destroy();
    learner.close();
  });

  it.runIf(IS_LONG)('says by which key the learner trains another task', async () => {
    const address = await freeAddress();
    writeFileSync(join(run.folder, 'other.yaml'), 'task: { hole: { clearanceM: 0.0004 } }\n');
    const learning = run.start('learn', '--task', 'insert', '--config', 'other.yaml', '--bind', address);
    await until(() => learning.said().includes('robots connect with'), 'the learner');
    expect(await refused(['--learner', address])).toEqual([
      expect.stringContaining('task.hole.clearanceM is 0.0005 here and 0.0004 there'),
    ]);
  });
});
