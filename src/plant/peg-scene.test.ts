import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { arm6Setup } from '../../tests/support/arm6.ts';
import { ArmKinematics } from '../model/index.ts';
import { Simulation } from './mujoco-module.ts';
import type { PegSceneSpec } from './options.ts';
import { HOLE_OBJECT, pegSceneXml } from './peg-scene.ts';

describe.each(['insert', 'insert-tight'] as const)('the scene of %s', (task) => {
  const { driver, config } = arm6Setup(task);
  const { robot } = config;
  const spec = (driver.options as { scene: PegSceneSpec }).scene;
  let simulation: Simulation;

  beforeEach(async () => {
    simulation = await Simulation.fromXml(pegSceneXml(spec));
    simulation.reset();
  });

  afterEach(() => simulation.close());

  it("has its tool point where the robot's configuration has it", () => {
    const kinematics = new ArmKinematics(robot);
    const tcp = simulation.id('site', 'tcp');
    const joints = robot.joints.map((joint) =>
      fc.double({ min: joint.positionMinRad, max: joint.positionMaxRad, noNaN: true }),
    );
    fc.assert(
      fc.property(fc.tuple(...joints), (jointsRad) => {
        simulation.views.positionRad.set(jointsRad);
        simulation.forward();
        kinematics.forward(jointsRad);
        const { sitePosition, siteRotation } = simulation.views;
        for (let k = 0; k < 3; k++) {
          expect(Math.abs(sitePosition[3 * tcp + k]! - kinematics.tcpPositionM[k]!)).toBeLessThan(1e-9);
        }
        for (let k = 0; k < 9; k++) {
          expect(Math.abs(siteRotation[9 * tcp + k]! - kinematics.tcpRotation[k]!)).toBeLessThan(1e-9);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("has the joints, limits and servos of the robot's configuration", () => {
    const { model } = simulation;
    const [nu, njnt] = [model.nu as number, model.njnt as number];
    expect([nu, njnt]).toEqual([robot.joints.length, robot.joints.length]);
    const gains = model.actuator_gainprm as Float64Array;
    const biases = model.actuator_biasprm as Float64Array;
    const forces = model.actuator_forcerange as Float64Array;
    const ranges = model.jnt_range as Float64Array;
    const stride = gains.length / nu;
    for (const [i, joint] of robot.joints.entries()) {
      expect(simulation.id('joint', joint.name)).toBe(i);
      expect((model.actuator_trnid as Int32Array)[2 * i]).toBe(i);
      expect(gains[stride * i]).toBe(joint.stiffnessNmPerRad);
      expect([...biases.subarray(stride * i, stride * i + 3)]).toEqual([
        0,
        -joint.stiffnessNmPerRad,
        -joint.dampingNmSPerRad,
      ]);
      expect([...forces.subarray(2 * i, 2 * i + 2)]).toEqual([-joint.torqueMaxNm, joint.torqueMaxNm]);
      expect([...ranges.subarray(2 * i, 2 * i + 2)]).toEqual([joint.positionMinRad, joint.positionMaxRad]);
    }
  });

  /** Returns the distance from `from` along `direction` to the first surface. */
  function ray(from: readonly number[], direction: readonly number[]): number {
    const { module, model, data } = simulation;
    const geom = new module.IntBuffer(1);
    const distance = module.mj_ray(model, data, [...from], [...direction], [1, 1, 1, 1, 1, 1], true, -1, geom, null);
    geom.delete();
    return distance;
  }

  it('has a square hole with 45° chamfers exactly where the numbers say, wherever it is put', () => {
    const inner = spec.pegWidthM / 2 + spec.clearanceM;
    const mouth = inner + spec.chamferM;
    /** Returns the height of the surface over the plate's top, from the dimensions. */
    const height = (x: number, y: number): number => {
      const radius = Math.max(Math.abs(x), Math.abs(y));
      if (radius >= mouth) return 0;
      return radius <= inner ? -spec.depthM : radius - mouth;
    };
    const [holeX, holeY, holeZ, yaw] = [0.5, -0.6, 0.2, 0.37];
    simulation.views.mocapPosition.set([holeX, holeY, holeZ]);
    simulation.views.mocapQuaternion.set([Math.cos(yaw / 2), 0, 0, Math.sin(yaw / 2)]);
    simulation.forward();
    const near = fc.oneof(
      fc.double({ min: -0.055, max: 0.055, noNaN: true }),
      fc
        .tuple(fc.constantFrom(-1, 1), fc.double({ min: inner - 0.0003, max: mouth + 0.0003, noNaN: true }))
        .map(([sign, radius]) => sign * radius),
    );
    fc.assert(
      fc.property(near, near, (x, y) => {
        // On the edge itself, either answer is right.
        const radius = Math.max(Math.abs(x), Math.abs(y));
        fc.pre(Math.abs(radius - inner) > 1e-7);
        const at = [
          holeX + Math.cos(yaw) * x - Math.sin(yaw) * y,
          holeY + Math.sin(yaw) * x + Math.cos(yaw) * y,
          holeZ + 0.01,
        ];
        expect(0.01 - ray(at, [0, 0, -1])).toBeCloseTo(height(x, y), 7);
      }),
      { numRuns: 500 },
    );
  });

  it('has a peg of the width and length that the task names, with its lower end at the tool point', () => {
    const tcp = simulation.id('site', 'tcp');
    const peg = simulation.id('geom', 'peg');
    const size = [...(simulation.model.geom_size as Float64Array).subarray(3 * peg, 3 * peg + 3)];
    expect(size[0]).toBeCloseTo(spec.pegWidthM / 2, 9);
    expect(size[1]).toBeCloseTo(spec.pegWidthM / 2, 9);
    expect(size[2]).toBeCloseTo(spec.pegLengthM / 2, 9);
    simulation.forward();
    const { geomPosition, geomRotation, sitePosition } = simulation.views;
    for (let k = 0; k < 3; k++) {
      const end = geomPosition[3 * peg + k]! + geomRotation[9 * peg + 3 * k + 2]! * size[2]!;
      expect(end).toBeCloseTo(sitePosition[3 * tcp + k]!, 9);
    }
    expect(simulation.id('body', HOLE_OBJECT)).toBeGreaterThan(0);
  });
});
