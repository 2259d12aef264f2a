import { describe, expect, it } from 'vitest';
import type { DynamixelBus } from '../../../packages/emulate/src/dynamixel/dynamixel-bus.ts';
import { rigOfTest } from '../../../tests/support/rig-of-test.ts';
import { loadRobotFile } from '../../config/index.ts';
import { dynamixelFamily, ServoBus } from '../../drivers/serial.ts';
import { requireServoArm } from '../families.ts';
import { ServoAccess } from '../servo-access.ts';
import { type OpenArm, storeBeforeMeasuring } from './stored-settings.ts';

/** ViperX's shoulder, and its second servo. */
const SHOULDER = 'shoulder';
const [FIRST, SECOND] = [2, 3];
const REVERSED = 1;

/** ViperX as its manufacturer ships it: the first servo of its shoulder reversed, and the second not. */
function stockViperX() {
  const { bus, line } = rigOfTest({ robot: 'viperx', family: dynamixelFamily });
  const servos = (bus as DynamixelBus).servos;
  const servo = (id: number) => servos.find((each) => each.id === id)!;
  servo(FIRST).registers.set('driveMode', REVERSED);
  servo(SECOND).registers.set('driveMode', 0);
  const arm = requireServoArm(loadRobotFile('viperx').robot, 'calibrated');
  const said: string[] = [];
  const servoBus = new ServoBus({ line, protocol: arm.bus.family.protocolOf(arm.servos.map(({ model }) => model)) });
  const open: OpenArm = {
    arm,
    guide: { say: (text) => said.push(text), ask: async () => 'y' },
    access: (id) => new ServoAccess(servoBus, id, arm.servos.find((each) => each.id === id)!.model),
  };
  return { open, said, driveModes: () => [FIRST, SECOND].map((id) => servo(id).registers.get('driveMode')), bus };
}

describe('what is stored before a joint with two servos is measured', () => {
  it('turns the second one round with the first', async () => {
    const { open, said, driveModes } = stockViperX();
    await storeBeforeMeasuring(open, [SHOULDER]);
    expect(driveModes()).toEqual([0, REVERSED]);
    expect(said.filter((line) => line.includes('driveMode'))).toEqual([
      '  servo 2 (shoulder): driveMode 1 → 0, so that it counts as it turns and follows no other',
      '  servo 3 (shoulder, second servo): driveMode 0 → 1, so that it turns as the first one does',
    ]);
  });

  it('is nothing where one of them does not answer: neither would be right without the other', async () => {
    for (const silent of [FIRST, SECOND]) {
      const { open, driveModes, bus } = stockViperX();
      bus.faultsOf(silent)!.isDead = true;
      await expect(storeBeforeMeasuring(open, [SHOULDER])).rejects.toThrow(`Servo ${silent} (`);
      expect(driveModes()).toEqual([REVERSED, 0]);
    }
  });
});
