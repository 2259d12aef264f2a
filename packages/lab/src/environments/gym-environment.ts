/** Common base of all MuJoCo environments: the buffers, the clipped action, the order of a step. */
import {
  type ActionRange,
  clamp,
  type Environment,
  type ObservationParts,
  ReinError,
  type Rng,
  totalObservationSize,
} from '../../../../src/model/index.ts';
import type { Simulation } from '../../../../src/plant/mujoco.ts';

/** Constants of a task. */
export interface TaskShape {
  readonly name: string;
  readonly parts: ObservationParts;
  /** [A] Physical values of −1 and 1 of each number of an action. */
  readonly actionRanges: readonly ActionRange[];
  readonly maxSteps: number;
  readonly periodS: number;
}

/**
 * One task in one simulation, which it owns. A subclass defines the start of an episode, the effect of an action, and the observation.
 * `step` allocates next to nothing. Throws `ReinError('policy')` for an action of the wrong length or with a number that is
 * not finite, before anything has moved, and `ReinError('driver')` when MuJoCo can no longer be trusted; `reset` recovers it.
 */
export abstract class GymEnvironment implements Environment {
  readonly name: string;
  readonly parts: ObservationParts;
  readonly actionSize: number;
  readonly actionRanges: readonly ActionRange[];
  readonly maxSteps: number;
  readonly periodS: number;
  readonly observation: Float32Array;
  readonly executedAction: Float32Array;
  reward = 0;
  cost = 0;
  isTerminated = false;
  isSuccess: boolean | undefined = undefined;
  protected readonly simulation: Simulation;
  /** [A] Action of this step, clipped to [−1, 1]. */
  protected readonly action: Float64Array;

  protected constructor(simulation: Simulation, shape: TaskShape) {
    this.simulation = simulation;
    this.name = shape.name;
    this.parts = shape.parts;
    this.actionSize = shape.actionRanges.length;
    this.actionRanges = shape.actionRanges;
    this.maxSteps = shape.maxSteps;
    this.periodS = shape.periodS;
    this.observation = new Float32Array(totalObservationSize(shape.parts));
    this.action = new Float64Array(this.actionSize);
    this.executedAction = new Float32Array(this.actionSize);
  }

  reset(rng: Rng): void {
    this.simulation.reset();
    this.action.fill(0);
    this.executedAction.fill(0);
    this.reward = 0;
    this.cost = 0;
    this.isTerminated = false;
    this.isSuccess = this.isSuccess === undefined ? undefined : false;
    this.begin(rng);
    this.observe(this.observation);
  }

  step(action: Float32Array): void {
    this.#take(action);
    this.act();
    this.observe(this.observation);
  }

  close(): void {
    this.simulation.close();
  }

  /** Draws the start of an episode into the simulation, which has its initial values. */
  protected abstract begin(rng: Rng): void;

  /** Simulates one period under `this.action`, and sets reward, cost and flags; `executedAction` too if the action was altered. */
  protected abstract act(): void;

  /** Writes [O]. */
  protected abstract observe(out: Float32Array): void;

  /** Advances the simulation by `timesteps`. */
  protected pass(timesteps: number): void {
    if (this.simulation.step(timesteps)) return;
    throw new ReinError('driver', `MuJoCo lost the state of the environment "${this.name}": it warned or began again`, {
      remedy: 'Reset the environment; the episode is lost.',
    });
  }

  #take(action: Float32Array): void {
    if (action.length !== this.actionSize) {
      const lengths = `${this.actionSize} numbers, the action given has ${action.length}`;
      throw new ReinError('policy', `an action of the environment "${this.name}" has ${lengths}`);
    }
    for (let i = 0; i < action.length; i++) {
      const value = action[i]!;
      if (!Number.isFinite(value)) {
        throw new ReinError('policy', `number ${i} of an action of the environment "${this.name}" is ${value}`, {
          remedy: 'Look at what computed the action: its weights or its observation are no longer finite.',
        });
      }
    }
    for (let i = 0; i < action.length; i++) this.action[i] = clamp(action[i]!, -1, 1);
    this.executedAction.set(this.action);
  }
}
