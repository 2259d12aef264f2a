import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Rng } from '../../../../src/model/index.ts';
import { Quadrotor } from './quadrotor.ts';
import { HOVER_ACTION } from './quadrotor-body.ts';

const HOVER = new Float32Array(4).fill(HOVER_ACTION);

it('hovers at the published action', () => {
  expect(HOVER_ACTION).toBeCloseTo(0.334, 3);
});

describe('a quadrotor at the target', () => {
  let quadrotor: Quadrotor;
  /** Seed whose episode begins at the target. */
  let seed = 0;

  beforeAll(async () => {
    quadrotor = await Quadrotor.open();
    do quadrotor.reset(new Rng(++seed));
    while (quadrotor.observation[0] !== 0);
  });

  afterAll(() => quadrotor.close());

  it('stays there without a disturbance, is paid 2 a step, and has succeeded after a second', () => {
    quadrotor.reset(new Rng(seed));
    for (let i = 0; i < 99; i++) quadrotor.step(HOVER);
    expect(quadrotor.isSuccess).toBe(false);
    expect(quadrotor.reward).toBeCloseTo(2, 5);
    quadrotor.step(HOVER);
    expect([quadrotor.isSuccess, quadrotor.isTerminated]).toEqual([true, false]);
    expect([...quadrotor.observation.slice(3, 12)]).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1]);
  });

  it('falls with its rotors off, faster than the lag lets them stop, and ends a metre below', () => {
    quadrotor.reset(new Rng(seed));
    const off = new Float32Array(4).fill(-1);
    let steps = 0;
    for (; steps < 500 && !quadrotor.isTerminated; steps++) quadrotor.step(off);
    // A metre of free fall takes 0.45 s; rotors that stop with 0.15 s need longer.
    expect(steps).toBeGreaterThan(48);
    expect(steps).toBeLessThan(65);
    expect(quadrotor.reward).toBe(0);
  });

  it.each([
    ['rolls to the side of the weaker rotors', [-0.1, -0.1, 0.1, 0.1], 15, 1],
    ['pitches to the other', [0.1, -0.1, -0.1, 0.1], 16, -1],
    ['yaws against the drag of the faster rotors', [0.1, -0.1, 0.1, -0.1], 17, -1],
  ] as const)('%s', (_name, difference, entry, sign) => {
    quadrotor.reset(new Rng(seed));
    for (let i = 0; i < 5; i++) quadrotor.step(HOVER.map((value, rotor) => value + difference[rotor]!));
    for (const k of [15, 16, 17]) {
      if (k === entry) expect(Math.sign(quadrotor.observation[k]!)).toBe(sign);
      else expect(Math.abs(quadrotor.observation[k]!)).toBeLessThan(1e-3);
    }
  });

  it('is paid by the published weights', () => {
    let other = seed;
    do quadrotor.reset(new Rng(++other));
    while (quadrotor.observation[0] === 0);
    quadrotor.step(new Float32Array(4).fill(0.5));
    const state = quadrotor.observation;
    const square = (from: number) => state[from]! ** 2 + state[from + 1]! ** 2 + state[from + 2]! ** 2;
    // 1 − q_w² from the rotation matrix: its trace is 4·q_w² − 1.
    const tilt = 1 - (1 + state[3]! + state[7]! + state[11]!) / 4;
    const action = 4 * (0.5 - HOVER_ACTION) ** 2;
    const cost = 5 * square(0) + 5 * tilt + 0.01 * square(12) + 0.01 * action;
    expect(quadrotor.reward).toBeCloseTo(2 - cost / 2, 5);
  });
});

it('shows the state of some steps ago and the last actions, and to critics what is now', async () => {
  const now = await Quadrotor.open({ disturbance: 0.05 });
  const options = { delaySteps: 3, historyLength: 2, privileged: true, disturbance: 0.05 };
  const late = await Quadrotor.open(options);
  expect(late.parts).toEqual({ stateSize: 26, privilegedSize: 28 });
  now.reset(new Rng(9));
  late.reset(new Rng(9));
  const states = [now.observation.slice()];
  const actions: Float32Array[] = [];
  const rng = new Rng(10);
  for (let i = 1; i <= 8; i++) {
    actions.push(Float32Array.from({ length: 4 }, () => rng.uniformIn(-1, 1)));
    for (const task of [now, late]) task.step(actions.at(-1)!);
    states.push(now.observation.slice());
    expect(late.observation.slice(0, 18)).toEqual(states[Math.max(0, i - 3)]);
    expect(late.observation.slice(18, 22)).toEqual(actions[i - 1]);
    if (i > 1) expect(late.observation.slice(22, 26)).toEqual(actions[i - 2]);
    expect(late.observation.slice(26, 44)).toEqual(states[i]);
  }
  expect(late.observation.slice(48).every((value) => value !== 0)).toBe(true);
  now.close();
  late.close();
});
