/** The replay that an agent learns from. */
import { ALGORITHM } from '../algorithms/index.ts';
import { learnedReward } from '../program/index.ts';
import { type FrameStorage, Replay } from '../replay/index.ts';
import { type AgentSpec, learnerSpec } from './agent-spec.ts';

/** An empty replay that keeps what `spec`'s algorithm needs: images in bytes, returns to the end of the episode. */
export function createReplay(spec: Omit<AgentSpec, 'seed' | 'engine'>): Replay {
  const { parts, config, actionSize } = learnerSpec(spec);
  const needsReturns = ALGORITHM[config.algorithm].needsReturns === true;
  const returns = {
    discount: config.discount,
    reward: ({ reward, cost, tankDrainJ }: { reward: number; cost: number; tankDrainJ: number }) =>
      learnedReward(reward, cost, tankDrainJ, config),
  };
  const frame = frameOf(parts, config.encoder.channels.length > 0);
  return new Replay(spec.observationSize, actionSize, config.replayCapacity, {
    ...(frame === undefined ? {} : { frame }),
    ...(needsReturns ? { returns } : {}),
  });
}

/** Pixels are kept in bytes; features of a frozen encoder are not made of 256 steps. */
function frameOf(
  { image, stateSize }: ReturnType<typeof learnerSpec>['parts'],
  isPixels: boolean,
): FrameStorage | undefined {
  if (image === undefined) return undefined;
  const size = image.channels * image.height * image.width;
  return { offset: stateSize, size, storage: isPixels ? 'uint8' : 'float32', variants: 1 };
}
