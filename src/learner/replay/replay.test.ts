import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Rng } from '../../model/index.ts';
import { createTransition, type Source, type Transition } from '../../rows/index.ts';
import { DEFAULT_INTERVENTION_RULE, type InterventionRule } from '../options/interventions.ts';
import { Replay } from './replay.ts';
import { type BatchColumns, TransitionRing } from './ring.ts';
import { UpdateContract } from './utd.ts';

function step(number: number, source: Source = 'policy', fields: Partial<Transition> = {}): Transition {
  const t = Object.assign(createTransition(2, 1), { source, reward: number, ...fields });
  t.observation.fill(number);
  t.nextObservation.fill(number + 1);
  t.executed[0] = 0.5;
  return t;
}

function oneRow(): BatchColumns {
  return {
    observation: new Float32Array(2),
    nextObservation: new Float32Array(2),
    action: new Float32Array(1),
    reward: new Float32Array(1),
    filterActivity: new Float32Array(1),
    tankDrainJ: new Float32Array(1),
    bootstrap: new Float32Array(1),
  };
}

function rewards(ring: TransitionRing, range: { from: number; to: number }): number[] {
  const batch = oneRow();
  return Array.from({ length: range.to - range.from }, (_, i) => {
    ring.copyRow(range.from + i, batch, 0);
    expect([...batch.observation]).toEqual([batch.reward[0], batch.reward[0]]);
    expect([...batch.nextObservation]).toEqual([batch.reward[0]! + 1, batch.reward[0]! + 1]);
    return batch.reward[0]!;
  });
}

describe('Replay', () => {
  it('puts every online step into R, interventions into D as well, demonstrations into D only', () => {
    const replay = new Replay(2, 1, 100);
    const sources: Source[] = [
      'demo',
      'policy',
      'human_correct',
      'scripted_recover',
      'policy',
      'human_recover',
      'scripted_correct',
    ];
    sources.forEach((source, i) => {
      expect(replay.add(step(i, source))).toBe('accepted');
    });
    expect(replay.counts()).toMatchObject({ received: 7, online: 6, demonstrations: 5, interventions: 4 });
    const visible = replay.visible(6);
    expect(rewards(replay.online, visible.online)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(rewards(replay.demonstrations, visible.demonstrations)).toEqual([0, 2, 3, 5, 6]);
  });

  it("draws nothing of the base phase, a person's steps among them, unless it is told to, and counts it all the same", () => {
    const drawn = (learnsFromBasePhase: boolean) => {
      const replay = new Replay(2, 1, 100, { learnsFromBasePhase });
      for (let i = 0; i < 40; i++) {
        replay.add(step(i, i % 8 === 2 ? 'human_correct' : 'policy', { isBasePhase: i % 10 < 7, episode: 0, step: i }));
      }
      expect(replay.counts()).toMatchObject({ online: 40, demonstrations: 5 });
      const rng = new Rng(1);
      const visible = replay.visible(40);
      const rows = (ring: TransitionRing, range: (typeof visible)['online']): number[] => {
        const numbers = Array.from({ length: 400 }, () => {
          const batch = oneRow();
          ring.copyRow(ring.drawn(range.from + rng.int(range.to - range.from), range, rng), batch, 0);
          return batch.reward[0]!;
        });
        return [...new Set(numbers)].sort((a, b) => a - b);
      };
      return {
        online: rows(replay.online, visible.online),
        demonstrations: rows(replay.demonstrations, visible.demonstrations),
      };
    };
    const all = Array.from({ length: 40 }, (_, i) => i);
    expect(drawn(true)).toEqual({ online: all, demonstrations: [2, 10, 18, 26, 34] });
    expect(drawn(false)).toEqual({ online: all.filter((i) => i % 10 >= 7), demonstrations: [18] });
  });

  it('shows an update the first transitions that count for it and nothing else, however many have come', () => {
    const replay = new Replay(2, 1, 100);
    replay.add(step(0, 'demo'));
    for (let i = 1; i <= 10; i++) replay.add(step(i, i % 3 === 0 ? 'human_correct' : 'policy'));
    replay.add(step(11, 'demo'));
    const early = replay.visible(4);
    expect(rewards(replay.online, early.online)).toEqual([1, 2, 3, 4]);
    expect(rewards(replay.demonstrations, early.demonstrations)).toEqual([0, 3]);
    expect(rewards(replay.demonstrations, replay.visible(10).demonstrations)).toEqual([0, 3, 6, 9]);
    expect(rewards(replay.demonstrations, replay.visible(11).demonstrations)).toEqual([0, 3, 6, 9, 11]);
  });

  it('samples from the newest so many, the same however far arrivals run ahead', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 60 }), (visibleCount, ahead) => {
        const replay = new Replay(2, 1, 16);
        for (let i = 1; i <= visibleCount + ahead; i++) replay.add(step(i));
        const first = Math.max(1, visibleCount - 15);
        const expected = Array.from({ length: visibleCount - first + 1 }, (_, i) => first + i);
        expect(rewards(replay.online, replay.visible(visibleCount).online)).toEqual(expected);
      }),
    );
  });

  it('bootstraps from a cut episode and not from one that ended', () => {
    const replay = new Replay(2, 1, 10);
    replay.add(step(0, 'policy', { terminated: true }));
    replay.add(step(1, 'policy', { truncated: true }));
    replay.add(step(2, 'policy', { terminated: true, truncated: true }));
    const batch = {
      observation: new Float32Array(6),
      nextObservation: new Float32Array(6),
      action: new Float32Array(3),
      reward: new Float32Array(3),
      filterActivity: new Float32Array(3),
      tankDrainJ: new Float32Array(3),
      bootstrap: new Float32Array(3),
    };
    for (let i = 0; i < 3; i++) replay.online.copyRow(i, batch, i);
    expect([...batch.bootstrap]).toEqual([0, 1, 0]);
  });

  it('shows as demonstrations what the rule names, and the rest online', () => {
    const sources: Source[] = ['policy', 'human_recover', 'human_correct', 'scripted_recover', 'demo'];
    const shownBy = (demonstrate: InterventionRule['demonstrate']): readonly number[] => {
      const replay = new Replay(2, 1, 100, { interventions: { ...DEFAULT_INTERVENTION_RULE, demonstrate } });
      sources.forEach((source, i) => void replay.add(step(i, source)));
      expect(rewards(replay.online, replay.visible(4).online)).toEqual([0, 1, 2, 3]);
      return rewards(replay.demonstrations, replay.visible(10).demonstrations);
    };
    expect(shownBy('all')).toEqual([1, 2, 3, 4]);
    expect(shownBy('recovery')).toEqual([1, 3, 4]);
    expect(shownBy('correction')).toEqual([2, 4]);
    expect(shownBy('none')).toEqual([4]);
  });

  it('leaves the steps before an onset out and deducts from the last, from the update that sees the onset on', () => {
    const rule = { ...DEFAULT_INTERVENTION_RULE, leaveOutBeforeSteps: 2, onsetPenalty: 0.5 };
    const replay = new Replay(2, 1, 100, { interventions: rule });
    const sources: Source[] = ['policy', 'policy', 'policy', 'human_correct', 'human_correct', 'policy'];
    sources.forEach((source, i) => void replay.add(step(i, source, { step: i })));
    const rng = new Rng(1);
    const drawnOf = (count: number): number[] => {
      const { online } = replay.visible(count);
      const drawn = Array.from({ length: 200 }, () => {
        return replay.online.drawn(online.from + rng.int(online.to - online.from), online, rng);
      });
      return [...new Set(drawn)].sort();
    };
    expect(drawnOf(3)).toEqual([0, 1, 2]);
    expect(drawnOf(4)).toEqual([0, 3]);
    expect(drawnOf(6)).toEqual([0, 3, 4, 5]);
    const rewardOf = (row: number, count: number): number => {
      const batch = oneRow();
      replay.online.copyRow(row, batch, 0, undefined, replay.visible(count).online);
      return batch.reward[0]!;
    };
    expect([rewardOf(2, 3), rewardOf(2, 4), rewardOf(1, 4)]).toEqual([2, 1.5, 1]);
  });

  it('never draws what was dropped, and counts it', () => {
    const replay = new Replay(2, 1, 100);
    for (let i = 0; i < 9; i++) replay.add(step(i), { isLeftOut: i !== 4 });
    const { online } = replay.visible(9);
    const rng = new Rng(1);
    expect(replay.counts().online).toBe(9);
    for (let i = 0; i < 50; i++) expect(replay.online.drawn(rng.int(9), online, rng)).toBe(4);
  });

  it('drops and counts records that are not fit to learn from', () => {
    const replay = new Replay(2, 1, 10);
    const bad = (change: (t: Transition) => void) => {
      const t = step(1);
      change(t);
      return replay.add(t);
    };
    expect(bad((t) => (t.reward = Number.NaN))).toBe('notFinite');
    expect(bad((t) => (t.cost = Number.NaN))).toBe('notFinite');
    expect(bad((t) => (t.tankDrainJ = Number.POSITIVE_INFINITY))).toBe('notFinite');
    expect(bad((t) => t.observation.fill(Number.POSITIVE_INFINITY))).toBe('notFinite');
    expect(bad((t) => t.nextObservation.fill(Number.NaN))).toBe('notFinite');
    expect(bad((t) => t.executed.fill(Number.NaN))).toBe('notFinite');
    expect(bad((t) => t.executed.fill(-1.2))).toBe('actionOutOfRange');
    expect(replay.add(createTransition(3, 1))).toBe('wrongSize');
    expect(bad((t) => t.executed.fill(1.0001))).toBe('accepted');
    const counts = replay.counts();
    expect(counts).toMatchObject({
      received: 9,
      online: 1,
      dropped: { notFinite: 6, actionOutOfRange: 1, wrongSize: 1 },
    });
  });
});

describe('TransitionRing', () => {
  it('keeps the newest rows under their numbers while it wraps and grows', () => {
    const ring = new TransitionRing(2, 1, 5000);
    for (let i = 0; i < 12_345; i++) ring.push(step(i), i + 1);
    expect(ring.oldest).toBe(7345);
    expect(rewards(ring, { from: 7345, to: 7348 })).toEqual([7345, 7346, 7347]);
    expect(rewards(ring, { from: 12_343, to: 12_345 })).toEqual([12_343, 12_344]);
    expect(ring.visible(9000, 100)).toEqual({ from: 8900, to: 9000, visibleCount: 9000 });
  });
});

describe('UpdateContract', () => {
  it('pays for the same number of updates per transition after the warm-up, and never for more', () => {
    const contract = new UpdateContract(4, 100);
    expect([0, 100, 101, 250].map((n) => contract.updatesAllowed(n))).toEqual([0, 0, 4, 600]);
    expect([1, 4, 5, 600].map((u) => contract.visibleTo(u))).toEqual([101, 101, 102, 250]);
  });

  it('an update never sees more than what it was paid with, in calls of any size', () => {
    const counts = [fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 50 })] as const;
    fc.assert(
      fc.property(...counts, fc.nat(1000), fc.nat(5000), (utd, perCall, warmup, accepted) => {
        const contract = new UpdateContract(utd, warmup, perCall);
        const allowed = contract.updatesAllowed(accepted);
        expect(allowed % perCall).toBe(0);
        if (allowed > 0) expect(contract.visibleTo(allowed)).toBeLessThanOrEqual(accepted);
        expect(contract.visibleTo(allowed + 1)).toBeGreaterThan(accepted);
        // The data of a call is there as soon as it is allowed, and not before.
        const visible = contract.visibleTo(allowed + 1);
        expect(contract.updatesAllowed(visible)).toBeGreaterThan(allowed);
        expect(contract.updatesAllowed(visible - 1)).toBeLessThanOrEqual(allowed);
      }),
    );
  });

  it('pays for calls of more updates than a transition with several transitions', () => {
    const contract = new UpdateContract(2, 10, 5);
    expect([12, 13, 14, 15].map((n) => contract.updatesAllowed(n))).toEqual([0, 5, 5, 10]);
    expect([1, 5, 6, 10].map((update) => contract.visibleTo(update))).toEqual([13, 13, 15, 15]);
  });

  it('wants whole numbers', () => {
    expect(() => new UpdateContract(0, 0)).toThrow('utd must be an integer ≥ 1, got 0');
    expect(() => new UpdateContract(1, -1)).toThrow('warmupSteps');
    expect(() => new UpdateContract(1, 0, 1.5)).toThrow('updatesPerCall');
  });
});
