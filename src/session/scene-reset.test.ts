import { expect, it } from 'vitest';
import { arm6Setup } from '../../tests/support/arm6.ts';
import type { SceneLayout } from '../rows/index.ts';
import type { Outcome } from '../tasks/index.ts';
import { Activity } from './activity.ts';
import { SceneReset, type SceneResetHooks } from './scene-reset.ts';
import type { EpisodeResult } from './session-types.ts';

const LAYOUT: SceneLayout = { jointsRad: [0], objects: {}, signals: {} };
const CUT: Partial<EpisodeResult> = { success: false, steps: 3, abortedBy: 'a command was late' };
const LATE: Partial<EpisodeResult> = { success: false, steps: 9 };
const BACK: Partial<EpisodeResult> = { success: true, steps: 5 };

interface Case {
  /** `nobody`: no reset; the robot goes on at once. */
  readonly by?: 'script' | 'people' | 'nobody';
  readonly results?: readonly Partial<EpisodeResult>[];
  readonly timing?: 'lock-step' | 'real-time';
  readonly setBack?: SceneLayout;
  readonly afterStop?: 'askLeave' | 'wait';
  /** Outcome that the episode would have, at each request; then none. */
  readonly over?: readonly Outcome[];
  /** There was no episode before. */
  readonly isFirst?: boolean;
}

/** Runs a reset before the second episode: returns its result, and logs actions and messages. */
async function reset(given: Case) {
  const { by = 'script', results = [], timing = 'real-time', setBack, afterStop = 'askLeave', over = [] } = given;
  const starts = [...over];
  const done: string[] = [];
  const left = [...results];
  const plan = by === 'nobody' ? undefined : by === 'people' ? { by } : { by, maxSteps: 9, pace: 0.5, way: () => [] };
  const parts = {
    setup: { ...arm6Setup(), reset: plan },
    link: { shape: { timing } },
    draws: { evaluating: { rng: undefined }, layout: () => setBack },
    listeners: { report: ({ message }: { message: string }) => void done.push(message) },
    live: { log: { ask: () => undefined, write: (record: object) => done.push(JSON.stringify(record)) } },
    afterStop,
  };
  let pauses = 0;
  const hooks: SceneResetHooks = {
    drive: async () => {
      done.push('drives');
      return left.shift() as EpisodeResult;
    },
    mayGoOn: async () => true,
    pause: async () => void pauses++,
    whyHeld: async () => undefined,
    asks: () => {
      const before = pauses;
      return () => pauses > before + 2;
    },
    startsAs: () => starts.shift(),
  };
  const activity = new Activity<void>('running');
  const scene = new SceneReset(parts as unknown as ConstructorParameters<typeof SceneReset>[0], hooks);
  if (given.isFirst !== true) scene.episodeEnded();
  const layout = await scene.bringBack(activity).catch((error: Error) => error.message);
  // Once per episode.
  expect(await scene.bringBack(activity)).toBeUndefined();
  return { given: layout, done, pauses };
}

const OVER = (outcome: Outcome): string =>
  `The episode would be a ${outcome} before it begins: put the robot and its things in place, then confirm (c, Start).`;
const record = (isBack: boolean, steps: number, setBackBy: string | null): string =>
  JSON.stringify({ kind: 'reset', by: 'script', isBack, steps, setBackBy });

it('drives back, and records that it got there', async () => {
  expect(await reset({ results: [BACK] })).toEqual({
    given: undefined,
    done: ['drives', record(true, 5, null)],
    pauses: 0,
  });
});

it('begins anew where it was cut, three times at most, and then asks people', async () => {
  expect((await reset({ results: [CUT, BACK] })).done).toEqual(['drives', 'drives', record(true, 5, null)]);
  const { given, done, pauses } = await reset({ results: [CUT, CUT, CUT] });
  expect(done.slice(0, 4)).toEqual(['drives', 'drives', 'drives', record(false, 3, 'people')]);
  expect(done[4]).toBe(
    'The script did not bring the robot back (a command was late): put it in place, then confirm (c, Start).',
  );
  expect([given, pauses]).toEqual([undefined, 3]);
});

it('has the simulator put everything in place where it was too late, and tries only once in lock-step', async () => {
  const late = await reset({ results: [LATE], setBack: LAYOUT });
  expect(late).toEqual({ given: LAYOUT, done: ['drives', record(false, 9, 'simulator')], pauses: 0 });
  const cut = await reset({ results: [CUT], setBack: LAYOUT, timing: 'lock-step' });
  expect(cut.done).toEqual(['drives', record(false, 3, 'simulator')]);
});

it('asks people where they put things in place, and waits for them', async () => {
  expect(await reset({ by: 'people' })).toMatchObject({ done: [expect.stringContaining('in place')], pauses: 3 });
});

it('asks nobody where a robot is let go on otherwise: it ends what goes on', async () => {
  expect(await reset({ by: 'people', afterStop: 'wait' })).toMatchObject({ given: undefined, done: [], pauses: 0 });
  const { given, pauses } = await reset({ results: [LATE], afterStop: 'wait' });
  expect([given, pauses]).toEqual(['The script did not bring the robot back (start not reached after 9 steps).', 0]);
});

it('takes a way back for none where the episode would be over at once', async () => {
  const setBack = await reset({ results: [BACK], setBack: LAYOUT, over: ['success'] });
  expect(setBack).toEqual({ given: LAYOUT, done: ['drives', record(false, 5, 'simulator')], pauses: 0 });
  const asked = await reset({ results: [BACK], over: ['failure', 'failure'] });
  expect(asked.done).toEqual(['drives', record(false, 5, 'people'), OVER('failure'), OVER('failure')]);
});

it.each(['people', 'nobody'] as const)(
  'asks, where %s puts things in place, until the episode would not be over at once',
  async (by) => {
    const first = await reset({ by, isFirst: true, over: ['success', 'success'] });
    expect(first).toEqual({ given: undefined, done: [OVER('success'), OVER('success')], pauses: 6 });
    const later = await reset({ by, over: ['success'] });
    expect(later.done.at(-1)).toBe(OVER('success'));
    const elsewhere = await reset({ by, over: ['success'], afterStop: 'wait' });
    expect(elsewhere.given).toBe(
      'The episode would be a success before it begins: put the robot and its things in place.',
    );
  },
);
