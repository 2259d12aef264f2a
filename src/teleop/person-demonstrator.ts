/** A person who shows how it is done: the whole episode is theirs, and no key means hold still. */
import type { OperatorEcho, TeleopCommand, TeleopSource } from './teleop-source.ts';

/** A demonstration by a person may take so many times the steps of an episode: a hand is slower than a policy. */
export const DEMONSTRATION_PATIENCE = 5;

/** Wraps the operators who may show it. Begin an episode when `isMoving`, so that nobody's waiting is recorded. */
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

  /** Whether the person is in control and asks for motion now. */
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

  /** The operators belong to somebody else. */
  close(): void {}
}

/** What a person is asked for, with `done` of `wanted` demonstrations behind them. */
export function demonstrationPrompt(done: number, wanted: number): readonly [atTerminal: string, atPage: string] {
  const which = `Show ${done + 1} of ${wanted}`;
  return [
    `${which}: t, then the motion keys (? lists them); n gives this one up, Enter skips the rest`,
    `${which}: Take over, then move it by keys, sticks or gamepad; Failure gives this one up`,
  ];
}
