/** `rein run` without a learner: in a program of one's own, and in a folder in which another works. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { savePolicy } from '../../bench/policy/steady-policy.ts';
import { childOf, LiveRun, until } from '../support/live-run.ts';
import { runInTerminal, whyNoTerminal } from '../support/pty.ts';
import { endLeftovers } from '../support/rein.ts';

let run: LiveRun;

beforeEach(() => {
  run = new LiveRun(mkdtempSync(join(tmpdir(), 'rein-alone-')));
});
afterEach(async () => {
  endLeftovers();
  await run.end();
  rmSync(run.folder, { recursive: true, force: true });
});

/** A policy that hardly moves, in `name`. */
const policyFile = (name: string): Promise<string> => savePolicy(join(run.folder, name));

describe('a robot without a learner', { timeout: 180_000 }, () => {
  it.skipIf(whyNoTerminal() !== undefined)('ends at Ctrl+C in a program of its own too', async () => {
    const program = join(run.folder, 'program.mjs');
    const settings = {
      task: 'insert',
      config: run.mockConfig(),
      policy: await policyFile('good'),
      start: 'now',
      out: join(run.folder, 'robot'),
    };
    writeFileSync(
      program,
      `import { runRobot } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)};
const observer = { status: ({ envSteps }) => envSteps > 3 && console.log('it moves'), print: () => undefined };
const { status } = await runRobot({ ...${JSON.stringify(settings)}, observer });
console.log('the robot made', status.envSteps > 3 ? 'its steps' : 'none');
`,
    );
    const steps = [{ expect: 'it moves' }, { send: '\u0003' }, { expect: 'the robot made its steps' }];
    const result = await runInTerminal([process.execPath, program], steps, 30);
    expect(result).toMatchObject({ missing: null, timedOut: false, exitCode: 0 });
    expect(run.motion('robot').at(-1)).toMatchObject({ state: 'stopped', decider: 'hold' });
  });

  it('is refused the folder that another works in, before it starts anything, and gets it after', async () => {
    const started = [
      'run',
      '--policy',
      await policyFile('good'),
      '--config',
      run.mockConfig(),
      '--out',
      'robot',
      '--start',
      'now',
      '--trace',
      'off',
    ];
    const log = join(run.folder, 'robot', 'guard.log');
    const guardsOf = (): number => new Set(readFileSync(log, 'utf8').match(/"pid":\d+/g)).size;
    const first = run.start(...started, '--quiet');
    await until(() => run.journal('robot').length > 3 && run.files('robot').includes('metrics.jsonl'), 'motion');
    const files = run.files('robot');
    const guard = childOf(first.child, 'guard-process.js');
    const node = childOf(first.child, 'node-process.js');
    const refused = async (): Promise<void> => {
      const second = run.start(...started, '--duration', '3');
      expect(await second.exit).toBe(1);
      expect(second.said().split('\n')[0]).toBe(`rein: robot is in use by process ${guard}`);
    };
    await refused();
    expect(run.files('robot')).toEqual(files);
    // Its guard has the driver open still, and cannot end meanwhile.
    process.kill(guard, 'SIGSTOP');
    try {
      first.child.kill('SIGKILL');
      await refused();
    } finally {
      process.kill(guard, 'SIGCONT');
    }
    expect(guardsOf()).toBe(1);
    await first.exit;
    await until(() => ![guard, node].some((pid) => existsSync(`/proc/${pid}`)), 'the end of both');
    const third = run.start(...started, '--duration', '1', '--quiet');
    expect(await third.exit).toBe(0);
    expect(guardsOf()).toBe(2);
    expect(run.files('robot')).not.toContain('robot.lock');
  });
});
