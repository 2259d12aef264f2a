/** What a learner goes on from when it is started again: its newest checkpoint, and transitions that its robots send again. */
import { join } from 'node:path';
import { isCount, ReinError } from '../../core/index.ts';
import {
  type CheckpointKind,
  type FoundCheckpoint,
  readCheckpoint,
  type TrainingState,
  writeCheckpoint,
} from '../checkpoint.ts';
import { LEARNER_FILES } from './messages.ts';

/** Where in the journal a learner was: what it had been given, and what it had taken from that. */
export interface ReplayPosition {
  /** Transitions offered to replay, demonstrations and dropped ones included. */
  readonly received: number;
  /** Online transitions taken. */
  readonly online: number;
  /** Rows of the demonstration buffer. */
  readonly demonstrations: number;
}

/** Everything that a learner continues from, apart from the journals. */
export interface LearnerCheckpoint extends TrainingState {
  readonly runId: string;
  /** Hash of the observation and action specs. */
  readonly schemaHash: string;
  /** Versions of the policy published so far. */
  readonly policyVersion: number;
  readonly replay: ReplayPosition;
}

const KIND: CheckpointKind<LearnerCheckpoint> = {
  unit: 'update',
  isComplete: ({ runId, schemaHash, policyVersion, replay }) =>
    typeof runId === 'string' &&
    typeof schemaHash === 'string' &&
    [policyVersion, replay?.received, replay?.online, replay?.demonstrations].every(isCount),
};

/** Writes `checkpoint` into the run's `folder`. Rejects as `writeCheckpoint` does. */
export function writeLearnerCheckpoint(folder: string, checkpoint: LearnerCheckpoint): Promise<void> {
  return writeCheckpoint(checkpointsIn(folder), KIND, checkpoint.agent.updates, checkpoint);
}

/**
 * The newest good checkpoint of the run in `folder`; `undefined` where there is none. Rejects as `readCheckpoint` does, and with
 * `ReinError` ('checkpoint') where it is of another robot or task than `schemaHash`.
 */
export async function readLearnerCheckpoint(
  folder: string,
  schemaHash: string,
  onDamage: (sentence: string) => void,
): Promise<FoundCheckpoint<LearnerCheckpoint> | undefined> {
  const found = await readCheckpoint(checkpointsIn(folder), KIND, onDamage);
  if (found === undefined || found.checkpoint.schemaHash === schemaHash) return found;
  throw new ReinError('checkpoint', `The checkpoint ${found.path} has another robot or task.`, {
    remedy: 'Continue with the configuration and task that it was written with, or start anew.',
  });
}

/** The folder of the checkpoints of the run in `folder`. */
export function checkpointsIn(folder: string): string {
  return join(folder, LEARNER_FILES.checkpoints);
}

/** How many transitions replay holds of what the robot did, and of demonstrations and interventions. */
type Counts = Pick<ReplayPosition, 'online' | 'demonstrations'>;

/** Waits until replay holds what the checkpoint was learned from, and says once that other journals came in its place. */
export class AwaitedReplay {
  readonly position: ReplayPosition;
  readonly #say: (sentence: string) => void;
  #isSaid = false;

  /** `say` is called, once, where as much has come as the checkpoint had seen, and it is not the same. */
  constructor(position: ReplayPosition, say: (sentence: string) => void) {
    this.position = position;
    this.#say = say;
  }

  /**
   * Whether it is all here: `counts` of replay after `received` transitions have come, and robots have said of `lost` more that
   * they cannot give them. Those are not waited for.
   */
  isHere(counts: Counts, received: number, lost: number): boolean {
    const { online, demonstrations } = this.position;
    if (counts.online >= online && counts.demonstrations >= demonstrations) return true;
    const missing = Math.max(0, online - counts.online) + Math.max(0, demonstrations - counts.demonstrations);
    if (missing <= lost && received + lost >= this.position.received) {
      this.#say(
        `Transitions that the checkpoint was learned from and that are lost: ${missing}. Learning goes on without them.`,
      );
      return true;
    }
    if (received >= this.position.received && !this.#isSaid) {
      this.#isSaid = true;
      this.#say(this.#sentence(counts, received));
    }
    return false;
  }

  #sentence(counts: Counts, received: number): string {
    const { online, demonstrations } = this.position;
    return (
      `The robots have sent ${received} transitions, which give ${kinds(counts)}; the checkpoint was learned from ` +
      `${kinds({ online, demonstrations })}. These are other journals, or not all of them: nothing is learned until those have come. ` +
      'Start the robot of this run, with its folder, or begin a new run in another folder.'
    );
  }
}

function kinds({ online, demonstrations }: Counts): string {
  return `${online} online and ${demonstrations} of demonstrations`;
}
