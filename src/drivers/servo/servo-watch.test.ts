import { describe, expect, it } from 'vitest';
import { servoOptionsOf } from '../../../tests/support/emulated-servos.ts';
import { loadRobotFile } from '../../config/index.ts';
import { HARDWARE } from '../../rows/index.ts';
import { HARDWARE_ERROR } from '../dynamixel/models.ts';
import { dynamixelFamily, feetechFamily } from '../serial.ts';
import type { ServoFamily } from './family.ts';
import { ServoWatch } from './servo-watch.ts';

const ALERT = 0x80;
const ROUND_S = 0.24;

function watchOf(robot: string, family: ServoFamily): ServoWatch {
  const options = servoOptionsOf(loadRobotFile(robot).robot);
  const motor = options.motors[0]!;
  return new ServoWatch({ name: 'joint', id: 1, model: family.models[motor.model]!, options: motor }, family, options);
}

describe('a servo', () => {
  it('has a low supply once it was seen so for 0.2 s, and one look is no time', () => {
    const watch = watchOf('so101', feetechFamily);
    watch.measure(30, 7.4, ROUND_S);
    watch.measure(30, 3, ROUND_S);
    expect(watch.faults).toBe(0);
    watch.measure(30, 3, ROUND_S);
    expect(watch.faults).toBe(HARDWARE.servoFault);
    expect(watch.takeNotice()?.message).toContain('3.0 V');
  });

  it('has not started anew where a fault of its own took its torque away', () => {
    const watch = watchOf('koch', dynamixelFamily);
    watch.see(ALERT, 0, 0, true, 0.02);
    watch.readBack(0, true, true);
    expect(watch.faults).toBe(HARDWARE.servoFault);
    const other = watchOf('koch', dynamixelFamily);
    other.see(0, 0, 0, true, 0.02);
    other.readBack(0, true, true);
    expect(other.faults).toBe(HARDWARE.servoReset);
  });

  it('tells of each cause of its own fault, once, until all are over', () => {
    const watch = watchOf('koch', dynamixelFamily);
    watch.see(ALERT, 0, 0, true, 0.02);
    expect([watch.takeWantsName(), watch.takeWantsName()]).toEqual([true, false]);
    expect(watch.takeNotice()?.message).toContain('reports a hardware error');
    watch.name(HARDWARE_ERROR.overload);
    expect(watch.takeNotice()?.message).toContain('reports overload');
    watch.name(HARDWARE_ERROR.overload | HARDWARE_ERROR.temperature);
    expect(watch.takeNotice()?.message).toContain('reports temperature, overload');
    watch.measure(90, 5, ROUND_S);
    expect(watch.takeNotice()?.message).toContain('is at 90 °C');
    expect(watch.takeNotice()).toBeUndefined();
    watch.measure(30, 5, ROUND_S);
    watch.measure(90, 5, ROUND_S);
    expect(watch.takeNotice()).toBeUndefined();
    watch.see(0, 0, 0, true, 0.02);
    watch.measure(30, 5, ROUND_S);
    expect([watch.faults, watch.takeNotice()]).toEqual([0, undefined]);
    watch.measure(90, 5, ROUND_S);
    expect(watch.takeNotice()?.message).toContain('is at 90 °C');
  });

  it('tells of two faults that come together one after the other', () => {
    const watch = watchOf('so101', feetechFamily);
    watch.see(0, 0, 0, true, 0.02);
    watch.readBack(0, true, false);
    const rows = [watch.takeNotice(), watch.takeNotice(), watch.takeNotice()].map((notice) => notice?.row);
    expect(rows).toEqual([13, 37, undefined]);
  });
});

it('takes no goal beyond the counts of its model', () => {
  const { scs0009, sts3215 } = feetechFamily.models;
  expect(feetechFamily.goalRange(scs0009!)).toEqual([0, 1023]);
  expect(feetechFamily.goalRange(sts3215!)).toEqual([0, 4095]);
});
