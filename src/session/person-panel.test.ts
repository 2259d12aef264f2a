/** Input from pages: how it moves the robot, and how it is recorded in the run's folder. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeClock } from '../../tests/support/fake-clock.ts';
import { until } from '../../tests/support/until.ts';
import { type ActionSpec, ReinError } from '../model/index.ts';
import type { TeleopCommand } from '../teleop/index.ts';
import { PersonPanel } from './person-panel.ts';
import { PLAIN_REQUESTS } from './person-request.ts';
import type { LiveSession } from './session.ts';

const action: ActionSpec = { kind: 'cartesian', dimensions: [{ name: 'x', scale: 0.01, unit: 'm' }] };
const xyz: ActionSpec = {
  kind: 'cartesian',
  dimensions: ['x', 'y', 'z'].map((name) => ({ name, scale: 0.01, unit: 'm' as const })),
};

let folder: string;
let clock: FakeClock;
let panel: PersonPanel;
let said: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-panel-'));
  clock = new FakeClock(1_000_000_000n);
  said = [];
  panel = new PersonPanel({ action, folder, clock, report: (line) => void said.push(line) });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const attach = (session: Partial<LiveSession>): void => panel.attach(session as LiveSession);

/** Sends input 10 ms after the previous one, for a frame displayed just now. */
function say(wanted: number, isEnabled: boolean): void {
  clock.advanceMs(10);
  const shownAtS = clock.nowS();
  panel.ask({ kind: 'input', shownAtS, isEnabled, isRecovering: false, action: [wanted] });
}

const file = () => join(folder, 'operator-browser.jsonl');

async function recorded(): Promise<readonly Record<string, unknown>[]> {
  panel.teleop.close();
  const lines = (): string[] => readFileSync(file(), 'utf8').trim().split('\n');
  await until(() => existsSync(file()) && lines().at(-1)!.includes('"end"'), 'the end of the record');
  return lines().map((line) => JSON.parse(line) as Record<string, unknown>);
}

it('says how old what the page showed was when it was heard last', () => {
  panel.ask({ kind: 'takeOver', shownAtS: clock.nowS(), device: 'keyboard', by: 'Ada' });
  const shownAtS = clock.nowS();
  clock.advanceMs(240);
  panel.ask({ kind: 'input', shownAtS, isEnabled: true, isRecovering: false, action: [0] });
  expect(panel.teleop.network).toEqual({ ageMs: expect.closeTo(240), leaseMs: 250 });
});

it('names who stopped the robot: the first who did, or the silence of whoever drove', () => {
  panel.ask({ kind: 'stop', by: 'Ada' });
  panel.ask({ kind: 'stop', by: 'Ben' });
  expect(panel.teleop.stoppedBy).toBe('Ada at the page');
  panel.teleop.liftStop();
  panel.ask({ kind: 'takeOver', shownAtS: clock.nowS(), device: 'keyboard', by: 'Ada' });
  clock.advanceMs(300);
  panel.teleop.watch();
  expect([panel.teleop.isStopRequested, panel.teleop.stoppedBy]).toEqual([true, "the loss of the operator's page"]);
});

it('tells whoever takes over a robot that is stopped what to press first', () => {
  const takeOver = () => panel.ask({ kind: 'takeOver', shownAtS: clock.nowS(), device: 'keyboard', by: 'Ben' });
  panel.ask({ kind: 'stop', by: 'Ada' });
  takeOver();
  expect(said.at(-1)).toBe('Stopped by Ada at the page: press Start first.');
  panel.teleop.liftStop();
  attach({ held: { kind: 'stopped', by: 'the guard' } });
  takeOver();
  expect(said.at(-1)).toBe('Stopped by the guard: press Start first.');
  attach({ held: { kind: 'fault', by: 'A servo is hot.' } });
  takeOver();
  expect(said.at(-1)).toBe('A servo is hot. Once the cause is gone, press Start first.');
  attach({});
  takeOver();
  expect(said).toHaveLength(4);
});

it('says by how much a page is too far behind to take over', () => {
  const shownAtS = clock.nowS();
  clock.advanceMs(600);
  panel.ask({ kind: 'takeOver', shownAtS, device: 'keyboard', by: 'Ada' });
  panel.ask({ kind: 'takeOver', shownAtS: clock.nowS() + 9, device: 'keyboard' });
  expect(panel.teleop.isInControl).toBe(false);
  expect(said).toEqual([
    'The page of Ada is 0.60 s behind, at most 0.25 s are allowed: take-over refused. Try again.',
    'The page of the operator shows a time in the future: take-over refused. Reload it.',
  ]);
});

it('keeps who took over with what, all that they asked for while in control, and what was new besides', async () => {
  say(0, true);
  say(0.5, true);
  say(0.5, true);
  panel.ask({ kind: 'takeOver', shownAtS: clock.nowS(), device: 'keyboard', by: 'Ann' });
  for (const wanted of [0, 0.5, 0.5]) say(wanted, true);
  panel.ask({ kind: 'stop' });
  panel.ask({ kind: 'giveBack' });
  panel.teleop.giveBack();
  for (const wanted of [0.5, 0.5, 0.25]) say(wanted, false);
  const lines = await recorded();
  expect(lines.map(({ t: _, isEnabled: __, isRecovering: ___, ...said }) => said)).toEqual([
    { shownAtS: 1.02, action: [0.5] },
    { shownAtS: 1.03, kind: 'takeOver', device: 'keyboard', person: 'Ann' },
    { shownAtS: 1.04, action: [0] },
    { shownAtS: 1.05, action: [0.5] },
    { shownAtS: 1.06, action: [0.5] },
    { kind: 'stop' },
    { kind: 'giveBack' },
    { shownAtS: 1.07, action: [0.5] },
    { shownAtS: 1.09, action: [0.25] },
    { end: true, dropped: 0 },
  ]);
  expect(lines[3]).toEqual({ t: 1.05, shownAtS: 1.05, isEnabled: true, isRecovering: false, action: [0.5] });
});

it('keeps a hand as it was tracked, and what came too late to move anything', async () => {
  panel.ask({ kind: 'takeOver', shownAtS: clock.nowS(), device: 'webxr phone' });
  const pose = { closing: 1, at: [0.125] };
  panel.ask({ kind: 'input', shownAtS: 0.5, isEnabled: true, isRecovering: true, action: [0], pose });
  const lines = await recorded();
  expect(lines[1]).toEqual({ t: 1, shownAtS: 0.5, isEnabled: true, isRecovering: true, action: [0], pose });
  expect(panel.teleop.counters).toMatchObject({ stale: 1 });
});

it('makes no file where nobody took over', async () => {
  say(0.5, true);
  panel.ask({ kind: 'takeOver', shownAtS: 0.1, device: 'keyboard' });
  panel.teleop.close();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(existsSync(file())).toBe(false);
});

it('saves one policy after the other, and goes on after one that could not be saved', async () => {
  let [asked, busy, most] = [0, 0, 0];
  attach({
    savePolicy: async () => {
      const version = ++asked;
      most = Math.max(most, ++busy);
      await new Promise((resolve) => setTimeout(resolve, 5));
      busy--;
      if (version === 2) throw new Error('no room');
      return { path: 'policy.onnx', version };
    },
  });
  for (let i = 0; i < 3; i++) panel.ask({ kind: 'savePolicy' });
  await until(() => said.length === 3, 'what became of them');
  expect(most).toBe(1);
  expect(said[0]).toBe('Policy 1 is saved: policy.onnx');
  expect(said[1]).toContain('no room');
  expect(said[2]).toBe('Policy 3 is saved: policy.onnx');
});

it('stops whenever it is said, and tells it once', () => {
  attach({});
  for (let i = 0; i < 20; i++) panel.ask({ kind: 'stop' });
  expect(panel.teleop.isStopRequested).toBe(true);
  expect(said).toEqual(['Stopped from the monitor: the robot holds until a person starts it again.']);
});

it('moves the tool in its own directions where the page says so, and not where actions move no tool', () => {
  const out: TeleopCommand = { active: false, action: new Float32Array(3), phase: 'correct' };
  const driven = (wanted: readonly number[], frame?: 'tool'): readonly number[] => {
    panel.ask({ kind: 'input', shownAtS: clock.nowS(), isEnabled: true, isRecovering: false, action: wanted, frame });
    panel.teleop.poll(new Float32Array(1), 0, out);
    return Array.from(out.action, (value) => Math.round(100 * value) / 100 || 0);
  };
  const turned = new PersonPanel({ action: xyz, folder, clock, report: () => undefined });
  // Its x is the base's y: a quarter turn about z.
  const referenceTcp = [0.3, 0, 0.2, Math.SQRT1_2, 0, 0, Math.SQRT1_2];
  turned.attach({ frame: { referenceTcp } } as unknown as LiveSession);
  panel = turned;
  panel.ask({ kind: 'takeOver', shownAtS: clock.nowS(), device: 'keyboard' });
  driven([0, 0, 0]);
  expect(driven([0.5, 0, 0], 'tool')).toEqual([0, 0.5, 0]);
  expect(driven([0.5, 0, 0])).toEqual([0.5, 0, 0]);
  panel = new PersonPanel({ action, folder, clock, report: () => undefined });
  panel.ask({ kind: 'takeOver', shownAtS: clock.nowS(), device: 'keyboard' });
  expect(driven([0], 'tool')).toEqual([0, 0, 0]);
  expect(panel.teleop.counters).toMatchObject({ malformed: 1 });
});

it.each(PLAIN_REQUESTS)(
  'says why %s could not be done where the session has failed, and throws nothing',
  async (kind) => {
    const failing = new Proxy({} as LiveSession, {
      get: () => () => {
        throw new ReinError('link', 'The guard cannot be reached.');
      },
    });
    panel.attach(failing);
    expect(() => panel.ask({ kind })).not.toThrow();
    panel.ask({ kind: 'mark', mark: 'success' });
    expect(said.join('\n')).toContain('The guard cannot be reached');
  },
);
