import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HandGuide, type HandRig, handRig } from '../../../tests/support/calibrated-by-hand.ts';
import { climbRequest } from '../../../tests/support/rungs.ts';
import { calibrationText, readCalibration } from '../../drivers/serial.ts';
import { calibrateArm } from '../calibrate/calibrate-arm.ts';
import type { ServoArm } from '../families.ts';
import { type ClimbRequest, climb } from './climb.ts';

let rig: HandRig;
let arm: ServoArm;
beforeEach(async () => {
  rig = handRig();
  vi.stubEnv('REIN_STATE', join(rig.folder, 'state'));
  arm = { ...rig.arm, calibration: rig.out };
  // The ladder takes the path of the calibration from the robot's file.
  Object.assign(arm.robot.driver, { calibration: rig.out });
  const rest = { port: undefined, only: [], firmware: 'ask', ranges: 'file', wallMs: 0 } as const;
  await calibrateArm({ arm, out: rig.out, open: rig.open, guide: new HandGuide(rig), ...rest });
  rig.body.positionRad.fill(0);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rig.remove();
});

function request(more: Partial<ClimbRequest> = {}): ClimbRequest {
  return climbRequest({
    arm,
    file: 'my-arm.yaml',
    guide: new HandGuide(rig),
    open: rig.open,
    out: join(rig.folder, 'run'),
    ...more,
  });
}

describe('the ladder of an arm', () => {
  it('begins with its servos, and then a hand that moves each joint', async () => {
    expect(await climb(request())).toBe('doctor');
    expect(await climb(request())).toBe('mirror');
  });

  it('is not climbed by the hand of whoever moves another arm, whose adapter is not the calibrated one', async () => {
    await climb(request());
    const guide = new HandGuide(rig);
    const open: ClimbRequest['open'] = async (settings) => ({ ...(await rig.open(settings)), adapter: 'EMU0002' });
    await expect(climb(request({ guide, open, port: '/dev/other' }))).rejects.toMatchObject({
      message: expect.stringContaining('(fault 34)'),
      remedy: 'Plug in the right arm, or calibrate this one: rein calibrate --robot so101',
    });
    // Before any question, and before any change of its torque.
    expect(guide.said).toHaveLength(1);
  });

  it('is not climbed with the calibration of other joints', async () => {
    await climb(request());
    const { checksum: _, ...calibration } = readCalibration(rig.out, 'so101');
    const { gripper, ...others } = calibration.joints;
    const joints = { ...others, jaw: gripper! };
    writeFileSync(rig.out, calibrationText({ ...calibration, joints }));
    await expect(climb(request())).rejects.toThrow(/has no joint gripper \(fault 34\)/);
  });
});
