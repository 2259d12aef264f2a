import { describe, expect, it } from 'vitest';
import { GoalGate } from './goal-gate.ts';

describe('goals of an arm of servos', () => {
  it('go to all once torque came on', () => {
    const gate = new GoalGate(3, true);
    expect([...gate.takes]).toEqual([0, 0, 0]);
    gate.open();
    gate.begin();
    expect([...gate.takes]).toEqual([1, 1, 1]);
  });

  it.each([
    [true, [1, 0, 1]],
    [false, [1, 1, 1]],
  ])('wait for the next answer of one that missed a reading, where a goal turns torque on (%s)', (turnsOn, takes) => {
    const gate = new GoalGate(3, turnsOn);
    gate.open();
    gate.begin();
    gate.miss(1, 2);
    expect([...gate.takes]).toEqual(takes);
    gate.begin();
    expect([...gate.takes]).toEqual([1, 1, 1]);
  });

  it.each([true, false])(
    'go to no servo any more that was silent or lost its torque, until it comes on anew',
    (turnsOn) => {
      const gate = new GoalGate(3, turnsOn);
      gate.open();
      gate.begin();
      gate.miss(0, 3);
      gate.leave(2);
      for (let tick = 0; tick < 100; tick++) {
        expect([...gate.takes]).toEqual([0, 1, 0]);
        gate.begin();
      }
      gate.open();
      expect([...gate.takes]).toEqual([1, 1, 1]);
    },
  );
});
