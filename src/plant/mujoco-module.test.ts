import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { faultRow } from '../../tests/support/fault-row.ts';
import { ReinError } from '../model/index.ts';
import { mujocoModule, Simulation } from './mujoco-module.ts';

/** Hinge with a position servo; `memory` is the size of its data. */
function pendulum(memory = '1M'): string {
  return `<mujoco><option timestep="0.002"/><size memory="${memory}"/>
    <worldbody><body><joint name="hinge"/><geom type="capsule" size="0.05" fromto="0 0 0 0.5 0 0"/></body></worldbody>
    <actuator><position joint="hinge" kp="10" kv="2"/></actuator></mujoco>`;
}

describe('a simulation', () => {
  let simulation: Simulation;

  beforeEach(async () => {
    simulation = await Simulation.fromXml(pendulum());
    simulation.reset();
  });

  afterEach(() => simulation.close());

  it('is trusted while nothing goes wrong', () => {
    for (let i = 0; i < 500; i++) expect(simulation.step(5)).toBe(true);
    expect(simulation.warnings()).toBe(0);
  });

  it.each([
    ['position', 'positionRad'],
    ['velocity', 'velocityRadPerS'],
  ] as const)('is not trusted after a %s that is not a number, and is again after a reset', (_name, view) => {
    for (let i = 0; i < 7; i++) simulation.step(5);
    simulation.views[view][0] = Number.NaN;
    for (let i = 0; i < 30; i++) expect(simulation.step(5)).toBe(false);
    simulation.reset();
    for (let i = 0; i < 30; i++) expect(simulation.step(5)).toBe(true);
  });

  it('is not trusted when it silently started again in its very first step, where time tells nothing', () => {
    simulation.views.positionRad[0] = 1e11;
    expect(simulation.step(5)).toBe(false);
    expect(simulation.data.time).toBeCloseTo(5 * simulation.timestepS, 12);
    expect(simulation.views.positionRad[0]).toBeLessThan(1);
  });

  faultRow(52, 'fake', 'sees within ten calls that a control was not a number, which MuJoCo replaces by 0', () => {
    simulation.step(5);
    simulation.views.control[0] = Number.NaN;
    const answers = Array.from({ length: 10 }, () => simulation.step(5));
    expect(answers).toContain(false);
  });

  it('gives back all that it takes to read the warnings, and the memory does not grow', () => {
    const taken = vi.spyOn(simulation.module.MjWarningStatVec.prototype, 'get');
    expect(simulation.warnings()).toBe(0);
    const counters = taken.mock.results.map(({ value }) => value as { isDeleted(): boolean });
    taken.mockRestore();
    expect(counters).toHaveLength(7);
    expect(counters.every((counter) => counter.isDeleted())).toBe(true);
    const bytes = () => simulation.views.positionRad.buffer.byteLength;
    const before = bytes();
    for (let i = 0; i < 10_000; i++) simulation.warnings();
    expect(bytes()).toBe(before);
  });

  it('gives views that live on when another model makes the memory grow', async () => {
    simulation.views.control[0] = 0.4;
    for (let i = 0; i < 100; i++) simulation.step(1);
    const before = simulation.views;
    const positionRad = before.positionRad[0]!;
    const others = [];
    while (before.positionRad.length > 0 && others.length < 50) others.push(await Simulation.fromXml(pendulum('16M')));
    expect(before.positionRad.length).toBe(0);
    expect(simulation.views.positionRad[0]).toBe(positionRad);
    expect(simulation.step(1)).toBe(true);
    expect(simulation.views.positionRad[0]).not.toBe(positionRad);
    expect(simulation.views.control[0]).toBe(0.4);
    for (const other of others) other.close();
  });

  it('says damping over stiffness of its servos', () => {
    expect(simulation.servoDampingPerStiffnessS(0)).toBeCloseTo(0.2, 12);
  });

  it('refuses a name that the scene lacks', () => {
    expect(simulation.id('joint', 'hinge')).toBe(0);
    expect(() => simulation.id('body', 'hinge')).toThrow(ReinError);
  });

  it("refuses a scene that does not compile, in MuJoCo's own words", async () => {
    await expect(Simulation.fromXml('<mujoco><worldbody><nonsense/></worldbody></mujoco>')).rejects.toThrow(
      expect.objectContaining({ name: 'ReinError', kind: 'driver', message: expect.stringContaining('nonsense') }),
    );
  });
});

it('opening and closing simulations does not use up the memory', async () => {
  const module = await mujocoModule();
  let bytes = 0;
  for (let i = 0; i < 50; i++) {
    const simulation = await Simulation.fromXml(pendulum('4M'));
    simulation.step(10);
    const size = simulation.views.positionRad.buffer.byteLength;
    simulation.close();
    simulation.close();
    if (i === 2) bytes = size;
    if (i > 2) expect(size).toBe(bytes);
  }
  expect(await mujocoModule()).toBe(module);
});
