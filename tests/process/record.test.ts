/** `rein record` as people use it: from the page, over the monitor's own stream; what is kept is what a learner gets. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { stateName } from '../../src/rows/telemetry.ts';
import { StreamWatcher } from '../support/browser.ts';
import { freeAddress } from '../support/free-port.ts';
import { LiveRun, MONITOR_TOKEN, mockArm6, type Program, SMALL_LEARNER, until } from '../support/live-run.ts';
import { IS_LONG } from '../support/long.ts';
import { insist } from '../support/until.ts';

const TASK = `name: shown
kind: operatorJudged
robot: ./mock-arm.yaml
learner: rlpd
policyHz: 10
maxSteps: 60
historyFrames: 1
action:
  kind: cartesian
  dimensions:
    - { name: x, scale: 0.01, unit: m }
    - { name: z, scale: 0.01, unit: m }
observation: {}
`;

/** Done where the robot stands when it is switched on. */
const THERE = `${TASK.replace('operatorJudged', 'described')}success:
  all: [{ rule: inside, place: tool, minM: [0, -1, 0], maxM: [1, 1, 1] }]
reset: { by: people }
`;

const run = new LiveRun(mkdtempSync(join(tmpdir(), 'rein-record-')));
writeFileSync(join(run.folder, 'mock-arm.yaml'), mockArm6());
writeFileSync(join(run.folder, 'shown.yaml'), TASK);
writeFileSync(join(run.folder, 'there.yaml'), THERE);
writeFileSync(join(run.folder, 'small.yaml'), SMALL_LEARNER);
afterAll(async () => {
  await run.end();
  rmSync(run.folder, { recursive: true, force: true });
});

/** A recording, and a person at its page. */
class Recorded {
  /** Demonstrations that ended by themselves. */
  cuts = 0;
  readonly program: Program;
  watcher: StreamWatcher | undefined;
  /** What the person's hand asks for, once they have taken over. */
  #action: readonly number[] | undefined;
  /** To and fro, so that the workspace does not end. */
  #way = -1;

  constructor(task: string, ...options: string[]) {
    const place = ['--operator', 'none', ...run.monitored(), '--out', task === './shown.yaml' ? 'out' : 'there'];
    this.program = run.start('record', '--task', task, ...place, ...options);
  }

  async open(): Promise<void> {
    await until(() => /monitor: http\S+/.test(this.program.said()), 'the address of the monitor');
    const address = /monitor: (http\S+)/.exec(this.program.said())![1]!;
    this.watcher = new StreamWatcher(address, { token: MONITOR_TOKEN });
    const isShown = (): boolean => this.status !== undefined && this.watcher?.frame !== undefined;
    await until(() => isShown() || this.program.child.exitCode !== null, 'the panel');
    expect(this.program.child.exitCode, this.program.said()).toBeNull();
    this.ask('sit');
    const beat = setInterval(() => this.#beat(), 40);
    this.watcher.socket.on('close', () => clearInterval(beat));
  }

  get status(): Record<string, number | string> | undefined {
    return this.watcher?.all('status').at(-1)?.['recording'] as Record<string, number | string> | undefined;
  }

  ask(kind: string, more: Record<string, unknown> = {}): void {
    this.watcher!.ask({ kind, ...more });
  }

  is(what: Record<string, number | string>): Promise<void> {
    const holds = (): boolean => Object.entries(what).every(([key, value]) => this.status?.[key] === value);
    return until(holds, `${JSON.stringify(what)}, not ${JSON.stringify(this.status)},`);
  }

  /** Presses Record, and once more where a page that was held up has lost its seat, or the robot was stopped for it. */
  begin(hasCome: () => boolean): Promise<void> {
    const press = async (): Promise<void> => {
      this.ask('sit');
      this.ask('start');
      this.ask('recordStart');
    };
    return insist(press, hasCome, 'an answer to Record');
  }

  /** Records some steps, in which the person moves along x: once more where a machine that was held up has cut them. */
  async show(): Promise<void> {
    for (;;) {
      await this.begin(() => this.status!['state'] === 'recording');
      await this.drive(() => Number(this.status!['steps']) >= 5 || this.status!['state'] !== 'recording');
      if (this.status!['state'] === 'recording') return;
      this.cuts++;
      await this.is({ state: 'waiting' });
    }
  }

  /** Takes over, rests until that `isRested`, and moves along x. */
  async drive(isRested: () => boolean): Promise<void> {
    const before = this.#xM;
    let way: readonly number[] = [0, 0];
    this.#action = way;
    const takeOver = (): void => this.ask('takeOver', { shownAtS: this.watcher!.frame!.sentAtS, device: 'keyboard' });
    takeOver();
    // Held up by the machine, a page is too late to take over, or has lost its seat, and asks again; after it, a hand rests first.
    const again = setInterval(() => {
      const mayMove = stateName(this.watcher!.frame!) === 'active.human' && !this.watcher!.isHeld;
      this.#action = mayMove ? way : [0, 0];
      if (mayMove) return;
      this.ask('sit');
      this.ask('start');
      takeOver();
    }, 1000);
    try {
      await until(isRested, 'a rest');
      way = [this.#way, 0];
      this.#action = way;
      await until(() => Math.abs(before - this.#xM) > 0.02, 'a motion');
    } finally {
      clearInterval(again);
    }
    this.#way *= -1;
    this.#action = [0, 0];
  }

  get #xM(): number {
    return this.watcher!.frame!.measuredTcp[0]!;
  }

  /** What a page says with each frame. */
  #beat(): void {
    const action = this.#action;
    if (action === undefined) this.ask('alive');
    else {
      const shownAtS = this.watcher!.frame!.sentAtS;
      this.ask('input', { shownAtS, isEnabled: true, isRecovering: false, action });
    }
  }
}

const episodesOf = (folder: string) => run.journal(folder).filter(({ terminated }) => terminated);

/** Both ways to a learner: from the folder, and through a robot that shows them. */
async function learnsFromThem(): Promise<void> {
  const cloned = run.start(
    'pretrain',
    '--run',
    'out',
    '--out',
    'pre',
    '--set',
    'bcInitSteps=20',
    '--set',
    'batchSize=16',
  );
  expect(await cloned.exit).toBe(0);
  expect(cloned.said()).toContain(`Learned from ${run.journal('out').length} transitions`);
  const address = await freeAddress();
  const both = ['--task', './shown.yaml', '--config', 'small.yaml'];
  const learner = run.start('learn', ...both, '--bind', address, '--out', 'learner');
  const robot = run.start(
    'run',
    ...both,
    '--learner',
    address,
    '--demonstrations',
    'out',
    '--out',
    'robot',
    '--start',
    'now',
  );
  await until(() => run.versionOf('robot') > 0, 'a policy that was learned from them');
  expect(robot.said()).toContain('2 demonstrations');
  expect(episodesOf('robot').filter(({ source }) => source === 'demo')).toHaveLength(2);
  learner.child.kill('SIGINT');
  robot.child.kill('SIGINT');
  await robot.exit;
}

it('keeps what a person calls a success, forgets what they redo, drop or delete, and goes on in its folder', async () => {
  const first = new Recorded('./shown.yaml', '--start', 'ask');
  await first.open();
  await first.is({ state: 'waiting', kept: 0 });
  // Nothing moves before a person says start.
  expect(first.watcher!.frame!.decider).not.toBe(1);
  first.ask('start');
  await first.show();
  first.ask('mark', { mark: 'success' });
  await first.is({ state: 'waiting', kept: 1 });
  await first.show();
  first.ask('recordStop');
  await first.is({ state: 'judging' });
  first.ask('mark', { mark: 'success' });
  await first.is({ kept: 2 });
  first.ask('delete');
  await first.is({ kept: 1, deleted: 1 });
  await first.show();
  first.ask('redo');
  await first.is({ state: 'waiting', redone: 1 });
  await first.show();
  first.ask('mark', { mark: 'failure' });
  await first.is({ state: 'waiting', kept: 1, failed: 1 + first.cuts });
  expect(first.status!['meanSteps']).toBeGreaterThan(3);
  expect(first.status!['freeBytes']).toBeGreaterThan(0);
  first.watcher!.close();
  first.program.child.kill('SIGINT');
  expect(await first.program.exit).toBe(130);
  expect(first.program.said()).toContain('1 demonstration kept');
  const kept = run.journal('out');
  expect(new Set(kept.map(({ source }) => source))).toEqual(new Set(['demo']));
  expect(kept.map(({ terminated }) => terminated)).toEqual(kept.map((_, i) => i === kept.length - 1));
  expect(kept.at(-1)).toMatchObject({ reward: 1, truncated: false });
  // Which way depends on how many demonstrations a busy machine has cut.
  expect(kept.some(({ humanAction: [asked], executed: [done] }) => Math.abs(asked!) > 0.5 && asked! * done! > 0)).toBe(
    true,
  );

  const second = new Recorded('./shown.yaml', '--episodes', '2', '--start', 'now');
  await second.open();
  await second.is({ state: 'waiting', kept: 1, wanted: 2 });
  await second.show();
  second.ask('mark', { mark: 'success' });
  expect(await second.program.exit).toBe(0);
  second.watcher!.close();
  expect(episodesOf('out')).toHaveLength(2);

  if (IS_LONG) await learnsFromThem();
}, 180_000);

it('says where keys come from where there is no terminal', async () => {
  const program = run.start('record', '--task', './shown.yaml', '--monitor', 'off', '--out', 'nowhere');
  expect(await program.exit).toBe(1);
  expect(program.said()).toContain('Start it in a terminal, or take --operator none --monitor');
}, 60_000);

it.runIf(IS_LONG)(
  'begins no demonstration that is done already, and lets the robot be driven from there',
  async () => {
    const recorded = new Recorded('./there.yaml', '--start', 'now');
    await recorded.open();
    await recorded.is({ state: 'waiting', kept: 0 });
    await recorded.begin(() => recorded.program.said().includes('Not begun: the state is a success already'));
    await recorded.is({ state: 'waiting', kept: 0, failed: 0 });
    const { watcher } = recorded;
    await recorded.drive(() => stateName(watcher!.frame!) === 'active.human');
    watcher!.close();
    recorded.program.child.kill('SIGINT');
    await recorded.program.exit;
    expect(run.journal('there')).toEqual([]);
  },
  180_000,
);
