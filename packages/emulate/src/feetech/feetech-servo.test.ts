import { describe, expect, it } from 'vitest';
import { FEETECH_MODELS } from '../../../../src/drivers/serial.ts';
import { SimpleBody, type SimpleJoint } from '../bodies/simple-body.ts';
import type { ServoSpec } from '../servo-chain.ts';
import { FeetechServo } from './feetech-servo.ts';

const PER_RAD = 4096 / (2 * Math.PI);
const OVERLOAD = 32;
const TEMPERATURE = 4;
const VOLTAGE = 1;

/** Servo that moves a lever, with time for both. */
class Rig {
  readonly servo: FeetechServo;
  readonly body: SimpleBody;
  supplyV = 7.4;

  constructor(joint: SimpleJoint = {}, spec: Partial<ServoSpec> = {}) {
    const model = FEETECH_MODELS['sts3215']!;
    this.servo = new FeetechServo({ id: 1, model, joint: 0, zeroCounts: 2048, countsPerUnit: PER_RAD, ...spec });
    this.body = new SimpleBody([{ inertiaKgM2: 0.03, ...joint }]);
    this.pass(0.001);
  }

  pass(seconds: number): void {
    const { body } = this;
    for (let leftS = seconds; leftS > 1e-9; leftS -= body.stepS) {
      body.torqueNm[0] = this.servo.drive(body.positionRad[0]!, body.velocityRadPerS[0]!, this.supplyV, body.stepS);
      body.step();
    }
  }

  goTo(rad: number): void {
    this.set('goalPosition', Math.round(2048 + rad * PER_RAD));
    this.set('torqueEnable', 1);
  }

  set(name: string, value: number): void {
    const { registers } = this.servo;
    const { address, bytes } = registers.model.registers[name]!;
    this.servo.write(address, Uint8Array.of(value & 0xff, value >> 8).subarray(0, bytes));
  }

  get(name: string): number {
    return this.servo.registers.get(name);
  }
}

/** Load that a servo can hold, but not lift out of the way: 1.2 N·m when level. */
const LEVER: SimpleJoint = { startRad: Math.PI / 2, unbalanceKgM: 1.2 / 9.81, minRad: -2, maxRad: 2 };
/** Load beyond its holding torque. */
const TOO_MUCH: SimpleJoint = { ...LEVER, unbalanceKgM: 4 / 9.81 };

describe('torque', () => {
  it('comes on with a goal, and with nothing else that is written', () => {
    const rig = new Rig();
    for (const name of ['acceleration', 'goalTime', 'goalSpeed', 'torqueLimit', 'lock', 'gainI']) {
      rig.set(name, 1);
      expect([name, rig.servo.isTorqueOn]).toEqual([name, false]);
    }
    rig.set('torqueLimit', 1000);
    rig.set('goalSpeed', 0);
    rig.set('gainI', 0);
    rig.set('acceleration', 0);
    rig.set('goalPosition', 2048 + 300);
    expect(rig.servo.isTorqueOn).toBe(true);
    rig.pass(1);
    expect(Math.abs(rig.body.positionRad[0]! - 300 / PER_RAD)).toBeLessThan(0.02);
  });

  it('is none without power, and off after it', () => {
    const rig = new Rig(LEVER);
    rig.goTo(Math.PI / 2);
    rig.pass(0.5);
    rig.servo.faults.unpoweredS = 0.2;
    rig.pass(0.1);
    expect(rig.servo.faults.unpoweredS).toBeGreaterThan(0);
    rig.pass(0.2);
    expect([rig.servo.faults.unpoweredS, rig.servo.isTorqueOn, rig.get('goalPosition')]).toEqual([0, false, 0]);
    expect(rig.body.positionRad[0]!).toBeLessThan(Math.PI / 2 - 0.1);
  });

  it('brakes as damping and holds nothing, where 2 is written, until it is written anew', () => {
    const [limp, damped] = [new Rig(LEVER), new Rig(LEVER)];
    damped.set('torqueEnable', 2);
    for (const rig of [limp, damped]) rig.pass(0.4);
    expect([damped.get('torqueEnable'), damped.servo.isTorqueOn]).toEqual([2, false]);
    const fallen = (rig: Rig): number => Math.PI / 2 - rig.body.positionRad[0]!;
    expect(fallen(damped)).toBeGreaterThan(0.02);
    expect(fallen(damped)).toBeLessThan(0.8 * fallen(limp));
    damped.goTo(0);
    expect(damped.servo.isTorqueOn).toBe(true);
  });

  it('is what holds a lever: without it, it falls', () => {
    const limp = new Rig(LEVER);
    limp.pass(2);
    expect(Math.abs(limp.body.positionRad[0]!)).toBeLessThan(1);
    const held = new Rig(LEVER);
    held.goTo(Math.PI / 2);
    held.pass(2);
    expect(held.body.positionRad[0]).toBeGreaterThan(Math.PI / 2 - 0.12);
    // Weight over stiffness: 1.2 N·m on 18 N·m/rad.
    expect(held.body.positionRad[0]).toBeLessThan(Math.PI / 2 - 0.04);
    expect(held.get('presentLoad')).toBeGreaterThan(500);
    expect(held.get('presentCurrent')).toBeGreaterThan(100);
  });

  it('is at most what the limit lets it be, and less where the supply is low', () => {
    const weak = new Rig(LEVER);
    weak.set('torqueLimit', 300);
    weak.goTo(Math.PI / 2);
    weak.pass(2);
    expect(weak.get('presentLoad')).toBe(300);
    expect(weak.body.positionRad[0]).toBeLessThan(1);
    const empty = new Rig(LEVER);
    empty.supplyV = 3.5;
    empty.goTo(Math.PI / 2);
    empty.pass(2);
    expect(empty.body.positionRad[0]).toBeLessThan(1.3);
    expect(empty.servo.error & VOLTAGE).toBe(VOLTAGE);
  });

  it('follows the goal no faster than the speed that is set', () => {
    const slow = new Rig();
    slow.set('goalSpeed', 200);
    slow.goTo(1);
    slow.pass(1);
    expect(slow.body.positionRad[0]).toBeGreaterThan(150 / PER_RAD);
    expect(slow.body.positionRad[0]).toBeLessThan(200 / PER_RAD);
  });
});

describe('protection', () => {
  it('latches after its time of overload, acknowledges further, and leaves a fifth of the torque until torque is switched', () => {
    const rig = new Rig(TOO_MUCH);
    rig.goTo(Math.PI / 2);
    rig.pass(1.5);
    expect(rig.servo.error & OVERLOAD).toBe(0);
    rig.pass(1);
    expect(rig.servo.error & OVERLOAD).toBe(OVERLOAD);
    expect(rig.servo.isTorqueOn).toBe(true);
    rig.pass(1);
    expect(rig.get('presentLoad')).toBeLessThanOrEqual(200);
    rig.set('goalPosition', 2048);
    expect(rig.get('goalPosition')).toBe(2048);
    expect(rig.servo.error & OVERLOAD).toBe(OVERLOAD);
    rig.set('torqueEnable', 0);
    rig.pass(0.01);
    expect(rig.servo.error & OVERLOAD).toBe(0);
  });

  it('switches off what is too hot, and heat comes from load', () => {
    const rig = new Rig({ ...LEVER, unbalanceKgM: 1.3 / 9.81 });
    rig.set('overloadTorque', 100);
    rig.goTo(Math.PI / 2);
    rig.pass(60);
    expect(rig.get('presentTemperature')).toBeGreaterThan(27);
    rig.servo.motor.setTemperatureC(71);
    rig.pass(0.5);
    expect(rig.servo.error & TEMPERATURE).toBe(TEMPERATURE);
    expect(rig.get('presentLoad')).toBe(0);
  });
});

describe('a fault', () => {
  it('mirrors it: up for the servo is down for the joint', () => {
    const rig = new Rig();
    rig.servo.faults.isMirrored = true;
    rig.goTo(0.5);
    rig.pass(2);
    expect(rig.body.positionRad[0]).toBeCloseTo(-0.5, 1);
    expect(rig.get('presentPosition')).toBeGreaterThan(2048);
  });

  it('shifts its zero, lets it jump by a turn, and stops its reading', () => {
    const rig = new Rig();
    const at = (): number => rig.get('presentPosition');
    rig.servo.faults.shiftRad = 0.1;
    rig.pass(0.01);
    expect(at()).toBe(2048 + Math.round(0.1 * PER_RAD));
    rig.servo.faults.wrapTurns = 1;
    rig.pass(0.01);
    expect(at()).toBe(2048 + 4096 + Math.round(0.1 * PER_RAD));
    rig.servo.faults.isFrozen = true;
    rig.goTo(0.5);
    rig.pass(1);
    expect(at()).toBe(2048 + 4096 + Math.round(0.1 * PER_RAD));
    // The loop sees no progress, and runs away.
    expect(rig.body.positionRad[0]).toBeGreaterThan(1);
  });

  it('overloads it at once, and shows the bits that it is given', () => {
    const rig = new Rig(LEVER);
    rig.goTo(Math.PI / 2);
    rig.servo.faults.isOverloaded = true;
    rig.servo.faults.errorBits = 2;
    rig.pass(1);
    expect(rig.servo.error).toBe(OVERLOAD | 2);
    expect(rig.body.positionRad[0]).toBeLessThan(1);
  });

  it('overloads it until its power is cut, whatever its torque is', () => {
    const rig = new Rig();
    rig.servo.faults.isOverloaded = true;
    rig.goTo(0);
    rig.set('torqueEnable', 0);
    rig.pass(0.1);
    expect(rig.servo.error).toBe(OVERLOAD);
    rig.servo.powerCycle();
    rig.pass(0.1);
    expect(rig.servo.error).toBe(0);
  });
});

it('measures a signal with its torque off, and lets nothing hang on it', () => {
  const servo = new FeetechServo({
    id: 7,
    model: FEETECH_MODELS['sts3215']!,
    signal: 'buttonZM',
    zeroCounts: 1000,
    countsPerUnit: 100_000,
  });
  servo.registers.set('torqueEnable', 1);
  expect(servo.drive(0.01, 0, 7.4, 0.001)).toBe(0);
  expect(servo.registers.get('presentPosition')).toBe(2000);
});
