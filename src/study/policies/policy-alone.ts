/** An exported policy as others have it: nothing but the file, its inputs and its outputs. */
import { ReinError, type Rng } from '../../core/index.ts';
import { Bindings, Session } from '../../learner/index.ts';
import type { PolicyHead } from '../../policy/index.ts';

export class PolicyAlone {
  readonly head: PolicyHead;
  readonly #session: Session;

  static async open(model: Uint8Array, head: PolicyHead): Promise<PolicyAlone> {
    return new PolicyAlone(await Session.create(model), head);
  }

  private constructor(session: Session, head: PolicyHead) {
    this.#session = session;
    this.head = head;
  }

  /**
   * `action` and `command` [A] at `observation` [O], new arrays; noise is drawn from `rng` as a robot would. Rejects with
   * `ReinError('policy')` where the model does not give them.
   */
  async run(
    observation: Float32Array,
    rng: Rng,
    purpose: 'evaluate' | 'explore',
  ): Promise<{ readonly action: Float32Array; readonly command: Float32Array }> {
    const inputs = new Bindings();
    inputs.set('observation', observation, [1, observation.length]);
    const { kind, noise, noiseSize } = this.head;
    if (kind === 'action' && noiseSize > 0) {
      const drawn = new Float32Array(noiseSize);
      if (purpose === 'explore' || noise === 'always') rng.fillNormal(drawn);
      inputs.set('noise', drawn, [1, noiseSize]);
    }
    const { action, command } = await this.#session.evaluate(inputs);
    if (action?.data instanceof Float32Array && command?.data instanceof Float32Array) {
      return { action: action.data, command: command.data };
    }
    throw new ReinError('policy', "The exported policy gives no 'action' and 'command' by itself.", {
      remedy: 'Nothing was written. Report it with the folder of the run.',
    });
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}
