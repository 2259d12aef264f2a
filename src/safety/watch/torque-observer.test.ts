import { expect, it } from 'vitest';
import { diffBase, ur5eLike } from '../../../tests/support/robot-models.ts';
import { ArmKinematics, LINK_PARAMETERS, type RobotModel, type TorqueObserverModel } from '../../model/index.ts';
import { createRobotState } from '../../rows/index.ts';
import { SERVO_RESIDUAL, TORQUE_RESIDUAL } from '../fault-table/flags.ts';
import { TorqueObserver } from './torque-observer.ts';

const joints = ur5eLike.joints.length;
const PERIOD_S = 1 / ur5eLike.controlHz;
/** An arm without weight, so that the measured torque is the external push. */
const model: RobotModel = {
  ...ur5eLike,
  torqueObserver: {
    filterS: 0.028,
    weight: 'compensated',
    wrench: 'subtracted',
    velocityFeedForward: false,
    delayTicks: 0,
    torqueAgeS: 0,
    servoMaxNm: ur5eLike.joints.map(() => 2),
    externalMaxNm: ur5eLike.joints.map(() => 8),
    links: ur5eLike.joints.map(() => new Array<number>(LINK_PARAMETERS).fill(0)),
  },
};
const PUSH_N = 60;

/** The arm stands at home and presses downwards with its tool; `feltN` is the reading of the tool's sensor. */
function pressing(wrench: TorqueObserverModel['wrench'] = 'subtracted') {
  const observer = new TorqueObserver({ ...model, torqueObserver: { ...model.torqueObserver!, wrench } });
  const state = createRobotState(joints, 0);
  state.positionRad.set(model.homeRad);
  const kinematics = new ArmKinematics(model);
  kinematics.forward(model.homeRad);
  const jacobian = kinematics.jacobian();
  const sentRad = Float64Array.from(model.homeRad);
  for (const [i, { stiffnessNmPerRad }] of model.joints.entries()) {
    state.torqueNm[i] = -jacobian[2 * joints + i]! * PUSH_N;
    sentRad[i] = sentRad[i]! + state.torqueNm[i]! / stiffnessNmPerRad;
  }
  const see = (ticks: number, feltN: number, mean?: Float64Array): number => {
    let flags = 0;
    state.wrench[2] = feltN;
    for (let k = 0; k < ticks; k++) flags |= observer.check(state, sentRad, PERIOD_S, true, mean);
    return flags;
  };
  return { observer, state, see };
}

it('finds a push that no sensor feels, and names the joint', () => {
  const { observer, see } = pressing();
  expect(see(30, 0)).toBe(TORQUE_RESIDUAL);
  expect(Math.abs(observer.worstNm)).toBeGreaterThan(8);
  expect(observer.worstJoint).toBeGreaterThanOrEqual(0);
});

it('lets the tool press, and chatter so that its sensor misses it for a tenth of a second, but not for two', () => {
  const { see } = pressing();
  expect(see(50, PUSH_N)).toBe(0);
  for (let k = 0; k < 10; k++) {
    expect(see(12, 0)).toBe(0);
    expect(see(5, PUSH_N)).toBe(0);
  }
  expect(see(200, 0)).toBe(TORQUE_RESIDUAL);
});

it('does not take a torque that is not measured for none', () => {
  const { observer, state, see } = pressing();
  state.torqueNm[2] = Number.NaN;
  expect(see(5, PUSH_N)).toBe(TORQUE_RESIDUAL | SERVO_RESIDUAL);
  expect(observer.worstJoint).toBe(2);
  expect(observer.worstNm).toBeNaN();
});

it('takes a mean of the force for what it is: it allows nothing beside it, and nothing once the tool is free', () => {
  const { see, observer } = pressing('mean');
  const felt = Float64Array.of(0, 0, PUSH_N, 0, 0, 0);
  expect(see(50, 0, felt)).toBe(0);
  expect(observer.worstNm).toBeCloseTo(0, 6);
  // The samples report that the tool presses, and are not used.
  expect(see(20, PUSH_N, new Float64Array(6))).toBe(TORQUE_RESIDUAL);
});

it('stops the arm where the file counts on a mean that the driver does not give', () => {
  const { see } = pressing('mean');
  expect(see(5, PUSH_N)).toBe(TORQUE_RESIDUAL);
});

const WRIST = 4;

/** A wrist's servo of 300 N·m/rad, 16 N·m·s/rad and at most 28 N·m, sampled every 10 ms, by means over nearly as long. */
function wrist() {
  const servo = { stiffnessNmPerRad: 300, dampingNmSPerRad: 16, torqueMaxNm: 28 };
  const observer = new TorqueObserver({
    ...model,
    controlHz: 100,
    joints: model.joints.map((joint, i) => (i === WRIST ? { ...joint, ...servo } : joint)),
    torqueObserver: { ...model.torqueObserver!, torqueAgeS: 0.00495, servoMaxNm: model.joints.map(() => 1) },
  });
  const state = createRobotState(joints, 0);
  state.positionRad.set(model.homeRad);
  /** The joint is `offRad` short of its set-point, and its servo's measured torque is `torqueNm`. */
  const see = (offRad: number, velocityRadPerS: number, torqueNm: number): number => {
    state.positionRad[WRIST] = model.homeRad[WRIST]! - offRad;
    state.velocityRadPerS[WRIST] = velocityRadPerS;
    state.torqueNm[WRIST] = torqueNm;
    return observer.check(state, model.homeRad, 0.01) & SERVO_RESIDUAL;
  };
  return { observer, see };
}

it('leaves open what a servo gave while a strike drove it into saturation and out of it', () => {
  const { observer, see } = wrist();
  for (let k = 0; k < 5; k++) see(0.00363, -0.1089, 2.8);
  // One tick of a simulated insertion: means over the period, of a law that demands 2.8, 47 and 31 N·m.
  expect(see(0.03002, -1.3959, 36.144)).toBe(0);
  expect(see(0.03363, 0.0472, 16.466)).toBe(0);
  expect(see(0.03057, 0.4118, 4.91)).toBe(0);
  expect(Math.abs(observer.servoNm[WRIST]!)).toBeLessThan(0.5);
});

it('finds a servo with another torque limit while it stays saturated', () => {
  for (const torqueNm of [20, 36]) {
    const { see } = wrist();
    let flags = 0;
    for (let k = 0; k < 30; k++) flags |= see(0.2, 0, torqueNm);
    expect(flags, `${torqueNm} N·m`).toBe(SERVO_RESIDUAL);
  }
  for (const side of [-1, 1]) {
    const { see } = wrist();
    for (let k = 0; k < 30; k++) expect(see(side * 0.2, 0, side * 28)).toBe(0);
  }
});

it('watches no base, whose wheels slip', () => {
  const { torqueObserver } = model;
  const observer = new TorqueObserver({ ...diffBase, ...(torqueObserver === undefined ? {} : { torqueObserver }) });
  const state = createRobotState(2, 0);
  state.torqueNm.fill(1000);
  observer.late();
  for (let k = 0; k < 5; k++) expect(observer.check(state, new Float64Array(2), PERIOD_S)).toBe(0);
});

it('expects a servo with feed-forward to give nothing where it follows without lag, and one without to brake it', () => {
  const RAD_PER_S = 0.05;
  for (const velocityFeedForward of [true, false]) {
    const observer = new TorqueObserver({
      ...model,
      torqueObserver: { ...model.torqueObserver!, velocityFeedForward },
    });
    const state = createRobotState(joints, 0);
    const q = state.positionRad;
    state.velocityRadPerS[WRIST] = RAD_PER_S;
    let flags = 0;
    for (let k = 0; k < 100; k++) {
      q.set(model.homeRad);
      q[WRIST] = model.homeRad[WRIST]! + RAD_PER_S * k * PERIOD_S;
      // It is at its set-point, and exerts nothing.
      flags |= observer.check(state, q, PERIOD_S);
    }
    const { dampingNmSPerRad } = model.joints[WRIST]!;
    const { servoNm } = observer;
    if (velocityFeedForward) expect(servoNm[WRIST]).toBeCloseTo(0, 6);
    else expect(servoNm[WRIST]).toBeCloseTo(dampingNmSPerRad * RAD_PER_S, 6);
    expect(flags & SERVO_RESIDUAL).toBe(velocityFeedForward ? 0 : SERVO_RESIDUAL);
  }
});

it('compares nothing with a reading of which no time is known to have passed', () => {
  for (const dtS of [0, -PERIOD_S, Number.NaN]) {
    const { observer, state } = pressing();
    for (let k = 0; k < 5; k++) expect(observer.check(state, model.homeRad, dtS)).toBe(0);
    expect([...observer.externalNm]).toEqual(model.joints.map(() => 0));
  }
});

it('judges nothing around a tick that was late, and what goes on as soon as ticks are in time again', () => {
  const { observer, see } = pressing();
  const lateTicks = (count: number): number => {
    let flags = 0;
    for (let k = 0; k < count; k++) {
      observer.late();
      flags |= see(1, 0);
    }
    return flags;
  };
  expect(lateTicks(100)).toBe(0);
  expect(see(30, 0)).toBe(TORQUE_RESIDUAL);
});

it('forgets nothing of a push where one reading is missing', () => {
  const { observer, state, see } = pressing();
  expect(see(30, 0)).toBe(TORQUE_RESIDUAL);
  const before = [...observer.externalNm];
  const sent = Float64Array.from(model.homeRad);
  observer.check(state, sent, PERIOD_S, false);
  observer.check(state, sent, PERIOD_S);
  expect([...observer.externalNm]).toEqual(before);
});

it('takes a push for one although a tick is late now and then', () => {
  const { observer, see } = pressing();
  let flags = 0;
  for (let k = 0; k < 8; k++) {
    flags |= see(7, 0);
    observer.late();
    flags |= see(1, 0);
  }
  expect(flags).toBe(TORQUE_RESIDUAL);
});

it.each([
  ['in time', 0],
  ['late', 1],
])('a servo that follows its set-point a tick later than it was sent, of a tick %s', (_, isLate) => {
  const observer = new TorqueObserver(model);
  const state = createRobotState(joints, 0);
  state.positionRad.set(model.homeRad);
  const sent = Float64Array.from(model.homeRad);
  const [{ stiffnessNmPerRad } = { stiffnessNmPerRad: 1 }] = model.joints;
  // Effect of the machine's lateness on a moving set-point: every other reading belongs to the previous one.
  const stepRad = 40 / stiffnessNmPerRad;
  let flags = 0;
  for (let k = 0; k < 200; k++) {
    const wasRad = sent[0]!;
    sent[0] = model.homeRad[0]! + (k % 2 === 0 ? stepRad : 0.4 * stepRad);
    state.torqueNm[0] = stiffnessNmPerRad * (wasRad - model.homeRad[0]!);
    if (isLate === 1) observer.late();
    flags |= observer.check(state, sent, PERIOD_S) & SERVO_RESIDUAL;
  }
  expect(flags).toBe(isLate === 1 ? 0 : SERVO_RESIDUAL);
});
