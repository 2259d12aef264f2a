import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { arm6Setup, pegTask } from '../../tests/support/arm6.ts';
import { standingFrame } from '../../tests/support/frames.ts';
import { firstDifference } from '../link/index.ts';
import { frameSize, jointActionUnit } from '../model/index.ts';
import { createDemonstrator } from '../session/scripted-operators.ts';
import { createInserter } from '../tasks/peg-kind.ts';
import { CONFIG_ROOT } from './names.ts';
import { resolveConfig } from './resolve.ts';
import { loadRobotFile } from './robot-file.ts';
import { createSetup, driverSpec } from './setup.ts';

describe('what the numbers of a setup mean', () => {
  const dir = mkdtempSync(join(tmpdir(), 'rein-meaning-'));
  afterAll(() => rmSync(dir, { recursive: true }));
  const overlay = join(dir, 'overlay.yaml');
  /** JSON is YAML. */
  const meaning = (changes: object) => {
    writeFileSync(overlay, JSON.stringify(changes));
    return createSetup(resolveConfig({ task: 'insert', seed: 1, overlay })).meaning;
  };
  const plain = meaning({});

  it.each([
    ['task.hole.clearanceM', { task: { hole: { clearanceM: 0.0004 } } }],
    ['task.success.depthM', { task: { success: { depthM: 0.01 } } }],
    ['task.peg.lengthM', { task: { peg: { lengthM: 0.045 } } }],
    ['task.policyHz', { task: { policyHz: 20 } }],
    ['robot.leashM', { robot: { leashM: 0.01 } }],
    ['robot.workspace.maxM', { robot: { workspace: { minM: [0.2, -0.4, 0], maxM: [0.7, 0.4, 0.6] } } }],
    ['robot.contact.forceMaxN', { robot: { contact: { forceMaxN: 200, torqueMaxNm: 40 } } }],
  ])('changes with %s', (key, changes) => {
    expect(firstDifference(meaning(changes), plain)?.[0]).toBe(key);
  });

  it('does not change with what only says how things are drawn, demonstrated, trained and judged', () => {
    const task = { estimate: { errorM: 0.001 }, start: { spreadM: 0.01 }, demonstrations: 3, maxSteps: 80 };
    const hole = { spreadM: 0.001, yawSpreadRad: 0 };
    expect(meaning({ task: { ...task, hole }, learner: { batchSize: 16 } })).toEqual(plain);
  });

  it('is the same for the arm behind ROS and the simulated one', () => {
    expect(meaning({ task: { robot: 'arm6-ros' } })).toEqual(plain);
  });
});

describe.each(['insert', 'insert-tight'] as const)('the setup of %s', (name) => {
  const setup = arm6Setup(name);

  it('sizes everything by the task', () => {
    const { observation, action } = setup.task;
    expect(setup.observationSize).toBe(frameSize(observation) * observation.frames);
    expect(setup.actionSize).toBe(action.dimensions.length);
    expect(setup.ticksPerStep).toBe(10);
    expect(setup.schemaHash).toMatch(/^[0-9a-f]{16}$/);
  });

  it('gives the scene the measures of the task', () => {
    const { peg, hole, success } = pegTask(setup);
    expect(setup.driver.options).toMatchObject({
      periodS: 0.01,
      signalNames: setup.task.signalNames,
      scene: {
        pegWidthM: peg.widthM,
        pegLengthM: peg.lengthM,
        clearanceM: hole.clearanceM,
        chamferM: hole.chamferM,
        depthM: hole.depthM,
        mouthRadiusM: success.lateralM,
      },
    });
  });

  it('lets the operator read the observation in the units that the task writes', () => {
    const metres = fc.double({ min: -0.008, max: 0.008, noNaN: true });
    fc.assert(
      fc.property(metres, metres, fc.double({ min: -0.05, max: 0.05, noNaN: true }), fc.nat(), (x, y, yaw, seed) => {
        const hand = createInserter(pegTask(setup), { ...setup.task, seed });
        hand.begin('above');
        const size = frameSize(setup.task.observation);
        const observation = new Float32Array(setup.observationSize);
        const frame = standingFrame({ tipM: [0.5, 0.1, 0.25], signals: [0, 0.5 + x, 0.1 + y, 0.15, yaw] });
        setup.task.observe(observation, setup.observationSize - size, frame, new Float32Array(4));
        const out = new Float64Array(4);
        hand.act(observation, out);
        // A hand trembles by 0.05.
        expect(Math.abs(out[0]! - x / 0.01)).toBeLessThan(0.35);
        expect(Math.abs(out[1]! - y / 0.01)).toBeLessThan(0.35);
        expect(Math.abs(out[3]! - yaw / 0.06)).toBeLessThan(0.35);
      }),
    );
  });

  it('has a demonstrator who never lets go and stands for a person', () => {
    const demonstrator = createDemonstrator(setup, 1);
    demonstrator.reset();
    const command = { active: false, action: new Float32Array(4), phase: 'recover' as const };
    for (let i = 0; i < 50; i++) {
      command.active = false;
      demonstrator.poll(new Float32Array(setup.observationSize), i, command);
      expect(command).toMatchObject({ active: true, phase: 'correct' });
    }
    expect(demonstrator.decidedBy).toBe('scripted');
  });
});

describe('what is made of a robot is told what commands call it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rein-named-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const robot = join(folder, 'my-arm.yaml');
  const from = join(CONFIG_ROOT, 'robots');
  const text = readFileSync(join(from, 'so101.yaml'), 'utf8').replace('model: models', `model: ${from}/models`);
  writeFileSync(robot, text);
  const namedOf = (value: string): unknown => {
    const task = join(folder, 'task.yaml');
    const dimension = { name: 'gripper', scale: 0.1, unit: jointActionUnit({ kind: 'revolute' }) };
    const observation = { jointPositions: true, jointVelocities: false, toolPose: false, wrench: false };
    const rest = {
      observation,
      learner: 'rlpd',
      policyHz: 10,
      maxSteps: 100,
      action: { kind: 'joint', dimensions: [dimension] },
    };
    writeFileSync(task, JSON.stringify({ name: 'turn', kind: 'operatorJudged', robot: value, ...rest }));
    const { robot } = resolveConfig({ task, seed: 0 });
    const scenes = { scene: () => undefined as never, surroundings: undefined };
    return driverSpec(robot, { name: 'none', signalNames: [] }, scenes).options['named'];
  };

  it('the name of a file that is shipped, whatever its path was, and the path of any other', () => {
    expect(namedOf('so101')).toBe('so101');
    expect(namedOf(join(from, 'so101.yaml'))).toBe('so101');
    expect(namedOf('my-arm.yaml')).toBe(robot);
    expect(loadRobotFile('so101').robot.driver).toMatchObject({ named: 'so101' });
    expect(loadRobotFile('my-arm.yaml', folder).robot.driver).toMatchObject({ named: robot });
  });
});

it('a setup of another observation or action has another hash', () => {
  const { config, schemaHash } = arm6Setup();
  const { task } = config;
  const changed = createSetup({ ...config, task: { ...task, historyFrames: task.historyFrames + 1 } });
  expect(changed.schemaHash).not.toBe(schemaHash);
  expect(arm6Setup('insert', 9).schemaHash).toBe(schemaHash);
});

it('no scripted operator is made for actions that it does not know', () => {
  const { config } = arm6Setup();
  const dimensions = config.task.action.dimensions.filter((dimension) => dimension.name !== 'yaw');
  const setup = createSetup({ ...config, task: { ...config.task, action: { kind: 'cartesian', dimensions } } });
  expect(() => createInserter(pegTask(setup), { ...setup.task, seed: 0 })).toThrow('"yaw"');
});

it('a base policy and earlier actions stand behind the frames, and change the hash', () => {
  const { config, schemaHash, observationSize, actionSize } = arm6Setup();
  const withTask = (change: Partial<typeof config.task>) =>
    createSetup({ ...config, task: { ...config.task, ...change } as typeof config.task });
  const base = withTask({ basePolicy: { file: '/models/bc.onnx' } });
  expect(base.parts).toEqual({ stateSize: observationSize, baseActionSize: actionSize });
  expect(base.observationSize).toBe(observationSize + actionSize);
  const both = withTask({ basePolicy: { file: '/models/bc.onnx' }, previousActions: 2 });
  expect(both.parts).toEqual({ stateSize: observationSize + 2 * actionSize, baseActionSize: actionSize });
  const digest = withTask({ basePolicy: { file: '/models/bc.onnx', sha256: 'a'.repeat(64) } });
  const hashes = [base, both, digest, withTask({ previousActions: 2 })].map((setup) => setup.schemaHash);
  expect(new Set([schemaHash, ...hashes]).size).toBe(5);
  // A delay of observations changes no numbers, and another path of the same file is the same policy.
  expect(withTask({ observationDelaySteps: 2 }).schemaHash).toBe(schemaHash);
  expect(withTask({ basePolicy: { file: '/elsewhere/bc.onnx' } }).schemaHash).toBe(base.schemaHash);
});
