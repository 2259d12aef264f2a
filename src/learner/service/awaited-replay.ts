/** What a learner that was started again waits for: its replay lives in its robots' journals, which send it again. */
import type { ReplayPosition } from '../checkpoint-format.ts';

/** How many transitions replay holds of what the robot did, and of demonstrations and interventions. */
type Counts = Pick<ReplayPosition, 'online' | 'demonstrations'>;

/** Waits until replay holds what the checkpoint was learned from, and says once that other journals came in its place. */
export class AwaitedReplay {
  readonly position: ReplayPosition;
  readonly #say: (sentence: string) => void;
  #isSaid = false;

  /** `say` is told, once, where as much has come as the checkpoint had seen, and it is not the same. */
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
