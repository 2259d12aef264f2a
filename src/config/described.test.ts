import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ReinError } from '../model/index.ts';
import { CONFIG_ROOT } from './names.ts';
import { resolveConfig } from './resolve.ts';
import { createSetup } from './setup.ts';

const folder = mkdtempSync(join(tmpdir(), 'rein-described-'));
afterAll(() => rmSync(folder, { recursive: true }));

function overlay(text: string): string {
  const path = join(folder, 'o.yaml');
  writeFileSync(path, text);
  return path;
}

/** All lines reported on `task` under the overlay `text`. */
function refusal(task: string, text: string): string {
  try {
    resolveConfig({ task, seed: 1, overlay: overlay(text) });
  } catch (error) {
    expect(error).toBeInstanceOf(ReinError);
    return (error as Error).message.replaceAll(/\S*\/o\.yaml/g, 'o.yaml');
  }
  throw new Error('it was taken');
}

const see = (place: string): string => `task: { observation: { places: [ ${place} ] } }`;
const success = (rule: string): string => `task: { success: { all: [ ${rule} ] } }`;
const reset = (keys: string): string => `task: { goal: { spreadM: [0, 0, 0] }, reset: { ${keys} } }`;

describe('a task that its file describes is refused in one sentence, with its place, for', () => {
  it.each([
    [
      'an observation of a body that the scene has not',
      'push',
      see('{ place: blok, from: tool }'),
      'o.yaml:1:43: the scene has no place "blok", there are tool, base, goal, block, mark, did you mean "block"?',
    ],
    [
      'a body in a task without a scene',
      'reach',
      see('{ place: block, from: tool }'),
      'this task, which has no scene, has no place "block", there are tool, base, goal',
    ],
    ['a way from a place to itself', 'push', see('{ place: goal, from: goal }'), '"goal" is seen from itself'],
    ['one way twice', 'push', see('{ place: goal }, { place: goal }'), '"goal" is seen from "tool" twice'],
    ['the turn of what has none', 'push', see('{ place: goal, seesYaw: true }'), '"goal" has no yaw'],
    [
      'a quantity that no robot has',
      'reach',
      'task: { observation: { jointPostions: true } }',
      'unknown key "jointPostions" in observation, did you mean "jointPositions"?',
    ],
    [
      'a force where nothing can be touched',
      'reach',
      'task: { observation: { wrench: true } }',
      'o.yaml:1:32: robot "arm7" does not measure the force on its tool: without a scene there is nothing to touch',
    ],
    [
      'a rule on a force that is not measured',
      'reach',
      success('{ rule: force, aboveN: 5 }'),
      'does not measure the force',
    ],
    ['a rule that nobody knows', 'push', success('{ rule: nera, place: block }'), 'did you mean "near"?'],
    [
      'a rule with a key of another',
      'push',
      success('{ rule: near, place: block, withinM: 0.1, aboveN: 5 }'),
      'unknown key "aboveN" in success.all[0]',
    ],
    [
      'a joint that the robot has not',
      'reach',
      success('{ rule: joint, joint: joint8, atRad: 0, withinRad: 0.1 }'),
      'robot "arm7" has no joint "joint8", it has joint1,',
    ],
    [
      'a joint where it cannot stand',
      'reach',
      success('{ rule: joint, joint: joint1, atRad: 3, withinRad: 0.05 }'),
      'joint "joint1" never gets there: it may be from',
    ],
    [
      'a box where the tool cannot be',
      'reach',
      success('{ rule: inside, place: tool, minM: [0.3, 0.4, 0.2], maxM: [0.5, 0.6, 0.4] }'),
      'the tool is never there: in y the workspace goes from -0.3 to 0.3 m',
    ],
    [
      'a success that lasts longer than an episode',
      'reach',
      'task: { success: { forSteps: 51 } }',
      'success.forSteps is 51, and there are 50 steps: it is never reached',
    ],
    [
      'an empty box',
      'push',
      success('{ rule: inside, place: block, minM: [0, 0, 0], maxM: [1, 0, 1] }'),
      'success.all[0].minM[1] and success.all[0].maxM[1] are both 0: lower the first or raise the second',
    ],
    ['no rule at all', 'push', 'task: { success: { all: [] } }', 'success is never decided'],
    [
      'a start outside the workspace',
      'reach',
      'task: { start: { spreadM: [0.5, 0, 0] } }',
      'start reaches from -0.08 to 0.92 m in x, the workspace from 0.28 to 0.62 m',
    ],
    [
      'a goal that the tool cannot reach',
      'reach',
      'task: { workspace: { minM: [0.2, -0.45, 0.02], maxM: [0.75, 0.45, 0.75] }, goal: { atM: [0.7, 0.4, 0.7], spreadM: [0, 0, 0] } }',
      'robot "arm7" cannot bring its tool to 0.7, 0.4, 0.7 (m)',
    ],
    [
      'a workspace beyond the robot’s',
      'reach',
      'task: { workspace: { maxM: [0.9, 0.3, 0.62] } }',
      "workspace goes from 0.28 to 0.9 m in x, the robot's from 0.2 to 0.75 m",
    ],
    [
      'a start in two ways',
      'reach',
      'task: { start: { jointsRad: [0, 0, 0, 0, 0, 0, 0] } }',
      'start has both toolM and jointsRad',
    ],
    [
      'a body that is not to be placed',
      'push',
      'task: { scene: { bodies: [ { name: bloc, atM: [0.5, 0, 0.03] } ] } }',
      'the scene has no body "bloc", there are block, mark, did you mean "block"?',
    ],
    [
      'a scene that is not there',
      'push',
      'task: { scene: { file: nowhere.xml } }',
      'nowhere.xml: there is no such file',
    ],
    [
      'a script that would move what the action has not',
      'push',
      'task: { demonstrator: { kind: toPlace } }',
      'the script toPlace moves the tool along x, y, z',
    ],
    [
      'a script that does not see where to',
      'push',
      see('{ place: block, from: tool }'),
      'add { place: goal, from: block } to observation.places',
    ],
    [
      'a robot that is simulated in another scene',
      'push',
      'task: { robot: arm6 }',
      'robot "arm6" is simulated in the scene of peg insertion',
    ],
    ['a mobile base', 'push', 'task: { robot: car }', 'robot "car" is a mobile base'],
    [
      'a body that no topic of a real robot gives',
      'push',
      'task: { robot: arm6-ros }',
      'robot "arm6" does not measure where the "block" is: give its driver the signals blockXM, blockYM, blockZM, blockYawRad by topic',
    ],
    [
      'a drawn goal where nobody draws',
      'reach',
      'task: { reset: { by: people } }',
      'goal.spreadM needs a simulated reset, and robot "arm7" has none: leave goal.spreadM out',
    ],
    [
      'a body that is drawn where nobody draws',
      'push',
      'task: { goal: { spreadM: [0, 0, 0] }, reset: { by: script } }',
      ' of "block" needs a simulated reset, and robot "arm7" has none: leave',
    ],
    [
      'a script that goes to joints that the robot has not',
      'reach',
      reset('by: script, waypoints: [{ toolM: [0.4, 0, 0.4], jointsRad: [0] }]'),
      'reset.waypoints[0].jointsRad has 1 numbers, the robot has 7 joints',
    ],
    [
      'a script that goes where a joint cannot be',
      'reach',
      reset('by: script, waypoints: [{ toolM: [0.4, 0, 0.4], jointsRad: [3, 0, 0, -1, 0, 1, 0] }]'),
      'joint "joint1" would be at 3, it may be from',
    ],
    [
      'a rule between places that stand still',
      'reach',
      success('{ rule: near, place: base, to: goal, withinM: 0.5 }'),
      'nothing that moves is in this rule: it holds always or never',
    ],
    [
      'a rule about one place',
      'push',
      success('{ rule: near, place: block, to: block, withinM: 0.5 }'),
      'nothing that moves is in this rule',
    ],
    [
      'a box in millimetres',
      'push',
      success('{ rule: inside, place: block, minM: [480, -20, 0], maxM: [520, 20, 100] }'),
      'the box is far from the robot: in x it goes from 480 to 520 m. Are these mm?',
    ],
    ['a policy that resets and has no name', 'reach', reset('by: policy'), 'reset.policy names none'],
    [
      'a policy that resets and never knows when it is there',
      'reach',
      reset('by: policy, policy: back'),
      'a reset by policy is never done',
    ],
    [
      'a script that goes where the joints cannot be told to',
      'reach',
      reset('by: script, waypoints: [{ jointsRad: [0] }]'),
      'waypoint 1 has no toolM, which a script needs for cartesian actions',
    ],
    [
      'a script that leaves the workspace',
      'reach',
      reset('by: script, waypoints: [{ toolM: [0.4, 0, 0.9] }]'),
      'the waypoint reaches from 0.9 to 0.9 m in z, the workspace from 0.1 to 0.52 m',
    ],
    [
      'a place of a reset that is not there',
      'reach',
      reset('by: policy, policy: back, all: [{ rule: inside, place: table, minM: [0, 0, 0], maxM: [1, 1, 1] }]'),
      'has no place "table"',
    ],
  ])('%s', (_name, task, text, expected) => {
    expect(refusal(task, text)).toContain(expected);
  });
});

it('refuses to ask a mock where a body is: it has none', () => {
  const robot = join(folder, 'arm7.yaml');
  const text = readFileSync(join(CONFIG_ROOT, 'robots/arm7.yaml'), 'utf8');
  writeFileSync(robot, text.replace('kind: mujoco', 'kind: mock').replace(/^ {2}model: .*$/m, ''));
  expect(refusal('push', `task: { robot: ${robot} }`)).toContain(
    'does not measure where the "block" is: only a simulated',
  );
  expect(resolveConfig({ task: 'reach', seed: 1, overlay: overlay(`task: { robot: ${robot} }`) }).task.name).toBe(
    'reach',
  );
});

it('names the line and column in a scene whose body slides elsewhere than it is drawn', () => {
  const scene = join(folder, 'slide.xml');
  writeFileSync(
    scene,
    '<mujoco><worldbody><body name="block"><joint type="slide" axis="1 0 0"/><geom size="0.03"/></body><body name="mark"/></worldbody></mujoco>',
  );
  const said = refusal('push', `task:\n  scene:\n    file: ${scene}`);
  expect(said).toMatch(/push\.yaml:\d+:\d+: "block" cannot be drawn along y: no joint of it goes there/);
  expect(said).toMatch(/push\.yaml:\d+:\d+: "block" cannot be turned/);
});

it('names a site of the scene that is called as a place of its own', () => {
  const scene = join(folder, 'site.xml');
  const bodies = '<body name="block"><freejoint/><geom size="0.03"/></body><body name="mark" mocap="true"/>';
  writeFileSync(scene, `<mujoco><worldbody><site name="goal"/>${bodies}</worldbody></mujoco>`);
  expect(refusal('push', `task:\n  scene:\n    file: ${scene}`)).toContain(
    'a site of the scene is called "goal", which is a place of its own',
  );
});

it('lets joints bring the tool to a goal however it is turned there', () => {
  const far =
    'workspace: { minM: [0.2, -0.45, 0.02], maxM: [0.75, 0.45, 0.75] }, goal: { atM: [0.7, 0.4, 0.7], spreadM: [0, 0, 0] }';
  const joints = 'action: { kind: joint, dimensions: [{ name: joint1, scale: 0.1, unit: rad }] }';
  expect(refusal('reach', `task: { ${far} }`)).toContain('cannot bring its tool');
  expect(refusal('reach', `task: { ${far}, ${joints} }`)).not.toContain('cannot bring its tool');
});

it('gives robot, guard and learner the workspace of the task, and the driver its scene by an absolute path', () => {
  const config = resolveConfig({ task: 'push', seed: 1 });
  expect(config.robot.workspace).toEqual({ minM: [0.3, -0.25, 0.02], maxM: [0.7, 0.25, 0.3] });
  const { driver, task, meaning } = createSetup(config);
  expect(driver.options).toMatchObject({
    signalNames: task.signalNames,
    surroundings: { file: expect.stringMatching(/^\/.*\/config\/tasks\/scenes\/push\.xml$/), places: ['block'] },
  });
  expect(task.signalNames).toEqual(['goalXM', 'goalYM', 'goalZM', 'blockXM', 'blockYM', 'blockZM', 'blockYawRad']);
  expect(meaning).toMatchObject({ 'task.success.forSteps': 1, 'robot.workspace.minM': [0.3, -0.25, 0.02] });
});
