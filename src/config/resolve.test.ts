import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { faultRow } from '../../tests/support/fault-row.ts';
import { DEFAULT_LEARNER_CONFIG, learnerSchema } from '../learner/options.ts';
import { ReinError, type RobotModel } from '../model/index.ts';
import { CONFIG_ROOT, configNames } from './names.ts';
import { type ConfigRequest, resolveConfig } from './resolve.ts';
import { loadResolvedConfig, resolvedConfigText } from './resolved-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'rein-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Messages show paths relative to the working directory if that is shorter, which depends on the location of this clone. */
function withoutFolder(message: string): string {
  return message.replaceAll(`${folder}/`, '').replaceAll(`${relative(process.cwd(), folder)}/`, '');
}

/** Refusal of `request`, without the scratch folder. */
function refusal(request: Partial<ConfigRequest>): string {
  try {
    resolveConfig({ task: 'insert', seed: 1, ...request });
  } catch (error) {
    expect(error).toBeInstanceOf(ReinError);
    return withoutFolder((error as ReinError).message);
  }
  return 'accepted';
}

function refusalOfOverlay(yaml: string): string {
  return refusal({ overlay: write('o.yaml', yaml) });
}

const shipped = (kind: string, name: string): string => readFileSync(join(CONFIG_ROOT, kind, `${name}.yaml`), 'utf8');

describe('what comes with Rein', () => {
  it.each(configNames('task'))('task %s loads with robot and learner', (task) => {
    const config = resolveConfig({ task, seed: 7, isSimulated: true });
    expect(config.task.name).toBe(task);
    expect(config.seed).toBe(7);
    expect(config.versions['node']).toBe(process.versions.node);
    const model: RobotModel = config.robot;
    expect(model.joints).toHaveLength(model.homeRad.length);
  });

  it('gives the learner the same defaults as the algorithms', () => {
    expect(learnerSchema.parse({})).toEqual(DEFAULT_LEARNER_CONFIG);
  });
});

describe('a list of named entries in an overlay', () => {
  it('is patched by name', () => {
    const plain = resolveConfig({ task: 'insert', seed: 1 }).robot.joints;
    const overlay = write('elbow.yaml', 'robot: { joints: { elbow: { velocityMaxRadPerS: 0.5 } } }');
    const { joints } = resolveConfig({ task: 'insert', seed: 1, overlay }).robot;
    const slowed = plain.map((joint) => (joint.name === 'elbow' ? { ...joint, velocityMaxRadPerS: 0.5 } : joint));
    expect(joints).toEqual(slowed);
  });

  it('refuses a name that it does not have', () => {
    expect(refusalOfOverlay('robot: { joints: { elbwo: { velocityMaxRadPerS: 0.5 } } }')).toMatch(
      /^o\.yaml:1:20: there is none named "elbwo" in the list, did you mean "elbow"\?, there are shoulder_pan, /,
    );
  });
});

describe('a judged task', () => {
  it('keeps the defaults of a group of which one key is set', () => {
    const value = { option: '--steps', path: ['task', 'training', 'steps'], value: 10 } as const;
    const { task } = resolveConfig({
      task: 'reach-judged',
      seed: 1,
      overrides: [value],
      overlay: write('judged.yaml', 'task: { target: { trainingWallS: 9 }, validation: { episodes: 2 } }'),
    });
    expect(task.training).toEqual({ steps: 10, minimumSteps: 0, stopAtValidation: 1 });
    expect(task.validation).toEqual({ everySteps: 100_000, episodes: 2 });
    expect(task.target).toEqual({ successRate: 0.9, trainingWallS: 9 });
  });
});

describe('mistakes', () => {
  it('in task, robot and learner are told at once', () => {
    const message = refusalOfOverlay('task: { polciyHz: 3 }\nrobot: { leashMm: 3 }\nlearner: { utdd: 3 }\n');
    expect(message.split('\n').map((line) => line.slice(0, 27))).toEqual([
      'o.yaml:1:9: unknown key "po',
      'o.yaml:2:10: unknown key "l',
      'o.yaml:3:12: unknown key "u',
    ]);
  });

  it('of syntax show the line and say how it is written', () => {
    const overlay = write('broken.yaml', 'task:\n  hole: { depthM: 0.1\n  peg: 3\n');
    const refused = (): unknown => resolveConfig({ task: 'insert', seed: 1, overlay });
    expect(refused).toThrow(/broken\.yaml:3:\d+: this is not YAML: .*: peg: 3/);
    expect(refused).toThrow(expect.objectContaining({ remedy: expect.stringContaining('"key: value" a line') }));
  });

  it.each([
    [
      'an unknown key',
      'task: { polciyHz: 3 }',
      /^o\.yaml:1:9: unknown key "polciyHz" here, did you mean "policyHz"\? Allowed are name, kind, .*target$/,
    ],
    [
      'a key below a group',
      'task:\n  hole: { colour: 3 }',
      'o.yaml:2:11: unknown key "colour" in hole, allowed are originM, clearanceM, chamferM, depthM, spreadM, yawSpreadRad',
    ],
    [
      'a key in another unit',
      'task:\n  hole: { clearanceMm: 0.4 }',
      'o.yaml:2:11: unknown key "clearanceMm" in hole, this value is given in m: write "clearanceM"',
    ],
    [
      'a value with a unit',
      'task:\n  hole:\n    chamferM: 0.5 mm',
      'o.yaml:3:15: hole.chamferM is "0.5 mm", it must be a number ≥ 0 and ≤ 0.02 (m) without its unit: write 0.0005',
    ],
    [
      'a value in another quantity',
      'task: { peg: { widthM: 3 kg } }',
      'o.yaml:1:24: peg.widthM is "3 kg", it must be a number > 0 and ≤ 0.2 (m) without its unit: write a plain number of m',
    ],
    [
      'a word for a number',
      'task: { maxSteps: many }',
      'o.yaml:1:19: maxSteps is many, it must be a whole number ≥ 1 and ≤ 100000 (steps)',
    ],
    [
      'a fraction for a whole number',
      'task: { maxSteps: 1.5 }',
      'o.yaml:1:19: maxSteps is 1.5, it must be a whole number ≥ 1 and ≤ 100000 (steps)',
    ],
    [
      'a value out of range',
      'task: { target: { successRate: 97 } }',
      'o.yaml:1:32: target.successRate is 97, it must be a number ≥ 0 and ≤ 1',
    ],
    [
      'an unknown word',
      'learner: { criticAggregation: maen }',
      'o.yaml:1:31: criticAggregation is "maen", it must be "mean" or "min", did you mean "mean"?',
    ],
    [
      'another constant',
      'task: { kind: pegInsertoin }',
      'o.yaml:1:15: kind is "pegInsertoin", it must be "pegInsertion" or "described" or "operatorJudged" or "plugin", did you mean "pegInsertion"?',
    ],
    ['yes for true', 'learner: { layerNorm: yes }', 'o.yaml:1:23: layerNorm is yes, it must be true or false'],
    ['nothing', 'task:\n  success:\n', 'o.yaml:2:11: success is empty, it must be a group of keys'],
    [
      'a list for a number',
      'task: { maxSteps: [80] }',
      'o.yaml:1:9: maxSteps is a list, it must be a whole number ≥ 1 and ≤ 100000 (steps)',
    ],
    ['a number for a group', 'task: { hole: 3 }', 'o.yaml:1:15: hole is 3, it must be a group of keys'],
    [
      'a list of another length',
      'task: { hole: { originM: [0.5, 0] } }',
      'o.yaml:1:17: hole.originM is a list of 2, it must be a list of 3 numbers (m)',
    ],
    ['not a number', 'task: { peg: { lengthM: .nan } }', 'o.yaml:1:25: .nan is not a finite number'],
    ['infinity', 'robot: { leashM: .inf }', 'o.yaml:1:18: .inf is not a finite number'],
    [
      'an octal-looking number',
      'task: { maxSteps: 0080 }',
      'o.yaml:1:19: 0080 could be octal or decimal, write 80, or "0080" for text',
    ],
    [
      'a group for no part',
      'tsak: { maxSteps: 3 }',
      'o.yaml:1:1: unknown key "tsak" here, did you mean "task"? Allowed are task, robot, learner, operators',
    ],
    ['a part that is no group', 'task: insert', 'o.yaml:1:1: "task" must be a group of keys of the task\'s file'],
    [
      'an unknown robot',
      'task: { robot: arm66 }',
      /^o\.yaml:1:16: there is no robot called "arm66", there are .*\barm6, .*, did you mean "arm6"\?$/,
    ],
    [
      'a device without its list',
      'operators: gamepad',
      'o.yaml:1:12: operators is gamepad, it must be a list of 0 to 8 entries, such as [{ kind: gamepad }]',
    ],
    [
      'a list of something else',
      'operators: 3',
      'o.yaml:1:12: operators is 3, it must be a list of 0 to 8 entries, such as [{ kind: keyboard }]',
    ],
    [
      'a device that is a word',
      'operators: [pedal]',
      'o.yaml:1:13: operators[0] is pedal, it must be a group of keys, such as { kind: pedal }',
    ],
    [
      'a key of a pedal with two roles',
      'operators:\n  - { kind: pedal, enable: KEY_A, stop: KEY_A }',
      'o.yaml:2:41: operators[0].stop is KEY_A, which enable is already: one key has one role',
    ],
    [
      'a pedal without a role',
      'operators:\n  - kind: pedal',
      'o.yaml:2:5: operators[0] does nothing: give it a key, enable, recover, stop, success, failure, giveBack, rewind, critical or several',
    ],
    [
      'a range that begins with its end',
      'operators: [{ kind: gamepad, axisRange: [255, 0] }]',
      'o.yaml:1:41: operators[0].axisRange must begin with the least',
    ],
    ['a missing file', 'task: { learner: ./none.yaml }', /^.*:\d+:\d+: .*none\.yaml: there is no such file$/],
    [
      'a joint that lacks a key',
      'robot:\n  joints:\n    - name: a\n',
      /^o\.yaml:3:7: the key "joints\[0\]\.originXyzM" \(a list of 3 numbers \(m\)\) is missing\n/,
    ],
  ])('%s', (_name, yaml, expected) => {
    if (typeof expected === 'string') expect(refusalOfOverlay(yaml)).toBe(expected);
    else expect(refusalOfOverlay(yaml)).toMatch(expected);
  });

  faultRow(33, 'fake', 'lists all mistakes of a file, in the order of its lines', () => {
    const yaml = 'task:\n  maxSteps: 0\n  peg: { widthM: .nan }\n  hole: { depth: 1 }\n  historyFrames: two\n';
    expect(refusalOfOverlay(yaml).split('\n')).toEqual([
      'o.yaml:2:13: maxSteps is 0, it must be a whole number ≥ 1 and ≤ 100000 (steps)',
      'o.yaml:3:18: .nan is not a finite number',
      'o.yaml:4:11: unknown key "depth" in hole, this value is given in m: write "depthM"',
      'o.yaml:5:18: historyFrames is two, it must be a whole number ≥ 1 and ≤ 16 (frames)',
    ]);
  });

  it('says that keys of a joint that slides hold metres', () => {
    expect(refusalOfOverlay('robot:\n  joints:\n    - { name: a, positionMinM: 0 }\n')).toContain(
      'unknown key "positionMinM" in joints[0], this value is given in rad, of a joint that slides in m: write "positionMinRad"',
    );
  });

  it('stops listing after twenty', () => {
    const lines = refusalOfOverlay(`task:\n${Array.from({ length: 50 }, (_, i) => `  k${i}: 1`).join('\n')}\n`).split(
      '\n',
    );
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toBe('and 30 more');
  });

  it('names all keys that a file lacks', () => {
    const path = write('t.yaml', 'name: mine\nkind: pegInsertion\nrobot: arm6\n');
    const message = refusal({ task: path });
    expect(message).toContain('t.yaml:1:1: the key "learner" (a word) is missing');
    expect(message).toContain('the key "hole" (a group of keys) is missing');
  });

  it('says which names there are', () => {
    const all = configNames('task').join(', ');
    expect(refusal({ task: 'insrt' })).toBe(
      `there is no task called "insrt", there are ${all}, did you mean "insert"?`,
    );
    expect(refusal({ task: '' })).toBe(`there is no task called "", there are ${all}`);
    expect(refusal({ task: '../insert' })).toMatch(/there is no such file$/);
  });

  it('points at the key that names a file which is not there, and says what its path counts from', () => {
    const shipped = readFileSync(join(CONFIG_ROOT, 'tasks/insert.yaml'), 'utf8');
    const path = write('named.yaml', shipped.replace(/^robot: .*/m, 'robot: ./nosuch.yaml'));
    expect(() => resolveConfig({ task: path, seed: 0 })).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/named\.yaml:\d+:8: .*nosuch\.yaml: there is no such file$/),
        remedy: expect.stringContaining(`its path, which counts from ${dirname(path)}`),
      }),
    );
    expect(() => resolveConfig({ task: './nosuch.yaml', seed: 0 })).toThrow(
      expect.objectContaining({ remedy: expect.stringContaining(`its path, which counts from ${process.cwd()}`) }),
    );
  });

  it('refuses a seed that is none', () => {
    expect(refusal({ seed: 1.5 })).toBe('the seed is 1.5, it must be a whole number ≥ 0');
    expect(refusal({ seed: Number.NaN })).toContain('the seed is NaN');
  });
});

describe('what the robot cannot do', () => {
  it.each([
    [
      'task: { policyHz: 30 }',
      "o.yaml:1:19: policyHz is 30, the robot's controlHz (100) must be a whole multiple of it",
    ],
    [
      'task:\n  hole: { originM: [0.205, 0.13, 0.15] }',
      "o.yaml:2:21: the region of the hole reaches from 0.195 to 0.215 m in x, the robot's workspace from 0.2 to 0.8 m",
    ],
    [
      'task:\n  hole: { originM: [0.49, 0.13, 0.02] }',
      "o.yaml:2:33: the hole reaches from -0.01 to 0.02 m in z, the robot's workspace from 0 to 0.6 m",
    ],
    [
      'task:\n  start: { spreadM: 0.3 }',
      [
        "o.yaml:2:21: the region of the start reaches from 0.19 to 0.79 m in x, the robot's workspace from 0.2 to 0.8 m",
        "o.yaml:2:21: the region of the start reaches from -0.17 to 0.43 m in y, the robot's workspace from -0.4 to 0.4 m",
      ],
    ],
    [
      'task: { start: { heightM: 0.45 } }',
      /^o\.yaml:1:\d+: the start reaches from 0\.15 to 0\.612 m in z, the robot's workspace from 0 to 0\.6 m$/,
    ],
    [
      'robot:\n  workspace: { maxM: [2, 2, 2] }\ntask:\n  hole: { originM: [1.2, 0.13, 0.15] }',
      /^o\.yaml:4:20: robot "arm6" cannot bring its tool to .* \(m\), which the task needs$/,
    ],
    [
      'robot:\n  homeRad: [3.14, -1.57, 1.57, -1.57, -1.2, 0]',
      /insert\.yaml:\d+:\d+: at home the tool of robot "arm6" is 21\.\d+° off straight down$/,
    ],
    [
      'task:\n  success: { depthM: 0.04 }',
      'o.yaml:2:22: success.depthM is 0.04, the peg can go in 0.03 m at most (hole.depthM, peg.lengthM)',
    ],
    [
      'task:\n  action:\n    dimensions:\n      - { name: x, scale: 0.2, unit: m }',
      /^o\.yaml:4:27: 0\.2 m of x in each of 10 steps a second needs [\d.]+ rad\/s of joint "\w+", its velocityMaxRadPerS is 3\.1415926: scale must be ≤ 0\.\d+$/,
    ],
    [
      'task:\n  action:\n    dimensions:\n      - { name: yaw, scale: 0.06, unit: m }',
      'o.yaml:4:41: yaw is given in m, it must be rad',
    ],
    [
      'task:\n  action:\n    dimensions:\n      - { name: pitch, scale: 0.06, unit: rad }',
      'o.yaml:4:17: there is no "pitch", cartesian actions have x, y, z, yaw',
    ],
    [
      'task:\n  action:\n    dimensions:\n      - { name: wrist_3, scale: 0.06, unit: rad }',
      'o.yaml:4:17: there is no "wrist_3", cartesian actions have x, y, z, yaw: joint "wrist_3" carries the tool, which these move. Where it is a gripper, tool.link of robot "arm6" (wrist_3) has to be the joint before it',
    ],
    [
      'task:\n  action:\n    kind: joint\n    dimensions:\n      - { name: elbow, scale: 0.5, unit: rad }\n      - { name: elbow, scale: 0.1, unit: rad }',
      'o.yaml:5:31: scale is 0.5, joint "elbow" turns 0.3142 rad in one step at most\no.yaml:6:17: "elbow" stands twice among the action\'s dimensions',
    ],
    [
      'task:\n  action:\n    kind: joint\n    dimensions:\n      - { name: elbow, scale: 0.1, unit: rad }',
      'o.yaml:3:11: action.kind is joint, the scripted operator of peg insertion needs cartesian actions with x, y, z, yaw',
    ],
    [
      'task:\n  action:\n    dimensions:\n      - { name: z, scale: 0.01, unit: m }\n      - { name: y, scale: 0.01, unit: m }',
      'o.yaml:4:7: there is no x, no yaw: the scripted operator of peg insertion needs cartesian actions with x, y, z, yaw',
    ],
    ['robot: { homeRad: [1, 2] }', 'o.yaml:1:19: homeRad has 2 numbers, the robot has 6 joints'],
    [
      'robot: { homeRad: [7, -1.57, 1.57, -1.57, -1.57, 0] }',
      'o.yaml:1:20: homeRad[0] is 7, joint "shoulder_pan" may be from -6.263 to 6.263 (rad)',
    ],
    [
      'robot:\n  workspace: { minM: [0.9, -0.4, 0] }',
      /^o\.yaml:2:23: workspace\.minM\[0\], 0\.9, is above workspace\.maxM\[0\], 0\.8: lower the first, or raise the second at \S*robots\/arm6\.yaml:\d+:\d+$/,
    ],
    [
      'robot:\n  workspace: { minM: [0.9, -0.4, 0], maxM: [0.2, 0.4, 0.8] }',
      'o.yaml:2:23: workspace.minM[0], 0.9, is above workspace.maxM[0], 0.2: swap the two numbers',
    ],
    ['learner: { criticSubset: 5 }', 'o.yaml:1:26: criticSubset is 5, but there are only 2 critics'],
  ])('%j', (yaml, expected) => {
    const message = refusalOfOverlay(yaml);
    if (expected instanceof RegExp) expect(message).toMatch(expected);
    else expect(message).toBe(Array.isArray(expected) ? expected.join('\n') : expected);
  });
});

it('a task in which nothing is judged is refused where a learner or demonstrations need verdicts', () => {
  const overlay = write('o.yaml', 'task: { isJudged: false }\n');
  const request = { task: 'reach-judged', overlay };
  expect(refusal(request)).toBe('accepted');
  expect(refusal({ ...request, needsVerdicts: true })).toMatch(/^o\.yaml:1:19: isJudged is false: .* \(rein teleop\)$/);
  expect(refusal({ task: 'reach-judged', needsVerdicts: true })).toBe('accepted');
});

describe('layers', () => {
  it('an overlay overrides single keys of task, robot and learner', () => {
    const overlay = write(
      'o.yaml',
      'task: { hole: { clearanceM: 0.0004 } }\nrobot: { leashM: 0.01 }\nlearner: { utd: 2, actorHidden: [64] }\n',
    );
    const plain = resolveConfig({ task: 'insert', seed: 1 });
    const config = resolveConfig({ task: 'insert', seed: 1, overlay });
    expect(config.task).toEqual({ ...plain.task, hole: expect.objectContaining({ clearanceM: 0.0004, depthM: 0.03 }) });
    expect(config.robot).toEqual({ ...plain.robot, leashM: 0.01 });
    expect(config.learner).toEqual({ ...plain.learner, utd: 2, actorHidden: [64] });
  });

  it('the command line overrides the overlay, and is named in errors', () => {
    const overlay = write('o.yaml', 'task: { training: { steps: 10 } }\n');
    const steps = (value: number): Partial<ConfigRequest> => ({
      overlay,
      overrides: [{ option: '--steps', path: ['task', 'training', 'steps'], value }],
    });
    expect(resolveConfig({ task: 'insert', seed: 1, ...steps(20) }).task.training.steps).toBe(20);
    expect(refusal(steps(-1))).toBe(
      '--steps: training.steps is -1, it must be a whole number ≥ 0 and ≤ 100000000 (steps)',
    );
  });

  it('takes paths for task, robot and learner, relative to the file that names them', () => {
    write('my-arm.yaml', shipped('robots', 'arm6').replace('name: arm6', 'name: mine'));
    write('my-learner.yaml', 'utd: 3\n');
    const task = write(
      'my-task.yaml',
      shipped('tasks', 'insert')
        .replace('robot: arm6', 'robot: my-arm.yaml')
        .replace(/^learner: .*/m, 'learner: ./my-learner.yaml'),
    );
    const config = resolveConfig({ task, seed: 1 });
    expect(config.robot.name).toBe('mine');
    expect(config.learner).toEqual({ ...DEFAULT_LEARNER_CONFIG, utd: 3 });
  });
});

describe('the resolved configuration', () => {
  it('comes back from its file as it was, whatever the numbers', () => {
    const number = fc.double({ min: 1e-300, max: 0.0199, noNaN: true, minExcluded: true });
    fc.assert(
      fc.property(number, fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (chamferM, seed) => {
        const overlay = write('o.yaml', `task: { hole: { chamferM: ${chamferM} } }\n`);
        const config = resolveConfig({
          task: 'insert',
          seed,
          overlay,
          run: { command: 'sim', 'no-report': true, steps: 3, note: '012\n# x: y' },
        });
        expect(config.task).toMatchObject({ hole: { chamferM } });
        expect(loadResolvedConfig(write('config.yaml', resolvedConfigText(config)))).toEqual(config);
      }),
      { numRuns: 50 },
    );
  });

  it('is checked when it is loaded', () => {
    const text = resolvedConfigText(resolveConfig({ task: 'insert', seed: 1 }));
    const load = (from: string | RegExp, to: string): string => {
      try {
        loadResolvedConfig(write('config.yaml', text.replace(from, to)));
      } catch (error) {
        return withoutFolder((error as ReinError).message);
      }
      return 'accepted';
    };
    expect(load('', '')).toBe('accepted');
    expect(load('policyHz: 10', 'policyHz: 30')).toMatch(
      /^config\.yaml:\d+:\d+: policyHz is 30, the robot's controlHz/,
    );
    expect(load(/minM:\n(\s+)- \S+/, 'minM:\n$1- 9')).toMatch(
      /^config\.yaml:\d+:\d+: workspace\.minM\[0\], 9, is above workspace\.maxM\[0\], 0\.8: swap the two numbers$/m,
    );
    expect(load('utd: 4', 'utd: 0')).toMatch(/^config\.yaml:\d+:\d+: learner\.utd is 0, it must be a whole number ≥ 1/);
    expect(load('seed: 1', 'seed: -1')).toMatch(/^config\.yaml:\d+:\d+: seed is -1/);
    expect(load(/^learner:[\s\S]*$/m, '')).toMatch(/the key "learner" \(a group of keys\) is missing$/);
  });
});

describe('files from anywhere', () => {
  it('asks for the folder of a run where there is none', () => {
    const remedy = 'give the folder of a run, which has config.yaml';
    expect(() => loadResolvedConfig(join(folder, 'nosuch/config.yaml'))).toThrow(expect.objectContaining({ remedy }));
  });

  it('damaged files are refused with a ReinError or accepted, nothing else', () => {
    const bytes = Buffer.from(shipped('tasks', 'insert'));
    const damage = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 }), fc.nat(8)), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(damage, (cuts) => {
        let text = Buffer.from(bytes);
        for (const [at, byte, drop] of cuts)
          text = Buffer.concat([text.subarray(0, at), Buffer.from([byte]), text.subarray(at + drop)]);
        expect(refusal({ task: write('t.yaml', text) })).not.toBe('');
      }),
      { numRuns: 150 },
    );
  });

  it('random bytes are refused with a ReinError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(refusal({ task: write('t.yaml', bytes) })).not.toBe('accepted');
      }),
      { numRuns: 150 },
    );
  });

  it('random values under known keys are refused with a ReinError or accepted', () => {
    const overlay = fc.record(
      {
        task: fc.object({
          key: fc.constantFrom('hole', 'peg', 'action', 'dimensions', 'originM', 'name', 'robot'),
          maxDepth: 4,
        }),
        robot: fc.object({ key: fc.constantFrom('joints', 'homeRad', 'workspace', 'minM', 'tool') }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(overlay, (value) => {
        expect(refusalOfOverlay(JSON.stringify(value))).not.toBe('');
      }),
      { numRuns: 150 },
    );
  });
});

describe('the speed of the tool', () => {
  const limited = (task: number, robot: number): string =>
    `task: { toolSpeedMaxMPerS: ${task} }\nrobot: { toolSpeedMaxMPerS: ${robot} }\n`;

  it('is lowered by a task, which the robot is then given', () => {
    const { robot } = resolveConfig({ task: 'insert', seed: 1, overlay: write('o.yaml', limited(0.1, 0.5)) });
    expect(robot.toolSpeedMaxMPerS).toBe(0.1);
    const own = resolveConfig({
      task: 'insert',
      seed: 1,
      overlay: write('o.yaml', 'task: { toolSpeedMaxMPerS: 0.1 }\n'),
    });
    expect(own.robot.toolSpeedMaxMPerS).toBe(0.1);
  });

  it('is not raised by one', () => {
    expect(refusalOfOverlay(limited(0.6, 0.5))).toMatch(
      /^o\.yaml:1:\d+: toolSpeedMaxMPerS is 0\.6, and arm6 allows 0\.5 m\/s: a task can only lower it$/m,
    );
  });

  it('is nothing that a mobile base has', () => {
    expect(refusal({ task: 'drive-judged', overlay: write('o.yaml', 'task: { toolSpeedMaxMPerS: 0.6 }\n') })).toContain(
      'is a mobile base, which has no tool: leave toolSpeedMaxMPerS out',
    );
  });
});
