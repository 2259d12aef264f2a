import { afterEach, describe, expect, it } from 'vitest';
import { HandGuide, type HandRig, handRig } from '../../../tests/support/calibrated-by-hand.ts';
import { readCalibration } from '../../drivers/serial.ts';
import type { OpenBusPort } from '../bus-port.ts';
import { calibrateArm } from './calibrate-arm.ts';
import { checkServoCalibration, rebindCalibration } from './check-calibration.ts';

const SOCKETS = ['socket:pci-1', 'socket:pci-2'] as const;
const rigs: HandRig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.remove();
});

/** Arm behind an adapter without serial number, calibrated in the first socket. */
async function calibrated() {
  const rig = handRig({ adapter: SOCKETS[0] });
  rigs.push(rig);
  const { arm, out, open } = rig;
  const guide = new HandGuide(rig);
  const common = { arm, named: 'my-arm.yaml', port: undefined } as const;
  await calibrateArm({ ...common, out, open, guide, only: [], firmware: 'ask', ranges: 'file', wallMs: 0 });
  rig.body.positionRad.fill(0);
  const moved: OpenBusPort = async (settings) => ({ ...(await open(settings)), adapter: SOCKETS[1] });
  return { rig, said: guide.said, request: { ...common, path: out, open: moved } };
}

const yes = (rig: HandRig): HandGuide =>
  new HandGuide(rig, (question) => (question.startsWith('Is it') ? 'y' : undefined));

describe('a calibration behind an adapter without serial number', () => {
  it('is bound to its socket, which the person is told, and refused in another', async () => {
    const { rig, said, request } = await calibrated();
    expect(readCalibration(rig.out, 'so101').adapter).toBe(SOCKETS[0]);
    expect(said.find((line) => line.includes('bound to'))).toMatch(
      /bound to the USB socket pci-1, .*in another socket it is refused.*rein calibrate --robot so101 --rebind$/,
    );
    const [file] = await checkServoCalibration(request);
    expect(file).toMatchObject({ status: 'fail', remedy: expect.stringContaining('--rebind') });
  });

  it('is bound anew where the servos are those of the file, and a person says so', async () => {
    const { rig, request } = await calibrated();
    const before = readCalibration(rig.out, 'so101');
    expect(await rebindCalibration({ ...request, guide: yes(rig) })).toMatch(/^the USB socket pci-2/);
    const after = readCalibration(rig.out, 'so101');
    expect(after).toEqual({ ...before, adapter: SOCKETS[1], checksum: after.checksum });
    expect((await checkServoCalibration(request)).filter(({ status }) => status === 'fail')).toEqual([]);
  });

  it('is not where nobody says so, or a servo says that it is of another arm', async () => {
    const { rig, request } = await calibrated();
    const no = new HandGuide(rig, (question) => (question.startsWith('Is it') ? '' : undefined));
    await expect(rebindCalibration({ ...request, guide: no })).rejects.toThrow(/not confirmed to be the same arm/);
    rig.servos[2]!.registers.set('homingOffset', 77);
    await expect(rebindCalibration({ ...request, guide: yes(rig) })).rejects.toThrow(
      /not rebound: elbow_flex: adds 77 to its position, and 0 when it was calibrated/,
    );
    await expect(rebindCalibration({ ...request, guide: yes(rig) })).rejects.toMatchObject({
      remedy: expect.stringMatching(
        /^(Calibrate the arm that is here: rein calibrate --robot so101|If it is another arm, calibrate it \(rein calibrate --robot so101\)\. If it is the arm that was calibrated: rein .*[^.])$/,
      ),
    });
    expect(readCalibration(rig.out, 'so101').adapter).toBe(SOCKETS[0]);
  });

  it('is bound anew with a range beside the limits of the file, which tells nothing of which arm it is', async () => {
    const { rig, request } = await calibrated();
    const [joint, ...others] = rig.arm.robot.joints;
    const narrow = {
      ...joint!,
      positionMinRad: joint!.positionMinRad - 0.4,
      positionMaxRad: joint!.positionMaxRad - 0.4,
    };
    const arm = { ...rig.arm, robot: { ...rig.arm.robot, joints: [narrow, ...others] } };
    await rebindCalibration({ ...request, arm, guide: yes(rig) });
    expect(readCalibration(rig.out, 'so101').adapter).toBe(SOCKETS[1]);
    const failed = (await checkServoCalibration({ ...request, arm })).filter(({ status }) => status === 'fail');
    expect(failed).toMatchObject([{ name: joint!.name, detail: expect.stringContaining('its zero is probably off') }]);
  });
});
