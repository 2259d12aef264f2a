/**
 * Demonstrations that people record at their own pace, for `rein record`: they start, stop, redo and delete, and mark successes. A kept
 * demonstration is journalled when the next one begins, so that the last one can still be deleted.
 */
import { existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { counted } from '../model/index.ts';
import type { SceneLayout, Transition } from '../rows/index.ts';
import type { Outcome } from '../tasks/index.ts';
import { DEMONSTRATION_PATIENCE, PersonDemonstrator } from '../teleop/index.ts';
import type { Activity } from './activity.ts';
import { copyOf, type DemonstrationParts } from './demonstrations.ts';
import type { EpisodeOptions } from './episode-runner.ts';
import { JOURNAL_FOLDER } from './learner-connection.ts';
import type { Marks } from './marks.ts';
import type { RecordRequest } from './person-request.ts';
import { recordedDemonstrations } from './run/recorder.ts';
import type { EpisodeReport, RecordingPlan } from './session-types.ts';
import type { RecordingStatus } from './status.ts';

/** Callbacks into the session, which drives for the desk. */
export interface RecordingHooks {
  /** Resolves when the robot has permission to begin an episode. */
  readonly awaitLeave: (activity: Activity<void>) => Promise<void>;
  /** Resolves to the reason why nothing may move now; `undefined` if it may. */
  readonly whyHeld: () => Promise<string | undefined>;
  /** Initial layout of an episode; `undefined` if people arrange the scene. */
  readonly drawLayout: () => SceneLayout | undefined;
  /** Lets people move the robot, unrecorded, until `options.cutBy` returns a reason. */
  readonly drive: (activity: Activity<void>, options: Partial<EpisodeOptions>) => Promise<unknown>;
  /** Outcome that an episode beginning now would already have; `undefined`: it may begin. */
  readonly startsAs: () => Outcome | undefined;
  /** Runs an episode from the robot's current pose. */
  readonly run: (activity: Activity<void>, options: Partial<EpisodeOptions>) => Promise<EpisodeReport>;
  readonly show: (transition: Transition) => void;
  readonly pause: (activity: Activity<void>) => Promise<void>;
}

interface Taken {
  readonly steps: readonly Transition[];
  readonly report: EpisodeReport;
}

const BEGINS = 'the recording begins';
const STOPPED = 'the person stopped the recording';
const REDONE = 'it is done again';

export class RecordingDesk {
  readonly #parts: DemonstrationParts;
  readonly #plan: RecordingPlan;
  readonly #marks: Marks;
  readonly #hooks: RecordingHooks;
  readonly #person: PersonDemonstrator | undefined;
  readonly #status: { -readonly [K in keyof RecordingStatus]: RecordingStatus[K] };
  #wish: RecordRequest | undefined;
  #beganMs = 0;
  /** Steps of all kept demonstrations. */
  #keptSteps: number;
  /** Kept, but not in the journal yet. */
  #held: Taken | undefined;

  constructor(parts: DemonstrationParts, plan: RecordingPlan, marks: Marks, hooks: RecordingHooks) {
    const { setup, people, folder } = parts;
    const { episodes, steps } = recordedDemonstrations(folder);
    this.#parts = parts;
    this.#plan = plan;
    this.#marks = marks;
    this.#hooks = hooks;
    this.#person = people && new PersonDemonstrator(people, setup.observationSize, setup.actionSize);
    this.#keptSteps = steps;
    this.#status = {
      state: 'waiting',
      kept: episodes,
      wanted: plan.episodes ?? null,
      failed: 0,
      redone: 0,
      deleted: 0,
      steps: 0,
      stepsPerS: 0,
      meanSteps: episodes === 0 ? 0 : steps / episodes,
      ...this.#disk(),
    };
  }

  /** True while a demonstration is recorded, or waits for a verdict. */
  get isShown(): boolean {
    return this.#status.state !== 'waiting';
  }

  /** Notes a person's request, to be carried out when its turn comes; one that makes no sense now is ignored. */
  ask(request: RecordRequest): void {
    if (request === 'recordStart' && this.isShown) return;
    if (request === 'recordStop' && this.#status.state !== 'recording') return;
    // One key serves for both: it redoes the current demonstration, or deletes the last one.
    this.#wish = (request === 'redo' || request === 'delete') && !this.isShown ? 'delete' : request;
  }

  /** Records until there are enough, or the activity is cut; then the last demonstration is in the journal. */
  async work(activity: Activity<void>): Promise<void> {
    const { live, people } = this.#parts;
    live.log.phase('demonstrations');
    try {
      let layout: SceneLayout | undefined;
      let isAgain = false;
      while (activity.reason === undefined && this.#status.kept < (this.#plan.episodes ?? Number.POSITIVE_INFINITY)) {
        if (!isAgain) layout = this.#hooks.drawLayout();
        await this.#awaitStart(activity, layout);
        await this.#hooks.awaitLeave(activity);
        isAgain = (await this.#record(activity)) === 'again';
      }
    } finally {
      this.#settle();
      live.log.ask(undefined);
      people?.giveBack();
    }
  }

  /** Arranges the scene, and lets people move the robot to where they want to begin. */
  async #awaitStart(activity: Activity<void>, layout: SceneLayout | undefined): Promise<void> {
    this.#tell('waiting');
    let isArranged = layout === undefined;
    let prompt = '';
    const isDone = (): boolean => {
      if (this.#wish === 'delete') this.#deleteLast();
      return this.#wish === 'recordStart';
    };
    while (!isDone()) {
      const held = await this.#hooks.whyHeld();
      const asks = promptOf(this.#status, held !== undefined);
      if (asks[0] !== prompt) this.#parts.live.log.ask(...asks);
      [prompt] = asks;
      if (held !== undefined || this.#person === undefined) {
        await this.#hooks.pause(activity);
        continue;
      }
      await this.#hooks.drive(activity, {
        ...(isArranged || layout === undefined ? {} : { layout }),
        operator: this.#person,
        maxSteps: Number.POSITIVE_INFINITY,
        cutBy: () => activity.episodeReason ?? (isDone() ? BEGINS : undefined),
      });
      isArranged = true;
    }
    this.#wish = undefined;
  }

  async #record(activity: Activity<void>): Promise<'again' | 'done'> {
    const { setup, live } = this.#parts;
    const startsAs = this.#hooks.startsAs();
    if (startsAs !== undefined) {
      this.#say(`Not begun: the state is a ${startsAs} already. Move the robot and the objects to their start.`);
      return 'again';
    }
    // The previous demonstration is accepted, as the person goes on.
    this.#settle();
    this.#marks.take();
    this.#status.steps = 0;
    this.#beganMs = performance.now();
    this.#tell('recording');
    live.log.ask(...(setup.task.takesMarks === true ? RECORDING_JUDGED : RECORDING));
    const steps: Transition[] = [];
    const report = await this.#hooks.run(activity, {
      operator: this.#person!,
      maxSteps: DEMONSTRATION_PATIENCE * setup.task.maxSteps,
      cutBy: () => activity.episodeReason ?? this.#cut(),
      onStep: (transition) => {
        steps.push(copyOf(transition));
        this.#status.steps = steps.length;
        this.#status.stepsPerS = (1e3 * steps.length) / Math.max(1, performance.now() - this.#beganMs);
        this.#tell('recording');
        this.#hooks.show(transition);
      },
    });
    return this.#judge(activity, { steps, report });
  }

  /** Reason for ending the demonstration, by the person's request. */
  #cut(): string | undefined {
    if (this.#wish === 'redo' || this.#wish === 'delete') return REDONE;
    if (this.#wish === 'recordStop') return STOPPED;
    return this.#parts.setup.task.takesMarks !== true && this.#marks.newest === 'failure' ? 'failure' : undefined;
  }

  async #judge(activity: Activity<void>, taken: Taken): Promise<'again' | 'done'> {
    const isAgain = (): boolean => this.#wish === 'redo' || this.#wish === 'delete';
    let shown = taken;
    if (!isAgain() && this.#wish === 'recordStop' && this.#parts.setup.task.takesMarks === true) {
      this.#tell('judging');
      this.#parts.live.log.ask(...JUDGING);
      while (this.#marks.newest === undefined && !isAgain()) await this.#hooks.pause(activity);
      if (this.#marks.take() === 'success') shown = asSuccess(taken);
    }
    const status = this.#status;
    const again = isAgain();
    this.#wish = undefined;
    if (again) status.redone++;
    else if (shown.report.success) this.#keep(shown);
    else {
      status.failed++;
      this.#say(`Not kept: ${shown.report.endedBy}.`);
    }
    this.#tell('waiting');
    return again ? 'again' : 'done';
  }

  #keep(taken: Taken): void {
    this.#held = taken;
    this.#keptSteps += taken.steps.length;
    this.#status.kept++;
    this.#say(`Demonstration ${this.#status.kept}: ${counted(taken.steps.length, 'step')}.`);
  }

  /** Deletes the last demonstration, unless it is in the journal. */
  #deleteLast(): void {
    this.#wish = undefined;
    const held = this.#held;
    if (held === undefined) {
      this.#say('There is nothing to delete: what came before the last demonstration is in the journal.');
      return;
    }
    this.#held = undefined;
    this.#keptSteps -= held.steps.length;
    this.#status.kept--;
    this.#status.deleted++;
    this.#say('The last demonstration is deleted.');
    this.#tell('waiting');
  }

  /** Records the held demonstration. */
  #settle(): void {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    const { recorder, live } = this.#parts;
    for (const transition of held.steps) {
      recorder.record(transition);
      live.log.recorded(transition);
    }
    live.log.episode('demonstration', this.#status.kept - 1, held.report);
  }

  #say(message: string): void {
    this.#parts.listeners.report({ level: 'info', name: 'recording', message });
  }

  #tell(state: RecordingStatus['state']): void {
    const { log } = this.#parts.live;
    const status = this.#status;
    if (state !== status.state) Object.assign(status, this.#disk());
    status.state = state;
    status.meanSteps = status.kept === 0 ? 0 : this.#keptSteps / status.kept;
    log.status.recording = { ...status };
    log.show(state === 'recording' ? 'when due' : 'now');
  }

  #disk(): Pick<RecordingStatus, 'journalBytes' | 'freeBytes'> {
    const { folder } = this.#parts;
    const journal = join(folder, JOURNAL_FOLDER);
    const names = existsSync(journal) ? readdirSync(journal) : [];
    const { bavail, bsize } = statfsSync(folder);
    return {
      journalBytes: names.reduce((sum, name) => sum + statSync(join(journal, name)).size, 0),
      freeBytes: bavail * bsize,
    };
  }
}

/** In terms of a terminal's keys, and of the page's buttons. */
type Prompt = readonly [atTerminal: string, atPage: string];

export const RECORDING: Prompt = [
  'Recording: Enter stops it, n drops it, Backspace does it again',
  'Recording: Stop recording ends it, Failure drops it, Redo does it again',
];
export const RECORDING_JUDGED: Prompt = [
  'Recording: m keeps it as a success, n drops it, Enter stops it first, Backspace does it again',
  'Recording: Success keeps it, Failure drops it, Stop recording stops it first, Redo does it again',
];
export const JUDGING: Prompt = [
  'Was it a success? m keeps it, n drops it, Backspace does it again',
  'Was it a success? Success keeps it, Failure drops it, Redo does it again',
];

export function promptOf({ kept, wanted }: RecordingStatus, isHeld: boolean): Prompt {
  const which = wanted === null ? `${kept + 1}` : `${kept + 1} of ${wanted}`;
  const free = isHeld ? 'c lets you move the robot freely first' : 't, then the motion keys, moves it there first';
  const atPage = isHeld ? 'Start lets you move the robot freely first' : 'Take over moves it there first';
  return [
    `Enter records demonstration ${which}; ${free}; Backspace deletes the last one; Ctrl+C ends`,
    `Record records demonstration ${which}; ${atPage}; Delete the last deletes the last one`,
  ];
}

/** The person judged it a success afterwards. */
function asSuccess({ steps, report }: Taken): Taken {
  const last = steps.at(-1);
  if (last === undefined) return { steps, report };
  last.reward = 1;
  last.terminated = true;
  last.truncated = false;
  const { abortedBy: _, ...rest } = report;
  const judged = { success: true, isDecided: true, endedBy: 'success', returnSum: report.returnSum + 1 };
  return { steps, report: { ...rest, ...judged } };
}
