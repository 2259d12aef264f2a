import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { arm6Driver, arm6Setup, jointsAt, pegTask } from '../../../tests/support/arm6.ts';
import { faultRow } from '../../../tests/support/fault-row.ts';
import { vec } from '../../../tests/support/vec.ts';
import { ReinError, Rng } from '../../model/index.ts';
import { Simulation } from '../../plant/mujoco-module.ts';
import type { MujocoDriverOptions } from '../../plant/options.ts';
import { createRobotState, type RobotState, type SceneLayout } from '../../rows/index.ts';
import { MujocoDriver } from './mujoco-driver.ts';

const setup = arm6Setup();
const model = setup.config.robot;
const { originM } = pegTask(setup).hole;
const [X, Y, Z] = originM;

function layout(
  jointsRad: readonly number[],
  hole: readonly [number, number, number, number] = [X, Y, Z, 0],
): SceneLayout {
  return { jointsRad, objects: { hole }, signals: { holeXM: 0.25 } };
}

describe('the simulated arm', () => {
  let driver: MujocoDriver;
  let simulation: Simulation;
  let state: RobotState;

  beforeEach(async () => {
    const opened = vi.spyOn(Simulation, 'fromXml');
    driver = arm6Driver(setup);
    await driver.open();
    simulation = await opened.mock.results[0]!.value;
    opened.mockRestore();
    state = createRobotState(model.joints.length, driver.facts.signalNames.length);
  });

  afterEach(() => driver.close());

  /** Puts the tip at `tipM`, torque on. */
  function start(tipM: readonly [number, number, number], yawRad = 0): number[] {
    const joints = jointsAt(model, tipM, yawRad);
    driver.scene.reset(layout(joints));
    driver.torque(1);
    return joints;
  }

  /** Moves the reference in a straight line of joints. */
  function moveTo(joints: readonly number[], ticks: number, look: () => void = () => undefined): void {
    const from = Float64Array.from(state.positionRad);
    for (let t = 1; t <= ticks; t++) {
      expect(driver.write(vec(joints.map((to, i) => from[i]! + (to - from[i]!) * (t / ticks))))).toBe('ok');
      expect(driver.read(state)).toBe('ok');
      look();
    }
  }

  it.each([Number.NaN, Number.NEGATIVE_INFINITY, 7, -7])(
    'leaves the servos alone when a joint is sent to %d rad',
    (value) => {
      const joints = start([X, Y, Z + 0.05]);
      driver.write(vec(joints));
      driver.read(state);
      const before = Float64Array.from(simulation.views.control);
      const bad = vec<'rad'>(joints);
      bad[4] = value;
      bad[0]! += 0.1;
      expect(driver.write(bad)).toBe('rejected');
      driver.read(state);
      expect(Float64Array.from(simulation.views.control)).toEqual(before);
    },
  );

  it('leaves the servos alone when a joint is missing', () => {
    const joints = start([X, Y, Z + 0.05]);
    expect(driver.write(vec(joints.slice(1)))).toBe('rejected');
  });

  it('takes no reference while torque is off', () => {
    const joints = start([X, Y, Z + 0.05]);
    driver.torque(0);
    expect(driver.write(vec(joints))).toBe('lost');
    for (let i = 0; i < 100; i++) driver.read(state);
    expect(Math.max(...state.positionRad.map((q, i) => Math.abs(q - joints[i]!)))).toBeLessThan(1e-3);
  });

  it('floats where it is without torque to exert, and gives way to one', () => {
    const joints = start([X, Y, Z + 0.05]);
    for (let i = 0; i < 50; i++) {
      expect(driver.exert([0, 0, 0, 0, 0, 0])).toBe('ok');
      driver.read(state);
    }
    for (let i = 0; i < 6; i++) expect(state.positionRad[i]).toBeCloseTo(joints[i]!, 3);
    expect([...state.torqueNm]).toEqual([0, 0, 0, 0, 0, 0]);
    for (let i = 0; i < 30; i++) {
      driver.exert([0, 0, 0, 0, 0, 2]);
      driver.read(state);
    }
    expect(state.torqueNm[5]).toBe(2);
    expect(state.positionRad[5]).toBeGreaterThan(joints[5]! + 0.1);
    driver.exert([1e9, 0, 0, 0, 0, 0]);
    driver.read(state);
    expect(state.torqueNm[0]).toBe(150);
  });

  it('goes back from torques to references without a pull', () => {
    const joints = start([X, Y, Z + 0.05]);
    driver.exert([0, 0, 0, 0, 0, 1]);
    for (let i = 0; i < 20; i++) driver.read(state);
    driver.torque(1);
    for (let i = 0; i < 100; i++) driver.read(state);
    expect(state.positionRad[5]).toBeGreaterThan(joints[5]! + 0.01);
    expect(Math.max(...state.velocityRadPerS.map(Math.abs))).toBeLessThan(1e-3);
    driver.exert([0, 0, 0, 0, 0, 1]);
    driver.scene.reset(layout(joints));
    for (let i = 0; i < 20; i++) driver.read(state);
    expect(state.positionRad[5]).toBeCloseTo(joints[5]!, 4);
    for (let k = 0; k < 6; k++) expect(Math.abs(state.wrench[k]!)).toBeLessThan(0.05);
  });

  it('refuses torques that are not finite, and any while torque is off', () => {
    start([X, Y, Z + 0.05]);
    expect(driver.exert([Number.NaN, 0, 0, 0, 0, 0])).toBe('rejected');
    expect(driver.exert([0])).toBe('rejected');
    driver.torque(0);
    expect(driver.exert([0, 0, 0, 0, 0, 0])).toBe('lost');
  });

  faultRow(
    52,
    'fake',
    'says that it is lost after the physics silently started again, until the scene is reset',
    () => {
      const joints = start([X, Y, Z + 0.05]);
      for (let i = 0; i < 7; i++) driver.read(state);
      simulation.views.positionRad[2] = Number.NaN;
      for (let i = 0; i < 30; i++) {
        driver.write(vec(joints));
        expect(driver.read(state)).toBe('lost');
      }
      driver.torque(0);
      driver.torque(1);
      expect(driver.read(state)).toBe('lost');
      driver.scene.reset(layout(joints));
      for (let i = 0; i < 30; i++) expect(driver.read(state)).toBe('ok');
    },
  );

  it('says that it is lost when a start pose is beyond what the physics can hold', () => {
    driver.scene.reset(layout([1e11, 0, 0, 0, 0, 0]));
    expect(driver.read(state)).toBe('lost');
  });

  it('refuses a layout with a number missing or not finite, and changes nothing', () => {
    const joints = start([X, Y, Z + 0.05]);
    driver.read(state);
    const before = [...simulation.views.positionRad, ...simulation.views.mocapPosition];
    expect(() => driver.scene.reset(layout(joints.slice(1)))).toThrow(RangeError);
    expect(() => driver.scene.reset(layout([0, 0, Number.NaN, 0, 0, 0]))).toThrow(RangeError);
    expect(() => driver.scene.reset(layout([0, 0, 0, 0, 0, 0], [0.1, Number.NaN, 0, 0]))).toThrow(RangeError);
    expect([...simulation.views.positionRad, ...simulation.views.mocapPosition]).toEqual(before);
  });

  it('gives the signals of the layout by name, and 0 for those that it does not name', () => {
    start([X, Y, Z + 0.05]);
    driver.read(state);
    expect(state.signals[driver.facts.signalNames.indexOf('holeXM')]).toBe(0.25);
    expect(state.signals[driver.facts.signalNames.indexOf('holeYM')]).toBe(0);
  });

  it('repeats a motion with contact bit by bit after the same reset', () => {
    const run = (): number[] => {
      start([X + 0.004, Y, Z + 0.003], 0.1);
      driver.read(state);
      const trace: number[] = [];
      moveTo(jointsAt(model, [X + 0.002, Y + 0.003, Z - 0.004], 0), 60, () =>
        trace.push(...state.positionRad, ...state.velocityRadPerS, ...state.wrench, ...state.signals),
      );
      return trace;
    };
    const first = run();
    start([X, Y, Z + 0.02]);
    moveTo(jointsAt(model, [X, Y, Z + 0.04], 0.3), 20);
    const second = run();
    expect(second.every((value, i) => Object.is(value, first[i]))).toBe(true);
    expect(Math.max(...first)).toBeGreaterThan(1);
  });

  it.each([-0.4, 0, 0.3, 1])('feels nothing of its own weight with the tool turned by %d rad', (yawRad) => {
    start([X, Y, Z + 0.05], yawRad);
    for (let i = 0; i < 50; i++) driver.read(state);
    for (let k = 0; k < 3; k++) expect(Math.abs(state.wrench[k]!)).toBeLessThan(0.05);
    for (let k = 3; k < 6; k++) expect(Math.abs(state.wrench[k]!)).toBeLessThan(0.01);
  });

  it('feels little while it moves and turns freely, and nothing after', () => {
    start([X - 0.02, Y, Z + 0.05], -0.2);
    driver.read(state);
    let largestN = 0;
    const joints = jointsAt(model, [X + 0.02, Y + 0.02, Z + 0.06], 0.2);
    // A quick motion for the task: 45 mm in half a second.
    moveTo(joints, 50, () => {
      largestN = Math.max(largestN, Math.hypot(state.wrench[0]!, state.wrench[1]!, state.wrench[2]!));
    });
    expect(largestN).toBeLessThan(1.5);
    for (let i = 0; i < 100; i++) {
      driver.write(vec(joints));
      driver.read(state);
    }
    expect(Math.max(...state.wrench.map(Math.abs))).toBeLessThan(0.05);
  });

  it('feels the plate push the tool upwards, about as hard as the servos press', () => {
    start([X + 0.03, Y + 0.02, Z + 0.001]);
    driver.read(state);
    const joints = jointsAt(model, [X + 0.03, Y + 0.02, Z - 0.004]);
    moveTo(joints, 40);
    for (let i = 0; i < 60; i++) {
      driver.write(vec(joints));
      driver.read(state);
    }
    const [fx, fy, fz] = [state.wrench[0]!, state.wrench[1]!, state.wrench[2]!];
    // The plate carries the load: about 2 kN/m over 4 mm.
    expect(fz).toBeGreaterThan(4);
    expect(fz).toBeLessThan(20);
    expect(Math.hypot(fx, fy)).toBeLessThan(0.5 * fz);
    // Statics: the joints' torques that are not needed in the air are Jᵀ of that force.
    expect(Math.abs(state.torqueNm[1]!)).toBeGreaterThan(0.5);
  });

  it('calls the tip inserted only within the mouth of the hole', () => {
    // Without contact, the tip stays where it is put.
    simulation.model.geom_contype.fill(0);
    simulation.model.geom_conaffinity.fill(0);
    const { lateralM } = pegTask(setup).success;
    const depthM = (tipX: number, tipZ: number): number => {
      start([tipX, Y, tipZ]);
      driver.read(state);
      return state.signals[driver.facts.signalNames.indexOf('depthM')]!;
    };
    expect(depthM(X, Z - 0.015)).toBeCloseTo(0.015, 4);
    expect(depthM(X, Z + 0.02)).toBeCloseTo(-0.02, 4);
    expect(depthM(X + 0.95 * lateralM, Z - 0.015)).toBeCloseTo(0.015, 4);
    expect(depthM(X + 1.05 * lateralM, Z - 0.015)).toBe(0);
    expect(depthM(X + 0.1, Z - 0.015)).toBe(0);
    expect(depthM(X + 0.1, Z + 0.015)).toBeCloseTo(-0.015, 4);
  });
});

describe('the peg and its hole', () => {
  const rng = new Rng(7);

  /**
   * Returns the depth of the tip below the plate's top after the reference went down to `toM` below it, with the hole
   * `offsetM` beside the tip.
   */
  async function pushedDepthM(
    task: 'insert' | 'insert-tight',
    offsetM: readonly [number, number],
    toM: number,
    yawRad = 0,
  ): Promise<number> {
    const tried = arm6Setup(task);
    const driver = arm6Driver(tried);
    await driver.open();
    const state = createRobotState(6, driver.facts.signalNames.length);
    const [x, y, z] = pegTask(tried).hole.originM;
    driver.scene.reset(layout(jointsAt(model, [x, y, z + 0.004], yawRad), [x + offsetM[0], y + offsetM[1], z, yawRad]));
    driver.torque(1);
    for (let t = 0; t <= 80; t++) {
      driver.write(vec(jointsAt(model, [x, y, z + 0.004 - (toM + 0.004) * Math.min(1, t / 60)], yawRad)));
      driver.read(state);
    }
    await driver.close();
    return state.signals[driver.facts.signalNames.indexOf('depthM')]!;
  }

  it.each(['insert', 'insert-tight'] as const)(
    '%s: the peg goes in freely at the true pose, whatever the turn',
    async (task) => {
      for (let i = 0; i < 3; i++)
        expect(await pushedDepthM(task, [0, 0], 0.026, rng.uniformIn(-0.2, 0.2))).toBeCloseTo(0.026, 3);
    },
  );

  it.each(['insert', 'insert-tight'] as const)(
    '%s: within clearance and chamfer the mouth leads it in',
    async (task) => {
      const { clearanceM, chamferM } = pegTask(arm6Setup(task)).hole;
      expect(await pushedDepthM(task, [0.8 * clearanceM, 0], 0.026)).toBeGreaterThan(0.025);
      expect(await pushedDepthM(task, [clearanceM + 0.5 * chamferM, 0], 0.026)).toBeGreaterThan(0.02);
    },
  );

  it.each(['insert', 'insert-tight'] as const)(
    '%s: beyond clearance and chamfer it stands on the plate',
    async (task) => {
      const { clearanceM, chamferM } = pegTask(arm6Setup(task)).hole;
      const beyondM = clearanceM + chamferM + 0.0002;
      for (const offset of [
        [-beyondM, 0],
        [0, beyondM],
        [0, -beyondM],
        // Pressing by 1 mm shifts the tip by 0.65 mm towards +x: the servos are stiff about joints, not along axes.
        [beyondM + 0.00065, 0],
      ] as const) {
        expect(await pushedDepthM(task, offset, 0.001)).toBeLessThan(0.00025);
      }
    },
  );
});

describe('opening the simulated arm', () => {
  it('refuses a robot whose joints are not those of the scene, and frees the scene', async () => {
    const closed = vi.spyOn(Simulation.prototype, 'close');
    const options = setup.driver.options as MujocoDriverOptions;
    const driver = new MujocoDriver(model, { ...options, jointNames: ['elbow', ...options.jointNames.slice(1)] });
    await expect(driver.open()).rejects.toThrow(ReinError);
    const halfStep = new MujocoDriver(model, { ...options, periodS: 0.0105 });
    await expect(halfStep.open()).rejects.toThrow('whole number of physics steps');
    expect(closed).toHaveBeenCalledTimes(2);
    closed.mockRestore();
  });

  it('can be done again after closing, and not twice', async () => {
    const driver = arm6Driver(setup);
    await driver.open();
    await expect(driver.open()).rejects.toThrow(TypeError);
    await driver.close();
    expect(() => driver.scene.geoms).toThrow(TypeError);
    await driver.open();
    expect(driver.read(createRobotState(6, driver.facts.signalNames.length))).toBe('ok');
    await driver.close();
  });
});
