/** The operator shows how it is done. Only whole, successful episodes count; they are what the learner starts from. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { copyTransition, createTransition, ReinError, type Rng, type Transition } from '../core/index.ts';
import { createDemonstrator } from '../session/index.ts';
import { DEMONSTRATION_PATIENCE, demonstrationPrompt, PersonDemonstrator } from '../teleop/index.ts';
import type { Rig } from './rig.ts';

export interface Demonstrations {
  readonly episodes: number;
  readonly steps: number;
}

/** Tries per demonstration before it is given up. */
const TRIES = 10;
/** A person who is waited for is looked at so often, ms. */
const LOOK_MS = 20;

/** Records as many demonstrations as the task asks for. Rejects with `ReinError('task')` when the operator cannot do it. */
export function recordDemonstrations(rig: Rig, rng: Rng): Promise<Demonstrations> {
  return rig.demonstrations === 'keyboard' ? shownByPerson(rig, rng) : shownByScript(rig, rng);
}

async function shownByScript(rig: Rig, rng: Rng): Promise<Demonstrations> {
  const { setup, log, robot, connection, signal } = rig;
  const wanted = setup.config.task.demonstrations;
  const operator = createDemonstrator(setup, setup.config.seed * 2 + 1);
  log.phase('demonstrations');
  log.status.operator = { ...log.status.operator, driving: 'scripted operator' };
  log.progress(0, wanted, 'demonstrations');
  let steps = 0;
  let tries = 0;
  for (let episode = 0; episode < wanted; ) {
    if (tries++ >= TRIES * wanted) {
      const { restartedFor: lastStop } = robot;
      const stop = lastStop === undefined ? '' : ` The last stop: ${lastStop}`;
      throw new ReinError('task', `The operator succeeded in ${episode} of ${tries - 1} demonstrations only.${stop}`, {
        remedy:
          lastStop === undefined
            ? 'Make the task easier (clearance, estimate error), or ask for fewer demonstrations.'
            : 'Mend what stops the robot: most often a limit in its file that its motion needs more than.',
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
    log.restarted(await robot.goOn());
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

/**
 * A person shows it at the keyboard, in real time. Time stands still while no key is held: what is recorded is what they did, not
 * how long they looked.
 */
async function shownByPerson(rig: Rig, rng: Rng): Promise<Demonstrations> {
  const { setup, log, robot, connection, signal, keyboard, said } = rig;
  if (keyboard === undefined) throw new TypeError('a person shows it at a keyboard');
  const { task, config, observationSize, actionSize } = setup;
  const { demonstrations: wanted, policyHz } = config.task;
  const operator = new PersonDemonstrator(keyboard, observationSize, actionSize);
  const isOver = (): boolean => said.isSkipping || said.mark === 'failure';
  const awaitMotion = async (): Promise<void> => {
    while (!isOver() && !operator.isMoving(0)) {
      signal.throwIfAborted();
      if (keyboard.state.isLost) {
        throw new ReinError('environment', 'The terminal went away while its operator was asked for demonstrations.');
      }
      await sleep(LOOK_MS);
    }
  };
  log.phase('demonstrations');
  let episodes = 0;
  let steps = 0;
  while (episodes < wanted && !said.isSkipping) {
    log.progress(episodes, wanted, 'demonstrations');
    log.ask(demonstrationPrompt(episodes, wanted));
    said.mark = undefined;
    // A key that was held for the one before does not begin the next.
    keyboard.reset();
    const taken: Transition[] = [];
    const layout = task.drawLayout(rng);
    let nextMs = 0;
    let idleSteps = 0;
    const result = await robot.runner.run({
      ...{ layout, operator, purpose: 'demo', maxSteps: DEMONSTRATION_PATIENCE * task.maxSteps },
      cutBy: () => (isOver() ? 'it was given up' : undefined),
      beforeStep: async () => {
        signal.throwIfAborted();
        idleSteps = operator.isMoving(0) ? 0 : idleSteps + 1;
        // The first step waits, and so does a hand that rests: half a second of it shows the arm coming to rest.
        if (taken.length === 0 || idleSteps > policyHz / 2) await awaitMotion();
        await sleep(Math.max(0, nextMs - performance.now()));
        nextMs = Math.max(nextMs, performance.now()) + 1e3 / policyHz;
      },
      onStep: (transition) => {
        taken.push(copyOf(transition));
        log.filter(robot.link.latest, transition.marginMin);
        log.step(transition, connection, keyboard.state.isStopped ? 'stopped' : 'moving');
      },
    });
    log.restarted(await robot.goOn());
    if (!result.success) {
      if (!said.isSkipping)
        log.message(`not kept: ${result.abortedBy ?? 'the peg did not get in before the time limit'}`);
      continue;
    }
    for (const transition of taken) connection.record(transition);
    log.episode('demonstration', episodes++, result);
    steps += taken.length;
  }
  log.progress(episodes, wanted, 'demonstrations');
  log.ask(undefined);
  keyboard.giveBack();
  said.isSkipping = false;
  connection.demonstrationsComplete(steps);
  return { episodes, steps };
}

function copyOf(transition: Transition): Transition {
  const copy = createTransition(transition.observation.length, transition.executed.length);
  copyTransition(copy, transition);
  return copy;
}
