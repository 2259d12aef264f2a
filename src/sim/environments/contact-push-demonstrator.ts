/** A script that pushes the slider to its mark, at any pace. */
import type { Rng } from '../../core/index.ts';
import type { ContactPush } from './contact-push.ts';
import type { Demonstrator } from './demonstrator.ts';
import { type OptionFields, type OptionValues, readOptions } from './options.ts';

export type PushSkill = {
  /** Largest action. */
  readonly pace: number;
  /** Standard deviation of the noise on the action. */
  readonly actionNoise: number;
};

const SKILL: OptionFields<PushSkill> = {
  pace: { kind: 'number', default: 0.4, low: 0.05, high: 1 },
  actionNoise: { kind: 'number', default: 0.05, low: 0, high: 1 },
};

/** Deflection that the slider's friction asks for, m: 2 N at 2000 N/m. */
const FRICTION_M = 0.001;
/** Step of the set-point of an action of 1, m. */
const STEP_M = 0.01;

/** Leads the set-point to where the finger must stand at the end, slower for the last millimetres. */
export class ContactPushDemonstrator implements Demonstrator {
  readonly #environment: ContactPush;
  readonly #skill: PushSkill;
  #rng: Rng | undefined;

  constructor(environment: ContactPush, given: OptionValues = {}) {
    this.#environment = environment;
    this.#skill = readOptions('the demonstrator of a push', SKILL, given);
  }

  begin(rng: Rng): void {
    this.#rng = rng;
  }

  act(action: Float32Array): void {
    const { distanceM, gapM, deflectionM } = this.#environment;
    const { pace, actionNoise } = this.#skill;
    const wanted = (gapM + distanceM + FRICTION_M - deflectionM) / STEP_M;
    const noise = actionNoise * (this.#rng?.normal() ?? 0);
    action[0] = Math.max(-pace, Math.min(pace, 0.5 * wanted + noise));
  }
}
