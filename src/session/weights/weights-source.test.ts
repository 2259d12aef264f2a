import { describe, expect, it } from 'vitest';
import { err, ok, type PolicyWeights, ReinError } from '../../model/index.ts';
import { ArrivingWeights } from './weights-source.ts';

type Swap = ConstructorParameters<typeof ArrivingWeights>[0]['policy']['swap'];

function weights(version: number): PolicyWeights {
  return { manifest: { version } } as PolicyWeights;
}

function feed(swap: (version: number) => ReturnType<Swap>) {
  const waiting: PolicyWeights[] = [];
  const tried: number[] = [];
  const refused: string[] = [];
  const made = new ArrivingWeights({
    policy: {
      swap: (candidate) => {
        tried.push(candidate.manifest.version);
        return swap(candidate.manifest.version);
      },
    },
    take: () => waiting.pop(),
    onRefused: (message) => refused.push(message),
    pauseMs: 1,
  });
  return { feed: made, waiting, tried, refused };
}

const report = ok({ version: 1, run: 1, previousVersion: 0, head: {} as never, canary: {} as never });

describe('weights that come while the robot moves', () => {
  it('are swapped one after the other, and never while the caller waits', async () => {
    let finish = (): void => undefined;
    const swapped = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const {
      feed: made,
      waiting,
      tried,
    } = feed(async () => {
      await swapped;
      return report;
    });
    waiting.push(weights(1));
    made.poll();
    expect(tried).toEqual([]);
    await expect.poll(() => tried).toEqual([1]);
    waiting.push(weights(2), weights(3));
    made.poll();
    made.poll();
    expect(waiting).toHaveLength(2);
    finish();
    await made.settled();
    made.poll();
    await made.settled();
    expect(tried).toEqual([1, 3]);
  });

  it('that are refused, or cannot even be tried, are told about and change nothing', async () => {
    const {
      feed: made,
      waiting,
      refused,
    } = feed(async (version) => {
      if (version === 5) throw new Error('out of memory');
      return err(new ReinError('policy', `Weights version ${version} refused: a weight is NaN or infinite.`));
    });
    for (const version of [4, 5, 6]) {
      waiting.push(weights(version));
      made.poll();
      await made.settled();
    }
    expect(refused).toEqual([
      'Weights version 4 refused: a weight is NaN or infinite.',
      'Weights 5 could not be tried: out of memory',
      'Weights version 6 refused: a weight is NaN or infinite.',
    ]);
  });
});
