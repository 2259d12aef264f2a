/** Multi-step windows and returns to the end of the episode: golden values, and what cuts them short. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTransition, type Source, type Transition } from '../../rows/index.ts';
import { Replay } from './replay.ts';
import { NO_RETURN, NO_ROW, type RowRange, TransitionRing } from './ring.ts';

const DISCOUNT = 0.5;

/** Step `number` of an episode: its reward is 1 + number, it goes from observation `number` to the next. */
function step(number: number, fields: Partial<Transition> = {}): Transition {
  const t = Object.assign(createTransition(1, 1), { reward: 1 + number, seq: number, step: number, ...fields });
  t.observation.fill(number);
  t.nextObservation.fill(number + 1);
  return t;
}

function column(): Float32Array {
  return new Float32Array(1);
}

/** Row `index`, read over up to `steps` steps. */
function read(ring: TransitionRing, index: number, steps: number, range?: RowRange) {
  const batch = {
    observation: column(),
    nextObservation: column(),
    action: column(),
    reward: column(),
    bootstrap: column(),
    filterActivity: column(),
    tankDrainJ: column(),
    discountPower: column(),
    discountSum: column(),
    monteCarloReturn: column(),
  };
  ring.copyRow(index, batch, 0, { steps, discount: DISCOUNT }, range);
  return {
    from: batch.observation[0],
    to: batch.nextObservation[0],
    reward: batch.reward[0],
    power: batch.discountPower[0],
    sum: batch.discountSum[0],
    bootstrap: batch.bootstrap[0],
    returned: batch.monteCarloReturn[0]!,
  };
}

function replayOf(transitions: readonly Transition[], returns?: { discount?: number; shift?: number }): Replay {
  const { discount = DISCOUNT, shift = 0 } = returns ?? {};
  const rule = { discount, reward: (t: Transition) => t.reward + shift };
  const replay = new Replay(1, 1, 100, returns === undefined ? {} : { returns: rule });
  for (const transition of transitions) replay.add(transition);
  return replay;
}

describe('a window of three steps', () => {
  const episode = [0, 1, 2, 3, 4].map((number) => step(number));

  it('adds up discounted rewards, and goes on from the third next observation', () => {
    const { online } = replayOf(episode);
    // 1 + 2/2 + 3/4, then γ³ of what comes at observation 3.
    expect(read(online, 0, 3)).toMatchObject({ from: 0, to: 3, reward: 2.75, power: 0.125, sum: 1.75, bootstrap: 1 });
    expect(read(online, 1, 3)).toMatchObject({ from: 1, to: 4, reward: 2 + 1.5 + 1, power: 0.125 });
    expect(read(online, 1, 1)).toMatchObject({ from: 1, to: 2, reward: 2, power: 0.5, sum: 1, bootstrap: 1 });
  });

  it('adds up costs alike', () => {
    const { online } = replayOf(episode.map((_, i) => step(i, { cost: 4 * i, tankDrainJ: 8 })));
    const batch = {
      observation: column(),
      nextObservation: column(),
      action: column(),
      reward: column(),
      bootstrap: column(),
      filterActivity: column(),
      tankDrainJ: column(),
      cost: column(),
    };
    online.copyRow(0, batch, 0, { steps: 3, discount: DISCOUNT });
    expect([batch.filterActivity[0], batch.cost[0], batch.tankDrainJ[0]]).toEqual([4, 4, 14]);
  });

  it('is shorter at the last rows, with γ to the power of the steps that there are', () => {
    const { online } = replayOf(episode);
    expect(read(online, 3, 3)).toMatchObject({ to: 5, reward: 4 + 2.5, power: 0.25, bootstrap: 1 });
    expect(read(online, 4, 3)).toMatchObject({ to: 5, reward: 5, power: 0.5, bootstrap: 1 });
  });

  it.each([
    ['terminated', { terminated: true }, 0],
    ['truncated', { truncated: true }, 1],
    ['terminated and truncated', { terminated: true, truncated: true }, 0],
  ])('ends with an episode that is %s inside it', (_, end, bootstrap) => {
    const after = step(2, { reward: 100 });
    const { online } = replayOf([step(0), step(1, end), after]);
    expect(read(online, 0, 3)).toMatchObject({ to: 2, reward: 2, power: 0.25, bootstrap });
    expect(read(online, 1, 3)).toMatchObject({ to: 2, reward: 2, power: 0.5, bootstrap });
  });

  it('has a future where the end lies beyond it', () => {
    const { online } = replayOf([step(0), step(1), step(2, { terminated: true })]);
    expect(read(online, 0, 2)).toMatchObject({ to: 2, reward: 2, bootstrap: 1 });
    expect(read(online, 0, 3)).toMatchObject({ to: 3, reward: 2.75, bootstrap: 0 });
  });

  it.each<[string, Partial<Transition>]>([
    ['another segment', { segment: 1 }],
    ['another episode', { episode: 1 }],
    ['another start of the robot', { epoch: 1 }],
    ['a number that is missing', { seq: 2 }],
    ['a step that was not recorded', { step: 2 }],
  ])('ends before %s', (_, fields) => {
    const { online } = replayOf([step(0), step(1, fields)]);
    expect(read(online, 0, 3)).toMatchObject({ to: 1, reward: 1, power: 0.5, bootstrap: 1 });
  });

  it('ends before an observation that the step before did not lead to', () => {
    const jumped = step(1);
    jumped.observation[0] = 1.5;
    expect(read(replayOf([step(0), jumped]).online, 0, 3)).toMatchObject({ to: 1, reward: 1 });
  });

  it('ends at a record that was dropped', () => {
    const replay = replayOf([step(0), step(1, { reward: Number.NaN }), step(2)]);
    expect(read(replay.online, 0, 3)).toMatchObject({ to: 1, reward: 1, power: 0.5 });
    expect(replay.counts()).toMatchObject({ online: 2, continued: 0, dropped: { notFinite: 1 } });
  });

  it('holds a constant that is added to each reward as often as there are rewards', () => {
    const { online } = replayOf(episode);
    const shifted = replayOf(episode.map((t) => ({ ...t, reward: t.reward - 1 }))).online;
    const [a, b] = [read(online, 0, 3), read(shifted, 0, 3)];
    expect(a.reward! - a.sum!).toBeCloseTo(b.reward!, 6);
  });

  it('follows each of several robots that come in turns, by what they see or by their names', () => {
    const other = episode.map((t) => {
      const mirrored = {
        ...t,
        observation: t.observation.map((x) => -x),
        nextObservation: t.nextObservation.map((x) => -x),
      };
      return { ...mirrored, reward: -t.reward };
    });
    const replay = replayOf(episode.flatMap((t, i) => [t, other[i]!]));
    expect(read(replay.online, 0, 3)).toMatchObject({ to: 3, reward: 2.75 });
    expect(read(replay.online, 1, 3)).toMatchObject({ to: -3, reward: -2.75 });
    expect(replay.counts().continued).toBe(8);
    const named = new Replay(1, 1, 100);
    named.add(episode[0]!, { robot: 'left' });
    named.add(episode[1]!, { robot: 'right' });
    named.add(episode[1]!, { robot: 'left' });
    expect(read(named.online, 0, 2)).toMatchObject({ to: 2, reward: 2 });
    expect(named.counts().continued).toBe(1);
  });

  it.each([65, 200])('follows %i robots that come in turns', (robots) => {
    const replay = new Replay(1, 1, 5 * robots);
    for (const t of episode) for (let i = 0; i < robots; i++) replay.add(t, { robot: `robot ${i}` });
    expect(replay.counts().continued).toBe(4 * robots);
  });

  it('goes over demonstrations too, and over an intervention no further than its segment', () => {
    const source = (number: number): Source => (number < 1 || number > 3 ? 'policy' : 'human_correct');
    const segment = (number: number): number => [0, 1, 1, 1, 2][number]!;
    const demos = episode.map((t) => ({ ...t, source: 'demo' as const, epoch: 7 }));
    const mixed = episode.map((t, i) => ({ ...t, source: source(i), segment: segment(i) }));
    const { online, demonstrations } = replayOf([...demos, ...mixed]);
    expect(read(demonstrations, 0, 3)).toMatchObject({ from: 0, to: 3, reward: 2.75 });
    expect(read(demonstrations, 5, 3)).toMatchObject({ from: 1, to: 4, reward: 4.5 });
    expect(read(demonstrations, 6, 3)).toMatchObject({ from: 2, to: 4, reward: 5, power: 0.25 });
    expect(read(online, 0, 3)).toMatchObject({ to: 1, reward: 1 });
    expect(read(online, 1, 3)).toMatchObject({ to: 4, reward: 4.5 });
  });

  it('sees no further than the update does, however far arrivals run ahead', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 40 }), (visible, ahead) => {
        const all = Array.from({ length: visible + ahead }, (_, i) => step(i));
        const [now, later] = [replayOf(all.slice(0, visible)), replayOf(all)];
        const range = now.visible(visible).online;
        expect(later.visible(visible).online).toEqual(range);
        for (let i = range.from; i < range.to; i++) {
          expect(read(later.online, i, 5, range)).toEqual(read(now.online, i, 5, range));
        }
      }),
      { numRuns: 30 },
    );
  });

  it('goes on over the place where the ring begins anew, and forgets what was overwritten', () => {
    const ring = new TransitionRing(1, 1, 4);
    for (let i = 0; i < 7; i++) ring.push(step(i), i + 1, i === 0 ? NO_ROW : i - 1);
    expect(ring.oldest).toBe(3);
    // Rows 3 and 4 lie at both ends of the arrays.
    expect(read(ring, 3, 3)).toMatchObject({ from: 3, to: 6, reward: 4 + 2.5 + 1.5, power: 0.125 });
    expect(read(ring, 6, 3)).toMatchObject({ from: 6, to: 7, reward: 7, power: 0.5 });
    // A row that continues an overwritten one, in a ring of one.
    const single = new TransitionRing(1, 1, 1);
    single.push(step(0), 1);
    single.push(step(1), 2, 0);
    expect(read(single, 1, 3)).toMatchObject({ from: 1, to: 2, reward: 2 });
  });
});

describe('the return of a row', () => {
  const episode = (end: Partial<Transition>) => [step(0), step(1), step(2, end)];
  const returns = (ring: TransitionRing, range?: RowRange) =>
    Array.from({ length: ring.count }, (_, i) => read(ring, i, 1, range).returned);

  it('is what came until the task ended the episode, discounted', () => {
    expect(returns(replayOf(episode({ terminated: true }), {}).online)).toEqual([2.75, 3.5, 3]);
  });

  it('goes on with the worst reward where the episode was cut, but counts no reward that it did not get to', () => {
    const cut = episode({ truncated: true });
    expect(returns(replayOf(cut, {}).online)).toEqual([2.75, 3.5, 3]);
    // Rewards −1, 0 and 1. −1 forever is worth −2, discounted by γ³, γ² and γ.
    expect(returns(replayOf(cut, { shift: -2 }).online)).toEqual([-1, 0, 0]);
    expect(returns(replayOf(episode({ terminated: true }), { shift: -2 }).online)).toEqual([-0.75, 0.5, 1]);
    // If every step costs the same: r / (1 − γ), wherever it was cut.
    const costly = [0, 1, 2].map((number) => step(number, { reward: -1, truncated: number === 2 }));
    expect(returns(replayOf(costly, {}).online)).toEqual([-2, -2, -2]);
  });

  it('is not known where costs after a cut would add up without end', () => {
    const cut = episode({ truncated: true });
    expect(returns(replayOf(cut, { discount: 1, shift: -2 }).online)).toEqual([NO_RETURN, NO_RETURN, NO_RETURN]);
    expect(returns(replayOf(cut, { discount: 1 }).online)).toEqual([6, 5, 3]);
  });

  it('is not known before the episode is over, nor where nobody asked for it', () => {
    expect(returns(replayOf([step(0), step(1)], {}).online)).toEqual([NO_RETURN, NO_RETURN]);
    expect(returns(replayOf(episode({ terminated: true })).online)).toEqual([NO_RETURN, NO_RETURN, NO_RETURN]);
    expect(new Float32Array([NO_RETURN])[0]).toBe(NO_RETURN);
  });

  it('is known from the update on that may see the end', () => {
    const replay = replayOf(episode({ terminated: true }), {});
    expect(returns(replay.online, replay.visible(2).online).slice(0, 2)).toEqual([NO_RETURN, NO_RETURN]);
    expect(returns(replay.online, replay.visible(3).online)).toEqual([2.75, 3.5, 3]);
  });

  it('is not known of the steps before one that was dropped', () => {
    const broken = [step(0), step(1, { reward: Number.NaN }), step(2), step(3, { terminated: true })];
    expect(returns(replayOf(broken, {}).online)).toEqual([NO_RETURN, 5, 4]);
  });

  it('is that of the whole episode for the part of it that a person decided', () => {
    const source = (number: number): Source => (number === 1 ? 'human_recover' : 'policy');
    const mixed = episode({ terminated: true }).map((t, i) => ({ ...t, source: source(i), segment: i }));
    const replay = replayOf(mixed, {});
    expect(returns(replay.online)).toEqual([2.75, 3.5, 3]);
    expect(returns(replay.demonstrations)).toEqual([3.5]);
    expect(returns(replay.demonstrations, replay.visible(2).demonstrations)).toEqual([NO_RETURN]);
  });

  it('needs a discount that makes a finite number of it', () => {
    const make = (discount: number) => () => new Replay(1, 1, 10, { returns: { discount, reward: (t) => t.reward } });
    expect(make(0)).toThrow('(0, 1]');
    expect(make(1.01)).toThrow('(0, 1]');
  });
});
