import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Supervisor, type SupervisorEvent, type SupervisorOptions } from './supervisor.ts';

const folder = mkdtempSync(join(tmpdir(), 'rein-supervisor-'));
const diary = join(folder, 'diary');

/** A program that writes its events to a diary. */
function program(name: string, body: string): string {
  const path = join(folder, `${name}.mjs`);
  const tools = `import { appendFileSync, readFileSync } from 'node:fs';
const say = (text) => appendFileSync(${JSON.stringify(diary)}, '${name} ' + text + '\\n');
/** How often the diary says so. */
const said = (line) => readFileSync(${JSON.stringify(diary)}, 'utf8').split('\\n').filter((each) => each === line).length;
const once = (isSo, act) => setInterval(() => isSo() && act(), 5);
process.on('disconnect', () => process.exit(9));
`;
  writeFileSync(path, tools + body);
  return path;
}

const ENDS = "process.on('SIGTERM', () => { say('ends'); process.exit(0); });\n";

let guard: string;
let slowGuard: string;
let node: string;
let lastNode: string;
let mortal: string;
beforeAll(() => {
  const serves = "process.on('message', ({ kind }) => say(kind)); say('ready'); process.send({ kind: 'ready' });\n";
  guard = program('guard', ENDS + serves);
  slowGuard = program('slow', 'setTimeout(() => process.exit(1), 300);\n');
  node = program('node', `${ENDS}say('begins'); process.send({ hello: 1 }); setInterval(() => {}, 1000);\n`);
  // Ends once its guard has been asked to stop the robot.
  lastNode = program(
    'last',
    `process.on('SIGTERM', () => once(() => said('guard stop') > 0, () => { say('ends'); process.exit(0); }));
say('begins'); process.send({ hello: 1 });\n`,
  );
  mortal = program(
    'mortal',
    `const life = Number(process.argv[2]);
say('life ' + life);
once(() => said('guard ready') > 0 && said('guard stop') >= life, () => process.exit(life === 2 ? 0 : 3));\n`,
  );
});
afterEach(() => {
  writeFileSync(diary, '');
  vi.unstubAllEnvs();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Data that a program may send which is no message. */
const RUBBISH = [null, 3, 'x', true, [], {}, { kind: null }, { kind: 'answer' }, { error: null }];

const WATCH = { silenceMs: 100, missedMs: 25, realTimePriority: 'no' };

const lines = (): string[] => readFileSync(diary, 'utf8').trim().split('\n');

function supervise(options: Partial<SupervisorOptions>): { supervisor: Supervisor; events: SupervisorEvent[] } {
  const events: SupervisorEvent[] = [];
  const supervisor = new Supervisor({
    guard: { modulePath: guard, args: [] },
    node: { modulePath: node, args: [] },
    maxNodeRestarts: 0,
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { supervisor, events };
}

describe('a supervisor', () => {
  it('stops the robot first, ends the node, and the guard last', async () => {
    const { supervisor, events } = supervise({
      node: { modulePath: lastNode, args: [] },
      onNodeMessage: () => supervisor.stop(),
    });
    expect(await supervisor.run()).toBe(0);
    expect(lines().slice(0, 2)).toEqual(['guard ready', 'last begins']);
    expect(lines().indexOf('last ends')).toBeLessThan(lines().indexOf('guard ends'));
    expect(lines()).toContain('guard stop');
    expect(events.filter(({ kind }) => kind === 'ended')).toMatchObject([
      { process: 'node', isExpected: true },
      { process: 'guard', isExpected: true },
    ]);
  });

  it.each([
    [{ isOrderly: true }, 'SIGTERM', 'exit code 0'],
    [{ isOrderly: true }, 'SIGINT', 'exit code 0'],
    [{ isOrderly: true }, 'SIGKILL', 'signal SIGKILL'],
    [{ isOrderly: false }, 'SIGTERM', 'signal SIGTERM'],
  ])('takes a guard whose last words are %j, and then %s, for %s', async (words, signal, how) => {
    const last = JSON.stringify({ kind: 'ended', ...words });
    // The SIGTERM that ends a guard may arrive before the message on which it ends itself.
    const isDeaf = signal === 'SIGTERM' ? '' : "process.on('SIGTERM', () => {});";
    const dies = `${isDeaf} process.on('message', () => process.kill(process.pid, '${signal}'));`;
    const done = program('done', `process.send({ kind: 'ready' }); process.send(${last}); ${dies}\n`);
    const { supervisor, events } = supervise({
      guard: { modulePath: done, args: [] },
      onNodeMessage: () => supervisor.stop(),
    });
    expect(await supervisor.run()).toBe(0);
    expect(events).toContainEqual({ kind: 'ended', process: 'guard', how, isExpected: true });
  });

  it('starts a node that dies again, tells it how often, and stops the robot each time', async () => {
    const { supervisor, events } = supervise({
      node: (restart) => ({ modulePath: mortal, args: [String(restart)] }),
      maxNodeRestarts: 5,
      nodeStarts: 'besideGuard',
    });
    expect(await supervisor.run()).toBe(0);
    expect(lines().filter((line) => line.startsWith('mortal'))).toEqual([
      'mortal life 0',
      'mortal life 1',
      'mortal life 2',
    ]);
    expect(lines().filter((line) => line === 'guard stop').length).toBeGreaterThan(1);
    expect(events.filter(({ kind }) => kind === 'restarting')).toMatchObject([{ restart: 1 }, { restart: 2 }]);
  });

  it.each([
    ['beside its guard', 0, 'besideGuard'],
    ['after its guard', 0, 'afterGuard'],
    ['again', 1, 'afterGuard'],
  ] as const)('stops its guard and says why where a node cannot be started %s', async (_, at, nodeStarts) => {
    const full = (restart: number): never => {
      throw new Error(`no space left for node ${restart}`);
    };
    const { supervisor, events } = supervise({
      node: (restart) => (restart === at ? full(restart) : { modulePath: mortal, args: [String(restart)] }),
      maxNodeRestarts: 5,
      nodeStarts,
    });
    await expect(supervisor.run()).rejects.toThrow(`no space left for node ${at}`);
    const guards = events.flatMap((event) =>
      event.kind === 'started' && event.process === 'guard' ? [event.pid] : [],
    );
    expect(guards).toHaveLength(1);
    expect(() => process.kill(guards[0]!, 0)).toThrow('ESRCH');
  });

  it('refuses a guard whose bus is none, whatever it reports for one', async () => {
    for (const [i, bus] of [null, 3, {}, { path: '/dev/null', stopFrames: ['zz'] }].entries()) {
      const lying = program(`lying${i}`, `${ENDS}process.send({ kind: 'bus', bus: ${JSON.stringify(bus)} });\n`);
      const { supervisor } = supervise({ guard: { modulePath: lying, args: [] } });
      await expect(supervisor.run()).rejects.toThrow('reports a bus that cannot be watched');
    }
  });

  const driver = 'the driver ./my-arm.js';

  it('names the driver of a guard that is not ready in time', async () => {
    const silent = program('silent', `${ENDS}process.send({ kind: 'opening' });`);
    const guard = { modulePath: silent, args: [] };
    const { supervisor } = supervise({ guard, driver, startLimitMs: 200, load: () => ({ programs: 1, cores: 2 }) });
    await expect(supervisor.run()).rejects.toMatchObject({
      message: expect.stringMatching(/not ready after 0\.2 s: the driver \.\/my-arm\.js/),
      remedy: expect.stringContaining('what the driver does'),
    });
  });

  it('gives a busy machine more time, and says that it is busy', async () => {
    const silent = program('silent', `${ENDS}process.send({ kind: 'opening' });`);
    const guard = { modulePath: silent, args: [] };
    const { supervisor } = supervise({ guard, driver, startLimitMs: 100, load: () => ({ programs: 6, cores: 2 }) });
    await expect(supervisor.run()).rejects.toMatchObject({
      message: expect.stringContaining('not ready after 0.3 s'),
      remedy: expect.stringMatching(/^The machine is busy \(load average 6\.0 on 2 cores\)\./),
    });
  });

  it('does not count what the guard does before it opens the driver', async () => {
    const slow = program(
      'compiles',
      `${ENDS}setTimeout(() => process.send({ kind: 'opening' }), 400);
setTimeout(() => process.send({ kind: 'ready' }), 410);`,
    );
    const guard = { modulePath: slow, args: [] };
    const { supervisor } = supervise({ guard, startLimitMs: 300, onNodeMessage: () => supervisor.stop() });
    expect(await supervisor.run()).toBe(0);
  });

  it('ends the node that was started beside a guard that cannot begin, and says so', async () => {
    const guard = { modulePath: slowGuard, args: [] };
    const { supervisor } = supervise({ guard, guardLog: 'robot/guard.log', nodeStarts: 'besideGuard' });
    await expect(supervisor.run()).rejects.toMatchObject({
      message: 'The guard ended before it was ready (exit code 1).',
      remedy: 'See robot/guard.log.',
    });
    // On a busy machine the guard has ended before the node began.
    expect([['node begins', 'node ends'], ['']]).toContainEqual(lines());
    expect(supervisor.pids).toEqual({});
  });

  it('ends quietly when it is asked to before the guard is ready', async () => {
    const { supervisor } = supervise({ guard: { modulePath: slowGuard, args: [] } });
    const ended = supervisor.run();
    supervisor.stop();
    expect(await ended).toBe(0);
    expect(supervisor.pids.node).toBeUndefined();
  });

  it('starts nothing where it was asked to end before', async () => {
    const { supervisor, events } = supervise({});
    supervisor.stop();
    expect(await supervisor.run()).toBe(0);
    expect(events).toEqual([]);
  });

  it('takes a message that a node does not read any more for no end of it', async () => {
    const gone = join(folder, 'gone');
    const leaving = `process.send({ hello: 1 }, () => process.disconnect());
process.once('disconnect', () => setTimeout(() => writeFileSync(${JSON.stringify(gone)}, ''), 20));
setTimeout(() => process.exit(7), 400);\n`;
    const path = join(folder, 'leaving.mjs');
    writeFileSync(path, `import { writeFileSync } from 'node:fs';\n${leaving}`);
    const { supervisor, events } = supervise({
      node: { modulePath: path, args: [] },
      onNodeMessage: () => {
        // No other message is handled before the node has left.
        while (!existsSync(gone));
        for (let i = 0; i < 3; i++) supervisor.sendToNode({ kind: 'keys' });
      },
    });
    expect(await supervisor.run()).toBe(7);
    expect(events.filter(({ kind }) => kind === 'ended')).toMatchObject([
      { process: 'node', how: 'exit code 7' },
      { process: 'guard', how: 'exit code 0' },
    ]);
  });

  it('takes whatever a guard sends', async () => {
    const rubbish = program(
      'rubbish',
      `${ENDS}for (const sent of ${JSON.stringify(RUBBISH)}) process.send(sent);
process.send({ kind: 'ready' });\n`,
    );
    const { supervisor } = supervise({
      guard: { modulePath: rubbish, args: [] },
      onNodeMessage: () => supervisor.stop(),
    });
    expect(await supervisor.run()).toBe(0);
  });

  it('ends with the reason where no guardian can be started', async () => {
    vi.stubEnv('TMPDIR', join(folder, 'nowhere'));
    const bus = { kind: 'bus', bus: { path: '/dev/null', stopFrames: ['00'] }, watch: WATCH };
    const bused = program('bused', `${ENDS}process.send(${JSON.stringify(bus)});\n`);
    const { supervisor } = supervise({ guard: { modulePath: bused, args: [] } });
    await expect(supervisor.run()).rejects.toMatchObject({ name: 'ReinError', kind: 'storage' });
    expect(lines()).toEqual(['bused ends']);
  });
});
