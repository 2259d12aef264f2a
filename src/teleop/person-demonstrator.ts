/** A person who demonstrates the task: they decide the whole episode, and without a key the robot holds still. */
import type { OperatorEcho, TeleopCommand, TeleopSource } from './teleop-source.ts';

/** Duration limit of a demonstration by a person, as a multiple of an episode's steps: a hand is slower than a policy. */
export const DEMONSTRATION_PATIENCE = 5;

/** Wraps the operators who may demonstrate. Begin an episode once `isMoving`, so that waiting is not recorded. */
export class PersonDemonstrator implements TeleopSource {
  readonly name = 'demonstrator';
  readonly decidedBy = 'human';
  readonly #source: TeleopSource;
  readonly #command: TeleopCommand;
  readonly #nothing: Float32Array;

  /** `observationSize` and `actionSize` are those of the task. */
  constructor(source: TeleopSource, observationSize: number, actionSize: number) {
    this.#source = source;
    this.#command = { active: false, action: new Float32Array(actionSize), phase: 'correct' };
    this.#nothing = new Float32Array(observationSize);
  }

  get isStopRequested(): boolean {
    return this.#source.isStopRequested === true;
  }

  get echo(): OperatorEcho | undefined {
    return this.#source.echo;
  }

  /** True if the person is in control and requests motion now. */
  isMoving(nowS: number): boolean {
    this.#source.poll(this.#nothing, nowS, this.#command);
    const { active, action, absolute } = this.#command;
    return active && (absolute === undefined ? action.some((value) => value !== 0) : absolute.closing !== 0);
  }

  poll(observation: Float32Array, nowS: number, out: TeleopCommand): void {
    this.#source.poll(observation, nowS, out);
    if (!out.active) {
      out.action.fill(0);
      out.absolute = undefined;
    }
    out.active = true;
  }

  /** Keys stay pressed: the motion that began the episode is its first step. */
  reset(): void {}

  /** The operators are closed by their owner. */
  close(): void {}
}

/** Prompt for the person, with `done` of `wanted` demonstrations complete. */
export function demonstrationPrompt(done: number, wanted: number): readonly [atTerminal: string, atPage: string] {
  const which = `Show ${done + 1} of ${wanted}`;
  return [
    `${which}: t, then the motion keys (? lists them); n gives this one up, Enter skips the rest`,
    `${which}: Take over, then move it by keys, sticks or gamepad; Failure gives this one up`,
  ];
}
