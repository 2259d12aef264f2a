/** What a Dynamixel reads depends on its operating mode: before its zero is measured, the mode is that in which it is driven. */
import { afterEach, expect, it } from 'vitest';
import { type ServoRig, servoRig } from '../../../tests/support/emulated-servos.ts';
import { dynamixelFamily } from '../../drivers/serial.ts';
import type { DynamixelServo } from '../../emulate/dynamixel/dynamixel-servo.ts';
import type { Guide } from '../guide.ts';
import { requireServoArm } from '../index.ts';
import { calibrateArm } from './calibrate-arm.ts';

const EXTENDED = 4;
const BEGUN = 'the first joint';
let rig: ServoRig | undefined;
afterEach(() => rig?.remove());

/** A Koch whose first servo was set up by another program; the person says `answer`, and stops at the first joint. */
function calibrated(answer: 'y' | 'n'): { said: string[]; servo: DynamixelServo; ended: Promise<unknown> } {
  rig = servoRig({ robot: 'koch', family: dynamixelFamily });
  const { line, robot, calibration } = rig;
  const [servo] = (rig.bus as unknown as { servos: readonly DynamixelServo[] }).servos;
  servo!.registers.set('operatingMode', EXTENDED);
  servo!.registers.set('homingOffset', 1500);
  const said: string[] = [];
  const guide: Guide = {
    say: (text) => {
      said.push(text);
      if (text.startsWith('1/6 ')) throw new Error(BEGUN);
    },
    ask: async (question) => {
      said.push(question);
      return question.includes('Set that now?') ? answer : '';
    },
  };
  const ended = calibrateArm({
    arm: requireServoArm(robot, 'calibrate'),
    port: '/dev/memory',
    out: `${calibration}.new`,
    from: undefined,
    only: [],
    firmware: 'ask',
    ranges: 'file',
    guide,
    open: async () => ({ line, adapter: 'EMU0001', answerS: 0.004, warning: undefined, close: async () => undefined }),
    wallMs: 0,
  });
  return { said, servo: servo!, ended };
}

it('is set after a yes, with an offset that would be ignored there', async () => {
  const { said, servo, ended } = calibrated('y');
  await expect(ended).rejects.toThrow(BEGUN);
  expect(said).toContainEqual(
    'Servo 1 (shoulder_pan) is in operating mode 4, and is driven in 3; its offset 1500 would be ignored there, and becomes 0.',
  );
  expect([servo.registers.get('operatingMode'), servo.registers.get('homingOffset')]).toEqual([3, 0]);
});

it('is not measured in another', async () => {
  const { servo, ended } = calibrated('n');
  await expect(ended).rejects.toMatchObject({
    message: expect.stringContaining('another mode than they are driven in'),
    remedy: expect.stringContaining('rein calibrate --robot'),
  });
  expect(servo.registers.get('operatingMode')).toBe(EXTENDED);
});
