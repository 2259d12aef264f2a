/** Live output of a run for people: the status on the screen and the records in its metrics file. */
import { join } from 'node:path';
import type { RunSetup } from '../config/setup.ts';
import { learnerFigures } from '../learner/options.ts';
import { ArmKinematics, Ema, QuantileHistogram, type RobotModel } from '../model/index.ts';
import type { ChunkPlace } from '../policy/index.ts';
import {
  Diagnosis,
  type EpisodeRecord,
  type MetricRecord,
  type Row,
  RUN_FILES,
  RunMetrics,
  type SafetyRecord,
  type SetupRecord,
  type UnstampedRecord,
} from '../record/index.ts';
import type { GuardFrame, Transition } from '../rows/index.ts';
import { STAGES } from '../safety/chain-report.ts';
import { namesOfBits } from '../safety/index.ts';
import type { OperatorEcho } from '../teleop/index.ts';
import type { LearnerConnection } from './learner-connection.ts';
import type { StepOperator } from './segments.ts';
import type { EpisodeResult } from './session-types.ts';
import { createRunStatus, type HeldStatus, type RunPhase, type RunStatus, type ToolView } from './status.ts';

/** Observer of a run. Calls must be quick; the status is reused. */
export interface RunObserver {
  status(status: RunStatus): void;
  /** Prints a line that stays. `atPage`: the same with a page's buttons in place of a terminal's keys, if it names any. */
  print(line: string, atPage?: string): void;
  /** Diagnosis of a run that does not learn, every few seconds while it learns. */
  diagnosis?(rows: readonly Row[]): void;
}

/** Observer that ignores everything. */
export const SILENT_OBSERVER: RunObserver = { status: () => undefined, print: () => undefined };

/** Sources that the log reads whenever the status is shown, so that it is current between two steps. */
export interface LogSources {
  readonly person?: () => OperatorEcho | undefined;
  readonly tool?: () => ToolView | undefined;
  readonly held?: () => HeldStatus | undefined;
  readonly network?: () => RunStatus['operator']['network'];
}

export interface RunKind {
  /** Steps take real time, and time without steps is time in which the robot stands. */
  readonly isRealTime: boolean;
  readonly hasLearner: boolean;
  /** Nothing of the run was recorded before. */
  readonly isFirstStart: boolean;
}

/** Number of messages that the status keeps. */
const KEPT_MESSAGES = 4;
/** Episodes and steps over which intervention rates are averaged. */
const RATE_EPISODES = 20;
const RATE_STEPS = 300;
const STATUS_MS = 100;
/** Policy steps between two records of guard and link. */
const STEPS_PER_COUNTERS = 50;
/** Interval of the diagnosis, ms; one costs a quarter of a millisecond. */
const DIAGNOSIS_MS = 5000;
/** Refresh interval of clock, keys and force without steps, ms: while a policy is validated, while the arm holds. */
const ALIVE_MS = 200;
/** Driver shown in each phase until a step determines it. */
const DRIVING: Partial<Record<RunPhase, string>> = {
  preparing: 'nobody',
  'behaviour cloning': 'nobody',
  training: 'policy',
  running: 'policy',
  validating: 'policy',
  evaluating: 'policy',
  done: 'nobody',
};

/** Setup against which the checks compare a run's figures, without its stamps. */
export function setupRecord(
  { config, task, parts, actionSize }: Pick<RunSetup, 'config' | 'task' | 'parts' | 'actionSize'>,
  { isRealTime, hasLearner, isFirstStart }: RunKind,
): Omit<SetupRecord, 'tS' | 'envStep'> {
  return {
    kind: 'setup',
    stateSize: parts.stateSize,
    actionSize,
    maxSteps: task.maxSteps,
    periodS: 1 / config.task.policyHz,
    isRealTime,
    demonstrations: hasLearner && isFirstStart ? config.task.demonstrations : 0,
    learner: hasLearner ? learnerFigures(config.learner) : null,
  };
}

export class RunLog {
  readonly status: RunStatus;
  /** Diagnoses why the run does not learn, from its records and steps and from the learner's reports. */
  readonly diagnosis: Diagnosis = new Diagnosis();
  readonly inferenceMs: QuantileHistogram = new QuantileHistogram(1e-3, 1e4);
  readonly basePolicyMs: QuantileHistogram = new QuantileHistogram(1e-4, 1e4);
  readonly policyStepMs: QuantileHistogram = new QuantileHistogram(1e-3, 1e4);
  readonly tickMs: QuantileHistogram = new QuantileHistogram(1e-4, 1e4);
  readonly observationAgeMs: QuantileHistogram = new QuantileHistogram(1e-2, 1e5);
  readonly #folder: string;
  readonly #observer: RunObserver;
  readonly #metrics: RunMetrics;
  readonly #startedMs: number;
  readonly #segments: Ema = new Ema(1 / RATE_EPISODES);
  readonly #takenOver: Ema = new Ema(1 / RATE_STEPS);
  readonly #safety: SafetyTally;
  readonly #hasTank: boolean;
  #isLearning = false;
  /** True if there is no policy, and nothing that could provide one. */
  #hasNoPolicy = false;
  #shownMs = 0;
  #diagnosedMs: number = Number.NEGATIVE_INFINITY;
  #countedSteps = 0;
  #publishedMs: number | undefined;
  #weightsVersion = 0;
  #learnerVersion = 0;
  #sources: LogSources = {};
  readonly #alive: NodeJS.Timeout;

  /** `elapsedS`: time since the command began, s. */
  constructor(folder: string, runId: string, setup: RunSetup, observer: RunObserver, elapsedS = 0) {
    this.#folder = folder;
    this.#startedMs = performance.now() - 1e3 * elapsedS;
    this.#observer = observer;
    this.#alive = setInterval(() => this.show('when due'), ALIVE_MS).unref();
    this.status = createRunStatus(runId, setup.config.task.name, setup.config.seed);
    this.status.utdTarget = setup.config.learner.utd;
    this.status.envStepsTotal = setup.config.task.training.steps;
    this.#hasTank = setup.config.robot.tank !== undefined;
    this.#safety = new SafetyTally(this.#hasTank);
    const path = join(folder, RUN_FILES.metrics);
    this.#metrics = new RunMetrics({ path, events: '.', onDegraded: (text) => this.message(text) });
  }

  /** Seconds since the run began. */
  get elapsedS(): number {
    return (performance.now() - this.#startedMs) / 1e3;
  }

  /** Records the setup of the run. Steps are diagnosed from here on. */
  begin(setup: RunSetup, kind: RunKind): void {
    this.#isLearning = kind.hasLearner;
    this.write(setupRecord(setup, kind));
  }

  /** Adds sources of the status. */
  watch(sources: LogSources): void {
    this.#sources = { ...this.#sources, ...sources };
  }

  phase(phase: RunPhase): void {
    const { status } = this;
    status.phase = phase;
    status.phaseProgress = null;
    const driving = DRIVING[phase];
    if (driving !== undefined) status.operator = { ...status.operator, driving: this.#actual(driving) };
    this.show('now');
  }

  /** Marks a run that only people drive, unless weights arrive after all. */
  withoutPolicy(): void {
    this.#hasNoPolicy = true;
  }

  /** `beside`: phase that the progress belongs to, if it runs beside the current one. */
  progress(done: number, total: number, unit: string, beside?: RunPhase): void {
    this.status.phaseProgress = { done, total, unit, ...(beside === undefined ? {} : { beside }) };
    this.show('when due');
  }

  /** Clears the progress. */
  noProgress(): void {
    this.status.phaseProgress = null;
    this.show('when due');
  }

  /** Shows a request to the operator until it is cleared (`undefined`): in terms of a terminal's keys, or of the page's buttons. */
  ask(prompt: string | undefined, promptAtPage: string | undefined = prompt): void {
    const { prompt: _, promptAtPage: _atPage, ...operator } = this.status.operator;
    const isOwn = promptAtPage !== undefined && promptAtPage !== prompt;
    this.status.operator = {
      ...operator,
      ...(prompt === undefined ? {} : { prompt }),
      ...(isOwn ? { promptAtPage } : {}),
    };
    this.show('now');
  }

  /** One line that people should see, also after it has left the status. */
  message(text: string): void {
    this.status.messages = [...this.status.messages, text].slice(-KEPT_MESSAGES);
    this.show('when due');
  }

  /** `envStep`: step that the record belongs to, if not the newest. */
  write(record: UnstampedRecord, envStep: number = this.status.envSteps): void {
    const stamped = { ...record, tS: this.elapsedS, envStep } as MetricRecord;
    this.#metrics.write(stamped);
    this.diagnosis.add(stamped);
  }

  /** Adds one guard tick. Tick-safe except for the first time of each reason. */
  tick(frame: GuardFrame): void {
    this.#safety.tick(frame);
  }

  step(transition: Transition, connection: LearnerConnection | undefined, who: StepOperator = NOBODY): void {
    if (transition.source !== 'demo') this.#takenOver.add(transition.source === 'policy' ? 0 : 1);
    // In lock-step no time passes between observation and decision.
    if (transition.observationAgeMs > 0) this.observationAgeMs.add(transition.observationAgeMs);
    const { status } = this;
    status.intervention = { ...status.intervention, stepShare: this.#takenOver.value || 0 };
    // In the base phase no weights act.
    if (!transition.isBasePhase) this.uses(transition.policyVersion);
    const isShown = transition.source === 'demo' && status.operator.prompt !== undefined;
    const source = isShown ? 'human_correct' : transition.source;
    const isBase = source === 'policy' && transition.isBasePhase;
    const { by: _, ...operator } = status.operator;
    const driving = isBase ? 'base policy' : this.#actual(drivingName(source, who));
    const isPerson = source.startsWith('human');
    const by = isPerson ? { by: { operator: who.operator, person: who.person } } : {};
    status.operator = { ...operator, ...by, driving };
    this.link(connection);
    this.show('when due');
  }

  /** Called when a step was recorded for learning. */
  recorded(transition: Transition): void {
    for (const block of this.diagnosis.step(transition)) this.write(block);
  }

  /** Shows these weights as in use, before any of their steps. */
  uses(policyVersion: number): void {
    if (policyVersion === this.#weightsVersion) return;
    this.#weightsVersion = policyVersion;
    this.#publishedMs = performance.now();
  }

  /** Records the origin of the base policy's action of a step, if there is a base policy. */
  basePolicy({ episode, step }: Transition, place: ChunkPlace | undefined): void {
    if (place !== undefined) this.write({ kind: 'basePolicy', episode, step, ...place });
  }

  episode(
    purpose: 'demonstration' | 'training',
    episode: number,
    result: EpisodeResult,
    beside: Pick<EpisodeRecord, 'idleSteps' | 'idleValueSteps' | 'robotS'> = {},
  ): void {
    if (purpose === 'training') {
      this.#segments.add(result.interventions);
      this.status.intervention = { ...this.status.intervention, segmentsPerEpisode: this.#segments.value };
    }
    this.write({
      kind: 'episode',
      episode,
      purpose,
      success: result.success,
      steps: result.steps,
      returnSum: result.returnSum,
      ...(result.abortedBy === undefined ? {} : { cutBy: result.abortedBy }),
      interventions: result.interventions,
      interventionSteps: result.interventionSteps,
      ...result.costs,
      policyVersion: this.#weightsVersion,
      ...(result.basePhase === undefined ? {} : { basePhase: result.basePhase }),
      ...beside,
    });
  }

  /** Takes over the state of the connection and the learner's status. */
  link(connection: LearnerConnection | undefined): void {
    if (connection === undefined) return;
    const { sent, acked, pending, lost, duplicated } = connection.counters;
    const { status } = this;
    const notRecorded = connection.journal().dropped;
    status.link = { sent, acked, pending, lost, duplicated, notRecorded };
    this.#learnerVersion = connection.learnerVersion;
    const learner = connection.status;
    if (learner === undefined) return;
    status.updates = learner.updates;
    status.updatesPerS = learner.updatesPerS;
    status.utdAchieved = learner.utd;
  }

  /** Steps that were not recorded for lack of disk or memory. */
  notRecorded(steps: number): void {
    this.status.link = { ...this.status.link, notRecorded: steps };
  }

  /** Reports the end of a stop: nothing if it was acknowledged; `why` the robot stood, if another one was started. */
  restarted(why: string | undefined): void {
    if (why === undefined) return;
    this.message(`${why} Only a person can clear this stop: the simulated robot was restarted, as after a power cycle`);
  }

  /** Called after a step that left the guard at `frame`, with the least margin `marginMin`. */
  filter(frame: GuardFrame, marginMin: number): void {
    const { ticks, changedTicks, violations, tankLevel, toolSpeedMPerS } = frame;
    const changedShare = changedTicks / Math.max(1, ticks);
    this.status.filter = {
      changedShare,
      violations,
      marginMin,
      tankLevel: this.#hasTank ? tankLevel : null,
      ...(Number.isFinite(toolSpeedMPerS) ? { toolSpeedMPerS } : {}),
    };
    if (this.#countedSteps++ % STEPS_PER_COUNTERS === 0) this.counters(frame);
  }

  /** Writes the current counters of guard and link. */
  counters(frame: GuardFrame): void {
    this.write({ kind: 'safety', ...this.#safety.take(frame) });
    this.write({ kind: 'link', ...this.status.link });
  }

  show(when: 'now' | 'when due'): void {
    const now = performance.now();
    if (when === 'when due' && now - this.#shownMs < STATUS_MS) return;
    this.#shownMs = now;
    if (this.#isLearning && now - this.#diagnosedMs > DIAGNOSIS_MS) this.#tellWhy(now);
    const { status } = this;
    status.elapsedS = this.elapsedS;
    const person = this.#sources.person?.();
    if (person !== undefined) {
      const { isInControl, isStopped, stepScale, lastKey } = person;
      status.operator = { ...status.operator, person: { isInControl, isStopped, stepScale, lastKey } };
    }
    const { held: _, network: __, ...operator } = status.operator;
    const [held, network] = [this.#sources.held?.(), this.#sources.network?.()];
    status.operator = {
      ...operator,
      ...(held === undefined ? {} : { held }),
      ...(network === undefined ? {} : { network }),
    };
    const tool = this.#sources.tool?.();
    if (tool !== undefined) status.tool = tool;
    status.policy = {
      version: this.#weightsVersion,
      ageS: this.#publishedMs === undefined ? null : (now - this.#publishedMs) / 1e3,
      learnerVersion: this.#learnerVersion,
      ...(this.#isPolicyAbsent ? { isAbsent: true } : {}),
    };
    this.#observer.status(status);
  }

  print(line: string): void {
    this.#observer.print(line);
  }

  get #isPolicyAbsent(): boolean {
    return this.#hasNoPolicy && this.#weightsVersion === 0;
  }

  /** Returns `nobody` if the policy would drive, but there is none. */
  #actual(driving: string): string {
    return driving === 'policy' && this.#isPolicyAbsent ? 'nobody' : driving;
  }

  /** Reports each problem that has turned bad since the last diagnosis, once. */
  #tellWhy(nowMs: number): void {
    this.#diagnosedMs = nowMs;
    const rows = this.diagnosis.rows(this.elapsedS);
    this.#observer.diagnosis?.(rows);
    for (const { title, sentence } of this.diagnosis.turnedBad(rows)) {
      this.message(`${title}: ${sentence} What to do: rein why ${this.#folder}`);
    }
  }

  /** Writes the histograms and closes the file. */
  async close(): Promise<void> {
    const histograms = {
      inferenceMs: this.inferenceMs,
      basePolicyMs: this.basePolicyMs,
      policyStepMs: this.policyStepMs,
      tickMs: this.tickMs,
      observationAgeMs: this.observationAgeMs,
    };
    for (const [name, histogram] of Object.entries(histograms)) {
      if (histogram.count > 0) this.write({ kind: 'histogram', name, data: histogram.toJSON() });
    }
    for (const block of this.diagnosis.rest()) this.write(block);
    clearInterval(this.#alive);
    await this.#metrics.close();
  }
}

/** Returns a view of the tool for displays; `undefined` if the robot measures no tool point. */
export function toolViewer({ task, config }: RunSetup): (frame: GuardFrame) => ToolView | undefined {
  const chain = config.robot.base === undefined ? new ChainView(config.robot) : undefined;
  return (frame) => {
    const { measuredTcp, robot } = frame;
    const positionM = Array.from(measuredTcp.subarray(0, 3));
    if (frame.tick < 0 || !positionM.every(Number.isFinite)) return undefined;
    const forceN = Math.hypot(robot.wrench[0] ?? 0, robot.wrench[1] ?? 0, robot.wrench[2] ?? 0);
    const view = { positionM, forceN, ...chain?.at(robot.positionRad) };
    if (task.offset === undefined) return view;
    const offset = new Float64Array(3);
    task.offset(frame, offset);
    return { ...view, offsetM: Array.from(offset) };
  };
}

/** Positions of the joints between base and tool. */
class ChainView {
  readonly #kinematics: ArmKinematics;
  /** Joint indices, from the base on. */
  readonly #joints: readonly number[];

  constructor(model: RobotModel) {
    this.#kinematics = new ArmKinematics(model);
    const { parents, toolLink } = this.#kinematics.topology;
    const joints: number[] = [];
    for (let joint = toolLink; joint >= 0; joint = parents[joint]!) joints.unshift(joint);
    this.#joints = joints;
  }

  at(jointsRad: Float64Array): { readonly jointsM: number[][] } | undefined {
    this.#kinematics.forward(jointsRad);
    const { originsM, tcpPositionM } = this.#kinematics;
    const points = this.#joints.map((joint) => Array.from(originsM.subarray(3 * joint, 3 * joint + 3)));
    const jointsM = [...points, Array.from(tcpPositionM)];
    return jointsM.flat().every(Number.isFinite) ? { jointsM } : undefined;
  }
}

const NOBODY: StepOperator = { operator: '', device: '', person: '', isStopped: false };

/** Driver in the words of the run's terminal: `you` are at the devices of its machine. */
function drivingName(source: Transition['source'], { operator, person, isStopped }: StepOperator): string {
  if (source === 'policy') return 'policy';
  if (!source.startsWith('human')) return 'scripted operator';
  const who = operator === 'browser' ? `${person || 'a person'} at the page` : 'you';
  return isStopped ? `${who}, stopped` : who;
}

type SafetyFigures = Omit<SafetyRecord, 'kind' | 'tS' | 'envStep'>;

/** Activity of the safety chain over a run, gathered from every guard frame: counted in the tick, summarised on demand. */
class SafetyTally {
  readonly #hasTank: boolean;
  readonly #ticksByReason: Record<string, number> = {};
  readonly #stageMargins: Float64Array = new Float64Array(STAGES.length).fill(1);
  #marginMin = 1;
  #clearanceM = Number.POSITIVE_INFINITY;
  #tankLevel = 1;

  /** `hasTank`: true if the robot has an energy tank. */
  constructor(hasTank: boolean) {
    this.#hasTank = hasTank;
  }

  /** Adds one tick. Tick-safe except for the first time of each reason. */
  tick(frame: GuardFrame): void {
    for (let i = 0; i < this.#stageMargins.length; i++) {
      this.#stageMargins[i] = Math.min(this.#stageMargins[i]!, frame.stageMargins[i]!);
    }
    this.#marginMin = Math.min(this.#marginMin, frame.marginMin);
    this.#clearanceM = Math.min(this.#clearanceM, frame.clearanceM);
    this.#tankLevel = Math.min(this.#tankLevel, frame.tankLevel);
    if (frame.filterBits === 0) return;
    for (const name of namesOfBits(frame.filterBits)) this.#ticksByReason[name] = (this.#ticksByReason[name] ?? 0) + 1;
  }

  /** Counters of `frame`, and the least of every margin since the last call. */
  take(frame: GuardFrame): SafetyFigures {
    const { ticks, changedTicks, violations, overruns, tankEnergyJ, tankInjectedJ } = frame;
    const stages = STAGES.map((name, i) => {
      return [name, { changedTicks: frame.stageTicks[i]!, marginMin: this.#stageMargins[i]! }] as const;
    });
    const figures = {
      ticks,
      changedTicks,
      violations,
      overruns,
      byReason: { ...this.#ticksByReason },
      stages: Object.fromEntries(stages),
      marginMin: this.#marginMin,
      clearanceM: this.#clearanceM,
      tank: this.#hasTank ? { energyJ: tankEnergyJ, levelMin: this.#tankLevel, injectedJ: tankInjectedJ } : null,
    };
    this.#stageMargins.fill(1);
    this.#marginMin = 1;
    this.#clearanceM = Number.POSITIVE_INFINITY;
    this.#tankLevel = 1;
    return figures;
  }
}
