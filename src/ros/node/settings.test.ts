import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeError } from '../../model/index.ts';
import { LIVE_COMMAND, openLiveFolder } from '../../session/run-folder.ts';
import { leaveMark, nodeHelp } from './run-node.ts';
import { asParameters, configOf, declarationsOf, NODE_PARAMETERS, nodeRequest, rosArgumentsOf } from './settings.ts';

function settingsOf(argv: readonly string[]) {
  const request = nodeRequest(argv);
  return { ...request, config: configOf(request) };
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-settings-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const withParameters = (...values: string[]) => settingsOf(['--ros-args', ...values.flatMap((value) => ['-p', value])]);

describe('settings of a node', () => {
  it('are those of the task insert where nothing is given', () => {
    const settings = settingsOf([]);
    expect(settings.identity.fullName).toBe('/rein');
    expect(settings).toMatchObject({ robotId: 'robot1', operator: 'none', pad: 'xbox', jointStatesHz: 0 });
    expect(settings.config.task.name).toBe('insert');
    for (const name of ['learner', 'policy', 'out'] as const) expect(settings[name]).toBeUndefined();
  });

  it('serve a monitor on this machine, elsewhere with files, or none', () => {
    expect(withParameters().monitor).toBeUndefined();
    expect(withParameters('monitor:=none').monitor).toBe('off');
    const elsewhere = withParameters(
      'monitor:=0.0.0.0:7400',
      'monitor_token:=token',
      'monitor_cert:=c',
      'monitor_key:=k',
    );
    const files = { monitorToken: 'token', monitorCert: 'c', monitorKey: 'k' };
    expect(elsewhere).toMatchObject({ monitor: '0.0.0.0:7400', ...files });
  });

  it('take parameters over files, and files of the node under its whole name', () => {
    const file = join(folder, 'params.yaml');
    writeFileSync(file, '/arm1/left:\n  ros__parameters:\n    seed: 3\n    settings: { task: { maxSteps: 40 } }\n');
    const argv = ['--ros-args', '-r', '__ns:=/arm1', '-r', '__node:=left', '--params-file', file];
    const settings = settingsOf([...argv, '-p', 'operator:=joy']);
    expect(settings.identity.fullName).toBe('/arm1/left');
    expect(settings.config.seed).toBe(3);
    expect(settings.config.task.maxSteps).toBe(40);
    expect(settings.operator).toBe('joy');
    expect(settingsOf(['--ros-args', '--params-file', file]).config.seed).toBe(0);
  });

  it('take lists of numbers, whole ones too, which replace those of the file', () => {
    const home = withParameters().config.robot.homeRad.map((rad, i) => (i === 5 ? 1 : rad));
    const { config } = withParameters(`settings.robot.homeRad:=[${home.map((rad) => rad.toFixed(6)).join(', ')}]`);
    // The wrist's last joint: it does not move the tool.
    expect(config.robot.homeRad[5]).toBe(1);
    expect(config.robot.homeRad[1]).toBeCloseTo(home[1] ?? Number.NaN, 5);
    expect(withParameters('settings.learner.actorHidden:=[64, 32]').config.learner.actorHidden).toEqual([64, 32]);
  });

  it('are what remedies name that rein run has options for', async () => {
    const { config } = withParameters('robot:=arm6', 'seed:=3');
    const { path } = await openLiveFolder({ ...config, run: { command: LIVE_COMMAND } }, folder);
    const error = await openLiveFolder({ ...config, seed: 4 }, path).catch((caught: unknown) => caught);
    expect(asParameters(describeError(error, 'rein node'))).toContain(
      'Carry it on with seed:=3, or choose another folder with out:=.',
    );
  });

  it('refuse a learner for a task in which nothing is judged', () => {
    const driven = ['task:=reach-judged', 'settings.task.isJudged:=false'];
    expect(withParameters(...driven).config.task).toMatchObject({ isJudged: false });
    expect(() => withParameters(...driven, 'learner:=tcp://127.0.0.1:7')).toThrow(/isJudged: isJudged is false: /);
  });

  it('take a robot by name and by path, from where the node was started', () => {
    expect(withParameters('robot:=arm6').config.robot.name).toBe('arm6');
    const refusal = {
      message: expect.stringMatching(/^the parameter robot: nowhere\.yaml: there is no such file/),
      remedy: expect.stringMatching(`its path, which counts from ${process.cwd()}$`),
    };
    expect(() => withParameters('robot:=nowhere.yaml')).toThrow(expect.objectContaining(refusal));
    const setting = { ...refusal, message: expect.stringMatching(/settings\.task\.robot: nowhere\.yaml: there is no/) };
    expect(() => withParameters('settings.task.robot:=./nowhere.yaml')).toThrow(expect.objectContaining(setting));
  });

  it.each([
    ['an unknown name', 'taks:=insert', 'there is no parameter "taks"'],
    ['an unknown key of the configuration', 'settings.task.maxStps:=3', 'settings.task.maxStps: unknown key "maxStps"'],
    ['a wrong type', 'seed:=many', 'seed is "many", it must be a whole number'],
    [
      'a number out of range',
      'settings.robot.limitMarginRad:=7.0',
      'settings.robot.limitMarginRad: limitMarginRad is 7',
    ],
    ['a word that is none of the choices', 'operator:=ghost', 'operator is "ghost", it must be'],
    ['a list that is too short', 'settings.robot.homeRad:=[0.0, 1.0]', 'settings.robot.homeRad: '],
    ['a list where a number is wanted', 'settings.task.maxSteps:=[1, 2]', 'settings.task.maxSteps: maxSteps'],
    ['words where numbers are wanted', 'settings.robot.homeRad:=[a, b]', 'settings.robot.homeRad: '],
    [
      'fractions where whole numbers are wanted',
      'settings.learner.hiddenSizes:=[0.5]',
      'settings.learner.hiddenSizes: ',
    ],
    [
      'a number of one joint',
      'settings.robot.joints.elbow.velocityMaxRadPerS:=1.0',
      "what one joint can do is said by the robot's file alone",
    ],
    ['a limit that the task breaks', 'settings.robot.controlHz:=15.0', 'policyHz'],
    ['a name for a robot that no file may have', 'robot_id:=a/b', 'robot_id is "a/b", it must be 1 to 64 letters'],
  ])('refuse %s, and name it', (_, value, message) => {
    expect(() => withParameters(value)).toThrow(message);
  });

  it('refuse arguments that are not for ROS', () => {
    expect(() => settingsOf(['insert'])).toThrow('"insert" is not understood');
  });
});

describe('parameters', () => {
  const { config } = settingsOf([]);
  const declared = new Map(declarationsOf(config).map((declaration) => [declaration.name, declaration]));

  it('hold every number, word and list of numbers of the configuration, with its words, unit and range', () => {
    expect(declared.get('settings.task.maxSteps')).toMatchObject({ type: 'integer', default: 80, isReadOnly: true });
    expect(declared.get('settings.robot.limitMarginRad')).toMatchObject({
      type: 'double',
      default: 0.02,
      range: { min: 0, max: 0.5 },
      description: 'Distance kept from every position limit; a joint may have its own. Unit: rad.',
    });
    expect(declared.get('settings.robot.homeRad')).toMatchObject({ type: 'double_array' });
    expect(declared.get('settings.task.hole.clearanceM')).toMatchObject({ type: 'double', default: 0.0005 });
    expect(declared.get('settings.learner.utd')).toBeDefined();
    expect(declared.get('settings.robot.joints.elbow.accelMaxRadPerS2')).toMatchObject({
      type: 'double',
      default: 20,
      isReadOnly: true,
      range: { min: 0, max: 1000 },
    });
  });

  it('have no name that is the beginning of another: ros2 param dump could not write both', () => {
    const names = [...declared.keys()];
    for (const name of names) expect(names.filter((other) => other.startsWith(`${name}.`))).toEqual([]);
  });

  it('all say what they are', () => {
    for (const { name, description } of declared.values()) expect(description, name).not.toBe('');
  });

  it('are fixed once the node runs, but for the rate of joint_states', () => {
    const changeable = [...declared.values()].filter(({ isReadOnly }) => isReadOnly !== true);
    expect(changeable.map(({ name }) => name)).toEqual(['joint_states_rate']);
  });

  it('are taught by --help', () => {
    for (const { name } of NODE_PARAMETERS) expect(nodeHelp()).toContain(`\n  ${name} (`);
  });
});

describe('what the guard is told of ROS', () => {
  it('is the namespace and the remaps of topics, and not the name of the node', () => {
    const argv = ['--ros-args', '-r', '__ns:=/arm1', '-r', '__node:=left', '-r', 'joint_states:=/js', '-p', 'seed:=1'];
    expect(rosArgumentsOf(nodeRequest(argv))).toEqual(['--ros-args', '-r', '__ns:=/arm1', '-r', 'joint_states:=/js']);
  });
});

describe('what the guard is told of ROS besides', () => {
  it('is the clock that commands are stamped by, and no remap of another node', () => {
    const remaps = ['-r', 'other:joint_states:=/theirs', '-r', 'rein:odom:=/ours'];
    expect(rosArgumentsOf(nodeRequest(['--ros-args', ...remaps, '-p', 'use_sim_time:=true']))).toEqual([
      '--ros-args',
      '-r',
      '__ns:=/',
      '-r',
      'odom:=/ours',
      '-p',
      'use_sim_time:=true',
    ]);
  });
});

describe('the mark of a node', () => {
  it('tells a successor that the one before died without a word, and nothing after an orderly end', () => {
    const first = leaveMark('/arm1/rein', '3', folder);
    expect(first.hasStaleNode).toBe(false);
    first.clear();
    expect(leaveMark('/arm1/rein', '3', folder).hasStaleNode).toBe(false);
    writeFileSync(join(folder, '3-arm1-rein.pid'), '999999999');
    expect(leaveMark('/arm1/rein', '3', folder).hasStaleNode).toBe(true);
    expect(leaveMark('/arm1/rein', '4', folder).hasStaleNode).toBe(false);
  });

  it('of one that lives is left alone', () => {
    writeFileSync(join(folder, '0-rein.pid'), String(process.ppid));
    const second = leaveMark('/rein', '0', folder);
    expect(second.hasStaleNode).toBe(false);
    second.clear();
    expect(leaveMark('/rein', '0', folder).hasStaleNode).toBe(false);
  });
});
