/** Described tasks as a kind: consistency checks of file, scene and robot, and the demonstrator. */

import { isMujoco, isRos, signalsOf, worldOf } from '../../drivers/index.ts';
import { didYouMean, limitMarginOf, messageOf, ReinError, TOOL_AXES, withoutFullStop } from '../../model/index.ts';
import { placeSignals, readSceneFile, type SceneFile } from '../../plant/index.ts';
import { type OperatorContext, PlaceMover, PlacePicker, type TeleopSource } from '../../teleop/index.ts';
import { StartPose } from '../start-pose.ts';
import { NOBODY, type TaskKind, type TaskProblem, type TaskRobot } from '../task-kind.ts';
import { DescribedTask, fieldName, placesIn, usedPlaces } from './described-task.ts';
import { isDrawn, OWN_PLACES } from './places.ts';
import { resetPlanOf, resetProblems } from './reset.ts';
import { AXES, ruleProblems } from './rules.ts';
import { type DescribedTaskConfig, describedTaskSchema } from './schema.ts';

export const describedKind: TaskKind<DescribedTaskConfig> = {
  kind: 'described',
  schema: describedTaskSchema,
  create: (config, robot) => new DescribedTask(config, robot),
  places: placesIn,
  problems: problemsOf,
  narrowed,
  reset: (config, robot) => resetPlanOf(config.reset, { ...config, robot, places: placesIn(config) }),
  withPaths: ({ scene, reset, ...config }, from) => ({
    ...config,
    ...(scene === undefined ? {} : { scene: { ...scene, file: from(scene.file) } }),
    reset: reset.policy === undefined ? reset : { ...reset, policy: from(reset.policy) },
  }),
  needsPeople: (config) => {
    if (config.reset.by === 'people') return 'arrange';
    return isJudged(config) ? undefined : 'judge';
  },
  operator: (config, context) => (context.role === 'overseer' ? NOBODY : demonstratorOf(config, context)),
  surroundings: (config) => {
    const places = [...new Set(thingsIn(config).map(({ name }) => name))];
    return config.scene === undefined ? { places } : { file: config.scene.file, places };
  },
};

/** Restricts the robot to the task's workspace and sets its home to the start of an episode, without the spread. */
function narrowed<R extends TaskRobot>({ workspace, start }: DescribedTaskConfig, robot: R): R {
  const { toolM, jointsRad } = start;
  const startRad = toolM === undefined ? jointsRad : new StartPose(robot, '').at(toolM, 0);
  if (workspace === undefined && startRad === undefined) return robot;
  return { ...robot, workspace: workspace ?? robot.workspace, homeRad: startRad ?? robot.homeRad };
}

/** Uses of bodies and sites of the scene. */
function thingsIn(config: DescribedTaskConfig): ReturnType<typeof usedPlaces> {
  return usedPlaces(config).filter(({ name }) => !OWN_PLACES.includes(name as never));
}

function demonstratorOf(
  config: DescribedTaskConfig,
  { observation, action, seed }: Omit<OperatorContext, 'options'>,
): TeleopSource {
  const { demonstrator } = config;
  if (demonstrator === undefined) return nobodyShows(config);
  const { kind, place, to, ...hand } = demonstrator;
  if (kind === 'pickUp') {
    const [toThing, toGoal] = [seenWay(config, place, 'tool')!, seenWay(config, to, place)!];
    return new PlacePicker({ ...hand, observation, action, seed, toThing, toGoal });
  }
  const thing = kind === 'pushTo' ? place : 'tool';
  return new PlaceMover({
    ...hand,
    observation,
    action,
    seed,
    toThing: kind === 'pushTo' ? seenWay(config, thing, 'tool') : undefined,
    toGoal: seenWay(config, to, thing)!,
  });
}

/** Observation field that shows `place` relative to `from`, and its scale. */
function seenWay({ observation }: DescribedTaskConfig, place: string, from: string) {
  const seen = observation.places.find((one) => one.place === place && one.from === from);
  return seen && { field: fieldName(seen), scaleM: seen.scaleM };
}

/** Throws only when a demonstration is requested: an operator may demonstrate the task instead. */
function nobodyShows({ name, demonstrations }: DescribedTaskConfig): TeleopSource {
  return {
    ...NOBODY,
    reset: () => {
      throw new ReinError('task', `Task ${name} wants ${demonstrations} demonstrations, and no script gives them.`, {
        remedy:
          'Show them yourself (rein sim --demonstrations keyboard), name a demonstrator in its file, or write demonstrations: 0.',
      });
    },
  };
}

function problemsOf(task: DescribedTaskConfig, robot: TaskRobot, isActionRight: boolean): readonly TaskProblem[] {
  if (robot.base !== undefined) {
    const message = `robot "${robot.name}" is a mobile base, and described tasks are about an arm's tool: take kind operatorJudged or plugin`;
    return [{ path: ['robot'], message }];
  }
  if (worldOf(robot.driver) === 'scene') {
    const message = `robot "${robot.name}" is simulated in the scene of peg insertion: name a robot with its own model (driver.model), or with a driver of another kind`;
    return [{ path: ['robot'], message }];
  }
  const scene = sceneIn(task);
  if ('path' in scene) return [scene];
  const places = [...checkPlaces(task, scene), ...checkBodies(task, scene)];
  return [
    ...places,
    ...checkStart(task, robot),
    ...checkRules(task, robot),
    ...(places.length > 0 ? [] : checkMeasured(task, robot)),
    ...(isActionRight && places.length === 0 ? checkDemonstrator(task) : []),
  ];
}

/** Names in the scene file, or the problem with it. */
function sceneIn({ scene }: DescribedTaskConfig): SceneFile | TaskProblem {
  if (scene === undefined) return { bodies: [], sites: [] };
  try {
    return readSceneFile(scene.file);
  } catch (error) {
    return { path: ['scene', 'file'], message: withoutFullStop(messageOf(error)) };
  }
}

/** Checks that every named place exists, and that none is defined or observed twice. */
function checkPlaces(task: DescribedTaskConfig, scene: SceneFile): TaskProblem[] {
  const own = OWN_PLACES.filter((name) => name !== 'goal' || task.goal !== undefined);
  const known = [...own, ...scene.bodies.map(({ name }) => name), ...scene.sites];
  const problems: TaskProblem[] = usedPlaces(task).flatMap(({ path, name }) => {
    if (known.includes(name)) return [];
    const where = task.scene === undefined ? 'this task, which has no scene,' : 'the scene';
    const what = name === 'goal' ? 'the task has no goal, so there is' : `${where} has no place "${name}", there are`;
    return [{ path, message: `${what} ${known.join(', ')}${didYouMean(name, known)}` }];
  });
  const named = [...scene.bodies.map(({ name }) => ['body', name]), ...scene.sites.map((name) => ['site', name])];
  for (const [kind, name] of named) {
    if (!OWN_PLACES.includes(name as never)) continue;
    const message = `a ${kind} of the scene is called "${name}", which is a place of its own`;
    problems.push({ path: ['scene', 'file'], message });
  }
  const seen = new Set<string>();
  for (const [i, one] of task.observation.places.entries()) {
    const path = ['observation', 'places', i, 'place'];
    if (seen.has(fieldName(one))) problems.push({ path, message: `"${one.place}" is seen from "${one.from}" twice` });
    seen.add(fieldName(one));
    if (one.place === one.from) problems.push({ path, message: `"${one.place}" is seen from itself` });
    if (one.seesYaw && OWN_PLACES.includes(one.place as never)) {
      problems.push({ path: [...path.slice(0, 3), 'seesYaw'], message: `"${one.place}" has no yaw: omit seesYaw` });
    }
  }
  return problems;
}

/** Checks that bodies can be placed as the file asks. */
function checkBodies({ scene: written, goal }: DescribedTaskConfig, { bodies }: SceneFile): TaskProblem[] {
  const names = bodies.map(({ name }) => name);
  const problems: TaskProblem[] = [];
  const missing = (name: string): string =>
    `the scene has no body "${name}", there are ${names.join(', ') || 'none'}${didYouMean(name, names)}`;
  for (const [i, body] of (written?.bodies ?? []).entries()) {
    const path = ['scene', 'bodies', i];
    const found = bodies.find(({ name }) => name === body.name);
    if (found === undefined) problems.push({ path: [...path, 'name'], message: missing(body.name) });
    else if (!found.isTop) {
      const message = `"${body.name}" is a part of another body: only what stands in the world itself can be put in place`;
      problems.push({ path: [...path, 'name'], message });
    } else {
      for (const [k, axis] of AXES.entries()) {
        if (body.spreadM[k] === 0 || found.goes[k]) continue;
        const message = `"${body.name}" cannot be drawn along ${axis}: no joint of it goes there`;
        problems.push({ path: [...path, 'spreadM'], message });
      }
      if (body.yawSpreadRad > 0 && !found.goes[3]) {
        problems.push({
          path: [...path, 'yawSpreadRad'],
          message: `"${body.name}" cannot be turned: no joint of it does`,
        });
      }
    }
  }
  if (goal?.marker !== undefined && !names.includes(goal.marker)) {
    problems.push({ path: ['goal', 'marker'], message: missing(goal.marker) });
  }
  return problems;
}

/** Checks that the workspace lies within the robot's, and that the tool can reach start, goal and waypoints. */
function checkStart(task: DescribedTaskConfig, robot: TaskRobot): TaskProblem[] {
  const { action, workspace, start, goal, success, reset } = task;
  const { minM, maxM } = robot.workspace;
  for (const [k, axis] of AXES.entries()) {
    if (workspace === undefined) break;
    const [low, high] = [workspace.minM[k]!, workspace.maxM[k]!];
    if (low >= minM[k]! && high <= maxM[k]!) continue;
    const message = `workspace goes from ${low} to ${high} m in ${axis}, the robot's from ${minM[k]} to ${maxM[k]} m`;
    return [{ path: ['workspace'], message }];
  }
  const problems: TaskProblem[] = [];
  const box = workspace ?? robot.workspace;
  const arm = new StartPose(robot, '');
  const checkBox = (path: TaskProblem['path'], what: string, atM: readonly number[], spreadM: readonly number[]) => {
    for (const [k, axis] of AXES.entries()) {
      const [low, high] = [atM[k]! - spreadM[k]!, atM[k]! + spreadM[k]!];
      if (low >= box.minM[k]! && high <= box.maxM[k]!) continue;
      const message = `${what} reaches from ${metres(low)} to ${metres(high)} m in ${axis}, the workspace from ${box.minM[k]} to ${box.maxM[k]} m`;
      problems.push({ path, message });
      return false;
    }
    return true;
  };
  const check = (path: TaskProblem['path'], what: string, atM: readonly number[], spreadM: readonly number[]): void => {
    if (!checkBox(path, what, atM, spreadM)) return;
    for (let corner = 0; corner < 8; corner++) {
      const at = atM.map((v, k) => v + ((corner >> k) & 1 ? 1 : -1) * spreadM[k]!) as [number, number, number];
      if (arm.find(at, 0) !== undefined) continue;
      const message = `robot "${robot.name}" cannot bring its tool to ${at.map(metres).join(', ')} (m), as it stands at home`;
      problems.push({ path, message });
      return;
    }
  };
  if (start.toolM !== undefined && start.jointsRad !== undefined) {
    problems.push({ path: ['start', 'jointsRad'], message: 'start has both toolM and jointsRad: it is either' });
  } else if (start.toolM !== undefined) check(['start', 'toolM'], 'start', start.toolM, start.spreadM);
  else problems.push(...checkStartJoints(start, robot));
  const isToolThere = [...success.all, ...success.any].some(
    (rule) => rule.rule === 'near' && rule.place === 'tool' && rule.to === 'goal' && rule.axes.length === 3,
  );
  // Joint actions may bring the tool there in any orientation: only the workspace is checked.
  const checkGoal = action.kind === 'joint' ? checkBox : check;
  if (isToolThere && goal !== undefined) checkGoal(['goal', 'atM'], 'goal', goal.atM, goal.spreadM);
  for (const [i, { toolM, jointsRad }] of reset.waypoints.entries()) {
    const path = ['reset', 'waypoints', i];
    if (toolM !== undefined) check([...path, 'toolM'], 'the waypoint', toolM, [0, 0, 0]);
    if (jointsRad === undefined) continue;
    problems.push(...checkJoints(robot, [...path, 'jointsRad'], `reset.waypoints[${i}].jointsRad`, jointsRad, 'be'));
  }
  for (const [i, rule] of success.all.entries()) {
    if (rule.rule !== 'inside' || rule.place !== 'tool') continue;
    const k = AXES.findIndex((_, axis) => rule.minM[axis]! > box.maxM[axis]! || rule.maxM[axis]! < box.minM[axis]!);
    if (k < 0) continue;
    const message = `the tool is never there: in ${AXES[k]} the workspace goes from ${box.minM[k]} to ${box.maxM[k]} m`;
    problems.push({ path: ['success', 'all', i, 'minM'], message });
  }
  return problems;
}

function checkStartJoints(
  { jointsRad, spreadRad, spreadM }: DescribedTaskConfig['start'],
  robot: TaskRobot,
): TaskProblem[] {
  if (spreadM.some((spread) => spread > 0)) {
    return [{ path: ['start', 'spreadM'], message: 'start.spreadM goes with start.toolM, which is missing' }];
  }
  const path = ['start', jointsRad === undefined ? 'spreadRad' : 'jointsRad'];
  return checkJoints(robot, path, 'start.jointsRad', jointsRad ?? robot.homeRad, 'start', spreadRad);
}

/** Checks that there is one number per joint, within its limits. */
function checkJoints(
  robot: TaskRobot,
  path: TaskProblem['path'],
  key: string,
  jointsRad: readonly number[],
  verb: 'start' | 'be',
  spreadRad = 0,
): TaskProblem[] {
  const { joints } = robot;
  if (jointsRad.length !== joints.length) {
    const message = `${key} has ${jointsRad.length} numbers, the robot has ${joints.length} joints`;
    return [{ path, message }];
  }
  return joints.flatMap((joint, i) => {
    const { name, positionMinRad, positionMaxRad } = joint;
    const margin = limitMarginOf(joint, robot);
    const [low, high] = [positionMinRad + margin, positionMaxRad - margin];
    const [from, to] = [jointsRad[i]! - spreadRad, jointsRad[i]! + spreadRad];
    if (from >= low && to <= high) return [];
    const where = spreadRad === 0 ? `at ${metres(from)}` : `from ${metres(from)} to ${metres(to)}`;
    return [
      { path, message: `joint "${name}" would ${verb} ${where}, it may be from ${metres(low)} to ${metres(high)}` },
    ];
  });
}

/** True if software can detect success: by rules, or by a classifier. */
function isJudged({ success, rewardClassifier }: DescribedTaskConfig): boolean {
  return success.all.length + success.any.length > 0 || rewardClassifier !== undefined;
}

/** Checks that rules are present and satisfiable. */
function checkRules(task: DescribedTaskConfig, robot: TaskRobot): TaskProblem[] {
  const { success, failure, reset, phaseSwitch, maxSteps } = task;
  const problems: TaskProblem[] = [];
  if (!isJudged(task) && !success.byMarks) {
    const message =
      'success is never decided: it needs rules (all, any), or byMarks: true, or the task a rewardClassifier';
    problems.push({ path: ['success'], message });
  }
  return [
    ...problems,
    ...tooLong(['success'], success.forSteps, maxSteps),
    ...tooLong(['reset'], reset.forSteps, reset.maxSteps),
    ...tooLong(['phaseSwitch'], phaseSwitch?.forSteps ?? 1, maxSteps),
    ...ruleProblems(success.all, ['success', 'all'], robot),
    ...ruleProblems(success.any, ['success', 'any'], robot),
    ...ruleProblems(failure.any, ['failure', 'any'], robot),
    ...ruleProblems(reset.all, ['reset', 'all'], robot),
    ...ruleProblems(reset.any, ['reset', 'any'], robot),
    ...resetProblems(reset, task),
  ];
}

/** Rejects a condition that must hold for more steps than an episode has. */
function tooLong(path: readonly string[], forSteps: number, maxSteps: number): TaskProblem[] {
  if (forSteps <= maxSteps) return [];
  const message = `${path}.forSteps is ${forSteps}, and there are ${maxSteps} steps: it is never reached`;
  return [{ path: [...path, 'forSteps'], message }];
}

/** Checks that the robot measures all that the task needs, and that all randomised places are actually placed. */
function checkMeasured(task: DescribedTaskConfig, robot: TaskRobot): TaskProblem[] {
  const { driver, name } = robot;
  const { goal, scene, observation, success, failure, reset, phaseSwitch } = task;
  const problems: TaskProblem[] = [];
  const isSimulated = isMujoco(driver);
  const given = signalsOf(driver) ?? [];
  const lacking = (names: readonly string[]): string[] => names.filter((signal) => !given.includes(signal));
  // A custom driver is checked when it is opened.
  const isAsked = driver.kind === 'plugin';
  const seen = new Set<string>();
  for (const { path, name: thing } of isSimulated || isAsked ? [] : thingsIn(task)) {
    // Reported once per thing, at its first use.
    if (seen.has(thing)) continue;
    seen.add(thing);
    const signals = lacking(placeSignals(thing));
    if (signals.length === 0) continue;
    const how =
      signalsOf(driver) !== undefined && !isRos(driver)
        ? `give its driver the signals ${signals.join(', ')}, of an encoder or fixed (driver.signals)`
        : isRos(driver)
          ? `give its driver the signals ${signals.join(', ')} by topic (driver.signals), as a marker's reader publishes them`
          : 'only a simulated robot (driver.model), or one behind ROS 2 with signals by topic, does';
    problems.push({ path, message: `robot "${name}" does not measure where the "${thing}" is: ${how}` });
  }
  const isReal = isRos(driver) ? driver.scene === undefined : signalsOf(driver) !== undefined;
  const isDrawnBySoftware = reset.by === 'simulator' && !isReal;
  if (goal !== undefined && isDrawn(goal) && !isDrawnBySoftware && !isAsked) {
    const signals = lacking(placeSignals('goal').slice(0, 3));
    const message = `goal.spreadM needs a simulated reset, and robot "${name}" has none: leave goal.spreadM out, or give the signals ${signals.join(', ')} by topic`;
    if (signals.length > 0) problems.push({ path: ['goal', 'spreadM'], message });
  }
  // A reset policy brings things to where its rules require.
  const areDrawn = isDrawnBySoftware || isAsked || reset.by === 'policy';
  for (const [i, body] of (areDrawn ? [] : (scene?.bodies ?? [])).entries()) {
    const key = body.yawSpreadRad > 0 ? 'yawSpreadRad' : 'spreadM';
    if (body.yawSpreadRad === 0 && !isDrawn(body)) continue;
    const message = `${key} of "${body.name}" needs a simulated reset, and robot "${name}" has none: leave ${key} out`;
    problems.push({ path: ['scene', 'bodies', i, key], message });
  }
  if (feelsForce(robot, task)) return problems;
  const blind = `robot "${name}" does not measure the force on its tool`;
  const why = isSimulated
    ? `${blind}: without a scene there is nothing to touch`
    : `${blind}${isRos(driver) ? ': its driver has no wrench' : ''}`;
  if (observation.wrench) problems.push({ path: ['observation', 'wrench'], message: why });
  for (const [key, rules] of [
    ['success.all', success.all],
    ['success.any', success.any],
    ['failure.any', failure.any],
    ['reset.all', reset.all],
    ['reset.any', reset.any],
    ['phaseSwitch.all', phaseSwitch?.all ?? []],
    ['phaseSwitch.any', phaseSwitch?.any ?? []],
  ] as const) {
    for (const [i, rule] of rules.entries()) {
      if (rule.rule === 'force') problems.push({ path: [...key.split('.'), i, 'rule'], message: why });
    }
  }
  return problems;
}

function feelsForce({ driver }: TaskRobot, { scene }: DescribedTaskConfig): boolean {
  if (isMujoco(driver)) return scene !== undefined;
  if (isRos(driver)) return driver.wrench !== undefined;
  return driver.kind === 'plugin';
}

/** Checks that the script can move the required axes, and observes the places that it needs. */
function checkDemonstrator(task: DescribedTaskConfig): TaskProblem[] {
  const { action, demonstrator } = task;
  if (demonstrator === undefined) return [];
  const { kind, place, to } = demonstrator;
  const names = action.dimensions.map(({ name }) => name);
  const needs = kind === 'pushTo' ? ['x', 'y'] : ['x', 'y', 'z'];
  const missing = needs.filter((axis) => !names.includes(axis));
  if (action.kind !== 'cartesian' || missing.length > 0) {
    const message = `the script ${kind} moves the tool along ${needs.join(', ')}: the action has to be cartesian, with these`;
    return [{ path: ['demonstrator', 'kind'], message }];
  }
  if (kind === 'pickUp' && names.every((name) => TOOL_AXES.includes(name))) {
    const message = 'the script pickUp closes a gripper: name its joint beside x, y and z in the action';
    return [{ path: ['demonstrator', 'kind'], message }];
  }
  const thing = kind === 'toPlace' ? 'tool' : place;
  if (kind !== 'toPlace' && place === 'tool') {
    const what = kind === 'pushTo' ? 'pushed' : 'gripped';
    return [{ path: ['demonstrator'], message: `demonstrator.place is missing: what is ${what}` }];
  }
  const ways =
    kind === 'toPlace'
      ? [[to, 'tool']]
      : [
          [place, 'tool'],
          [to, thing],
        ];
  return ways.flatMap(([seen, from]) => {
    if (seenWay(task, seen!, from!) !== undefined) return [];
    const message = `the script ${kind} sees what the policy sees, which is not where "${seen}" is from "${from}": add { place: ${seen}, from: ${from} } to observation.places`;
    return [{ path: ['demonstrator', 'kind'], message }];
  });
}

const metres = (value: number): string => String(Number(value.toPrecision(4)));
