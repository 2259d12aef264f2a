import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { faultRow } from '../../tests/support/fault-row.ts';
import { TestRobot } from '../../tests/support/session.ts';
import type { ServiceAnswer } from '../drivers/index.ts';
import { readJournal } from '../link/index.ts';
import { nodeStorage } from '../link/journal/storage.ts';
import { loadPolicyFile } from '../policy/index.ts';
import { parseMetrics, RUN_FILES } from '../record/index.ts';
import { TANK_EMPTY } from '../safety/index.ts';
import type { TeleopSource } from '../teleop/index.ts';
import type { LiveSession } from './session.ts';
import type { EpisodeReport, InterventionReport, SessionEvent, SessionState } from './session-types.ts';
import type { RunStatus } from './status.ts';

let robot: TestRobot;
beforeEach(() => {
  robot = new TestRobot();
});
afterEach(() => robot.close());

const recorded = () => [...readJournal(join(robot.folder, 'journal'))];

async function withPolicy(operators: readonly TeleopSource[] = []): Promise<LiveSession> {
  return robot.open({ policy: await robot.policyFile(), operators });
}

/**
 * Resolves when `condition` holds. It is asked once a turn of the event loop, as often as a `TestRobot` steps: on a busy machine
 * a millisecond's timer sleeps through whole episodes of a robot that does not wait.
 */
async function until(condition: () => boolean): Promise<void> {
  const limitMs = performance.now() + 60_000;
  while (!condition()) {
    if (performance.now() > limitMs) throw new Error('it did not happen within 60 s');
    await turn();
  }
}

/** A person whose hand the test controls. */
class Hand implements TeleopSource {
  readonly name = 'hand';
  readonly decidedBy = 'human';
  isStopRequested = false;
  isActive = false;
  poll(_: Float32Array, __: number, out: Parameters<TeleopSource['poll']>[2]): void {
    out.active = this.isActive;
    out.phase = 'correct';
    out.action.fill(0.1);
  }
  giveBack(): void {
    this.isStopRequested = false;
    this.isActive = false;
  }
  reset(): void {}
  close(): void {}
}

describe('a session that was just opened', () => {
  it('moves nothing, and says that it is idle', async () => {
    const session = await withPolicy();
    await robot.tick(20);
    expect(session.frame.state).toBe('standby');
    expect(session.state).toMatchObject({ mode: 'idle', authority: 'hold', learner: 'absent', envSteps: 0 });
    expect(session.policyState).toMatchObject({ version: 7, state: 'ready', runId: 'run-a' });
    expect(robot.driver.isEnabled).toBe(false);
  });

  it('is running, not training, where nothing learns of its episodes', async () => {
    const phases = new Set<string>();
    const listener = { state: ({ phase }: SessionState) => void phases.add(phase) };
    const session = await robot.open({ policy: await robot.policyFile(), listener });
    await session.runEpisode({ purpose: 'training', maxSteps: 2 }).done;
    expect([...phases]).toContain('running');
    expect([...phases]).not.toContain('training');
  });

  it('refuses an episode and an evaluation when nothing could decide', async () => {
    const session = await robot.open();
    expect(() => session.runEpisode({ purpose: 'training' })).toThrow('Nothing can control the robot');
    expect(() => session.evaluate({})).toThrow('no weights to evaluate');
    expect(session.policyState.state).toBe('absent');
  });

  it('closes what it opened when the policy cannot be read', async () => {
    await expect(robot.open({ policy: join(robot.folder, 'nowhere.onnx') })).rejects.toThrow('cannot be read');
    await expect(robot.tick(1)).rejects.toThrow('link was closed');
  });

  it('closes what it opened when the learner cannot be connected to', async () => {
    await expect(robot.open({ learner: 'nowhere' })).rejects.toThrow('nowhere');
    await expect(robot.tick(1)).rejects.toThrow('link was closed');
  });

  it('says why it could not be opened, also where what was open by then cannot be closed', async () => {
    const guard = await robot.connect();
    vi.spyOn(guard, 'close').mockRejectedValue(new Error('stuck'));
    await expect(robot.open({ guard, policy: join(robot.folder, 'nowhere.onnx') })).rejects.toThrow('cannot be read');
  });

  it('closes all else where one thing cannot be closed', async () => {
    const hand = new Hand();
    const session = await withPolicy([hand]);
    await session.runEpisode({ purpose: 'training', maxSteps: 2 }).done;
    hand.close = () => {
      throw new Error('stuck');
    };
    await expect(session.close()).rejects.toThrow('stuck');
    await expect(robot.tick(1)).rejects.toThrow('link was closed');
    expect(recorded()).toHaveLength(2);
    robot.forget();
  });
});

describe('an episode', () => {
  it('tells each step, is recorded, and ends holding', async () => {
    const session = await withPolicy();
    const steps: number[] = [];
    const report = await session.runEpisode({
      purpose: 'training',
      maxSteps: 5,
      onStep: (transition) => steps.push(transition.step),
    }).done;
    expect(report).toMatchObject({ steps: 5, endedBy: 'time limit', purpose: 'training', episode: 0, returnSum: 0 });
    expect(steps).toEqual([0, 1, 2, 3, 4]);
    await robot.tick(3);
    expect(session.frame.state).toBe('ready');
    expect(session.state).toMatchObject({ mode: 'idle', envSteps: 5, episodes: 1 });
    await session.close();
    expect(recorded()).toHaveLength(5);
  });

  it('is not recorded when it is an evaluation', async () => {
    const session = await withPolicy();
    await session.runEpisode({ purpose: 'evaluation', maxSteps: 3 }).done;
    expect(session.state.envSteps).toBe(0);
    await session.close();
    expect(recorded()).toEqual([]);
  });

  it('is cut after a step when somebody cancels it, without a stop', async () => {
    const session = await withPolicy();
    const episode = session.runEpisode({
      purpose: 'training',
      onStep: ({ step }) => step === 2 && episode.cut('gone'),
    });
    expect(await episode.done).toMatchObject({ steps: 4, endedBy: 'gone', abortedBy: 'gone' });
    await robot.tick(3);
    expect(session.frame.state).toBe('ready');
    expect(session.refusal).toBeUndefined();
  });

  it('refuses a second one, and a run, at the same time', async () => {
    const session = await withPolicy();
    const episode = session.runEpisode({ purpose: 'training', maxSteps: 3 });
    expect(() => session.runEpisode({ purpose: 'training' })).toThrow('going on already');
    expect(() => session.resume()).toThrow('going on already');
    await episode.done;
    await session.runEpisode({ purpose: 'training', maxSteps: 1 }).done;
  });
});

describe('a stop', () => {
  it('brakes at once, cuts what goes on, and stays until it is reset', async () => {
    const session = await withPolicy();
    const episodes: EpisodeReport[] = [];
    session.listen({ episode: (report) => episodes.push(report) });
    const run = session.resume();
    await until(() => session.state.step > 3);
    expect(session.state).toMatchObject({ mode: 'running', authority: 'policy' });
    await session.stop('somebody pressed stop');
    await run.done;
    await robot.tick(100);
    expect(session.frame.state).toBe('stopped');
    expect(session.state).toMatchObject({ mode: 'stopped', authority: 'stop' });
    expect(episodes.at(-1)?.abortedBy).toBe('somebody pressed stop');
    expect(() => session.resume()).toThrow('was stopped');
    expect(() => session.runEpisode({ purpose: 'training' })).toThrow('was stopped');
    expect(await session.reset()).toBe(true);
    expect(session.frame.state).toBe('ready');
    expect(await session.reset()).toBe(false);
    await session.runEpisode({ purpose: 'training', maxSteps: 1 }).done;
  });

  it('that cannot end is refused at once where waiting for a reading mends nothing, and asked again where it does', async () => {
    const session = await withPolicy();
    const prepare = vi.fn((): ServiceAnswer => ({ refusal: 'no controller holds the joints' }));
    robot.driver.service = (request) => (request === 'prepare' ? prepare() : 'nothing');
    await expect(session.reset()).rejects.toThrow('no controller holds the joints');
    // Each call may take a second behind ROS.
    expect(prepare).toHaveBeenCalledTimes(1);
    // Too late for this tick, but not for good.
    prepare.mockImplementation(() => {
      if (prepare.mock.calls.length === 2) robot.driver.inject('lost', 2);
      return 'done';
    });
    await session.reset();
    expect(prepare).toHaveBeenCalledTimes(3);
    expect(session.frame.state).toBe('ready');
  });

  it('of an operator counts too, and the policy never goes on by itself', async () => {
    const hand = new Hand();
    const session = await withPolicy([hand]);
    const run = session.resume();
    await until(() => session.state.step > 1);
    hand.isStopRequested = true;
    await run.done;
    await robot.tick(100);
    expect(session.state.mode).toBe('stopped');
    expect(session.held).toEqual({ kind: 'stopped', by: 'hand' });
    expect(await session.reset()).toBe(true);
    expect(session.held).toBe(undefined);
    expect(hand.isStopRequested).toBe(false);
    expect(session.state.mode).toBe('idle');
  });

  it('of an operator who gives it back themselves halts the robot between two steps, too', async () => {
    const hand = new Hand();
    // The policy is in the middle of its step, and the next is not due for long.
    const session = await robot.open({ policy: await robot.policyFile(), operators: [hand], afterStop: 'askLeave' });
    const link = robot.link!;
    link.nodeIs = 'person';
    const advance = link.advance.bind(link);
    let halted: { readonly commands: number; readonly decider: string } | undefined;
    link.advance = async (ticks) => {
      await advance(1);
      if (session.state.step < 2 || halted !== undefined || !session.frame.state.startsWith('active'))
        return advance(ticks - 1);
      hand.isStopRequested = true;
      const { commandSeq } = session.frame;
      // Longer than the interval at which operators are watched, on the same clock.
      await delay(50);
      await advance(1);
      halted = { commands: session.frame.commandSeq - commandSeq, decider: session.frame.decider };
    };
    const run = session.resume();
    await until(() => halted !== undefined);
    expect(halted).toEqual({ commands: 1, decider: 'human' });
    await session.pause('enough');
    await run.done;
  });

  it('by a fault ends the run with an event that names the row, and is told when it is gone', async () => {
    const session = await withPolicy();
    const events: SessionEvent[] = [];
    session.listen({ event: (event) => events.push(event) });
    const run = session.resume();
    await until(() => session.state.step > 1);
    robot.driver.inject('lost', 5);
    await run.done;
    expect(events.filter((event) => event.level === 'error')).toMatchObject([
      { name: 'driverLost', row: 10, message: 'The robot does not answer.', remedy: expect.stringContaining('cable') },
    ]);
    expect(session.state.mode).toBe('fault');
    expect(() => session.resume()).toThrow('The robot does not answer (fault 10).');
    await session.reset();
    expect(events.at(-1)).toMatchObject({ name: 'driverLostCleared', row: 10, level: 'info' });
    expect(session.frame.state).toBe('ready');
  });

  it('is waited out where a person gives leave, and is told of with what to do', async () => {
    const session = await robot.open({
      policy: await robot.policyFile(),
      afterStop: 'askLeave',
      howToGoOn: 'Press c.',
    });
    const events: SessionEvent[] = [];
    session.listen({ event: (event) => events.push(event) });
    const waits = (): number => events.filter(({ name }) => name === 'waitsForPerson').length;
    const run = session.resume();
    await until(() => waits() === 1);
    expect(session.frame.state).toBe('standby');
    await robot.letGoOn();
    await until(() => session.state.step > 1);
    const { episode } = session.state;
    robot.driver.inject('jump', 5);
    await until(() => waits() === 2);
    const asked = events.findLast(({ name }) => name === 'waitsForPerson');
    expect(asked?.message).toMatch(/^The robot stands\..*15.*Press c\.$/);
    expect(asked?.messageAtPage).toMatch(/^The robot stands\..*15.*press Start\.$/);
    await robot.tick(300);
    expect(session.frame.state).toBe('fault');
    await robot.letGoOn();
    await until(() => session.state.episode > episode && session.state.step > 1);
    await session.pause('enough');
    await run.done;
  });

  it('that comes between leave and the first step is waited out, too', async () => {
    const session = await robot.open({ policy: await robot.policyFile(), afterStop: 'askLeave' });
    let isDue = false;
    let stops = 0;
    const events: SessionEvent[] = [];
    session.listen({
      event: (event) => {
        events.push(event);
        isDue = event.name === 'goesOn' && stops === 0;
      },
    });
    const link = robot.link!;
    const request = link.request.bind(link);
    link.request = async (asked, by) => {
      if (isDue && asked.kind === 'activate') {
        stops++;
        robot.driver.inject('jump', 5);
        await link.advance(20);
      }
      return request(asked, by);
    };
    const run = session.resume();
    await until(() => events.some(({ name }) => name === 'waitsForPerson'));
    await robot.letGoOn();
    await until(() => stops === 1 && events.filter(({ name }) => name === 'waitsForPerson').length === 2);
    expect(events.find(({ name }) => name === 'episodeCut')?.message).toMatch(/^The episode ended early: .*15/);
    expect(session.state.step).toBe(0);
    await robot.letGoOn();
    await until(() => session.state.step > 1);
    await session.pause('enough');
    await run.done;
  });

  it('that no new scene mends, such as an arm outside its limits, is waited out, and said with what it is', async () => {
    Object.assign(robot.setup.task, { isArrangedByPeople: true });
    const session = await robot.open({ policy: await robot.policyFile(), afterStop: 'askLeave' });
    const OUTSIDE = 'The arm stands outside its joint limits or its workspace.';
    const events: SessionEvent[] = [];
    let isOutside = false;
    session.listen({
      event: (event) => {
        events.push(event);
        // Between permission and the first step, and then as long as it lasts.
        isOutside ||= event.name === 'goesOn' && said().length === 1;
      },
    });
    const link = robot.link!;
    const request = link.request.bind(link);
    link.request = async (asked, by) =>
      isOutside && asked.kind === 'activate' ? { ok: false, reason: OUTSIDE } : request(asked, by);
    const said = (): readonly string[] =>
      events.filter(({ name }) => name === 'waitsForPerson').map(({ message }) => message);
    const run = session.resume();
    await until(() => said().length === 1);
    await robot.letGoOn();
    await until(() => said().length === 2);
    expect(said()[1]).toMatch(/^The robot stands\. The arm stands outside its joint limits/);
    expect(session.state.step).toBe(0);
    isOutside = false;
    await until(() => session.state.step > 1);
    await session.pause('enough');
    await run.done;
  });
});

describe('an observation that comes by topic', () => {
  it('keeps episodes from beginning while it is old, cuts them when it gets old, and lets the run go on', async () => {
    const old = { row: 44, message: 'The camera is old.', remedy: 'Look at it.' };
    let isOld = true;
    const camera = { name: 'camera', size: 1, fill: () => {}, ageMs: () => 0, problems: () => (isOld ? [old] : []) };
    const session = await robot.open({ policy: await robot.policyFile(), observations: [camera] });
    const events: SessionEvent[] = [];
    const reports: EpisodeReport[] = [];
    session.listen({ event: (event) => events.push(event), episode: (report) => reports.push(report) });
    expect(() => session.runEpisode({ purpose: 'training' })).toThrow('The camera is old.');
    isOld = false;
    const run = session.resume();
    await until(() => session.state.step > 1);
    isOld = true;
    await until(() => reports.some(({ endedBy }) => endedBy === old.message));
    expect(events.filter(({ row }) => row === 44)).toMatchObject([{ level: 'error', name: 'observationLost' }]);
    const { length } = reports;
    await delay(100);
    expect(reports).toHaveLength(length);
    isOld = false;
    await until(() => reports.length > length);
    expect(events.map(({ name }) => name)).toContain('observationBack');
    session.stop('enough');
    await run.done;
  });
});

/** A disk that is full while `isFull`. */
function spyOnDisk(): { isFull: boolean; restore(): void } {
  const { create } = nodeStorage;
  const creating = vi.spyOn(nodeStorage, 'create').mockImplementation((path, mode) => {
    const file = create(path, mode);
    const write = async (bytes: Uint8Array, position: number): Promise<void> => {
      if (disk.isFull) throw new Error('ENOSPC: no space left on device');
      await file.write(bytes, position);
    };
    return { write, sync: () => file.sync(), close: () => file.close() };
  });
  const disk = { isFull: false, restore: () => creating.mockRestore() };
  return disk;
}

describe('a run whose surroundings fail', () => {
  faultRow(27, 'fake', 'says when recording stops and when it goes on, and moves the robot meanwhile', async () => {
    const disk = spyOnDisk();
    try {
      const session = await withPolicy();
      const events: SessionEvent[] = [];
      session.listen({ event: (event) => events.push(event) });
      const run = session.resume();
      await until(() => session.state.envSteps > 5);
      disk.isFull = true;
      await until(() => events.some(({ name }) => name === 'recordingStopped'));
      expect(events.filter(({ row }) => row === 27)).toMatchObject([
        {
          level: 'warn',
          message: expect.stringContaining('ENOSPC: no space left on device'),
          remedy: 'Make room on the disk: recording resumes by itself.',
        },
      ]);
      const { envSteps } = session.state;
      await until(() => session.state.envSteps > envSteps + 20);
      disk.isFull = false;
      await until(() => events.some(({ name }) => name === 'recordingBack'));
      await session.pause('enough');
      await run.done;
      expect(events.filter(({ row }) => row === 27)).toHaveLength(2);
    } finally {
      disk.restore();
    }
  });

  it.each([
    ['some of its steps', 5],
    ['none of its steps', 0],
  ])('promises the learner no steps that a full disk loses, where it took %s', async (_, before) => {
    const disk = spyOnDisk();
    try {
      const events: SessionEvent[] = [];
      const reported: RunStatus['link'][] = [];
      const observer = { status: ({ link }: RunStatus) => void reported.push(link), print: () => undefined };
      const session = await robot.open({
        policy: await robot.policyFile(),
        learner: 'tcp://127.0.0.1:9',
        drainMs: 100,
        observer,
        listener: { event: (event) => events.push(event) },
      });
      if (before > 0) await session.runEpisode({ purpose: 'training', maxSteps: before }).done;
      await until(() => recorded().length === before);
      disk.isFull = true;
      await session.runEpisode({ purpose: 'training', maxSteps: 3 }).done;
      await session.close();
      expect(recorded()).toHaveLength(before);
      expect(reported.at(-1)).toMatchObject({ pending: before, notRecorded: 3 });
      const ends = events.filter(({ name }) => name === 'transitionsPending' || name === 'notRecorded');
      expect(ends.map(({ message }) => message)).toEqual([
        ...(before === 0 ? [] : [expect.stringMatching(/^Still in the journal: 5 transitions\./)]),
        'Not recorded: 3 steps that a full or slow disk did not take.',
      ]);
    } finally {
      disk.restore();
    }
  });

  faultRow(
    51,
    'fake',
    'a scene that does not come back in 30 s holds the robot and asks a person',
    async (promised) => {
      const session = await withPolicy();
      const events: SessionEvent[] = [];
      session.listen({ event: (event) => events.push(event) });
      const { link } = robot;
      let isHanging = true;
      const request = link!.request.bind(link);
      const asked = new Promise<void>((resolve) => {
        link!.request = (requested) => {
          if (requested.kind !== 'resetScene' || !isHanging) return request(requested);
          resolve();
          return new Promise(() => {});
        };
      });
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      try {
        const run = session.resume();
        await asked;
        await vi.advanceTimersByTimeAsync(1e3 * promised('afterS') - 1);
        expect(events.filter(({ row }) => row === 51)).toEqual([]);
        await vi.advanceTimersByTimeAsync(1);
        await run.done;
      } finally {
        vi.useRealTimers();
      }
      expect(events.filter(({ row }) => row === 51)).toMatchObject([
        { level: 'error', name: 'resetHangs', message: expect.stringContaining('within 30 s') },
      ]);
      expect(session.state.mode).toBe('idle');
      await robot.tick(10);
      expect(session.frame.decider).toBe('hold');
      // A person has removed the cause, and resumes.
      isHanging = false;
      const run = session.resume();
      await until(() => session.state.step > 1);
      await session.pause('enough');
      await run.done;
    },
  );
});

describe('a tank that stays empty under a policy', () => {
  it('ends the episode, tells people what they can do, and waits for them', async () => {
    const session = await withPolicy();
    const events: SessionEvent[] = [];
    session.listen({ event: (event) => events.push(event) });
    let isEmpty = true;
    robot.link!.onFrame((frame) => {
      if (!isEmpty) return;
      frame.faultFlags = TANK_EMPTY;
      frame.referenceRad.fill(0.1);
    });
    await session.resume().done;
    expect(events.filter(({ name }) => name === 'tankEmpty')).toMatchObject([
      { level: 'warn', row: 42, remedy: expect.stringContaining('taking torque off') },
    ]);
    expect(events.find(({ name }) => name === 'episodeCut')?.message).toContain('the energy tank is empty');
    expect(session.state.mode).toBe('idle');
    isEmpty = false;
    const run = session.resume();
    await until(() => session.state.step > 1);
    await session.pause('enough');
    await run.done;
  });
});

describe('a tank that an episode has drained', () => {
  it.each([
    ['fills while the robot stands, before the next one begins', 0.02, 6],
    ['keeps nobody waiting for good where nothing comes in', 0, 0],
  ])('%s', async (_, perTickJ, begunWithJ) => {
    const session = await robot.open({ policy: await robot.policyFile(), afterStop: 'askLeave' });
    const events: SessionEvent[] = [];
    session.listen({ event: (event) => events.push(event) });
    let tankJ = 1;
    robot.link!.onFrame((frame) => {
      if (frame.state === 'ready' && events.some(({ name }) => name === 'tankFills')) tankJ += perTickJ;
      frame.tankEnergyJ = tankJ;
    });
    const run = session.resume();
    await until(() => events.some(({ name }) => name === 'waitsForPerson'));
    await robot.letGoOn();
    // As a guard does by itself, while a request waits for it.
    while (session.state.step <= 1) await robot.tick(1);
    expect(tankJ).toBeGreaterThanOrEqual(begunWithJ);
    const message = expect.stringMatching(/^The robot stands until its energy tank has 6\.0 J; it has 1\.\d J\.$/);
    expect(events.filter(({ name }) => name === 'tankFills')[0]).toMatchObject({ level: 'info', message });
    await session.pause('enough');
    await run.done;
  });
});

describe('what a session offers beside motion', () => {
  it('evaluates by the mean, reports each episode, and can be cut', async () => {
    const session = await withPolicy();
    const seen: number[] = [];
    const evaluation = session.evaluate({
      episodes: 3,
      onEpisode: (done) => {
        seen.push(done);
        if (done === 2) evaluation.cut('enough');
      },
    });
    expect(session.state.mode).toBe('evaluating');
    expect(await evaluation.done).toMatchObject({ episodes: 2, successes: 0, successRate: 0, endedEarly: 'enough' });
    expect(seen).toEqual([1, 2]);
    expect(session.state.envSteps).toBe(0);
  });

  it('reports who took over, and for how long', async () => {
    const hand = new Hand();
    const session = await withPolicy([hand]);
    const seen: InterventionReport[] = [];
    session.listen({ intervention: (report) => seen.push(report) });
    const onStep = ({ step }: { step: number }): void => {
      if (step === 2) hand.isActive = true;
      if (step === 5) hand.isActive = false;
    };
    const report = await session.runEpisode({ purpose: 'training', maxSteps: 8, onStep }).done;
    expect(report).toMatchObject({ interventionSteps: 3, interventions: 1 });
    expect(seen).toMatchObject([
      { isActive: true, operator: 'hand', decidedBy: 'human', step: 3 },
      { isActive: false, operator: 'hand', decidedBy: 'human', step: 6 },
    ]);
    expect(seen[1]!.durationS).toBeCloseTo(0.3, 1);
  });

  it('names who helps in an evaluation, in which the script that may correct is not asked', async () => {
    const hand = new Hand();
    const session = await robot.open({ policy: await robot.policyFile(), operators: [hand], isScripted: true });
    const seen: InterventionReport[] = [];
    session.listen({ intervention: (report) => seen.push(report) });
    const onStep = ({ step }: { step: number }): void => {
      hand.isActive = step === 2;
    };
    await session.runEpisode({ purpose: 'evaluation', maxSteps: 6, onStep }).done;
    expect(seen[0]).toMatchObject({ isActive: true, operator: 'hand', decidedBy: 'human', step: 3 });
  });

  it('goes back the way it came where a panel asks for it, and then holds until somebody gives back', async () => {
    const hand = new Hand();
    const session = await withPolicy([hand]);
    const panel = robot.panel();
    panel.attach(session);
    const said: string[] = [];
    session.listen({ event: ({ name, message }) => void (name.startsWith('rew') && said.push(message)) });
    panel.ask({ kind: 'rewind' });
    const sources: string[] = [];
    const at: number[] = [];
    const onStep = ({ step, source }: { step: number; source: string }): void => {
      sources.push(source.slice(0, 3));
      at.push(session.frame.referenceTcp[0]!);
      if (step === 0) hand.isActive = true;
      if (step === 5) hand.isActive = false;
      if (step === 5) panel.ask({ kind: 'rewind' });
      if (step === 28) panel.ask({ kind: 'giveBack' });
    };
    await session.runEpisode({ purpose: 'training', maxSteps: 32, onStep }).done;
    expect(said).toEqual([
      'No episode is going on.',
      expect.stringContaining('goes back the way it came'),
      expect.stringContaining('the recorded path ends here'),
    ]);
    expect(sources).toEqual([
      'pol',
      ...new Array(5).fill('hum'),
      ...new Array(23).fill('scr'),
      ...new Array(3).fill('pol'),
    ]);
    expect(at[5]! - at[0]!).toBeGreaterThan(3e-3);
    expect(Math.abs(at[28]! - at[0]!)).toBeLessThan(5e-4);
    await session.close();
    const { records } = parseMetrics(readFileSync(join(robot.folder, RUN_FILES.metrics), 'utf8'));
    const segments = records.flatMap((each) => (each.kind === 'segment' ? [each] : []));
    expect(segments).toMatchObject([
      { operator: 'hand', cause: 'tookOver', firstStep: 1, lastStep: 5 },
      {
        operator: 'rewind',
        cause: 'scripted',
        firstStep: 6,
        lastStep: 28,
        phases: [{ phase: 'recover', fromStep: 6 }],
      },
    ]);
  });

  it('goes back before the next episode after one that was cut, where the task says so, and records nothing of it', async () => {
    const { rewind } = robot.setup.config.task;
    Object.assign(rewind, { afterCut: true });
    const hand = new Hand();
    const session = await withPolicy([hand]);
    const said: string[] = [];
    let deciders = '';
    session.listen({
      event: ({ name, message }) => void (name === 'rewound' && said.push(message)),
      step: ({ step, episode }) => {
        deciders += String(episode);
        hand.isActive = episode === 0 && step < 9;
        if (episode === 0 && step === 9) session.cutEpisode('a test cut it');
        if (episode > 0 && step === 2) void session.pause('enough');
      },
    });
    await session.resume().done;
    Object.assign(rewind, { afterCut: false });
    expect(said).toEqual([expect.stringContaining('the recorded path ends here')]);
    expect(deciders).toMatch(/^0{10,12}2{3,5}$/);
  });

  it('asks for help where it gets nowhere, holds until somebody answers, and tells what it changed', async () => {
    const { help } = robot.setup.config.task;
    Object.assign(help, { afterSteps: 4, leastProgress: 1 });
    const hand = new Hand();
    Object.defineProperty(hand, 'isInControl', { get: () => hand.isActive });
    const session = await withPolicy([hand]);
    const asked: string[] = [];
    const states: string[] = [];
    const takeOver = (): void => {
      hand.isActive = true;
    };
    const answers = [takeOver, () => session.endRewind()];
    session.listen({
      event: ({ name, message }) => {
        if (name !== 'asksForHelp') return;
        asked.push(message);
        const answer = answers.shift();
        setTimeout(() => {
          states.push(session.frame.state);
          answer?.();
        }, 80);
      },
    });
    const sources: string[] = [];
    const onStep = ({ step, source }: { step: number; source: string }): void => {
      sources.push(source.slice(0, 3));
      if (step === 7) hand.isActive = false;
    };
    await session.runEpisode({ purpose: 'training', maxSteps: 10, onStep }).done;
    await session.runEpisode({ purpose: 'training', maxSteps: 10, onStep }).done;
    Object.assign(help, { afterSteps: 0, leastProgress: 0.002 });
    expect(asked).toEqual(new Array(2).fill(expect.stringContaining('no progress for 4 steps')));
    expect(states).toEqual(['ready', 'ready']);
    expect(sources.slice(0, 10)).toEqual(['pol', 'pol', 'pol', 'pol', 'pol', 'hum', 'hum', 'hum', 'pol', 'pol']);
    expect(new Set(sources.slice(10))).toEqual(new Set(['pol']));
    await session.close();
    const { records } = parseMetrics(readFileSync(join(robot.folder, RUN_FILES.metrics), 'utf8'));
    expect(records.filter(({ kind }) => kind === 'help')).toMatchObject([
      { step: 5, answer: 'tookOver', success: false },
      { step: 5, answer: 'goOn', success: false },
    ]);
    expect(records.find(({ kind }) => kind === 'segment')).toMatchObject({ cause: 'askedForHelp', firstStep: 5 });
  });

  it('does not ask sooner than a success has needed, in an evaluation or in an earlier start of its folder', async () => {
    const { task, config } = robot.setup;
    Object.assign(config.task.help, { afterSteps: 4, leastProgress: 1 });
    // Done after so many steps, or never.
    let doneAfter = 7;
    let left = 0;
    const begin = (): void => {
      left = doneAfter;
    };
    const judge: typeof task.judge = (_, verdict) => {
      Object.assign(verdict, { reward: 0, success: --left === 0, terminated: left === 0 });
    };
    Object.assign(task, { judge, begin });
    const asked: string[] = [];
    const listener = {
      event: ({ name, message }: SessionEvent): void => {
        if (name !== 'asksForHelp') return;
        asked.push(message);
        setTimeout(() => session.letGo(), 20);
      },
    };
    let session = await robot.open({ policy: await robot.policyFile(), operators: [new Hand()], listener });
    await session.evaluate({ episodes: 1 }).done;
    doneAfter = 6;
    await session.runEpisode({ purpose: 'training' }).done;
    expect(asked).toEqual([]);
    doneAfter = Number.NaN;
    await session.runEpisode({ purpose: 'training', maxSteps: 12 }).done;
    expect(asked).toEqual([expect.stringContaining('no progress for 7 steps')]);
    await session.close();
    session = await robot.open({ policy: await robot.policyFile(), operators: [new Hand()], listener });
    await session.runEpisode({ purpose: 'training', maxSteps: 12 }).done;
    expect(asked[1]).toContain('no progress for 6 steps');
    await session.close();
    const { records } = parseMetrics(readFileSync(join(robot.folder, RUN_FILES.metrics), 'utf8'));
    const idle = records.flatMap((record) => (record.kind === 'episode' ? [record.idleSteps] : []));
    expect(idle).toEqual([5, undefined, undefined]);
    Object.assign(config.task.help, { afterSteps: 0, leastProgress: 0.002 });
  });

  it('goes on after a pause in the monitor where a person at the terminal says so', async () => {
    const session = await withPolicy();
    const panel = robot.panel();
    panel.attach(session);
    const run = session.resume();
    await until(() => session.state.step > 1);
    panel.ask({ kind: 'pause' });
    const { episode } = session.state;
    await until(() => session.state.authority === 'hold');
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(session.state.episode).toBe(episode);
    session.letGo();
    await until(() => session.state.episode > episode);
    await session.pause('enough');
    await run.done;
  });

  it('begins no episode while it is paused on the way back', async () => {
    let target: readonly number[] | undefined;
    const way = () => {
      const [x, y, z] = session.frame.referenceTcp;
      target ??= [x! + 0.02, y!, z!, Number.NaN];
      return [target];
    };
    Object.assign(robot.setup, { reset: { by: 'script', maxSteps: 100, pace: 0.1, way } });
    const session = await withPolicy();
    const panel = robot.panel();
    panel.attach(session);
    let steps = 0;
    session.listen({ step: () => steps++ });
    const run = session.resume();
    await until(() => session.frame.state === 'active.policy');
    panel.ask({ kind: 'pause' });
    await until(() => session.state.authority === 'hold');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect([steps, session.state.authority]).toEqual([0, 'hold']);
    session.letGo();
    await until(() => steps > 1);
    await session.pause('enough');
    await run.done;
    Object.assign(robot.setup, { reset: undefined });
    await session.close();
    const { records } = parseMetrics(readFileSync(join(robot.folder, RUN_FILES.metrics), 'utf8'));
    expect(records.filter(({ kind }) => kind === 'reset')).toMatchObject([{ by: 'script', setBackBy: 'simulator' }]);
  });

  it('says why no critical phase begins where the task has none', async () => {
    const session = await withPolicy();
    const panel = robot.panel();
    panel.attach(session);
    const said: string[] = [];
    session.listen({ event: ({ message }) => void said.push(message) });
    panel.ask({ kind: 'critical' });
    expect(said).toEqual(['The critical phase does not begin: the task has no phaseSwitch.']);
  });

  it('notes a mark where the task judges itself', async () => {
    const session = await withPolicy();
    const events: SessionEvent[] = [];
    session.listen({ event: (event) => events.push(event) });
    expect(session.mark('success', 'looks good')).toEqual({
      isTaken: false,
      message: 'Ignored: task insert judges success itself.',
    });
    expect(events).toMatchObject([
      {
        name: 'marked',
        message: expect.stringMatching(/^Episode 0 is marked as a success: looks good\. Ignored: /),
      },
    ]);
  });

  it('ends the episode with the mark where people judge', async () => {
    Object.assign(robot.setup.task, { takesMarks: true });
    const session = await withPolicy();
    const onStep = ({ step }: { step: number }): void => {
      if (step === 2) expect(session.mark('success', '').isTaken).toBe(true);
    };
    const report = await session.runEpisode({ purpose: 'training', onStep }).done;
    expect(report).toMatchObject({ success: true, endedBy: 'success', steps: 4, returnSum: 1 });
    expect(session.mark('failure', '').message).toContain('no episode is going on');
    expect((await session.runEpisode({ purpose: 'training', maxSteps: 2 }).done).endedBy).toBe('time limit');
  });

  it('says of a mark that came as its episode had ended that it is ignored', async () => {
    Object.assign(robot.setup.task, { takesMarks: true });
    const session = await withPolicy();
    const said: string[] = [];
    const event = ({ message }: { message: string }): void => void said.push(message);
    // As a key that is pressed while the robot goes back.
    session.listen({ event, episode: () => void session.mark('success', '') });
    for (let i = 0; i < 2; i++) {
      const { success } = await session.runEpisode({ purpose: 'training', maxSteps: 2 }).done;
      expect(success).toBe(false);
    }
    expect(said.filter((line) => line.includes('came after its episode had ended'))).toHaveLength(1);
  });

  it('saves its policy so that it can be loaded again, and says where it cannot', async () => {
    const session = await withPolicy();
    const saved = await session.savePolicy('');
    expect(saved).toEqual({ path: join(robot.folder, 'policy.onnx'), version: 7 });
    const { observationSize, actionSize, schemaHash } = robot.setup;
    const loaded = await loadPolicyFile(saved.path, { observationSize, actionSize, schemaHash });
    expect(loaded.version).toBe(7);
    await loaded.close();
    expect(existsSync(join(robot.folder, 'policy.json'))).toBe(true);
    await expect(session.savePolicy('/tmp/other.onnx')).rejects.toThrow('two files');
    writeFileSync(join(robot.folder, 'config.yaml'), '');
    await expect(session.savePolicy(join(robot.folder, 'config.yaml', 'below'))).rejects.toThrow(
      'could not be written',
    );
    expect(() => session.rollbackPolicy()).toThrow('no earlier weights');
  });

  faultRow(49, 'fake', 'ends braked, with its files closed, whatever goes on', async () => {
    const session = await withPolicy();
    const run = session.resume();
    await until(() => session.state.step > 1);
    await session.close();
    await run.done;
    expect(recorded().at(-1)).toMatchObject({ truncated: true });
    expect(() => session.resume()).toThrow('closed');
    await session.close();
  });
});
