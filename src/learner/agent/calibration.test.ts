import { describe, expect, it } from 'vitest';
import { createTransition, type Transition } from '../../rows/index.ts';
import type { CostWeights } from '../update/costs.ts';
import { type EpisodeReturns, RealisedReturns } from './calibration.ts';

/** A step whose observation is [episode, step] and whose action is step / 100. */
function at(episode: number, step: number, fields: Partial<Transition> = {}): Transition {
  const t = createTransition(2, 1);
  t.observation.set([episode, step]);
  t.executed[0] = step / 100;
  return Object.assign(t, { episode, step, ...fields });
}

const FREE: CostWeights = { filterActivityCost: 0, tankDrainCostPerJ: 0, rewardScale: 1, rewardShift: 0 };

function realisedReturns(discount: number, costs: Partial<CostWeights> = {}): RealisedReturns {
  return new RealisedReturns({ discount, ...FREE, ...costs });
}

/** Steps 0 to `length` − 1, of which the last ends the episode; the result of the last. */
function whole(realised: RealisedReturns, length: number, end: Partial<Transition> = { terminated: true, reward: 1 }) {
  let result: EpisodeReturns | undefined;
  for (let step = 0; step < length; step++) {
    expect(result).toBeUndefined();
    result = realised.collect(at(0, step, step === length - 1 ? end : {}));
  }
  return result;
}

describe('RealisedReturns', () => {
  it('deducts the costs that the critics learn with', () => {
    const realised = realisedReturns(0.5, { filterActivityCost: 4, tankDrainCostPerJ: 3 });
    const end = { cost: 0.25, tankDrainJ: 2, reward: 1, terminated: true };
    // 1 − 4·0.25 − 3·2 = −6.
    expect(realised.collect(at(0, 0, end))!.returns).toEqual(Float32Array.of(-6));
  });

  it('discounts the rewards of an episode back to each of its steps', () => {
    const realised = realisedReturns(0.5);
    expect(realised.collect(at(3, 0, { reward: 1 }))).toBeUndefined();
    expect(realised.collect(at(3, 1, { reward: -2 }))).toBeUndefined();
    // 8, then −2 + 0.5·8 = 2, then 1 + 0.5·2 = 2.
    expect(realised.collect(at(3, 2, { reward: 8, terminated: true }))).toEqual({
      observations: Float32Array.of(3, 0, 3, 1, 3, 2),
      actions: Float32Array.of(0, 0.01, 0.02),
      returns: Float32Array.of(2, 2, 8),
    });
  });

  it('hands out six evenly spaced steps of a long episode, the first and the last among them', () => {
    const result = whole(realisedReturns(0.9), 101)!;
    const steps = [0, 20, 40, 60, 80, 100];
    expect(result.observations).toEqual(Float32Array.from(steps.flatMap((step) => [0, step])));
    expect(result.actions).toEqual(Float32Array.from(steps, (step) => step / 100));
    result.returns.forEach((value, i) => {
      expect(value).toBeCloseTo(0.9 ** (100 - steps[i]!), 6);
    });
    for (const length of [1, 5, 6, 7, 11]) {
      const { returns, observations } = whole(realisedReturns(0.9), length)!;
      expect(returns.length).toBe(Math.min(6, length));
      expect(new Set(observations.filter((_, i) => i % 2 === 1)).size).toBe(returns.length);
      expect(returns.at(-1)).toBe(1);
    }
  });

  it('uses no episode that was cut, and the next one again', () => {
    const realised = realisedReturns(0.9);
    expect(whole(realised, 4, { truncated: true })).toBeUndefined();
    expect(realised.collect(at(0, 4, { terminated: true }))).toBeUndefined();
    expect(whole(realised, 4)?.returns.length).toBe(4);
  });

  it.each([
    ['left out', at(1, 3, { terminated: true })],
    ['repeated', at(1, 1, { terminated: true })],
    ['of another episode', at(2, 2, { terminated: true })],
    ['of another start of the robot', at(1, 2, { epoch: 1, terminated: true })],
  ])('discards an episode where a step is %s', (_, wrong) => {
    const realised = realisedReturns(0.9);
    realised.collect(at(1, 0));
    realised.collect(at(1, 1));
    expect(realised.collect(wrong)).toBeUndefined();
    expect(realised.collect(at(1, 2, { terminated: true }))).toBeUndefined();
  });

  it('uses no episode whose beginning it has not seen, nor one of thousands of steps', () => {
    expect(realisedReturns(0.9).collect(at(1, 2, { terminated: true }))).toBeUndefined();
    expect(whole(realisedReturns(0.9), 4096)).toBeDefined();
    expect(whole(realisedReturns(0.9), 4097)).toBeUndefined();
  });

  it('keeps robots apart, passes demonstrations over and copies what it keeps', () => {
    const realised = realisedReturns(0.5);
    const reused = at(1, 0);
    realised.collect(reused, 'left');
    reused.observation.fill(9);
    realised.collect(at(5, 0), 'right');
    realised.collect(at(7, 0, { source: 'demo', terminated: true }), 'left');
    const left = realised.collect(at(1, 1, { reward: 1, terminated: true }), 'left');
    expect(left?.observations).toEqual(Float32Array.of(1, 0, 1, 1));
    expect(realised.collect(at(5, 1, { reward: 4, terminated: true }), 'right')?.returns).toEqual(
      Float32Array.of(2, 4),
    );
  });

  it('forgets the robot that it heard from longest ago when there are too many', () => {
    const realised = realisedReturns(0.5);
    for (let robot = 0; robot < 16; robot++) realised.collect(at(1, 0), `${robot}`);
    realised.collect(at(1, 1), '0');
    realised.collect(at(1, 0), 'one more');
    expect(realised.collect(at(1, 1, { terminated: true }), '1')).toBeUndefined();
    expect(realised.collect(at(1, 2, { terminated: true }), '0')?.returns.length).toBe(3);
  });
});
