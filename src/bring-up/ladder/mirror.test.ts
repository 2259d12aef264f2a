import { afterEach, describe, expect, it } from 'vitest';
import { HandGuide, type HandRig, handRig } from '../../../tests/support/calibrated-by-hand.ts';
import { type Calibration, readCalibration } from '../../drivers/serial.ts';
import { busOn } from '../bus-port.ts';
import { calibrateArm } from '../calibrate/calibrate-arm.ts';
import { ServoAccess } from '../servo-access.ts';
import { mirrorArm } from './mirror.ts';
import { type ShakeOptions, ShakePolicy } from './shake-policy.ts';

const rigs: HandRig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.remove();
});

async function calibrated(): Promise<{ rig: HandRig; calibration: Calibration; servos: ServoAccess[] }> {
  const rig = handRig();
  rigs.push(rig);
  const { arm, out, open } = rig;
  const rest = { port: undefined, only: [], firmware: 'ask', ranges: 'file', wallMs: 0 } as const;
  await calibrateArm({ arm, out, open, guide: new HandGuide(rig), ...rest });
  rig.body.positionRad.fill(0);
  const port = await open({ baud: 1_000_000 });
  const bus = busOn(port, arm.bus.family.protocolOf(arm.motors.map(({ model }) => model)));
  const servos = arm.motors.map(({ id, model }) => new ServoAccess(bus, id, model));
  return { rig, calibration: readCalibration(out, 'so101'), servos };
}

describe('an arm moved by hand with its torque off', () => {
  it('shows that each angle rises as the file says', async () => {
    const { rig, calibration, servos } = await calibrated();
    for (const { registers } of rig.servos) registers.set('torqueEnable', 1);
    const guide = new HandGuide(rig);
    const proved = await mirrorArm({ arm: rig.arm, calibration, servos, guide });
    expect(rig.servos.some(({ isTorqueOn }) => isTorqueOn)).toBe(false);
    expect(proved).toMatch(
      /^each joint was moved by hand, and its angle rose as the file says: shoulder_pan -?0\.\d° to 28\.\d°/,
    );
    expect(guide.said.join('\n')).toContain('gripper');
  });

  it('does not pass with a joint that goes the other way', async () => {
    const { rig, calibration, servos } = await calibrated();
    const wrong = { ...calibration.joints['elbow_flex']!, direction: -1 as const };
    const turned = { ...calibration, joints: { ...calibration.joints, elbow_flex: wrong } };
    const guide = new HandGuide(rig);
    await expect(
      mirrorArm({ arm: { ...rig.arm, named: 'a.yaml' }, calibration: turned, servos, guide }),
    ).rejects.toMatchObject({
      message: 'The angle of elbow_flex falls where it has to rise: its direction is wrong.',
      remedy: expect.stringContaining('rein calibrate --robot a.yaml --joint elbow_flex'),
    });
  });

  it.each([0.35, -0.35])('does not pass with a joint whose zero is wrong, whatever its range: %d rad', async (off) => {
    const { rig, calibration, servos } = await calibrated();
    const lift = calibration.joints['shoulder_lift']!;
    const zeroCounts = lift.zeroCounts + Math.round((lift.direction * off * 4096) / (2 * Math.PI));
    const shifted = { ...calibration, joints: { ...calibration.joints, shoulder_lift: { ...lift, zeroCounts } } };
    const guide = new HandGuide(rig);
    await expect(mirrorArm({ arm: rig.arm, calibration: shifted, servos, guide })).rejects.toMatchObject({
      message: expect.stringMatching(
        /^shoulder_lift reads -?(?:19|20)\.\d° at its zero: its calibrated zero is wrong\.$/,
      ),
      remedy: 'Calibrate this joint again: rein calibrate --robot so101 --joint shoulder_lift',
    });
    // A visible number would guide the hand.
    expect(guide.said.find((line) => line.startsWith('shoulder_lift: '))).toBe(
      'shoulder_lift: hold it at its zero: the part that it carries points up. Press Enter there.',
    );
  });

  it('asks again for a zero that was not held', async () => {
    const { rig, calibration, servos } = await calibrated();
    let asked = 0;
    const guide = new HandGuide(rig, (question, hand) => {
      if (question.includes('Was it at its zero?')) return 'n';
      if (!question.startsWith('elbow_flex: hold') || asked++ > 0) return undefined;
      hand.movesNamed(question, 0.4);
      return '';
    });
    expect(await mirrorArm({ arm: rig.arm, calibration, servos, guide })).toMatch(/ of 0 at its zero$/);
    expect(asked).toBe(2);
    expect(guide.said.join('\n')).toMatch(/It reads 2[23]\.\d°, where -10\.0° to 10\.0° is due\./);
  });

  it('waits until a joint has moved far enough', async () => {
    const { rig, calibration, servos } = await calibrated();
    let asked = 0;
    const guide = new HandGuide(rig, (question) => {
      if (!question.startsWith('shoulder_pan: turn') || asked++ > 0) return undefined;
      return '';
    });
    await mirrorArm({ arm: rig.arm, calibration, servos, guide });
    expect(asked).toBe(2);
    expect(guide.said).toContain(
      '  It has risen by 0.0° only. Where it is at its stop, move it back first, then that way.',
    );
  });

  it('takes a joint that stands at its stop: it is moved back, and then the way that was asked for', async () => {
    const { rig, calibration, servos } = await calibrated();
    const joint = rig.arm.robot.joints[3]!;
    rig.body.positionRad[3] = joint.positionMaxRad;
    const guide = new HandGuide(rig, (question, hand) => {
      if (!question.startsWith('wrist_flex: move')) return undefined;
      hand.movesNamed(question, joint.positionMaxRad - 0.5, joint.positionMaxRad - 0.1);
      return '';
    });
    await mirrorArm({ arm: rig.arm, calibration, servos, guide });
    expect(guide.said.filter((line) => line.startsWith('wrist_flex: move'))).toHaveLength(1);
  });

  it('asks again where a joint went both ways, and nobody can tell which was meant', async () => {
    const { rig, calibration, servos } = await calibrated();
    let asked = 0;
    const guide = new HandGuide(rig, (question, hand) => {
      if (!question.startsWith('elbow_flex: move') || asked++ > 0) return undefined;
      hand.movesNamed(question, -0.5, 0.5, 0);
      return '';
    });
    await mirrorArm({ arm: rig.arm, calibration, servos, guide });
    expect(asked).toBe(2);
    expect(guide.said.join('\n')).toContain('It went both ways');
  });
});

describe('what drives an arm on its first rungs', () => {
  const steps = async (
    pattern: ShakeOptions['pattern'],
    count: number,
    shares: readonly number[] = [1],
  ): Promise<Float64Array[]> => {
    const policy = new ShakePolicy(
      {
        pattern,
        spanUnits: 0.04,
        unitsPerStep: [0.005, 0.005],
        isRolling: [false, false],
        shares,
        stepsOfShare: 100,
        seed: 3,
      },
      4,
    );
    const seen = Float32Array.of(0.2, -0.1, 0, 0);
    const out = new Float32Array(2);
    const places: Float64Array[] = [];
    for (let k = 0; k < count; k++) {
      await policy.decide(seen, undefined, out);
      for (let i = 0; i < 2; i++) {
        expect(Math.abs(out[i]!)).toBeLessThanOrEqual(1);
        seen[i]! += 0.005 * out[i]!;
      }
      places.push(Float64Array.from(seen.subarray(0, 2)));
    }
    return places;
  };

  it('moves one joint after the other, each way, within the box', async () => {
    const places = await steps('eachJoint', 200);
    const first = places.map(([value]) => value! - 0.2);
    const second = places.map(([, value]) => value! + 0.1);
    expect(Math.max(...first)).toBeGreaterThan(0.03);
    expect(Math.min(...second)).toBeLessThan(-0.03);
    expect(places.every((_, k) => Math.abs(first[k]!) < 0.009 || Math.abs(second[k]!) < 0.009)).toBe(true);
  });

  it('or does so once, and stands then', async () => {
    const places = await steps('once', 300);
    expect(Math.max(...places.slice(0, 100).map(([value]) => value!))).toBeGreaterThan(0.23);
    for (const [first, second] of places.slice(150)) {
      expect(first).toBeCloseTo(0.2, 2);
      expect(second).toBeCloseTo(-0.1, 2);
    }
  });

  it('takes wheels, whose place is not observed, for where it sent them', async () => {
    const options = {
      pattern: 'once',
      spanUnits: 0.04,
      unitsPerStep: [0.01, 0.005],
      isRolling: [true, false],
      shares: [1],
      stepsOfShare: 1,
      seed: 3,
    } as const;
    const policy = new ShakePolicy(options, 3);
    const seen = Float32Array.of(0.2, 0, 0);
    const out = new Float32Array(2);
    let rolled = 0;
    const rolls: number[] = [];
    for (let k = 0; k < 150; k++) {
      await policy.decide(seen, undefined, out);
      rolled += 0.01 * out[0]!;
      seen[0]! += 0.005 * out[1]!;
      rolls.push(rolled);
    }
    // Ahead first, then back, and at its initial position in the end.
    expect(Math.max(...rolls.slice(0, 6))).toBeGreaterThan(0.03);
    expect(Math.min(...rolls)).toBeLessThan(-0.03);
    expect(Math.max(...rolls.map(Math.abs))).toBeLessThan(0.0401);
    expect(rolled).toBeCloseTo(0, 2);
    expect(seen[0]).toBeCloseTo(0.2, 2);
  });

  it('or all of them, to places in the box', async () => {
    const places = await steps('random', 500);
    for (const [i, start] of [0.2, -0.1].entries()) {
      const offsets = places.map((place) => place[i]! - start);
      expect(Math.max(...offsets.map(Math.abs))).toBeLessThan(0.0401);
      expect(Math.max(...offsets) - Math.min(...offsets)).toBeGreaterThan(0.03);
    }
  });

  it('goes part by part at its share of the speed', async () => {
    const places = await steps('random', 300, [0.25, 0.5]);
    const wayIn = (from: number, to: number): number =>
      Math.max(...places.slice(from, to - 1).map(([value], k) => Math.abs(places[from + k + 1]![0]! - value!)));
    expect(wayIn(0, 100)).toBeCloseTo(0.25 * 0.005, 5);
    expect(wayIn(100, 300)).toBeCloseTo(0.5 * 0.005, 5);
  });
});
