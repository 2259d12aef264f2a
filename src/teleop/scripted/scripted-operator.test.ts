import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ObservationSpec } from '../../model/index.ts';
import type { TeleopCommand } from '../teleop-source.ts';
import { PegInserter } from './peg-inserter.ts';
import { ScriptedOperator, type TakeOverRule } from './scripted-operator.ts';

const observation: ObservationSpec = {
  frames: 1,
  fields: [
    { name: 'hole_offset', size: 3, unit: 'm / 0.03', frame: 'base' },
    { name: 'yaw_offset', size: 1, unit: 'rad / 0.2', frame: 'base' },
    { name: 'force', size: 3, unit: 'tanh(N / 10)', frame: 'base' },
    { name: 'torque', size: 3, unit: 'tanh(N*m / 0.5)', frame: 'base' },
  ],
};
const free = Float32Array.of(0.3, 0, -1, 0, 0, 0, 0, 0, 0, 0);
const touching = Float32Array.of(0.1, 0, 0, 0, 0, 0, 0.4, 0, 0, 0);

const always: TakeOverRule = { initialRate: 1, finalRate: 1, halvingSteps: 100, stuckSteps: 5, handBackSteps: 8 };

function createOperator(rule: Partial<TakeOverRule> = {}, seed = 1): ScriptedOperator {
  const hand = new PegInserter({
    observation,
    action: {
      kind: 'cartesian',
      dimensions: [
        { name: 'x', scale: 0.01, unit: 'm' },
        { name: 'y', scale: 0.01, unit: 'm' },
        { name: 'z', scale: 0.01, unit: 'm' },
        { name: 'yaw', scale: 0.06, unit: 'rad' },
      ],
    },
    spiralPitchM: 0.0015,
    searchStepM: 0.003,
    searchRadiusM: 0.0045,
    tremor: 0.05,
    seed,
  });
  return new ScriptedOperator(hand, { ...always, ...rule }, observation, seed);
}

/** Controller in each of the next `steps`: '-' the policy, 'r' recovering, 'c' correcting. */
function watch(operator: ScriptedOperator, steps: number, seen: Float32Array = free): string {
  const command: TeleopCommand = { active: false, action: new Float32Array(4), phase: 'correct' };
  let log = '';
  for (let i = 0; i < steps; i++) {
    operator.poll(seen, i / 10, command);
    log += command.active ? command.phase[0] : '-';
  }
  return log;
}

/** Share of operators, each with its own random numbers, that take over in an episode whose decision falls on step `stuckSteps + 1`. */
function share(rule: Partial<TakeOverRule>): number {
  const { stuckSteps } = { ...always, ...rule };
  let taken = 0;
  for (let seed = 0; seed < 1500; seed++) {
    const operator = createOperator(rule, seed);
    operator.reset();
    if (watch(operator, stuckSteps + 1).endsWith('c')) taken++;
  }
  return taken / 1500;
}

describe('the scripted operator', () => {
  it('never takes over before the policy counts as stuck, and gives back in time, whatever the rule and the luck', () => {
    const rule = fc.record({
      initialRate: fc.double({ min: 0, max: 1, noNaN: true }),
      finalRate: fc.double({ min: 0, max: 1, noNaN: true }),
      halvingSteps: fc.integer({ min: 1, max: 1000 }),
      stuckSteps: fc.integer({ min: 0, max: 30 }),
      handBackSteps: fc.integer({ min: 1, max: 30 }),
    });
    fc.assert(
      fc.property(rule, fc.nat(), (rule, seed) => {
        const operator = createOperator(rule, seed);
        for (let episode = 0; episode < 5; episode++) {
          operator.reset();
          const log = watch(operator, 70);
          const idle = '-'.repeat(rule.stuckSteps);
          const held = 'c'.repeat(rule.handBackSteps);
          expect([idle.padEnd(70, '-'), (idle + held).padEnd(70, '-')]).toContain(log);
        }
      }),
    );
  });

  it('gives back at the end of the episode', () => {
    const operator = createOperator();
    operator.reset();
    expect(watch(operator, 7)).toBe('-----cc');
    operator.reset();
    expect(watch(operator, 7)).toBe('-----cc');
  });

  it('always steps in at rate 1 and never at rate 0', () => {
    expect(share({})).toBe(1);
    expect(share({ initialRate: 0, finalRate: 0 })).toBe(0);
  });

  it('steps in at the initial rate first, half as often after the halving time, a quarter after two, at the final rate in the end', () => {
    const decay = { initialRate: 0.8, finalRate: 0, halvingSteps: 20 };
    // Five standard deviations of 1 500 draws are 0.065.
    expect(share({ ...decay, halvingSteps: 1e6 })).toBeCloseTo(0.8, 0.9);
    expect(Math.abs(share({ ...decay, stuckSteps: 19 }) - 0.4)).toBeLessThan(0.065);
    expect(Math.abs(share({ ...decay, stuckSteps: 39 }) - 0.2)).toBeLessThan(0.065);
    expect(Math.abs(share({ ...decay, finalRate: 0.3, stuckSteps: 400 }) - 0.3)).toBeLessThan(0.065);
  });

  it('counts the steps of all episodes for that', () => {
    const operator = createOperator({ initialRate: 1, finalRate: 0, halvingSteps: 3 });
    operator.reset();
    watch(operator, 200);
    let later = '';
    for (let episode = 0; episode < 50; episode++) {
      operator.reset();
      later += watch(operator, 20);
    }
    expect(later).not.toContain('c');
  });

  it('recovers first where it takes over in contact, and then corrects', () => {
    const operator = createOperator();
    operator.reset();
    expect(watch(operator, 13, touching)).toBe('-----rrrccccc');
  });

  it('says that a script decides', () => {
    expect(createOperator().decidedBy).toBe('scripted');
  });
});
