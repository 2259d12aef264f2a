/** Binding of a calibration to its arm: one that does not match the servos on the bus is refused. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { applyFault } from '../../../packages/emulate/src/faults.ts';
import type { ServoRig, ServoRigOptions } from '../../../tests/support/emulated-servos.ts';
import { rigOfTest } from '../../../tests/support/rig-of-test.ts';
import { feetechFamily } from '../feetech/feetech-family.ts';
import { calibrationText } from './calibration.ts';

function rigOf(options: Partial<ServoRigOptions> = {}): ServoRig {
  return rigOfTest({ robot: 'so101', family: feetechFamily, ...options });
}

describe('row 34: an arm of bus servos is refused, before anything moves,', () => {
  it('without a calibration, and with one that is damaged, changed by hand, or of another robot', async () => {
    const refusal = async (change: (text: string) => string): Promise<string> => {
      const rig = rigOf();
      writeFileSync(rig.calibration, change(readFileSync(rig.calibration, 'utf8')));
      return rig.driver.open().then(
        () => 'opened',
        (error: Error) => error.message,
      );
    };
    expect(await refusal((text) => text.slice(0, 100))).toMatch(/damaged.*\(fault 34\)/);
    expect(await refusal((text) => text.replace('2048', '2049'))).toMatch(/changed by hand/);
    expect(await refusal((text) => text.replace('"so101"', '"so102"'))).toMatch(/changed by hand/);
    expect(await refusal(() => '{}')).toMatch(/damaged/);
    const missing = rigOf({ options: {} });
    missing.remove();
    await expect(missing.driver.open()).rejects.toThrow(/There is no calibration.*fault 34/);
  });

  it('with that of another arm: adapter, zero, firmware, model', async () => {
    await expect(rigOf({ adapter: 'OTHER' }).driver.open()).rejects.toThrow(/bound to the adapter OTHER.*fault 34/);
    const moved = rigOf({
      calibrate: ({ joints, ...rest }) => ({
        ...rest,
        joints: { ...joints, elbow_flex: { ...joints['elbow_flex']!, homingOffsetCounts: 100 } },
      }),
    });
    await expect(moved.driver.open()).rejects.toThrow(/Servo 3 \(elbow_flex\) adds 0 to its position.*fault 34/);
    const older = rigOf({
      calibrate: ({ joints, ...rest }) => ({
        ...rest,
        joints: { ...joints, gripper: { ...joints['gripper']!, firmware: '3.9' } },
      }),
    });
    await expect(older.driver.open()).rejects.toThrow(/servo 6 \(gripper\) has firmware 3.10, and had 3.9/);
  });

  it('with that of an arm of another family of servos, a third one too', async () => {
    const rig = rigOf({ calibrate: (calibration) => ({ ...calibration, family: 'third' }) });
    await expect(rig.driver.open()).rejects.toThrow(/is of third servos, not feetech \(fault 34\)/);
  });

  it('bound to another socket, or to nothing where a socket is known, with the command that mends it', async () => {
    const refusal = async (adapter: string): Promise<readonly (string | undefined)[]> => {
      const error = await rigOf({ adapter })
        .driver.open()
        .catch((caught) => caught);
      return [error.message, error.remedy];
    };
    expect(await refusal('socket:pci-2')).toEqual([
      expect.stringMatching(/bound to the USB socket pci-2, as its adapter has no serial number, and .*fault 34/),
      expect.stringMatching(/^Plug it into that socket again; or, .*: rein calibrate --robot so101 --rebind; else/),
    ]);
    expect((await refusal(''))[1]).toMatch(/^If this is the arm that was calibrated: .* --rebind; else/);
    expect((await refusal('OTHER'))[1]).not.toContain('--rebind');
  });

  it('with a remedy that names the robot as its user does', async () => {
    const options = { named: 'arms/my-arm.yaml' };
    const remedy = expect.stringMatching(/rein calibrate --robot arms\/my-arm\.yaml$/);
    await expect(rigOf({ options, adapter: 'OTHER' }).driver.open()).rejects.toMatchObject({ remedy });
    const calibrate = ({ joints, ...rest }: Parameters<typeof calibrationText>[0]) => ({
      ...rest,
      joints: { ...joints, gripper: { ...joints['gripper']!, firmware: '3.9' } },
    });
    await expect(rigOf({ options, calibrate }).driver.open()).rejects.toMatchObject({ remedy });
    const missing = rigOf({ options });
    missing.remove();
    await expect(missing.driver.open()).rejects.toMatchObject({ remedy });
  });

  it('where a servo is missing', async () => {
    const rig = rigOf();
    applyFault(
      { servo: (id: number) => rig.bus.faultsOf(id), ids: rig.bus.ids } as unknown as Parameters<typeof applyFault>[0],
      'dead 4',
    );
    await expect(rig.driver.open()).rejects.toThrow(/No servo 4 \(wrist_flex\) answers on .* at 1000000 bit\/s/);
  });

  it('keeps its checksum whatever the order of its keys', () => {
    const rig = rigOf();
    const { checksum: _, ...rest } = JSON.parse(readFileSync(rig.calibration, 'utf8'));
    const turned = Object.fromEntries(Object.entries(rest).reverse()) as Parameters<typeof calibrationText>[0];
    expect(JSON.parse(calibrationText(turned)).checksum).toBe(JSON.parse(calibrationText(rest)).checksum);
  });
});
