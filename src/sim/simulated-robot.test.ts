import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { arm6Setup } from '../../tests/support/arm6.ts';
import { chunkPolicy } from '../../tests/support/base-policies.ts';
import { LeaderArm } from '../../tests/support/leader-arm.ts';
import { weightsOf } from '../../tests/support/policy-fixture.ts';
import { createSetup } from '../config/setup.ts';
import { MemoryGuardLink } from '../guard/link/memory-link.ts';
import { Rng } from '../model/index.ts';
import { OnnxPolicy } from '../policy/index.ts';
import { copyTransition, createTransition, type Transition } from '../rows/index.ts';
import { createDemonstrator } from '../session/scripted-operators.ts';
import { openBase } from '../session/task-policies.ts';
import { OperatorArbiter, type TeleopSource } from '../teleop/index.ts';
import { createSimulatedRobot, type SimulatedRobot } from './simulated-robot.ts';

const setup = arm6Setup();

describe('the simulated robot', () => {
  let robot: SimulatedRobot;

  beforeAll(async () => {
    robot = await createSimulatedRobot(setup);
  });

  afterAll(() => robot.close());

  async function episode(seed: number, onStep: (t: Transition) => void = () => undefined) {
    const layout = setup.task.drawLayout(new Rng(seed));
    const result = await robot.runner.run({
      layout,
      operator: createDemonstrator(setup, seed),
      purpose: 'demo',
      onStep,
    });
    return { layout, result };
  }

  it('is brought to insert the peg by the scripted operator nearly always, and breaks no limit', async () => {
    let successes = 0;
    for (let seed = 0; seed < 40; seed++) {
      const { result } = await episode(seed);
      expect(result.abortedBy).toBeUndefined();
      if (result.success) successes++;
    }
    expect(successes).toBeGreaterThanOrEqual(34);
    expect(robot.link.latest.violations).toBe(0);
  }, 120_000);

  it('keeps the error of the estimate for a whole episode', async () => {
    const seen = new Set<string>();
    const { layout } = await episode(100, () => seen.add(`${robot.link.latest.robot.signals.slice(1)}`));
    const { holeXM, holeYM, holeZM, holeYawRad } = layout.signals;
    expect([...seen]).toEqual([`${[holeXM, holeYM, holeZM, holeYawRad]}`]);
  });

  it('repeats an episode bit by bit, whatever happened before', async () => {
    const record = async (): Promise<Transition[]> => {
      const steps: Transition[] = [];
      await episode(101, (t) => {
        const copy = createTransition(t.observation.length, t.executed.length);
        copyTransition(copy, t);
        steps.push({ ...copy, episode: 0, segment: 0 });
      });
      return steps;
    };
    const before = await record();
    await episode(102);
    expect(await record()).toEqual(before);
  });

  it('rewards the last step of a success and no other', async () => {
    const rewards: number[] = [];
    const { result } = await episode(103, (t) => void rewards.push(t.reward));
    expect(result.success).toBe(true);
    expect(rewards.at(-1)).toBe(1);
    expect(rewards.slice(0, -1).every((reward) => reward === 0)).toBe(true);
  });
});

it('a simulated robot follows a leader arm from wherever both are, in every episode anew', async () => {
  const robot = await createSimulatedRobot(setup);
  const leader = new LeaderArm([5, -3, 1, 2]);
  const operator = new OperatorArbiter([leader], setup.actionSize);
  leader.takeOver();
  leader.clutch('closed');
  for (let episode = 0; episode < 3; episode++) {
    const asked: number[][] = [];
    let startM = 0;
    await robot.runner.run({
      layout: setup.task.drawLayout(new Rng(episode)),
      operator,
      purpose: 'evaluation',
      maxSteps: 8,
      beforeStep: () => {
        if (asked.length === 1) leader.pose[0]! += 0.003;
        if (asked.length === 1) startM = robot.link.latest.referenceTcp[0]!;
      },
      onStep: ({ humanAction }) => void asked.push(Array.from(humanAction)),
    });
    expect(asked[0]).toEqual([0, 0, 0, 0]);
    expect(asked[1]![0]).toBeGreaterThan(0);
    expect(robot.link.latest.referenceTcp[0]! - startM).toBeCloseTo(0.003, 4);
    // Moves of the leader between two episodes are not observed.
    leader.pose.fill(-episode);
  }
  await robot.close();
});

it('a simulated robot gives an episode of a policy the same to the bit, first or later, whatever policy was there before', async () => {
  const { observationSize, actionSize, schemaHash } = setup;
  const [calm, wild] = [0, 1].map(() => new OnnxPolicy({ observationSize, actionSize, schemaHash }));
  const weights = (version: number, size: number) => {
    const rng = new Rng(version);
    return weightsOf(version, () => rng.uniformIn(-size, size), { schemaHash }, { observationSize, actionSize });
  };
  const robots = [await createSimulatedRobot(setup), await createSimulatedRobot(setup)];
  const episode = async ({ runner, link }: SimulatedRobot, index: number, policy = calm!): Promise<string> => {
    const seen: number[] = [];
    const stop = link.onFrame(({ referenceRad, robot, tankEnergyJ, filterBits }) => {
      seen.push(...referenceRad, ...robot.positionRad, tankEnergyJ, filterBits);
    });
    const rng = new Rng(index);
    const layout = setup.task.drawLayout(rng);
    await runner.run({ layout, policy, noise: { rng, purpose: 'explore' }, purpose: 'evaluation', maxSteps: 30 });
    stop();
    return seen.join(' ');
  };
  expect(await calm!.swap(weights(7, 0.3))).toMatchObject({ ok: true });
  expect(await wild!.swap(weights(400, 0.9))).toMatchObject({ ok: true });
  const atFirst = await episode(robots[0]!, 3);
  for (let index = 0; index < 4; index++) await episode(robots[1]!, index, wild);
  expect(await episode(robots[1]!, 3)).toBe(atFirst);
  for (const policy of [calm!, wild!]) await policy.close();
  for (const robot of robots) await robot.close();
}, 60_000);

describe('a simulated robot that was stopped', () => {
  async function stoppedBy(contact: { forceMaxN: number; torqueMaxNm: number }, operator?: TeleopSource) {
    const { config } = setup;
    const fragile = createSetup({ ...config, robot: { ...config.robot, contact } });
    const robot = await createSimulatedRobot(fragile);
    const episode = () =>
      robot.runner.run({
        layout: fragile.task.drawLayout(new Rng(0)),
        operator: operator ?? createDemonstrator(fragile, 0),
        purpose: 'demo',
      });
    return { robot, episode, result: await episode() };
  }

  it('goes on by itself after category 2', async () => {
    const shaking: TeleopSource = {
      name: 'shaking',
      decidedBy: 'scripted',
      reset: () => undefined,
      close: () => undefined,
      poll: (_observation, _nowS, out) => {
        out.active = true;
        out.action.fill(Number.NaN);
      },
    };
    const { robot, result, episode } = await stoppedBy({ forceMaxN: 220, torqueMaxNm: 40 }, shaking);
    expect(result.abortedBy).toContain('stop');
    await robot.goOn();
    expect((await episode()).steps).toBeGreaterThan(0);
    await robot.close();
  });

  it('is given up after category 1, which nobody acknowledges: another robot gives the same to the bit', async () => {
    const { robot, result, episode } = await stoppedBy({ forceMaxN: 8, torqueMaxNm: 40 });
    expect(result.abortedBy).toContain('fault');
    await expect(episode()).rejects.toThrow('resetScene');
    expect(await robot.link.request({ kind: 'acknowledge' })).toMatchObject({ ok: false, needs: 'person' });
    const before = { ...robot.link.latest, stageTicks: robot.link.latest.stageTicks.slice() };
    const { geoms } = robot.scene;
    expect(await robot.goOn()).toEqual({ count: 1, reason: expect.stringMatching(/\(fault 41\)\.$/) });
    expect(robot.restarts.count).toBe(1);
    // New physics.
    expect(robot.scene.geoms).not.toBe(geoms);
    expect(robot.link.latest).toMatchObject({ ticks: before.ticks + 3, state: 'ready' });
    // Without a stop there is nothing to restart.
    expect(await robot.goOn()).toEqual({ count: 0 });
    expect(robot.restarts.count).toBe(1);
    const again = await episode();
    expect(again).toEqual(result);
    expect(robot.link.latest.ticks).toBeGreaterThan(before.ticks + 3);
    // Counters continue: the same episode adds the same amounts again.
    const { changedTicks, tankInjectedJ, stageTicks } = robot.link.latest;
    expect(changedTicks).toBe(2 * before.changedTicks);
    expect(tankInjectedJ).toBeCloseTo(2 * before.tankInjectedJ, 9);
    expect(Array.from(stageTicks)).toEqual(Array.from(before.stageTicks, (count) => 2 * count));
    await robot.close();
  });
});

it('a simulated robot leaves no base policy open, where it cannot be opened or not be closed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rein-base-'));
  const file = join(folder, 'bc.onnx');
  writeFileSync(file, chunkPolicy({ inputShape: [1, setup.observationSize], outputShape: [1, 8, 4] }));
  const { config } = setup;
  const based = createSetup({ ...config, task: { ...config.task, basePolicy: { file } } });
  const base = await openBase(based);
  await base?.close();
  const closing = vi.spyOn(Object.getPrototypeOf(base) as { close(): Promise<void> }, 'close');
  const absent = { name: 'mock', options: { faults: { seed: 1, ratio: { absent: 1 } } } };
  await expect(createSimulatedRobot({ ...based, driver: absent })).rejects.toThrow('not to answer');
  expect(closing).toHaveBeenCalledTimes(1);
  const robot = await createSimulatedRobot(based);
  const stuck = vi.spyOn(MemoryGuardLink.prototype, 'close').mockRejectedValueOnce(new Error('stuck'));
  await expect(robot.close()).rejects.toThrow('stuck');
  expect(closing).toHaveBeenCalledTimes(2);
  for (const spy of [closing, stuck]) spy.mockRestore();
  rmSync(folder, { recursive: true });
});

it('a simulated robot asks the base policy of its task, and refuses one that does not fit', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rein-base-'));
  const withBase = (outputShape: readonly number[]) => {
    const file = join(folder, 'bc.onnx');
    writeFileSync(file, chunkPolicy({ inputShape: [1, setup.observationSize], outputShape }));
    const { config } = setup;
    return createSetup({ ...config, task: { ...config.task, basePolicy: { file } } });
  };
  const robot = await createSimulatedRobot(withBase([1, 8, 4]));
  const layout = setup.task.drawLayout(new Rng(3));
  const operator = createDemonstrator(setup, 3);
  let start = 0;
  await robot.runner.run({
    layout,
    operator,
    purpose: 'demo',
    maxSteps: 2,
    onStep: (t) => {
      // Both actions come from one chunk, planned at the first observation.
      if (t.step === 0) start = t.observation[0]!;
      expect(t.observation.at(-4)).toBeCloseTo(0.1 * (t.step + 1) * start, 6);
      expect(robot.runner.basePlace).toEqual({ chunk: 0, index: t.step });
    },
  });
  await robot.close();
  await expect(createSimulatedRobot(withBase([1, 7]))).rejects.toThrow('as [1, 7], where this task needs [1, 4]');
  rmSync(folder, { recursive: true });
});

describe('a driver of others', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rein-driver-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  let count = 0;

  /** The setup with a driver whose functions are given by `members`. */
  function withDriver(members: string) {
    const module = join(folder, `arm-${count++}.mjs`);
    const { signalNames } = setup.task;
    writeFileSync(
      module,
      `import { createDriverReport } from '${new URL('../../dist/drivers/driver.js', import.meta.url)}';
      export default { name: 'my arm', rein: { kind: 'driver', contract: 2 }, create: ({ robot, signalNames }) => ({
        report: createDriverReport(), scene: { reset() {}, geoms: [], geomPoses() {} },
        async open() { return { name: 'x', jointNames: robot.joints.map(({ name }) => name), signalNames, isSimulated: true }; },
        async close() { globalThis.closedDrivers = (globalThis.closedDrivers ?? 0) + 1; },
        torque() {}, service: () => 'nothing', takeNotice() {}, read: () => 'ok', write: () => 'ok', ${members} }) };`,
    );
    return { module, setup: { ...setup, driver: { name: 'plugin', options: { signalNames, module } } } };
  }
  const closed = (): number => (globalThis as { closedDrivers?: number }).closedDrivers ?? 0;

  it.each([
    ["async open() { throw new Error('no such port'); }", 'open: no such port'],
    ["open() { throw new Error('no such port'); }", 'open: no such port'],
    ["read() { throw new Error('the bus is mute'); }", 'read: the bus is mute'],
  ])('that fails is named with its cause and its module: %s', async (members, said) => {
    const { setup, module } = withDriver(members);
    const before = closed();
    await expect(createSimulatedRobot(setup)).rejects.toMatchObject({
      name: 'ReinError',
      kind: 'driver',
      message: `The driver my arm failed in ${said}.`,
      remedy: expect.stringContaining(module),
    });
    // It may be closed twice.
    expect(closed()).toBeGreaterThan(before);
  });

  it('that never opens is named after a while, and left when a person wants to end', async () => {
    const { setup } = withDriver('open: () => new Promise(() => undefined)');
    const before = closed();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const refused = expect(createSimulatedRobot(setup)).rejects.toMatchObject({
      name: 'ReinError',
      // A busy machine gets more time.
      message: expect.stringMatching(/^The driver .* did not open within \d+ s\.$/),
    });
    await vi.advanceTimersByTimeAsync(61_000);
    await refused;
    vi.useRealTimers();
    const ending = new AbortController();
    const left = expect(createSimulatedRobot(setup, undefined, ending.signal)).rejects.toThrow('Ctrl+C');
    setTimeout(() => ending.abort(new Error('Ctrl+C')), 50);
    await left;
    expect(closed()).toBe(before + 2);
  });

  it('that opens late is closed then, and one whose closing waits for that holds nothing up', async () => {
    const { setup } = withDriver(`
      open() { return this.opening = new Promise((resolve) => { globalThis.openLate = resolve; }); },
      async close() { await this.opening; globalThis.closedDrivers = (globalThis.closedDrivers ?? 0) + 1; }`);
    const before = closed();
    const ending = new AbortController();
    const left = expect(createSimulatedRobot(setup, undefined, ending.signal)).rejects.toThrow('Ctrl+C');
    const openLate = () => (globalThis as { openLate?: () => void }).openLate;
    await vi.waitFor(() => expect(openLate()).toBeDefined());
    ending.abort(new Error('Ctrl+C'));
    await left;
    expect(closed()).toBe(before);
    openLate()?.();
    await vi.waitFor(() => expect(closed()).toBe(before + 2));
  });
});
