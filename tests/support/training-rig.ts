/**
 * A training on purpose sound or broken, with everything that a run records of it: a real learner in a light environment, and between
 * them what can go wrong on a robot. Seconds, one thread, no clock.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completed, demonstrations as shownBy } from '../../packages/lab/src/environments/demonstrations.ts';
import { createStudyEnvironment, type StudyEnvironment } from '../../packages/lab/src/environments/environments.ts';
import { loadLearnerFile } from '../../src/config/index.ts';
import { type Close, closeAll } from '../../src/host/index.ts';
import { type LearnerConfig, learnerFigures } from '../../src/learner/options.ts';
import { TrainingRecord } from '../../src/learner/service/training-record.ts';
import { Training } from '../../src/learner/training.ts';
import { type Environment, Rng } from '../../src/model/index.ts';
import { openActor } from '../../src/offline/index.ts';
import { Diagnosis, type MetricRecord, type Row, type UnstampedRecord } from '../../src/record/index.ts';
import { createTransition, type Transition } from '../../src/rows/index.ts';

/** What is wrong, and only that; left out: nothing. */
export interface Breakage {
  /** The reward that the task gives instead, in step `step` of an episode, after `steps` in all. */
  readonly reward?: (reward: number, at: { readonly step: number; readonly steps: number }) => number;
  /** What the sensors show instead, in place. */
  readonly observe?: (observation: Float32Array, by: { readonly rng: Rng; readonly first: Float32Array }) => void;
  /** How much of an action the robot moves by. */
  readonly actionScale?: number;
  /** A safety chain that lets no number of an action through that is larger. */
  readonly actionLimit?: number;
  readonly maxSteps?: number;
  readonly learner?: Partial<LearnerConfig>;
  /** Share of the updates that the learner finds the time for. */
  readonly learnerSpeed?: number;
  readonly publishes?: boolean;
  /** Demonstrations that are given, and how they are wrong, in place. */
  readonly demonstrations?: number;
  readonly demonstration?: (transition: Transition, episode: number) => void;
  /** A stop cuts every episode after so many steps. */
  readonly stopsAfter?: number;
}

export interface RigSpec {
  readonly environment: string;
  readonly options?: Readonly<Record<string, number | boolean>>;
  /** File in `config/learner`, and what is other than there. */
  readonly learner: string;
  readonly set?: Partial<LearnerConfig>;
  readonly seed: number;
  readonly steps: number;
  readonly randomSteps?: number;
  readonly demonstrations?: number;
  readonly skill?: Readonly<Record<string, number>>;
  /** Who takes over: the environment's script where it sees the policy stuck, the same script always, somebody who holds the robot still. */
  readonly operator?: 'overseer' | 'always' | 'holds';
  readonly broken?: Breakage;
}

export interface RigResult {
  /** At the end. */
  readonly rows: readonly Row[];
  /** By the id of a row: the step at which it was bad for the first time. */
  readonly firstBad: ReadonlyMap<string, number>;
  /** By the id of a row and what was measured: the least and the largest over the run. */
  readonly extremes: ReadonlyMap<string, readonly [number, number]>;
  /** Share of the last 20 training episodes that ended with a success. */
  readonly success: number;
  /** What a run would have written. */
  readonly records: readonly MetricRecord[];
}

/** Steps between two looks at the rows. */
const LOOK_STEPS = 50;

export async function train(spec: RigSpec): Promise<RigResult> {
  const folder = mkdtempSync(join(tmpdir(), 'rein-rig-'));
  const closes: Close[] = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    return await trainIn(folder, spec, closes);
  } finally {
    await closeAll(closes);
  }
}

async function trainIn(folder: string, spec: RigSpec, closes: Close[]): Promise<RigResult> {
  const { broken = {}, seed, steps } = spec;
  const own = await createStudyEnvironment(spec.environment, spec.options ?? {}, null);
  const environment = new BrokenEnvironment(own.environment, broken, new Rng(seed).fork('broken'));
  closes.push(() => environment.close());
  const config = { ...loadLearnerFile(spec.learner), ...spec.set, ...broken.learner };
  const training = await Training.open({
    parts: environment.parts,
    actionSize: environment.actionSize,
    config,
    seed,
    engine: 'local',
  });
  closes.push(() => training.close());
  const book = new Book(folder, training, environment, spec);
  closes.push(() => book.record.close());
  const root = new Rng(seed);
  const asked = broken.demonstrations ?? spec.demonstrations ?? 0;
  if (asked > 0) {
    const shown = { episodes: asked, skill: {}, onlySuccesses: true, areKept: true };
    let episode = -1;
    for (const t of shownBy(environment, own.expert(spec.skill ?? {}), shown, root.fork('demonstrations'))) {
      if (t.step === 0) episode++;
      t.episode = episode;
      broken.demonstration?.(t, episode);
      book.taken(t);
    }
    await training.pretrain(undefined, undefined, (...done) => book.record.pretrained(training.agent, ...done));
  }
  environment.isTraining = true;
  const actor = await openActor(training);
  closes.push(() => actor.close());
  const people = spec.operator && PEOPLE[spec.operator](own);
  const [environmentRng, actionRng] = [root.fork('environment'), root.fork('actions')];
  const action = new Float32Array(environment.actionSize);
  let [version, done, calls] = [1, 0, 0];
  const outcomes: boolean[] = [];
  for (let episode = 0; done < steps; episode++) {
    environment.reset(environmentRng);
    people?.begin(environmentRng);
    let [isOver, returnSum] = [false, 0];
    for (let step = 0; !isOver; step++) {
      environment.steps = done;
      const t = createTransition(environment.observation.length, environment.actionSize);
      t.observation.set(environment.observation);
      t.step = step;
      t.episode = episode;
      t.policyVersion = version;
      if (done < (spec.randomSteps ?? config.warmupSteps))
        training.agent.warmUpAction(t.observation, action, actionRng);
      else await actor.decide(environment.observation, { rng: actionRng, purpose: 'explore' }, action);
      t.policyAction.set(action);
      if (people !== undefined && takesOver(people, action)) {
        t.source = 'scripted_correct';
        t.humanAction.set(action);
      }
      environment.step(action);
      completed(t, environment);
      if (broken.stopsAfter !== undefined && step + 1 >= broken.stopsAfter) t.truncated = !t.terminated;
      done++;
      book.taken(t);
      returnSum += t.reward;
      isOver = t.terminated || t.truncated;
      if (isOver) outcomes.push(environment.isSuccess === true);
      // A task that knows no success has no such record.
      if (isOver && environment.isSuccess !== undefined) book.episode(t, environment.isSuccess, returnSum);
      for (;;) {
        if ((broken.learnerSpeed ?? 1) < 1 && calls >= broken.learnerSpeed! * (done - config.warmupSteps)) break;
        const call = await training.update();
        if (call === undefined) break;
        calls++;
        book.record.update(call, call.visible, training.agent.refusedCalls);
        await book.record.calibrate(training.agent, call.visible);
        if (training.updates % config.publishEveryUpdates < config.utd && broken.publishes !== false) {
          await actor.follow(training.agent);
          version++;
        }
      }
      book.look(done);
      if (done >= steps) break;
    }
  }
  book.look(done, 'now');
  const last = outcomes.slice(-20);
  return { ...book.result(), success: last.filter(Boolean).length / Math.max(1, last.length) };
}

const PEOPLE = {
  overseer: (own: StudyEnvironment) => own.overseer({}),
  always: (own: StudyEnvironment) => own.expert({}),
  holds: () => ({ begin: () => undefined, act: (action: Float32Array) => void action.fill(0) }),
};

type Person = { act(action: Float32Array): void } | { oversee(action: Float32Array): boolean };

function takesOver(person: Person, action: Float32Array): boolean {
  if ('oversee' in person) return person.oversee(action);
  person.act(action);
  return true;
}

/** What the rows said over a run. */
export class Looks {
  readonly #diagnosis: Diagnosis;
  readonly #firstBad = new Map<string, number>();
  readonly #extremes = new Map<string, readonly [number, number]>();

  constructor(diagnosis: Diagnosis) {
    this.#diagnosis = diagnosis;
  }

  /** After so many steps. */
  at(steps: number, when: 'now' | 'when due' = 'when due'): void {
    if (when === 'when due' && steps % LOOK_STEPS !== 0) return;
    for (const { id, state, evidence } of this.#diagnosis.rows()) {
      if (state === 'bad' && !this.#firstBad.has(id)) this.#firstBad.set(id, steps);
      for (const { what, value } of evidence) {
        const key = `${id}: ${what}`;
        const [least, most] = this.#extremes.get(key) ?? [value, value];
        this.#extremes.set(key, [Math.min(least, value), Math.max(most, value)]);
      }
    }
  }

  result(): Pick<RigResult, 'firstBad' | 'extremes'> {
    return { firstBad: this.#firstBad, extremes: this.#extremes };
  }
}

const NO_COSTS = { interventions: 0, interventionSteps: 0, filterShare: 0, tankDrainJ: 0, marginMin: 1 };

/** What a node and a learner would write, and what is told of it. */
class Book {
  readonly record: TrainingRecord;
  readonly #training: Training;
  readonly #maxSteps: number;
  readonly #diagnosis: Diagnosis = new Diagnosis();
  readonly #records: MetricRecord[] = [];
  readonly #looks = new Looks(this.#diagnosis);
  #steps = 0;

  constructor(folder: string, training: Training, environment: BrokenEnvironment, spec: RigSpec) {
    const { contract, agent } = training;
    this.#training = training;
    this.#maxSteps = spec.broken?.maxSteps ?? environment.maxSteps;
    this.record = new TrainingRecord({
      path: join(folder, 'metrics-learner.jsonl'),
      contract,
      config: agent.config,
      maxSteps: this.#maxSteps,
      onFault: () => undefined,
      onRecord: (record) => this.#keep(record),
    });
    this.#write({
      kind: 'setup',
      stateSize: environment.parts.stateSize,
      actionSize: environment.actionSize,
      maxSteps: this.#maxSteps,
      periodS: environment.periodS,
      isRealTime: false,
      demonstrations: spec.demonstrations ?? 0,
      learner: learnerFigures(agent.config),
    });
  }

  /** A step was made: the learner takes it, and it is counted. */
  taken(t: Transition): void {
    if (t.source !== 'demo') this.#steps++;
    void this.#training.take(t);
    this.record.demonstration(t, 'arm');
    if (t.source !== 'demo') this.record.transition(t, 'arm', this.#training.replay.counts().online);
    for (const due of this.#diagnosis.step(t)) this.#write(due);
  }

  look(steps: number, when?: 'now'): void {
    this.#looks.at(steps, when);
  }

  /** A training episode is over. */
  episode(t: Transition, success: boolean, returnSum: number): void {
    const { episode, policyVersion } = t;
    const whole = t.terminated || t.step + 1 >= this.#maxSteps;
    this.#write({
      kind: 'episode',
      episode,
      purpose: 'training',
      success,
      steps: t.step + 1,
      returnSum,
      ...(whole ? {} : { cutBy: 'a stop' }),
      ...NO_COSTS,
      policyVersion,
    });
  }

  result(): Omit<RigResult, 'success'> {
    for (const due of this.#diagnosis.rest()) this.#write(due);
    return { ...this.#looks.result(), rows: this.#diagnosis.rows(), records: this.#records };
  }

  #write(record: UnstampedRecord): void {
    this.#keep({ ...record, tS: 0, envStep: this.#steps } as MetricRecord);
  }

  #keep(record: MetricRecord): void {
    this.#records.push(record);
    this.#diagnosis.add(record);
  }
}

/** An environment behind sensors, motors and a judge that may be wrong. */
class BrokenEnvironment implements Environment {
  readonly #inner: Environment;
  readonly #broken: Breakage;
  readonly #rng: Rng;
  readonly #action: Float32Array;
  readonly observation: Float32Array;
  readonly executedAction: Float32Array;
  reward = 0;
  cost = 0;
  /** Steps of the run so far. */
  steps = 0;
  /** Demonstrations have the time that they need. */
  isTraining = false;
  #step = 0;
  /** The first observation of the run. */
  #first: Float32Array | undefined;

  constructor(inner: Environment, broken: Breakage, rng: Rng) {
    this.#inner = inner;
    this.#broken = broken;
    this.#rng = rng;
    this.#action = new Float32Array(inner.actionSize);
    this.observation = inner.observation.slice();
    this.executedAction = new Float32Array(inner.actionSize);
  }

  get name(): string {
    return this.#inner.name;
  }

  get parts(): Environment['parts'] {
    return this.#inner.parts;
  }

  get actionSize(): number {
    return this.#inner.actionSize;
  }

  get maxSteps(): number {
    return (this.isTraining ? this.#broken.maxSteps : undefined) ?? this.#inner.maxSteps;
  }

  get periodS(): number {
    return this.#inner.periodS;
  }

  get isTerminated(): boolean {
    return this.#inner.isTerminated;
  }

  get isSuccess(): boolean | undefined {
    return this.#inner.isSuccess;
  }

  reset(rng: Rng): void {
    this.#inner.reset(rng);
    this.#step = 0;
    this.#show();
  }

  step(action: Float32Array): void {
    const { reward } = this.#broken;
    const { actionLimit = 1, actionScale = 1 } = this.isTraining ? this.#broken : {};
    let isChanged = false;
    for (let i = 0; i < action.length; i++) {
      const asked = Math.max(-1, Math.min(1, action[i]!));
      const allowed = Math.max(-actionLimit, Math.min(actionLimit, asked));
      isChanged ||= allowed !== asked;
      this.#action[i] = allowed * actionScale;
    }
    this.#inner.step(this.#action);
    for (let i = 0; i < action.length; i++) this.executedAction[i] = this.#action[i]! / (actionScale || 1);
    this.cost = isChanged ? 1 : 0;
    this.reward = this.#inner.reward;
    if (reward !== undefined) this.reward = reward(this.reward, { step: this.#step, steps: this.steps });
    this.#step++;
    this.#show();
  }

  close(): void {
    this.#inner.close();
  }

  #show(): void {
    this.observation.set(this.#inner.observation);
    this.#first ??= this.observation.slice();
    this.#broken.observe?.(this.observation, { rng: this.#rng, first: this.#first });
  }
}
