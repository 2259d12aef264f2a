/** Sealed versions of a learner's policy, numbered on from those of earlier learners of the run. */
import { type PolicyWeights, sealWeights } from '../../model/index.ts';
import type { Training } from '../training.ts';

/** Fields common to all versions of one run. */
interface Run {
  readonly runId: string;
  readonly schemaHash: string;
}

/** Version 1 is the first, unless set by `goOnFrom`. */
export class PolicyVersions {
  readonly #training: Training;
  readonly #run: Run;
  #version = 0;
  /** Robots may have weights up to this version from an earlier learner, and accept only newer ones. */
  #versionBefore = 0;
  #parent: number | null = null;
  /** Identical in every version: weights are its inputs. */
  #graph: Uint8Array | undefined;

  constructor(training: Training, run: Run) {
    this.#training = training;
    this.#run = run;
  }

  /** Newest version created or continued from; 0: none. */
  get newest(): number {
    return this.#version;
  }

  /**
   * Continues from a checkpoint written after `version` had been published, or from none (null). Since then as many more may have
   * been published as fit between two checkpoints.
   */
  goOnFrom(version: number | null): void {
    const { checkpointEveryUpdates, publishEveryUpdates } = this.#training.agent.config;
    const since = Math.ceil(checkpointEveryUpdates / publishEveryUpdates);
    this.#version = version ?? 0;
    this.#versionBefore = version === null ? since + 1 : version + since;
    this.#parent = version;
  }

  /** Seals the current policy as the next version. */
  async next(): Promise<PolicyWeights> {
    const { agent, encoder, seenSteps, updates } = this.#training;
    this.#version = Math.max(this.#version, this.#versionBefore) + 1;
    const { shapes, data } = await agent.actorWeights();
    const fields = {
      runId: this.#run.runId,
      version: this.#version,
      parent: this.#parent,
      trainingStep: seenSteps,
      updates,
      schemaHash: this.#run.schemaHash,
      createdAt: new Date().toISOString(),
      shapes,
    };
    this.#parent = this.#version;
    this.#graph ??= agent.policyGraph(encoder);
    return sealWeights(fields, this.#graph, data);
  }
}
