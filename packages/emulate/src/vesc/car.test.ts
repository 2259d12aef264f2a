import { afterEach, describe, expect, it } from 'vitest';
import { loadRobotFile, type RobotConfig } from '../../../../src/config/index.ts';
import { ReinError, Rng } from '../../../../src/model/index.ts';
import { openCar } from '../../../../tests/support/emulated-car.ts';
import type { EmulatedBody } from '../bodies/body.ts';
import { MujocoCar } from '../bodies/mujoco-car.ts';
import { CarBody, carBody, raisedCar } from './car.ts';
import { VescBus } from './vesc-bus.ts';

const { robot } = loadRobotFile('race-car-vesc');
const STEERING = { inertiaKgM2: 0.002, dampingNmSPerRad: 0.05, frictionNm: 0.001 };
const open: EmulatedBody[] = [];
afterEach(() => {
  for (const body of open.splice(0)) body.close();
});

async function onTheGround({ driver }: RobotConfig): Promise<CarBody> {
  const { model: file } = driver as unknown as { readonly model: string };
  return new CarBody(await MujocoCar.open({ file, steering: STEERING, rollingN: 2, dragNSPerM: 1.5 }));
}

describe.each([
  ['raised', async () => raisedCar(robot)],
  ['on the ground', () => onTheGround(robot)],
] as const)('a car %s', (_, make) => {
  /** Returns the car, and a function that lets time pass and returns its position, m. */
  async function rig() {
    const body = await make();
    open.push(body);
    const pass = (seconds: number): number => {
      for (let i = 0; i < seconds / body.stepS; i++) body.step();
      return body.positionRad[0]!;
    };
    return { body, pass };
  }

  it('has wheels that a hand turns by so much and no more, and lets go of where the motor turns them', async () => {
    const { body, pass } = await rig();
    body.turn(0.5);
    expect(pass(0.5)).toBeCloseTo(0.25, 2);
    expect(pass(1)).toBeCloseTo(0.5, 3);
    expect(body.velocityRadPerS[0]).toBeCloseTo(0, 3);
    body.turn(-0.2);
    expect(pass(1)).toBeCloseTo(0.3, 3);
    body.turn(-5);
    pass(0.1);
    body.torqueNm[0] = 20;
    expect(pass(1)).toBeGreaterThan(1);
  });

  it('is as heavy as a car of 1:10, stands without a force, and rolls out', async () => {
    const { body, pass } = await rig();
    expect(pass(0.5)).toBeCloseTo(0, 3);
    body.torqueNm[0] = 10;
    pass(0.5);
    // (10 N less 2 N and 1.5 N per m/s) on some 4 kg.
    const speedMPerS = body.velocityRadPerS[0]!;
    expect(speedMPerS).toBeGreaterThan(0.8);
    expect(speedMPerS).toBeLessThan(1.05);
    body.torqueNm[0] = 0;
    pass(3);
    expect(body.velocityRadPerS[0]).toBeCloseTo(0, 2);
  });

  it('turns its steering servo as the torque says', async () => {
    const { body, pass } = await rig();
    body.torqueNm[1] = 0.1;
    pass(0.1);
    expect(body.positionRad[1]).toBeGreaterThan(0.1);
    body.torqueNm[1] = 0;
    pass(0.5);
    expect(body.velocityRadPerS[1]).toBeCloseTo(0, 3);
  });
});

describe('a car on the ground', () => {
  it('drives where its front wheels point, and knows where it is', async () => {
    const body = await onTheGround(robot);
    open.push(body);
    const angleRad = 0.2;
    for (let i = 0; i < 2 / body.stepS; i++) {
      body.torqueNm[0] = 20 * (0.8 - body.velocityRadPerS[0]!);
      body.torqueNm[1] = 6 * (angleRad - body.positionRad[1]!) - 0.1 * body.velocityRadPerS[1]!;
      body.step();
    }
    // On a circle of L/tan δ about a point to its left.
    const radiusM = 0.3302 / Math.tan(angleRad);
    const turnRad = body.positionRad[0]! / radiusM;
    const [xM, yM, headingRad] = ['xM', 'yM', 'headingRad'].map((name) => body.signals.get(name)!) as [
      number,
      number,
      number,
    ];
    expect(headingRad).toBeGreaterThan(0.8 * turnRad);
    expect(headingRad).toBeLessThan(1.05 * turnRad);
    expect(Math.hypot(xM, yM - radiusM)).toBeCloseTo(radiusM, 0);
    expect(yM).toBeGreaterThan(0.3);
    const bus = new VescBus({ robot, body, baud: 115_200, rng: new Rng(1) });
    expect(bus.states()[0]).toMatchObject({ model: 'vesc', place: { xM, yM, headingRad } });
  });

  it('goes as fast as its driver is asked to, and is no farther than that has read where nothing slips', async () => {
    const body = await onTheGround(robot);
    open.push(body);
    const rig = await openCar({ body });
    rig.drive(1, 50);
    rig.drive(1.5, 100);
    expect(body.velocityRadPerS[0]).toBeCloseTo(1.5, 1);
    for (const speedMPerS of [1, 0.5, 0]) rig.drive(speedMPerS, 50);
    expect(rig.state.positionRad[0]).toBeCloseTo(body.signals.get('xM')!, 1);
    expect(body.signals.get('yM')).toBeCloseTo(0, 1);
    await rig.driver.close();
  });

  it('slips where more is asked of its tyres than they hold', async () => {
    const body = await onTheGround(robot);
    open.push(body);
    body.torqueNm[0] = 39;
    for (let i = 0; i < 0.5 / body.stepS; i++) body.step();
    expect(body.positionRad[0]!).toBeGreaterThan(1.2 * body.signals.get('xM')!);
  });

  it('is what a file with a model gets, and one without gets its wheels raised', async () => {
    const { model: _, ...bare } = robot.driver as unknown as { readonly model: string };
    const ground = await carBody(robot);
    open.push(ground);
    expect([...ground.signals.keys()]).toEqual(['xM', 'yM', 'headingRad']);
    expect([...(await carBody({ ...robot, driver: bare as RobotConfig['driver'] })).signals]).toEqual([]);
  });

  it('is refused where its model is not there, or is no car', async () => {
    const rest = { steering: STEERING, rollingN: 2, dragNSPerM: 1.5 };
    await expect(MujocoCar.open({ file: '/nowhere.xml', ...rest })).rejects.toThrow(/nowhere\.xml/);
    const arm = loadRobotFile('koch').robot.driver as unknown as { readonly model: string };
    await expect(MujocoCar.open({ file: arm.model, ...rest })).rejects.toThrow(ReinError);
  });
});
