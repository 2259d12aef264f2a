/** The replay that an agent learns from. */
import { totalObservationSize } from '../../core/index.ts';
import { trainedChannels } from '../options/encoder.ts';
import { learnedReward } from '../program/costs.ts';
import { imageStorage } from '../replay/observation-store.ts';
import { Replay } from '../replay/replay.ts';
import type { Agent } from './agent.ts';

/** An empty replay that keeps what the agent's algorithm needs: images in bytes, features in as many variants as are asked for, returns to the end of the episode. */
export function createReplay({ algorithm, spec }: Pick<Agent, 'algorithm' | 'spec'>): Replay {
  const { parts, config, actionSize } = spec;
  const returns = {
    discount: config.discount,
    reward: ({ reward, cost, tankDrainJ }: { reward: number; cost: number; tankDrainJ: number }) =>
      learnedReward(reward, cost, tankDrainJ, config),
  };
  const { encoder } = config;
  // Pixels are kept in bytes; features are not made of 256 steps.
  const storage = trainedChannels(encoder).length > 0 ? 'uint8' : 'float32';
  const frame = imageStorage(parts, storage, encoder.frozen?.variants);
  return new Replay(totalObservationSize(parts), actionSize, config.replayCapacity, {
    ...(frame === undefined ? {} : { frame }),
    ...(algorithm.needsReturns === true ? { returns } : {}),
  });
}
