/** The operator shows how it is done. Only whole, successful episodes count; they are what the learner starts from. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { copyTransition, createTransition, ReinError, type Rng, type Transition } from '../../core/index.ts';
import { createDemonstrator } from '../setup.ts';
import type { Rig } from './rig.ts';

export interface Demonstrations {
  readonly episodes: number;
  readonly steps: number;
}

/** Tries per demonstration before it is given up. */
const TRIES = 10;

/** Records as many demonstrations as the task asks for. Rejects with `ReinError('task')` when the operator cannot do it. */
export async function recordDemonstrations(rig: Rig, rng: Rng): Promise<Demonstrations> {
  const { setup, log, robot, connection, signal } = rig;
  const wanted = setup.config.task.demonstrations;
  const operator = createDemonstrator(setup, setup.config.seed * 2 + 1);
  log.phase('demonstrations');
  let steps = 0;
  let tries = 0;
  for (let episode = 0; episode < wanted; ) {
    if (tries++ >= TRIES * wanted) {
      throw new ReinError('task', `The operator succeeded in ${episode} of ${tries - 1} demonstrations only.`, {
        remedy: 'Make the task easier (clearance, estimate error), or ask for fewer demonstrations.',
      });
    }
    const taken: Transition[] = [];
    const layout = setup.task.drawLayout(rng);
    const onStep = (transition: Transition): void => void taken.push(copyOf(transition));
    const beforeStep = async (): Promise<void> => {
      signal.throwIfAborted();
      // Nothing else here waits for the world outside: without this no signal, key or disk would get a turn.
      await nextTurn();
    };
    const result = await robot.runner.run({ layout, operator, purpose: 'demo', beforeStep, onStep });
    if (!result.success) continue;
    for (const transition of taken) connection.record(transition);
    log.episode('demonstration', episode, result);
    steps += taken.length;
    episode++;
    log.progress(episode, wanted, 'demonstrations');
  }
  connection.demonstrationsComplete(steps);
  return { episodes: wanted, steps };
}

function copyOf(transition: Transition): Transition {
  const copy = createTransition(transition.observation.length, transition.executed.length);
  copyTransition(copy, transition);
  return copy;
}
