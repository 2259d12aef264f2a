/**
 * A task defined entirely by its file: start, observation, success and failure, reward. Randomised or measured places of its
 * surroundings arrive as signals of the driver.
 */
import {
  type ActionSpec,
  type ObservationField,
  type ObservationSpec,
  ReinError,
  type Rng,
  type RobotModel,
} from '../../model/index.ts';
import { placeSignals } from '../../plant/index.ts';
import { emptyFrame, type GuardFrame, type SceneLayout } from '../../rows/index.ts';
import { type ObservedPart, previousExecutedPart, robotParts, writeParts } from '../robot-observation.ts';
import { StartPose } from '../start-pose.ts';
import { JUDGED_BY_PERSON, type Outcome, startsOver, type Task, type Verdict } from '../task.ts';
import { onceFields } from '../task-options.ts';
import { distanceBetween, isDrawn, Places } from './places.ts';
import { anyTest, placesOf, type Rule, type RuleTest, ruleTest, ruleWords } from './rules.ts';
import type { DescribedTaskConfig } from './schema.ts';

/** Maximum number of layouts drawn to find one in which the episode is not already over. */
const DRAWS = 200;

export class DescribedTask implements Task {
  readonly name: string;
  readonly observation: ObservationSpec;
  readonly action: ActionSpec;
  readonly signalNames: readonly string[];
  readonly maxSteps: number;
  readonly observationDelaySteps: number;
  readonly takesMarks: boolean;
  readonly hasRules: boolean;
  readonly isArrangedByPeople: boolean;
  readonly goal: string;
  /** Present if the first success rule concerns the tool. */
  readonly offset?: (frame: GuardFrame, out: Float64Array) => void;
  readonly #config: DescribedTaskConfig;
  readonly #robot: RobotModel;
  readonly #start: StartPose;
  readonly #parts: readonly ObservedPart[];
  readonly #isDone: RuleTest;
  readonly #isLost: RuleTest;
  /** Distance to the goal, m, and reward per metre of progress; absent: progress is not rewarded. */
  readonly #progress: { readonly distanceM: (frame: GuardFrame) => number; readonly perM: number } | undefined;
  /** Frame for judging a layout that has only been drawn. */
  readonly #drawn: GuardFrame;
  #doneSteps = 0;
  #distanceM = 0;

  /** Throws `RangeError` for unknown places and joints, and if the observation is empty. */
  constructor(config: DescribedTaskConfig, robot: RobotModel) {
    const { action, success, failure, reward, observation } = config;
    const places = placesIn(config);
    this.name = config.name;
    this.action = action;
    this.maxSteps = config.maxSteps;
    this.observationDelaySteps = config.observationDelaySteps;
    this.takesMarks = success.byMarks;
    this.hasRules = success.all.length + success.any.length > 0;
    this.isArrangedByPeople = config.reset.by === 'people';
    this.signalNames = places.signalNames;
    this.goal = goalWords(config);
    this.#config = config;
    this.#robot = robot;
    this.#start = new StartPose(robot, 'move start.toolM, or make start.spreadM smaller');
    this.#parts = [
      ...robotParts(observation, robot),
      ...observation.places.flatMap((seen) => placeParts(seen, places)),
      ...(observation.previousAction ? [previousExecutedPart(action.dimensions.length)] : []),
    ];
    if (this.#parts.length === 0) throw new RangeError('nothing is observed');
    const fields = this.#parts.map(({ field }) => field);
    this.observation = { frames: config.historyFrames, fields, ...onceFields(config, action) };
    this.#isDone = ruleTest(success.all, success.any, places, robot);
    this.#isLost = anyTest(failure.any, places, robot);
    const { progress } = reward;
    this.#progress = progress && {
      distanceM: distanceBetween(places.at(progress.place), places.at(progress.to), [0, 1, 2]),
      perM: progress.perM,
    };
    this.#drawn = emptyFrame(robot.joints.length, this.signalNames.length, action.dimensions.length, 0);
    const first = [...success.all, ...success.any][0];
    if (first?.rule === 'near' && first.place === 'tool') this.offset = wayTo(places, first.to);
  }

  begin(frame: GuardFrame): void {
    this.#doneSteps = 0;
    this.#distanceM = this.#progress?.distanceM(frame) ?? 0;
  }

  drawLayout(rng: Rng): SceneLayout {
    if (this.isArrangedByPeople) {
      throw new ReinError('task', `People arrange the scene of task ${this.name}; no layout can be drawn.`);
    }
    for (let draw = 1; ; draw++) {
      const layout = this.#draw(rng);
      const outcome = this.startsAs(this.#frameOf(layout));
      if (outcome === undefined) return layout;
      if (draw === DRAWS) throw startsOver(this.name, outcome, DRAWS);
    }
  }

  /** Ignores `forSteps`: with nothing moving, it would be reached without an action. */
  startsAs(frame: GuardFrame): Outcome | undefined {
    if (this.#isLost(frame)) return 'failure';
    return this.#isDone(frame) ? 'success' : undefined;
  }

  observe(out: Float32Array, offset: number, frame: GuardFrame, previousExecuted: Float32Array): void {
    writeParts(this.#parts, out, offset, frame, previousExecuted);
  }

  judge(frame: GuardFrame, out: Verdict): void {
    this.#doneSteps = this.#isDone(frame) ? this.#doneSteps + 1 : 0;
    const isLost = this.#isLost(frame);
    out.success = !isLost && this.#doneSteps >= this.#config.success.forSteps;
    out.terminated = out.success || isLost;
    out.reward = out.success ? 1 : 0;
    if (isLost) out.reward -= this.#config.failure.penalty;
    if (this.#progress !== undefined) {
      const { distanceM, perM } = this.#progress;
      const leftM = distanceM(frame);
      out.reward += perM * (this.#distanceM - leftM);
      this.#distanceM = leftM;
    }
  }

  #draw(rng: Rng): SceneLayout {
    const { goal, scene, start } = this.#config;
    const near = (atM: Triple, spreadM: Triple): [number, number, number] => [
      atM[0] + rng.uniformIn(-spreadM[0], spreadM[0]),
      atM[1] + rng.uniformIn(-spreadM[1], spreadM[1]),
      atM[2] + rng.uniformIn(-spreadM[2], spreadM[2]),
    ];
    const objects: Record<string, readonly [number, number, number, number]> = {};
    const signals: Record<string, number> = {};
    if (goal !== undefined) {
      const atM = near(goal.atM, goal.spreadM);
      if (goal.marker !== undefined) objects[goal.marker] = [...atM, 0];
      setSignals(signals, 'goal', [...atM, 0]);
    }
    for (const { name, atM, spreadM, yawRad, yawSpreadRad } of scene?.bodies ?? []) {
      const pose = [...near(atM, spreadM), yawRad + rng.uniformIn(-yawSpreadRad, yawSpreadRad)] as const;
      objects[name] = pose;
      setSignals(signals, name, pose);
    }
    const { toolM, spreadM, yawSpreadRad, jointsRad = this.#robot.homeRad, spreadRad } = start;
    if (toolM !== undefined) {
      const joints = this.#start.at(near(toolM, spreadM), rng.uniformIn(-yawSpreadRad, yawSpreadRad));
      return { jointsRad: joints, objects, signals };
    }
    return { jointsRad: jointsRad.map((at) => at + rng.uniformIn(-spreadRad, spreadRad)), objects, signals };
  }

  /** Frame of a drawn layout. Places that the file does not draw are unknown: NaN. */
  #frameOf({ jointsRad, signals }: SceneLayout): GuardFrame {
    const { robot, measuredTcp } = this.#drawn;
    robot.positionRad.set(jointsRad);
    measuredTcp.set(this.#start.toolAtM(jointsRad));
    for (const [i, name] of this.signalNames.entries()) robot.signals[i] = signals[name] ?? Number.NaN;
    return this.#drawn;
  }
}

type Triple = readonly [number, number, number];

/** Places used by `config`. */
export function placesIn(config: DescribedTaskConfig): Places {
  const used = usedPlaces(config).map(({ name }) => name);
  return new Places(used, config.goal);
}

/** Every use of a place in `config`, with the path of the key that names it. */
export function usedPlaces({
  observation,
  success,
  failure,
  reward,
  phaseSwitch,
  reset,
}: Pick<DescribedTaskConfig, 'observation' | 'success' | 'failure' | 'reward' | 'phaseSwitch' | 'reset'>): readonly {
  readonly path: readonly (string | number)[];
  readonly name: string;
}[] {
  const ofRules = (rules: readonly Rule[], path: readonly string[]) =>
    rules.flatMap((rule, i) => placesOf(rule).map(({ key, name }) => ({ path: [...path, i, key], name })));
  return [
    ...observation.places.flatMap(({ place, from }, i) => [
      { path: ['observation', 'places', i, 'place'], name: place },
      { path: ['observation', 'places', i, 'from'], name: from },
    ]),
    ...ofRules(success.all, ['success', 'all']),
    ...ofRules(success.any, ['success', 'any']),
    ...ofRules(failure.any, ['failure', 'any']),
    ...ofRules(phaseSwitch?.all ?? [], ['phaseSwitch', 'all']),
    ...ofRules(phaseSwitch?.any ?? [], ['phaseSwitch', 'any']),
    ...ofRules(reset.all, ['reset', 'all']),
    ...ofRules(reset.any, ['reset', 'any']),
    ...(reward.progress === undefined
      ? []
      : [
          { path: ['reward', 'progress', 'place'], name: reward.progress.place },
          { path: ['reward', 'progress', 'to'], name: reward.progress.to },
        ]),
  ];
}

/** Name of the field that shows `place` relative to `from`. */
export function fieldName({ place, from }: { readonly place: string; readonly from: string }): string {
  return `${place}_from_${from}`;
}

function placeParts(
  seen: DescribedTaskConfig['observation']['places'][number],
  places: Places,
): readonly ObservedPart[] {
  const { place, from, scaleM, seesYaw } = seen;
  const name = fieldName(seen);
  const to = places.at(place);
  const origin = places.at(from);
  const a = new Float64Array(3);
  const b = new Float64Array(3);
  const field: ObservationField = { name, size: 3, unit: `m / ${scaleM}`, frame: 'base' };
  const way: ObservedPart = {
    field,
    write: (out, at, frame) => {
      origin(frame, a);
      to(frame, b);
      for (let k = 0; k < 3; k++) out[at + k] = (b[k]! - a[k]!) / scaleM;
    },
  };
  if (!seesYaw) return [way];
  const signal = places.yawSignal(place);
  const turn: ObservedPart = {
    field: { name: `${place}_turn`, size: 2, unit: '1', frame: 'base' },
    write: (out, at, { robot }) => {
      out[at] = Math.cos(robot.signals[signal]!);
      out[at + 1] = Math.sin(robot.signals[signal]!);
    },
  };
  return [way, turn];
}

function wayTo(places: Places, name: string): (frame: GuardFrame, out: Float64Array) => void {
  const read = places.at(name);
  return (frame, out) => {
    read(frame, out);
    for (let k = 0; k < 3; k++) out[k]! -= frame.measuredTcp[k]!;
  };
}

function setSignals(signals: Record<string, number>, place: string, pose: readonly number[]): void {
  for (const [i, name] of placeSignals(place).entries()) signals[name] = pose[i]!;
}

function goalWords({ goal, success }: DescribedTaskConfig): string {
  const { all, any, forSteps, byMarks } = success;
  const rules = [all.map(ruleWords).join(' and '), any.map(ruleWords).join(' or ')].filter((text) => text !== '');
  if (rules.length === 0) return byMarks ? JUDGED_BY_PERSON : 'success is decided by its classifier';
  const steps = forSteps === 1 ? '' : `, for ${forSteps} steps`;
  const drawn = goal !== undefined && isDrawn(goal) ? ', which is drawn anew in each episode' : '';
  return `success is ${rules.join(', and ')}${drawn}${steps}${byMarks ? `; also ${JUDGED_BY_PERSON}` : ''}`;
}
