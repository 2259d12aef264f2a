/**
 * Resets without the simulator: a script or a second policy drives the robot back to where an episode may begin, under the full safety
 * chain and unrecorded, or people are asked to. If the robot does not get back, the simulator arranges the scene; on a real robot people
 * do. The same holds for a scene that is a success or a failure already: no episode begins there.
 */
import { counted } from '../model/index.ts';
import { WaypointPolicy } from '../policy/index.ts';
import type { ResetRecord } from '../record/index.ts';
import type { GuardFrame, SceneLayout } from '../rows/index.ts';
import type { Outcome } from '../tasks/index.ts';
import type { TeleopSource } from '../teleop/index.ts';
import { type Activity, CutError } from './activity.ts';
import type { EpisodeOptions } from './episode-runner.ts';
import { ReferencePose } from './executed-action.ts';
import type { SessionParts } from './session-parts.ts';
import type { EpisodeResult } from './session-types.ts';

type Parts = Pick<
  SessionParts,
  'setup' | 'link' | 'draws' | 'listeners' | 'live' | 'people' | 'resetPolicy' | 'afterStop'
>;

/** Callbacks of a reset into the episodes around it. */
export interface SceneResetHooks {
  /** Runs steps that are not recorded. */
  readonly drive: (activity: Activity<unknown>, options: EpisodeOptions) => Promise<EpisodeResult>;
  /** Resolves to true if the robot may go on after a reset motion that was cut. */
  readonly mayGoOn: (activity: Activity<unknown>, abortedBy: string) => Promise<boolean>;
  readonly pause: (activity: Activity<unknown>) => Promise<void>;
  /** Resolves to the reason why nothing may move now; `undefined` if it may. */
  readonly whyHeld: () => Promise<string | undefined>;
  /** Called when a person is asked; the result is true once they have answered. */
  readonly asks: () => () => boolean;
  /** Outcome that an episode beginning now would already have; `undefined`: it may begin. */
  readonly startsAs: () => Outcome | undefined;
}

type DrivenReset = Exclude<NonNullable<Parts['setup']['reset']>, { readonly by: 'people' }>;

/** Largest number of attempts at a reset motion that is cut. */
const TRIES = 3;
/** Names of what drives the robot back, in messages. */
const WORDS = { script: 'script', policy: 'policy that resets' } as const;

export class SceneReset {
  readonly #parts: Parts;
  readonly #hooks: SceneResetHooks;
  readonly #pose: ReferencePose;
  /** True if an episode has run since the last reset. */
  #isDue: boolean;

  constructor(parts: Parts, hooks: SceneResetHooks) {
    const { config, reset, task } = parts.setup;
    this.#parts = parts;
    this.#hooks = hooks;
    this.#pose = new ReferencePose(
      task.action,
      config.robot.joints.map(({ name }) => name),
    );
    // With their permission to move, people have accepted where the first episode begins.
    this.#isDue = reset !== undefined && reset.by !== 'people';
  }

  /** Called when an episode has ended, however it began. */
  episodeEnded(): void {
    this.#isDue = true;
  }

  /** Called before an episode for which no scene is drawn. Returns the layout if the simulator sets the scene after all. */
  async bringBack(activity: Activity<unknown>): Promise<SceneLayout | undefined> {
    const { reset } = this.#parts.setup;
    const isDue = this.#isDue;
    this.#isDue = false;
    if (isDue && reset !== undefined && reset.by !== 'people') return this.#bringBackBy(activity, reset);
    // Other clients that drive the robot let it go on by other means, too.
    if (isDue && reset?.by === 'people' && this.#parts.afterStop === 'askLeave') {
      await this.#askPeople(activity, 'The episode is over: put the robot and its things in place');
    }
    const startsAs = this.#hooks.startsAs();
    if (startsAs === undefined) return undefined;
    return this.#parts.draws.layout('setBack') ?? this.#askPeopleWhile(activity, startsAs);
  }

  async #bringBackBy(activity: Activity<unknown>, reset: DrivenReset): Promise<SceneLayout | undefined> {
    const { afterStop } = this.#parts;
    const { success, steps, abortedBy } = await this.#tryToDrive(activity, reset);
    throwWhereCut(activity);
    const startsAs = success ? this.#hooks.startsAs() : undefined;
    const isBack = success && startsAs === undefined;
    const layout = isBack ? undefined : this.#parts.draws.layout('setBack');
    const mended = layout === undefined ? 'people' : 'simulator';
    const record: Omit<ResetRecord, 'tS' | 'envStep'> = {
      kind: 'reset',
      by: reset.by,
      isBack,
      steps,
      setBackBy: isBack ? null : mended,
    };
    this.#parts.live.log.write(record);
    if (isBack || layout !== undefined) return layout;
    if (startsAs !== undefined) return this.#askPeopleWhile(activity, startsAs);
    const why = abortedBy ?? `start not reached after ${counted(steps, 'step')}`;
    const failed = `The ${WORDS[reset.by]} did not bring the robot back (${why})`;
    if (afterStop === 'wait') activity.cut(`${failed}.`);
    throwWhereCut(activity);
    await this.#askPeople(activity, `${failed}: put it in place`);
    const over = this.#hooks.startsAs();
    return over === undefined ? undefined : this.#askPeopleWhile(activity, over);
  }

  /** Asks until the episode may begin: if it would be over at once, nothing was put in place. */
  async #askPeopleWhile(activity: Activity<unknown>, first: Outcome): Promise<undefined> {
    for (let over: Outcome | undefined = first; over !== undefined; over = this.#hooks.startsAs()) {
      const why = `The episode would be a ${over} before it begins`;
      if (this.#parts.afterStop === 'wait') activity.cut(`${why}: put the robot and its things in place.`);
      throwWhereCut(activity);
      await this.#askPeople(activity, `${why}: put the robot and its things in place`);
    }
  }

  /** Begins again if the reset motion was cut, as by a pause or a late command; in lock-step nothing is late. */
  async #tryToDrive(activity: Activity<unknown>, reset: DrivenReset): Promise<EpisodeResult> {
    const { timing } = this.#parts.link.shape;
    for (let tries = 1; ; tries++) {
      const result = await this.#drive(activity, reset);
      const { abortedBy } = result;
      if (abortedBy === undefined || !(await this.#hooks.mayGoOn(activity, abortedBy))) return result;
      if (tries === TRIES || timing === 'lock-step') return result;
    }
  }

  #drive(activity: Activity<unknown>, reset: DrivenReset): Promise<EpisodeResult> {
    const { draws, people } = this.#parts;
    activity.episodeBegins();
    return this.#hooks.drive(activity, {
      ...this.#driverOf(reset),
      ...(people === undefined ? {} : { operator: people }),
      maxSteps: reset.maxSteps,
      purpose: 'evaluation',
      noise: draws.evaluating,
      cutBy: () => activity.episodeReason,
    });
  }

  /** Policy and judge of the reset motion. People may take over from either. */
  #driverOf(reset: DrivenReset): Pick<EpisodeOptions, 'policy' | 'judge'> {
    const { draws, link, setup, resetPolicy } = this.#parts;
    if (reset.by === 'policy') return { policy: resetPolicy!, judge: backAfter(reset.isBack, reset.forSteps) };
    const policy = new WaypointPolicy({
      action: setup.task.action,
      reference: () => this.#pose.of(link.latest),
      way: reset.way(draws.evaluating.rng),
      pace: reset.pace,
    });
    return { policy, judge: backAfter(() => policy.isDone, 1) };
  }

  /** Holds until a person confirms that all is in place. They may take over meanwhile, and drive the robot there. */
  async #askPeople(activity: Activity<unknown>, what: string): Promise<void> {
    const { listeners, live, people } = this.#parts;
    const message = `${what}, then confirm (c, Start).`;
    const messageAtPage = `${what}, then press Start.`;
    listeners.report({ level: 'warn', name: 'asksForReset', message, messageAtPage });
    live.log.ask(message, messageAtPage);
    const isAnswered = this.#hooks.asks();
    let told = '';
    while (!isAnswered()) {
      if (people?.isInControl !== true || people.isStopRequested) {
        await this.#hooks.pause(activity);
        continue;
      }
      const held = await this.#hooks.whyHeld();
      if (held === undefined) {
        await this.#driveByHand(activity, people);
        continue;
      }
      if (held !== told)
        listeners.report({ level: 'warn', name: 'waitsForPerson', message: `The robot stands: ${held}.` });
      told = held;
      await this.#hooks.pause(activity);
    }
    live.log.ask(undefined);
  }

  async #driveByHand(activity: Activity<unknown>, people: TeleopSource): Promise<void> {
    activity.episodeBegins();
    const { abortedBy } = await this.#hooks.drive(activity, {
      operator: people,
      purpose: 'evaluation',
      maxSteps: Number.POSITIVE_INFINITY,
      judge: backAfter(() => people.isInControl !== true, 1),
      cutBy: () => activity.episodeReason,
    });
    if (abortedBy !== undefined) await this.#hooks.mayGoOn(activity, abortedBy);
  }
}

function throwWhereCut({ reason }: Activity<unknown>): void {
  if (reason !== undefined) throw new CutError(reason);
}

/** Judges a reset motion: over once `isBack` has held for so many steps in a row. */
function backAfter(isBack: (frame: GuardFrame) => boolean, forSteps: number): NonNullable<EpisodeOptions['judge']> {
  let steps = 0;
  return (frame, out) => {
    steps = isBack(frame) ? steps + 1 : 0;
    out.success = steps >= forSteps;
    out.terminated = out.success;
    out.reward = 0;
  };
}
