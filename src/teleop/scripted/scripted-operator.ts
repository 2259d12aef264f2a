/** Scripted stand-in for the operator beside the robot: lets the policy try, takes over when it is stuck, and ever less often. */
import { frameSize, type ObservationSpec, Rng } from '../../model/index.ts';
import type { TeleopCommand, TeleopSource } from '../teleop-source.ts';
import type { PegInserter } from './peg-inserter.ts';

/** Rule for take-overs. */
export interface TakeOverRule {
  /** Share of stuck episodes in which the operator takes over at the start of training, 0…1. */
  readonly initialRate: number;
  /** The same in the long run. */
  readonly finalRate: number;
  /** Policy steps after which the difference between the two has halved. */
  readonly halvingSteps: number;
  /** Steps into an episode after which a policy that has not finished counts as stuck. */
  readonly stuckSteps: number;
  /** Steps after which the operator gives back; the episode's end gives back in any case. */
  readonly handBackSteps: number;
}

export class ScriptedOperator implements TeleopSource {
  readonly name = 'scripted operator';
  readonly decidedBy = 'scripted';
  readonly #inserter: PegInserter;
  readonly #rule: TakeOverRule;
  readonly #rng: Rng;
  readonly #force: number;
  #stepsSeen = 0;
  #stepInEpisode = 0;
  #heldSteps = 0;
  #hasDecided = false;
  #isActive = false;

  constructor(inserter: PegInserter, rule: TakeOverRule, observation: ObservationSpec, seed: number) {
    this.#inserter = inserter;
    this.#rule = rule;
    this.#rng = new Rng(seed);
    this.#force = forceOffset(observation);
  }

  reset(): void {
    this.#stepInEpisode = 0;
    this.#heldSteps = 0;
    this.#hasDecided = false;
    this.#isActive = false;
  }

  poll(observation: Float32Array, _nowS: number, out: TeleopCommand): void {
    this.#stepsSeen++;
    this.#stepInEpisode++;
    if (!this.#isActive && !this.#hasDecided && this.#stepInEpisode > this.#rule.stuckSteps) {
      this.#hasDecided = true;
      if (this.#rng.uniform() < this.#rate()) {
        this.#isActive = true;
        const touching = Math.abs(observation[this.#force + 2]!) > 0.1;
        this.#inserter.begin(touching ? 'in contact' : 'above');
      }
    }
    if (this.#isActive && ++this.#heldSteps > this.#rule.handBackSteps) this.#isActive = false;
    out.active = this.#isActive;
    if (!this.#isActive) return;
    this.#inserter.act(observation, out.action);
    out.phase = this.#inserter.isRecovering ? 'recover' : 'correct';
  }

  close(): void {
    // Nothing is held open.
  }

  #rate(): number {
    const { initialRate, finalRate, halvingSteps } = this.#rule;
    return finalRate + (initialRate - finalRate) * 0.5 ** (this.#stepsSeen / halvingSteps);
  }
}

function forceOffset(spec: ObservationSpec): number {
  let at = frameSize(spec) * (spec.frames - 1);
  for (const field of spec.fields) {
    if (field.name === 'force') return at;
    at += field.size;
  }
  throw new TypeError('the scripted operator needs the observation field "force"');
}
