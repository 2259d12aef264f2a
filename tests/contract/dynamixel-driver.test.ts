import { afterAll } from 'vitest';
import { dynamixelFamily } from '../../src/drivers/serial.ts';
import { paced, type ServoRig, servoRig } from '../support/emulated-servos.ts';
import { describeDriver } from './driver.contract.ts';

const rigs: ServoRig[] = [];

describeDriver('dynamixel', () => {
  const rig = servoRig({ robot: 'koch', family: dynamixelFamily });
  rigs.push(rig);
  const { driver: _, ...model } = rig.robot;
  return { driver: paced(rig), model };
});

afterAll(() => {
  for (const rig of rigs) rig.remove();
});
