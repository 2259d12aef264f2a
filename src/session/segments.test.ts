import { describe, expect, it } from 'vitest';
import { createTransition, type Source } from '../rows/index.ts';
import { type Segment, SegmentWatch, type StepOperator } from './segments.ts';

/** Steps as letters: p policy, r and c a person who recovers and corrects, s a script. */
const SOURCES: Readonly<Record<string, Source>> = {
  p: 'policy',
  r: 'human_recover',
  c: 'human_correct',
  s: 'scripted_correct',
};

function follow(watch: SegmentWatch, episode: number, letters: string, who: Partial<StepOperator> = {}): void {
  for (const [step, letter] of [...letters].entries()) {
    const transition = { ...createTransition(1, 1), episode, step, source: SOURCES[letter]! };
    watch.see(transition, { operator: 'browser', device: 'gamepad', person: '', isStopped: false, ...who });
  }
}

describe('SegmentWatch', () => {
  const written: Segment[] = [];
  const create = (): SegmentWatch => {
    written.length = 0;
    return new SegmentWatch({ policyHz: 4, epoch: 2, write: (segment) => written.push(segment) });
  };

  it('writes one record an intervention, with its phases and the second before its onset', () => {
    const watch = create();
    follow(watch, 3, 'pppppprrccppcc');
    watch.end();
    expect(written).toEqual([
      {
        kind: 'segment',
        epoch: 2,
        episode: 3,
        cause: 'tookOver',
        operator: 'browser',
        device: 'gamepad',
        beforeFromStep: 2,
        firstStep: 6,
        lastStep: 9,
        phases: [
          { phase: 'recover', fromStep: 6 },
          { phase: 'correct', fromStep: 8 },
        ],
      },
      // The second "before" begins where the policy did: an intervention is no mistake of the policy.
      expect.objectContaining({ beforeFromStep: 10, firstStep: 12, lastStep: 13 }),
    ]);
  });

  it('says why: a script, a stop, or that somebody was asked; and keeps to it over the end of an episode', () => {
    const watch = create();
    follow(watch, 0, 'pss');
    watch.end();
    watch.stopped();
    follow(watch, 1, 'cc');
    follow(watch, 2, 'ccp');
    watch.asked();
    follow(watch, 3, 'r');
    follow(watch, 4, 'pc', { isStopped: true });
    watch.end();
    expect(written.map(({ episode, cause }) => [episode, cause])).toEqual([
      [0, 'scripted'],
      [1, 'afterStop'],
      [2, 'afterStop'],
      [3, 'askedForHelp'],
      [4, 'afterStop'],
    ]);
  });

  it('gives no operator the cause of another, whether in one episode or in the next', () => {
    const watch = create();
    const rewind = { operator: 'rewind', device: '' };
    const causes = (): unknown[] => written.splice(0).map(({ operator, cause }) => [operator, cause]);
    // A person after a script that was in control at an episode's end.
    follow(watch, 0, 'ps', rewind);
    follow(watch, 1, 'c');
    follow(watch, 2, 's', rewind);
    watch.end();
    expect(causes()).toEqual([
      ['rewind', 'scripted'],
      ['browser', 'tookOver'],
      ['rewind', 'scripted'],
    ]);
    // The person who was asked first sends the robot back; the one who takes over from them was not asked.
    follow(watch, 3, 'p');
    watch.asked();
    follow(watch, 4, 's', rewind);
    follow(watch, 5, 'c', { person: 'Ann' });
    follow(watch, 6, 'c', { person: 'Ben' });
    watch.end();
    watch.stopped();
    follow(watch, 7, 'c', { person: 'Ann' });
    follow(watch, 8, 'c', { person: 'Ben' });
    watch.end();
    expect(causes()).toEqual([
      ['rewind', 'scripted'],
      ['browser', 'askedForHelp'],
      ['browser', 'tookOver'],
      ['browser', 'afterStop'],
      ['browser', 'tookOver'],
    ]);
  });

  it('parts what two operators did one after the other', () => {
    const watch = create();
    follow(watch, 0, 'ppc');
    watch.see(
      { ...createTransition(1, 1), step: 3, source: 'human_correct' },
      { operator: 'keyboard', device: 'keyboard', person: '', isStopped: false },
    );
    watch.end();
    expect(
      written.map(({ operator, firstStep, lastStep, beforeFromStep }) => [
        operator,
        firstStep,
        lastStep,
        beforeFromStep,
      ]),
    ).toEqual([
      ['browser', 2, 2, 0],
      ['keyboard', 3, 3, 3],
    ]);
  });
});
