/** What an agent is made for. */
import { type ObservationParts, totalObservationSize } from '../../core/index.ts';
import type { LearnerConfig } from '../options/learner-config.ts';
import type { LearnerSpec } from '../program/spec.ts';

/** Sizes, settings and seed of one agent. */
export interface AgentSpec {
  readonly observationSize: number;
  /** What the observation is made of; absent: all of it is seen by everybody. */
  readonly parts?: ObservationParts;
  readonly actionSize: number;
  readonly config: LearnerConfig;
  readonly seed: number;
  /**
   * Where training calls run: in this thread, which they block, or in one of its own (needs the built program). The results are
   * the same bit for bit.
   */
  readonly engine?: 'local' | 'thread';
  /** A process that controls a robot runs on this machine: no thread spins then, and one core is left to it. Absent: none does. */
  readonly hasRobot?: boolean;
}

/** The same with the parts of the observation known. Throws `RangeError` where they do not make it up. */
export function learnerSpec({
  observationSize,
  parts,
  actionSize,
  config,
}: Omit<AgentSpec, 'seed' | 'engine' | 'hasRobot'>): LearnerSpec {
  const known = parts ?? { stateSize: observationSize };
  const total = totalObservationSize(known);
  if (total === observationSize) return { parts: known, actionSize, config };
  throw new RangeError(`the parts of the observation have ${total} numbers, the observation has ${observationSize}`);
}
