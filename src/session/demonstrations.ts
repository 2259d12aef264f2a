/** Demonstrations of the task by a script or people, for the learner. Only whole, successful episodes count. */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { loadResolvedConfig } from '../config/index.ts';
import { createSetup, type RunSetup } from '../config/setup.ts';
import { firstDifference, readJournal } from '../link/index.ts';
import { counted, ReinError } from '../model/index.ts';
import { RUN_FILES } from '../record/index.ts';
import { copyTransition, createTransition, type Transition } from '../rows/index.ts';
import { DEMONSTRATION_PATIENCE, demonstrationPrompt, PersonDemonstrator, type TeleopSource } from '../teleop/index.ts';
import type { Activity } from './activity.ts';
import type { EpisodeOptions } from './episode-runner.ts';
import { JOURNAL_FOLDER } from './learner-connection.ts';
import type { Marks } from './marks.ts';
import type { Pace, ShownByPerson } from './pace.ts';
import { recordedDemonstrations } from './run/recorder.ts';
import { createDemonstrator } from './scripted-operators.ts';
import type { SessionParts } from './session-parts.ts';
import type { EpisodeReport } from './session-types.ts';
import { StageChanges } from './stage-changes.ts';

/** Attempts per wanted demonstration before a script counts as failed. */
const TRIES = 10;
/** Pause between two recorded episodes handed to the learner, ms. */
const HANDED_MS = 20;
const GIVEN_UP = 'it was given up';

/** Callbacks into the session: run an episode, decide whether another may follow, display a step. */
export interface DemonstrationHooks {
  readonly run: (activity: Activity<void>, options: Partial<EpisodeOptions>) => Promise<EpisodeReport>;
  readonly mayGoOn: (activity: Activity<void>, abortedBy: string | undefined) => Promise<boolean>;
  readonly show: (transition: Transition) => void;
}

/** Parts of the session used for demonstrations. */
export type DemonstrationParts = Pick<
  SessionParts,
  'setup' | 'folder' | 'recorder' | 'live' | 'listeners' | 'people' | 'demonstrator' | 'shownIn'
>;

export class Demonstrations {
  readonly #parts: DemonstrationParts;
  readonly #pace: Pace;
  readonly #marks: Marks;
  readonly #hooks: DemonstrationHooks;
  readonly #changes = new StageChanges();
  #isSkipping = false;
  #isShownByPerson = false;

  constructor(parts: DemonstrationParts, pace: Pace, marks: Marks, hooks: DemonstrationHooks) {
    this.#parts = parts;
    this.#pace = pace;
    this.#marks = marks;
    this.#hooks = hooks;
  }

  /** True if the learner waits for demonstrations: its training has not begun. */
  get areMissing(): boolean {
    const { recorder, setup } = this.#parts;
    if (setup.config.task.demonstrations === 0 || recorder.connection === undefined) return false;
    // While the learner is away, weights on disk show that its run had its demonstrations.
    return (recorder.connection.status?.version ?? recorder.connection.arrivedVersion) === 0;
  }

  /** True if demonstrations are missing and can be given here. */
  get areDue(): boolean {
    const { demonstrator, shownIn, recorder, folder } = this.#parts;
    if (shownIn === undefined || recorder.connection === undefined) return demonstrator !== 'nobody' && this.areMissing;
    // A recording is handed over whether or not the learner waits for demonstrations.
    return recordedDemonstrations(folder).steps < recordedDemonstrations(shownIn).steps;
  }

  /** True if demonstrations are missing and cannot be given here. */
  get areElsewhere(): boolean {
    return !this.areDue && this.areMissing;
  }

  /** True while a person demonstrates the task: a failure mark then discards the demonstration, regardless of who judges the task. */
  get isShownByPerson(): boolean {
    return this.#isShownByPerson;
  }

  /** Called when people have given enough demonstrations. */
  skip(): void {
    this.#isSkipping = true;
  }

  /** Records as many as the task requires. False if the run may not go on; rejects with `ReinError('task')` if a script fails. */
  async give(activity: Activity<void>): Promise<boolean> {
    const { setup, recorder, live, folder, listeners, people } = this.#parts;
    if (this.#parts.shownIn !== undefined) return this.#giveRecorded(activity, this.#parts.shownIn);
    const wanted = setup.config.task.demonstrations;
    let { episodes, steps } = recordedDemonstrations(folder);
    const shown = this.#shownByPeople();
    const operator = shown?.person ?? createDemonstrator(setup, setup.config.seed * 2 + recorder.epoch);
    const say = (name: string, message: string): void => listeners.report({ level: 'info', name, message });
    live.log.phase('demonstrations');
    if (shown === undefined) live.log.status.operator = { ...live.log.status.operator, driving: 'scripted operator' };
    for (let tries = 0; episodes < wanted && !this.#isSkipping; tries++) {
      await this.#pace.awaitLeave(activity);
      live.log.progress(episodes, wanted, 'demonstrations');
      if (shown === undefined && tries >= TRIES * wanted) throw this.#scriptFailed(episodes, tries);
      if (shown !== undefined && !(await this.#awaitPerson(activity, shown, episodes))) break;
      const taken: Transition[] = [];
      const report = await this.#run(activity, operator, shown, taken);
      this.#changes.add(taken);
      if (activity.reason !== undefined) return false;
      const isGivenUp = shown !== undefined && report.abortedBy === GIVEN_UP;
      if (!(await this.#hooks.mayGoOn(activity, isGivenUp ? undefined : report.abortedBy))) return false;
      if (this.#isSkipping) break;
      if (!report.success) {
        if (shown !== undefined) say('demonstrationDropped', `Not kept: ${report.endedBy}.`);
        continue;
      }
      for (const transition of taken) {
        recorder.record(transition);
        live.log.recorded(transition);
      }
      live.log.episode('demonstration', episodes++, report);
      steps += taken.length;
      live.log.progress(episodes, wanted, 'demonstrations');
    }
    live.log.ask(undefined);
    people?.giveBack();
    recorder.connection?.demonstrationsComplete(steps);
    say('demonstrationsComplete', `${counted(episodes, 'demonstration')}, ${counted(steps, 'step')}.`);
    return true;
  }

  /** Hands the learner the demonstrations recorded in `from`, except those that an earlier start handed over. */
  async #giveRecorded(activity: Activity<void>, from: string): Promise<boolean> {
    const { setup, recorder, live, folder, listeners } = this.#parts;
    checkRecording(from, setup);
    live.log.phase('demonstrations');
    const recorded = recordedDemonstrations(folder);
    const all = recordedDemonstrations(from);
    let { steps } = recorded;
    let seen = 0;
    for (const transition of readJournal(join(from, JOURNAL_FOLDER))) {
      if (transition.source !== 'demo' || seen++ < recorded.steps) continue;
      recorder.record(transition);
      live.log.recorded(transition);
      steps++;
      if (!transition.terminated) continue;
      if (activity.reason !== undefined) return false;
      // Leaves the journal's disk time to keep up.
      await delay(HANDED_MS);
    }
    recorder.connection?.demonstrationsComplete(steps);
    const message = `${counted(all.episodes, 'demonstration')}, ${counted(steps, 'step')}, of ${from}.`;
    listeners.report({ level: 'info', name: 'demonstrationsComplete', message });
    return true;
  }

  /** The people asked for demonstrations; a failure mark discards one of them, a skip all that remain. */
  #shownByPeople(): ShownByPerson | undefined {
    const { demonstrator, people, setup } = this.#parts;
    if (demonstrator !== 'people' || people === undefined) return undefined;
    return {
      person: new PersonDemonstrator(people, setup.observationSize, setup.actionSize),
      isGivenUp: () => this.#isSkipping || (setup.task.takesMarks !== true && this.#marks.newest === 'failure'),
    };
  }

  /** Asks for a demonstration and waits until it begins; false if the rest is skipped. */
  async #awaitPerson(activity: Activity<void>, shown: ShownByPerson, done: number): Promise<boolean> {
    const { live, people, setup } = this.#parts;
    // A key held since the previous demonstration must not begin the next.
    people?.reset();
    this.#marks.take();
    live.log.ask(...demonstrationPrompt(done, setup.config.task.demonstrations));
    await this.#pace.awaitPerson(activity, shown);
    return !this.#isSkipping;
  }

  /** Runs one demonstration and copies its steps into `taken`. */
  async #run(
    activity: Activity<void>,
    operator: TeleopSource,
    shown: ShownByPerson | undefined,
    taken: Transition[],
  ): Promise<EpisodeReport> {
    const untilGivenUp = shown && {
      maxSteps: DEMONSTRATION_PATIENCE * this.#parts.setup.task.maxSteps,
      cutBy: () => activity.episodeReason ?? (shown.isGivenUp() ? GIVEN_UP : undefined),
    };
    this.#isShownByPerson = shown !== undefined;
    try {
      return await this.#hooks.run(activity, {
        operator,
        beforeStep: () => this.#pace.beforeShownStep(shown),
        onStep: (transition) => {
          taken.push(copyOf(transition));
          if (shown !== undefined) this.#hooks.show(transition);
        },
        ...untilGivenUp,
      });
    } finally {
      this.#isShownByPerson = false;
    }
  }

  #scriptFailed(episodes: number, tries: number): ReinError {
    const { restartReason } = this.#pace;
    const stop = restartReason === undefined ? '' : ` The last stop: ${restartReason}`;
    const message = `The operator succeeded in ${episodes} of ${tries} demonstrations only.${stop}${this.#changes.sentence}`;
    return new ReinError('task', message, {
      remedy:
        restartReason !== undefined
          ? MEND_STOP
          : this.#changes.isMost
            ? MEND_STAGE
            : 'Make the task easier, or ask for fewer demonstrations.',
    });
  }
}

const MEND_STOP = 'Fix what stops the robot: most often a limit in its robot file that is too tight for this motion.';
const MEND_STAGE =
  "Lower the action's scale in the task, or widen that limit in the robot's file where the robot can bear it.";

/** Throws `ReinError('config')` if the demonstrations in `from` are of another robot or task, or if there are none. */
export function checkRecording(from: string, setup: DemonstrationParts['setup']): void {
  const { schemaHash, meaning } = createSetup(loadResolvedConfig(join(from, RUN_FILES.config)));
  const differing = firstDifference(asMoved(setup.meaning), asMoved(meaning));
  const schema = schemaHash === setup.schemaHash ? undefined : ` (schema ${schemaHash})`;
  const why = differing === undefined ? schema : `: ${differing[0]} is ${differing[1]} here and ${differing[2]} there`;
  if (why !== undefined) {
    throw new ReinError('config', `The demonstrations in ${from} are of another robot or task${why}.`, {
      remedy: 'Give both the same --task and --config.',
    });
  }
  if (recordedDemonstrations(from).episodes > 0) return;
  throw new ReinError('config', `There are no demonstrations in ${from}.`, { remedy: 'Record some: rein record.' });
}

/** Settings that define the effect and rate of actions; the success criterion may have changed since. */
function asMoved(meaning: RunSetup['meaning']): RunSetup['meaning'] {
  return Object.fromEntries(
    Object.entries(meaning).filter(([key]) => /^(robot\.|task\.(policyHz$|action\.))/.test(key)),
  );
}

/** Message if a learner waits for demonstrations that cannot be given at this robot. */
export function demonstrationsMissing(wanted: number): string {
  return `Holding: the learner waits for ${wanted} demonstrations, and this robot has no operator to give them. Start this with --operator scripted, or with --operator keyboard to give them yourself; or start learner and robot with --config FILE that holds "task: { demonstrations: 0 }".`;
}

/** Copies a transition that its runner reuses. */
export function copyOf(transition: Transition): Transition {
  const copy = createTransition(transition.observation.length, transition.executed.length);
  copyTransition(copy, transition);
  return copy;
}
