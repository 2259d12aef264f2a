/** A robot that people hold back, or have not let go on, stands: also during a rewind or reset, and while it asks for something. */
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TestRobot } from '../../tests/support/session.ts';
import type { TeleopSource } from '../teleop/index.ts';
import type { SessionOptions } from './open-session.ts';
import type { LiveSession } from './session.ts';

let robot: TestRobot;
let session: LiveSession;
let hand: Hand;
let said: string[];
beforeEach(() => {
  robot = new TestRobot();
  hand = new Hand();
  said = [];
});
afterEach(async () => {
  const { rewind, help } = robot.setup.config.task;
  Object.assign(rewind, { afterCut: false });
  Object.assign(help, { afterSteps: 0 });
  await session.pause('the test is over');
  await robot.close();
});

class Hand implements TeleopSource {
  readonly name = 'hand';
  readonly decidedBy = 'human';
  isInControl = false;
  poll(_: Float32Array, __: number, out: Parameters<TeleopSource['poll']>[2]): void {
    out.active = this.isInControl;
    out.phase = 'correct';
    out.action.fill(0.3);
  }
  giveBack(): void {
    this.isInControl = false;
  }
  reset(): void {}
  close(): void {}
}

async function open(options: Partial<SessionOptions> = {}): Promise<void> {
  const policy = await robot.policyFile();
  const listener = { event: ({ message }: { message: string }) => void said.push(message) };
  session = await robot.open({ policy, operators: [hand], listener, ...options });
}

async function until(condition: () => boolean, what: string): Promise<void> {
  const limitMs = performance.now() + 60_000;
  while (!condition()) {
    if (performance.now() > limitMs) throw new Error(`${what} did not happen within 60 s: ${said.join(' ')}`);
    await turn();
  }
}
const isSaid = (word: string) => () => said.some((line) => line.includes(word));

/** A person moves the robot in the first episode, which `cut` then ends. */
function cutFirst(cut: () => void): void {
  session.listen({
    step: ({ episode, step }) => {
      if (episode > 0) return;
      hand.isInControl = step < 9;
      if (step === 12) cut();
    },
  });
}

function paused(): void {
  session.holdBack('Paused.');
  session.cutEpisode('a person paused the run');
}

/** Collects the states of motion from now on, until the result is called. */
function watchMotion(): () => string[] {
  const states = new Set<string>();
  const off = session.listen({ frame: ({ state }) => void states.add(state) });
  return () => {
    off();
    return [...states].filter((state) => state.startsWith('active'));
  };
}

it('does not go back the way it came while the run is paused', async () => {
  Object.assign(robot.setup.config.task.rewind, { afterCut: true });
  await open();
  let isCut = false;
  cutFirst(() => {
    paused();
    isCut = true;
  });
  const running = session.resume();
  await until(() => isCut && session.frame.state === 'ready', 'the pause');
  const motion = watchMotion();
  for (let i = 0; i < 10; i++) {
    await delay(20);
    await robot.tick(1);
  }
  expect(motion()).toEqual([]);
  session.letGo();
  await until(isSaid('The rewind has ended'), 'the way back');
  void running.done.catch(() => undefined);
});

it('lets a script bring the robot back by the leave that it has', async () => {
  const away = new Float64Array([0.1, 0, 0, 0]);
  Object.assign(robot.setup, { reset: { by: 'script', way: () => [away], pace: 0.5, maxSteps: 50 } });
  await open({ afterStop: 'askLeave', howToGoOn: 'Press c.' });
  let episodes = 0;
  session.listen({ episode: () => void episodes++ });
  session.resume().done.catch(() => undefined);
  await until(isSaid('Permission to move is missing'), 'the first question');
  await robot.letGoOn();
  said.length = 0;
  await until(() => episodes > 2, 'three episodes');
  expect(isSaid('Permission to move is missing')()).toBe(false);
});

it('leaves control to whoever has it, where a page pauses the run and lets it go on', async () => {
  await open();
  const panel = robot.panel();
  panel.attach(session);
  const sources: string[] = [];
  session.listen({
    step: ({ source, step, episode }) => {
      sources.push(source);
      if (episode === 0) hand.isInControl ||= step > 3;
      if (episode === 0 && step === 12) panel.ask({ kind: 'pause' });
    },
  });
  session.resume().done.catch(() => undefined);
  await until(() => isSaid('a person paused the run')() && session.frame.state === 'ready', 'the pause');
  sources.length = 0;
  panel.ask({ kind: 'start' });
  await until(() => sources.length > 3, 'the next episode');
  expect(new Set(sources)).toEqual(new Set(['human_correct']));
});

it('asks for leave anew after it went back by itself, and the run goes on', async () => {
  Object.assign(robot.setup.config.task.rewind, { afterCut: true });
  await open({ afterStop: 'askLeave', howToGoOn: 'Press c.' });
  const asked = () => said.filter((line) => line.includes('Permission to move is missing')).length;
  cutFirst(() => session.cutEpisode('a test cut it'));
  let failure: unknown;
  let episodes = 0;
  session.listen({
    step: ({ episode }) => {
      episodes = Math.max(episodes, episode);
    },
  });
  session.resume().done.catch((error: unknown) => {
    failure = error;
  });
  // A program drives the reset: it uses the permission given after the cut, and leaves it to the next episode.
  for (let times = 1; times <= 2; times++) {
    await until(() => asked() === times || failure !== undefined, `question ${times}`);
    await robot.letGoOn();
  }
  await until(() => episodes > 1 || failure !== undefined, 'the next episode');
  expect([failure, isSaid('The rewind has ended')()]).toEqual([undefined, true]);
});

it('begins no episode after a way back on which it was paused', async () => {
  const away = new Float64Array([0.1, 0, 0, 0]);
  const way = () => [away];
  Object.assign(robot.setup, { reset: { by: 'script', way, pace: 0.1, maxSteps: 50 } });
  await open();
  let [isOver, isBack] = [false, false];
  session.listen({
    step: ({ episode, step }) => {
      if (episode === 0 && step === 2) session.cutEpisode('a test cut it');
    },
    episode: () => {
      isOver = true;
    },
    frame: ({ decider }) => {
      if (isBack || !isOver || decider !== 'policy') return;
      isBack = true;
      paused();
    },
  });
  const running = session.resume();
  await until(() => isBack && session.frame.state === 'ready', 'the pause on the way back');
  const motion = watchMotion();
  for (let i = 0; i < 10; i++) {
    await delay(20);
    await robot.tick(1);
  }
  expect(motion()).toEqual([]);
  void running.done.catch(() => undefined);
});

it('is not driven by hand between episodes before somebody gave leave, and says so', async () => {
  Object.assign(robot.setup, { reset: { by: 'people' } });
  await open({ afterStop: 'askLeave', howToGoOn: 'Press c.' });
  let failure: unknown;
  session.listen({ step: ({ step }) => void (step === 3 && session.cutEpisode('a test cut it')) });
  session.resume().done.catch((error: unknown) => {
    failure = error;
  });
  await until(isSaid('Permission to move is missing'), 'the first question');
  await robot.letGoOn();
  await until(isSaid('put the robot and its things in place'), 'the question for things');
  // A person who stops and acknowledges has given no permission to move.
  await robot.link?.request({ kind: 'stop' }, 'person');
  await robot.tick(60);
  for (const kind of ['acknowledge', 'enable'] as const) {
    await robot.link?.request({ kind }, 'person');
    await robot.tick(2);
  }
  hand.isInControl = true;
  await until(() => failure !== undefined || isSaid('The robot stands: only an operator')(), 'a word to who drives');
  expect(failure).toBe(undefined);
  hand.isInControl = false;
});

it('does not act for one more step where it is paused while it asks for help', async () => {
  Object.assign(robot.setup.config.task.help, { afterSteps: 4, leastProgress: 1 });
  await open();
  const running = session.resume();
  await until(isSaid('asks for help'), 'the question');
  await until(() => session.frame.state === 'ready', 'the hold');
  const motion = watchMotion();
  paused();
  await delay(200);
  expect(motion()).toEqual([]);
  void running.done.catch(() => undefined);
});

it('does not go back later, when it is asked to while it stands', async () => {
  await open();
  let isCut = false;
  cutFirst(() => {
    paused();
    isCut = true;
  });
  const sources: string[] = [];
  const running = session.resume();
  await until(() => isCut && session.frame.state === 'ready', 'the pause');
  session.rewind();
  session.listen({ step: ({ source }) => void sources.push(source) });
  session.letGo();
  await until(() => sources.length > 3, 'the next episode');
  expect([isSaid('let it go on first')(), new Set(sources)]).toEqual([true, new Set(['policy'])]);
  void running.done.catch(() => undefined);
});
