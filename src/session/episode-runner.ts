/**
 * One episode of the node: observe, infer, arbitrate, command, wait, judge, pass the transition on. The same code runs in lock-step and in
 * real time, in training, validation and evaluation.
 */
import type { RunSetup } from '../config/setup.ts';
import { activate, createActionCommand, EndOfMotion, type GuardLink, leaseLeftS, whyHeld } from '../guard/index.ts';
import {
  BASE_ACTION,
  type Clock,
  type JointModel,
  observationSize,
  onceSize,
  type QuantileHistogram,
  ReinError,
  Rng,
  withoutFullStop,
} from '../model/index.ts';
import type { BasePolicy, ChunkPlace, Policy, PolicyNoise } from '../policy/index.ts';
import {
  type ActionCommand,
  createTransition,
  type Decider,
  type GuardFrame,
  isActive,
  isIntervention,
  type SceneLayout,
  type Source,
  type Transition,
} from '../rows/index.ts';
import { type Outcome, startsOver, type Task, type Verdict } from '../tasks/index.ts';
import { Clutch, type TeleopCommand, type TeleopSource } from '../teleop/index.ts';
import { EpisodeTally, IdleTank, StepCosts } from './episode-tally.ts';
import { ExecutedAction, ReferencePose } from './executed-action.ts';
import { ObservationStack } from './observation-stack.ts';
import { PhaseSwitch } from './phase-switch.ts';
import type { EpisodeResult, Mark } from './session-types.ts';

export interface EpisodeRunnerOptions {
  readonly task: Task;
  readonly link: GuardLink;
  /** The robot's joints, in the order of the guard's vectors. Omitted if joint actions move all of them in that order. */
  readonly joints?: readonly Pick<JointModel, 'name' | 'kind'>[];
  readonly clock: Clock;
  readonly policyHz: number;
  /** Required if the task's observation ends with the base policy's action. The caller closes it. */
  readonly basePolicy?: BasePolicy | undefined;
  /** Determines when the policy takes over from the base policy, which acts alone until then. Absent: at the first step. */
  readonly phaseSwitch?: PhaseSwitch | undefined;
  /** Filled with durations, if given. */
  readonly timings?: StepTimings | undefined;
  /** Lease of an action: the guard brakes if no newer one has arrived by then. */
  readonly leaseS: number;
  /** Time limit for resetting the scene, ms; 30 s by default. */
  readonly resetLimitMs?: number;
}

/** Durations in ms. */
export interface StepTimings {
  readonly inferenceMs: QuantileHistogram;
  /** The base policy's part of a step: mostly taking the next action of a chunk. */
  readonly basePolicyMs: QuantileHistogram;
  /** The node's own work in a step, without waiting for ticks. */
  readonly policyStepMs: QuantileHistogram;
  /** One guard tick with its physics; lock-step time only. */
  readonly tickMs: QuantileHistogram;
}

export interface EpisodeOptions {
  /** Initial layout; absent on a robot whose surroundings are arranged by people. */
  readonly layout?: SceneLayout;
  /** Absent for demonstrations. */
  readonly policy?: Policy;
  /**
   * Exploration, and the source of the policy's noise. Absent: the policy is evaluated, with random draws seeded by the episode's number.
   */
  readonly noise?: PolicyNoise;
  readonly operator?: TeleopSource;
  /** `demo`: the operator decides the whole episode, and no step counts as an intervention. */
  readonly purpose: 'demo' | 'training' | 'evaluation';
  /** Replaces the task's judge for motion outside the task, to which neither the task's time limit nor its phases apply. */
  readonly judge?: (frame: GuardFrame, out: Verdict) => void;
  /** Step limit, ≥ 1: lower than the task's, or for a demonstration also higher, as people are slower. */
  readonly maxSteps?: number;
  /** Called after every step, before the next begins. The transition is reused: copy it to keep it. */
  readonly onStep?: (transition: Transition) => void | Promise<void>;
  /** Called before each decision, so that weights can be swapped between steps. */
  readonly beforeStep?: () => void | Promise<void>;
  /** Called after each step: a returned reason cuts the episode there. */
  readonly cutBy?: () => string | undefined;
  /** Called after each step: a person's verdict, which ends the episode if the task leaves the verdict to people. */
  readonly mark?: () => Mark | undefined;
}

/** `EpisodeOptions.judge` of motion that ends only when it is cut. */
export const neverOver: NonNullable<EpisodeOptions['judge']> = (_frame, out) => {
  out.reward = 0;
  out.terminated = false;
  out.success = false;
};

const RESET_LIMIT_MS = 30_000;
/** Largest number of scenes drawn to find one in which the episode is not over already. */
export const SCENE_DRAWS = 20;

/** Result of an episode without a step. */
export const NOT_BEGUN: EpisodeResult = {
  success: false,
  isDecided: false,
  steps: 0,
  interventionSteps: 0,
  interventions: 0,
  returnSum: 0,
  costs: { filterShare: 0, tankDrainJ: 0, marginMin: 1 },
};

/** The scene was not reset in time (row 51). */
export class ResetHangsError extends ReinError {
  constructor(limitMs: number) {
    super('driver', `The scene was not put back within ${limitMs / 1e3} s; the robot holds.`, {
      remedy: 'Look at what keeps it, put the scene back by hand, then go on.',
    });
  }
}

/** The guard lets no episode begin, and no new scene changes that: a person is required. */
export class NoLeaveError extends ReinError {
  constructor(reason: string) {
    super('driver', `The robot may not begin: ${withoutFullStop(reason)}.`);
  }
}

/** Parts of an episode runner, except for the names and rates from `setup`. */
export interface RunnerParts extends Pick<EpisodeRunnerOptions, 'link' | 'clock' | 'basePolicy' | 'timings'> {
  readonly setup: RunSetup;
  /** Lease of an action in policy periods, after which the guard brakes. */
  readonly leasePeriods: number;
}

/** Throws `ReinError` if the task cannot judge. */
export function createRunner({ setup, leasePeriods, ...parts }: RunnerParts): EpisodeRunner {
  const { task, robot } = setup.config;
  const { policyHz } = task;
  setup.task.open?.();
  return new EpisodeRunner({
    ...parts,
    task: setup.task,
    joints: robot.joints,
    policyHz,
    leaseS: leasePeriods * (1 / policyHz),
    phaseSwitch: phaseSwitchOf(setup),
  });
}

function phaseSwitchOf({ config, isCritical }: RunSetup): PhaseSwitch | undefined {
  const { phaseSwitch } = config.task;
  return phaseSwitch && isCritical && new PhaseSwitch({ isCritical, forSteps: phaseSwitch.forSteps });
}

/** Runs episodes over one link. Not reentrant. */
export class EpisodeRunner {
  readonly #options: EpisodeRunnerOptions;
  readonly #stack: ObservationStack;
  readonly #executed: ExecutedAction;
  readonly #ticksPerStep: number;
  readonly #command: ActionCommand;
  /** Command without motion, with a person as its decider. */
  readonly #halting: ActionCommand;
  readonly #teleop: TeleopCommand;
  readonly #clutch: Clutch;
  readonly #reference: ReferencePose;
  readonly #transition: Transition;
  readonly #idleTank: IdleTank;
  readonly #costs: StepCosts = new StepCosts();
  readonly #verdict: Verdict = { reward: 0, terminated: false, success: false };
  #episode = 0;
  #segment = 0;
  #commandSeq = 0;
  /** Remaining lease of the previous command when the newest one was issued, s. */
  #leaseLeftS = Number.POSITIVE_INFINITY;
  readonly #motion: EndOfMotion = new EndOfMotion();
  #basePlace: ChunkPlace | undefined;

  constructor(options: EpisodeRunnerOptions) {
    const { task, link, policyHz } = options;
    const actions = task.action.dimensions.length;
    const jointNames = options.joints?.map(({ name }) => name);
    this.#options = options;
    if (onceSize(task.observation, BASE_ACTION) > 0 !== (options.basePolicy !== undefined)) {
      throw new TypeError('a base policy must be given exactly if the observation ends with its action');
    }
    this.#stack = new ObservationStack(
      task.observation,
      (out, offset, frame, previous) => task.observe(out, offset, frame, previous),
      task.observationDelaySteps,
    );
    this.#executed = new ExecutedAction(task.action, link.shape.joints, jointNames);
    this.#ticksPerStep = Math.round(link.shape.controlHz / policyHz);
    this.#idleTank = new IdleTank(link.shape.joints, policyHz);
    this.#command = createActionCommand(actions);
    this.#halting = { ...createActionCommand(actions), decider: 'human' };
    this.#teleop = { active: false, action: new Float32Array(actions), phase: 'correct' };
    this.#clutch = new Clutch(task.action);
    this.#reference = new ReferencePose(task.action, jointNames);
    this.#transition = createTransition(observationSize(task.observation), actions);
    link.onFrame((frame) => {
      this.#costs.tick(frame);
      this.#motion.tick(frame);
    });
  }

  /** The current observation, [O]. */
  get observation(): Float32Array {
    return this.#stack.values;
  }

  /** Origin of the base policy's action in the newest step's observation; `undefined` without a base policy. */
  get basePlace(): ChunkPlace | undefined {
    return this.#basePlace;
  }

  /** Begins the critical phase at a person's request: the policy acts from the next step on. False if it acts already. */
  beginCritical(): boolean {
    return this.#options.phaseSwitch?.press() === true;
  }

  /**
   * Stops the robot on request at once, without waiting for the next decision: the rest of the step is braking and standing. Does nothing
   * while no step is under way.
   */
  halt(): void {
    const { link, clock, leaseS } = this.#options;
    if (!link.latest.state.startsWith('active')) return;
    const halting = this.#halting;
    halting.seq = this.#commandSeq++;
    halting.issuedAtS = clock.nowS();
    halting.leaseS = leaseS;
    link.send(halting);
  }

  /** Outcome that an episode beginning at the robot's current state would already have; `undefined`: it may begin. */
  startsAs(): Outcome | undefined {
    const { link, task } = this.#options;
    if (task.startsAs === undefined) return undefined;
    this.#transition.executed.fill(0);
    this.#stack.reset(link.latest, this.#transition.executed);
    return task.startsAs(link.latest, this.#stack.values);
  }

  /** Runs one episode in a scene from `draw`, and draws again if the episode would be over before its first step. */
  async runDrawn(draw: () => SceneLayout, episode: Omit<EpisodeOptions, 'layout'>): Promise<EpisodeResult> {
    for (let draws = 1; ; draws++) {
      const result = await this.run({ ...episode, layout: draw() });
      if (result.startsAs === undefined) return result;
      if (draws === SCENE_DRAWS) throw startsOver(this.#options.task.name, result.startsAs, draws);
    }
  }

  /** Runs one episode to its end and leaves the robot holding. One that would be over before its first step does not begin. */
  async run(episode: EpisodeOptions): Promise<EpisodeResult> {
    const { link, task } = this.#options;
    await this.#prepare(episode);
    const startsAs = episode.judge === undefined ? this.startsAs() : undefined;
    if (startsAs !== undefined) {
      await link.request({ kind: 'hold' });
      return { ...NOT_BEGUN, startsAs };
    }
    const noise = await this.#begin(episode);
    const t = this.#transition;
    const tally = new EpisodeTally();
    const wanted = episode.maxSteps ?? task.maxSteps;
    const isTimed = episode.purpose !== 'demo' && episode.judge === undefined;
    const maxSteps = isTimed ? Math.min(task.maxSteps, wanted) : wanted;
    for (let step = 0; step < maxSteps; step++) {
      await episode.beforeStep?.();
      t.step = step;
      const abortedBy = await this.#step(episode, noise, tally);
      t.truncated = !t.terminated && (step + 1 === maxSteps || abortedBy !== undefined);
      tally.add(t, task.ownVerdict);
      await episode.onStep?.(t);
      if (t.terminated || t.truncated) {
        await link.request({ kind: 'hold' });
        const result = tally.result(this.#verdict.success, t.terminated, abortedBy);
        return { ...result, ...this.#basePhaseOf(episode, tally) };
      }
    }
    throw new TypeError(`an episode needs at least one step, got ${maxSteps}`);
  }

  /** Steps of the base phase and the cause of its end; empty if the episode has no phases. */
  #basePhaseOf(episode: EpisodeOptions, { basePhaseSteps }: EpisodeTally): Pick<EpisodeResult, 'basePhase'> {
    const { phaseSwitch } = this.#options;
    if (phaseSwitch === undefined || !isPhased(episode)) return {};
    return { basePhase: { steps: basePhaseSteps, endedBy: phaseSwitch.cause ?? null } };
  }

  /** Arranges the scene if possible, and requests permission to move from the guard. */
  async #prepare(episode: EpisodeOptions): Promise<void> {
    const { link } = this.#options;
    if (episode.layout !== undefined) await this.#resetScene(episode.layout);
    // Torque can only be enabled after a new measurement of the robot.
    await link.advance(1);
    if (link.latest.state === 'standby') await this.#request({ kind: 'enable' });
    await this.#activate(episode);
    await link.advance(1);
  }

  /** Observes the initial state, and resets state of the previous episode. Returns the source of the policy's noise. */
  async #begin({ noise, operator }: EpisodeOptions): Promise<PolicyNoise> {
    const { link, task, basePolicy: base } = this.#options;
    const t = this.#transition;
    t.episode = this.#episode++;
    t.executed.fill(0);
    const drawn = noise ?? { rng: new Rng(t.episode), purpose: 'evaluate' };
    this.#stack.reset(link.latest, t.executed);
    base?.reset(drawn.rng.fork(`base ${t.episode}`));
    if (base !== undefined) await this.#askBase(base);
    operator?.reset();
    // However the robot got here (scene, stop or resume), an operator pose latched before is invalid.
    this.#clutch.open();
    task.begin?.(link.latest);
    this.#options.phaseSwitch?.begin(link.latest);
    this.#idleTank.begin(link.latest);
    return drawn;
  }

  /** Rejects with `ResetHangsError` after the time limit; nothing moves meanwhile, the guard holds. */
  async #resetScene(layout: SceneLayout): Promise<void> {
    const limitMs = this.#options.resetLimitMs ?? RESET_LIMIT_MS;
    let timer: NodeJS.Timeout | undefined;
    const hangs = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new ResetHangsError(limitMs)), limitMs);
    });
    try {
      await Promise.race([this.#request({ kind: 'resetScene', layout }), hangs]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Rejects with `NoLeaveError` if a person is required, also where people arrange the scene: no new scene helps there. */
  async #activate({ layout }: EpisodeOptions): Promise<void> {
    const { link } = this.#options;
    // After power-up each joint is tried first; `activate` waits for that.
    const answer = await activate(link);
    if (answer.ok) return;
    throw layout === undefined || answer.needs === 'person'
      ? new NoLeaveError(answer.reason)
      : refused('activate', answer.reason);
  }

  /** Rejects with `NoLeaveError` if a person is required. */
  async #request(request: Parameters<GuardLink['request']>[0]): Promise<void> {
    const answer = await this.#options.link.request(request);
    if (answer.ok) return;
    throw answer.needs === 'person' ? new NoLeaveError(answer.reason) : refused(request.kind, answer.reason);
  }

  /** Decides, waits for one policy period, and judges the result: one transition. Returns the reason why no step may follow. */
  async #step(episode: EpisodeOptions, noise: PolicyNoise, before: EpisodeTally): Promise<string | undefined> {
    const { link, timings } = this.#options;
    const startMs = performance.now();
    const t = this.#transition;
    t.observation.set(this.#stack.values);
    this.#basePlace = this.#options.basePolicy?.place;
    t.isBasePhase = isPhased(episode) && this.#options.phaseSwitch?.isBase === true;
    t.source = await this.#decide(episode, noise);
    if (t.source !== before.source || t.isBasePhase !== before.isBasePhase) this.#segment++;
    t.segment = this.#segment;
    timings?.policyStepMs.add(performance.now() - startMs);
    const unled = await this.#execute(episode);
    this.#applyMark(episode.mark?.());
    return episode.cutBy?.() ?? unled ?? this.#abortReason(link.latest) ?? this.#idleTank.reason(link.latest);
  }

  /** Fills the command and the transition's actions; returns the source of the decision. */
  async #decide(episode: EpisodeOptions, noise: PolicyNoise): Promise<Source> {
    const { clock, task, policyHz } = this.#options;
    const t = this.#transition;
    const command = this.#command;
    const seenAtS = this.#options.link.latest.robot.measuredAtS;
    const policy = t.isBasePhase ? undefined : episode.policy;
    t.policyVersion = policy?.version ?? 0;
    t.policyAction.fill(0);
    t.humanAction.fill(0);
    if (t.isBasePhase) t.policyAction.set(this.#stack.baseAction);
    else if (policy !== undefined) {
      const startMs = performance.now();
      await policy.decide(t.observation, noise, t.policyAction);
      this.#options.timings?.inferenceMs.add(performance.now() - startMs);
    }
    const teleop = this.#teleop;
    teleop.active = false;
    teleop.absolute = undefined;
    episode.operator?.poll(t.observation, clock.nowS(), teleop);
    this.#clutch.apply(teleop, this.#reference.of(this.#options.link.latest));
    if (teleop.active) t.humanAction.set(teleop.action);
    const chosen = teleop.active ? t.humanAction : t.policyAction;
    for (let i = 0; i < chosen.length; i++) command.action[i] = chosen[i]!;
    command.seq = this.#commandSeq++;
    command.decider = teleop.active ? deciderOf(episode.operator) : 'policy';
    command.policyVersion = t.policyVersion;
    command.policyRun = policy?.run ?? 0;
    const nowS = clock.nowS();
    this.#leaseLeftS = t.step === 0 ? Number.POSITIVE_INFINITY : leaseLeftS(command, nowS);
    command.issuedAtS = nowS;
    command.leaseS = this.#options.leaseS;
    const shownLateMs = (1e3 * (task.observationDelaySteps ?? 0)) / policyHz;
    t.observationAgeMs = shownLateMs + Math.max(0, (command.issuedAtS - seenAtS) * 1e3);
    if (!teleop.active) return 'policy';
    if (episode.purpose === 'demo') return 'demo';
    return `${episode.operator?.decidedBy ?? 'human'}_${teleop.phase}`;
  }

  /** Sends the command, waits for one policy period, measures and judges. Returns the reason why the policy may not go on. */
  async #execute({ judge }: EpisodeOptions): Promise<string | undefined> {
    const { link, task, basePolicy: base } = this.#options;
    const t = this.#transition;
    this.#executed.begin(link.latest);
    this.#costs.begin(link.latest);
    link.send(this.#command);
    // After a person has released control, the guard requires a new activation for the policy.
    const isHandedBack = link.latest.state === 'active.human' && this.#command.decider !== 'human';
    const unled = isHandedBack ? await this.#leaveAgain() : undefined;
    const startMs = performance.now();
    await link.advance(this.#ticksPerStep);
    if (link.shape.timing === 'lock-step') {
      this.#options.timings?.tickMs.add((performance.now() - startMs) / this.#ticksPerStep);
    }
    this.#executed.end(link.latest, this.#command, t.executed);
    this.#costs.end(link.latest, t);
    this.#stack.push(link.latest, t.executed);
    if (judge === undefined) task.judge(link.latest, this.#verdict, this.#stack.values);
    else judge(link.latest, this.#verdict);
    this.#options.phaseSwitch?.see(link.latest);
    t.reward = this.#verdict.reward;
    t.terminated = this.#verdict.terminated;
    // The chunk was planned for another path than the one that the person took.
    if (isIntervention(t.source)) base?.drop();
    if (base !== undefined) await this.#askBase(base);
    t.nextObservation.set(this.#stack.values);
    return unled;
  }

  /** Called after a person has released control. Returns the reason why the policy may not go on yet. */
  async #leaveAgain(): Promise<string | undefined> {
    const answer = await this.#options.link.request({ kind: 'activate' });
    if (answer.ok) return undefined;
    if (answer.needs !== 'person') throw refused('activate', answer.reason);
    return 'a person released control, and the policy has no permission to go on';
  }

  /** Lets the base policy write its action into the current observation. */
  async #askBase(base: BasePolicy): Promise<void> {
    const startMs = performance.now();
    await base.act(this.#stack.state, this.#stack.baseAction);
    this.#options.timings?.basePolicyMs.add(performance.now() - startMs);
  }

  #applyMark(mark: Mark | undefined): void {
    if (mark === undefined) return;
    this.#verdict.success = mark === 'success';
    this.#transition.reward = mark === 'success' ? 1 : 0;
    this.#transition.terminated = true;
  }

  #abortReason(frame: GuardFrame): string | undefined {
    if (isActive(frame.state)) return undefined;
    if (this.#transition.terminated) return undefined;
    const { clock, joints = [] } = this.#options;
    // A late command was issued after the lease of the previous one, or was under way when that ran out.
    const leftS = Math.min(this.#leaseLeftS, leaseLeftS(this.#command, clock.nowS()));
    return whyHeld(frame, { joints, leaseLeftS: this.#motion.isLeaseOver ? 0 : leftS });
  }
}

/** Row 16 lets only a person move an arm outside its limits, so a program's decision must not count as a person's. */
function deciderOf(operator: EpisodeOptions['operator']): Decider {
  return operator?.decidedBy === 'human' ? 'human' : 'script';
}

/** Demonstrations, and motion without a policy or outside the task, have no phases. */
function isPhased({ policy, purpose, judge }: EpisodeOptions): boolean {
  return policy !== undefined && purpose !== 'demo' && judge === undefined;
}

const REMEDIES: { readonly [kind: string]: string } = {
  resetScene: 'If people arrange the scene, set `isArrangedByPeople: true` in the task, or use `kind: operatorJudged`.',
};

function refused(kind: string, reason: string): ReinError {
  const remedy = REMEDIES[kind];
  return new ReinError('driver', `the guard refused to ${kind}: ${reason}`, remedy === undefined ? {} : { remedy });
}
