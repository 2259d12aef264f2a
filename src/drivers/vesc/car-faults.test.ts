import { describe, expect, it } from 'vitest';
import { carRig, noticesOf, openCar } from '../../../tests/support/emulated-car.ts';
import { faultRow } from '../../../tests/support/fault-row.ts';
import { BUS, HARDWARE } from '../../rows/index.ts';

describe('row 46, a car that nobody commands', () => {
  faultRow(46, 'fake', 'is neutral within 100 ms of the last reference, and stands', async (promised) => {
    const rig = await openCar();
    rig.drive(2, 100);
    const lastS = rig.line.clock.nowS() - 1 / 50;
    let neutralS = Number.NaN;
    for (let i = 0; i < 100; i++) {
      rig.tick();
      if (Number.isNaN(neutralS) && rig.bus.command.kind === 'brake') neutralS = rig.bus.commandAtS - lastS;
    }
    expect(neutralS).toBeLessThanOrEqual(promised('neutralS'));
    expect(rig.body.velocityRadPerS[0]).toBeCloseTo(0, 2);
    expect(rig.bus.command).toEqual({ kind: 'current', value: 0 });
  });

  faultRow(46, 'fake', 'is stopped by its firmware within 200 ms where nobody speaks at all', async () => {
    const rig = await openCar();
    rig.drive(2, 100);
    const { line } = rig;
    const silentS = line.clock.nowS();
    while (!rig.bus.hasTimedOut) line.wait(line.clock.nowS() + 0.001);
    expect(line.clock.nowS() - silentS).toBeLessThanOrEqual(0.2);
  });

  faultRow(46, 'fake', 'gets no speed any more once its VESC does not answer, and it is told', async (promised) => {
    const rig = await openCar();
    rig.drive(2, 100);
    const deadS = rig.line.clock.nowS();
    // It receives commands, but its answers are lost: the wire back is broken.
    rig.faults.replies.drop = 1;
    const statuses: string[] = [];
    while (rig.bus.command.kind === 'erpm') {
      rig.xM += 0.04;
      statuses.push(rig.tick([rig.xM, 0]));
    }
    // The first answer was there already.
    expect(statuses).toEqual(['ok', 'late', 'late', 'lost']);
    expect(rig.bus.commandAtS - deadS).toBeLessThanOrEqual(promised('neutralS'));
    expect(rig.driver.report.hardwareFaults & HARDWARE.signalLost).not.toBe(0);
    expect(noticesOf(rig)).toEqual(['46: The VESC no longer answers.']);
    rig.faults.replies.drop = 0;
    rig.tick();
    rig.tick();
    expect(rig.driver.report.hardwareFaults).toBe(0);
  });

  faultRow(46, 'fake', 'is not driven where its firmware has no timeout of its own', async () => {
    await expect(carRig({ vesc: { timeoutS: 1 } }).driver.open()).rejects.toThrow(
      /does not stop the motor 200 ms after the last command \(fault 46\)/,
    );
    await expect(carRig({ vesc: { timeoutS: 0 } }).driver.open()).rejects.toThrow(/fault 46/);
    await expect(carRig({ vesc: { firmware: '5.03' } }).driver.open()).rejects.toMatchObject({
      message: expect.stringMatching(/\(5\.03\).*older than 6\.00/),
      remedy: expect.stringMatching(/^Write firmware 6\.00 or newer/),
    });
    const rig = carRig({ vesc: { timeoutS: 1 }, options: (options) => ({ ...options, firmwareTimeout: 'reported' }) });
    await rig.driver.open();
    expect(noticesOf(rig)).toEqual([expect.stringMatching(/^46: The VESC's firmware \(6\.05\) does not stop/)]);
  });

  it('is told of something else that drives its motor', async () => {
    const rig = await openCar();
    rig.driver.torque(0);
    rig.bus.foreignA = 15;
    for (let i = 0; i < 60; i++) rig.tick();
    expect(rig.driver.report.hardwareFaults).toBe(HARDWARE.signalLost);
    expect(noticesOf(rig)).toEqual([expect.stringMatching(/^46: .*another source drives the VESC/)]);
  });
});

describe('row 45, the battery of a car', () => {
  faultRow(45, 'fake', 'is a battery that empties: three steps, each told once it has lasted for 2 s', async () => {
    const rig = await openCar();
    const after = (cellV: number, seconds: number): number => {
      rig.bus.car.supplyV = 3 * cellV;
      for (let i = 0; i < 50 * seconds; i++) rig.tick([0, 0]);
      return rig.driver.report.hardwareFaults;
    };
    expect(after(3.65, 3)).toBe(0);
    // The driver reports it at once and the guard waits 2 s; the notice comes no sooner.
    expect(after(3.55, 1.9)).toBe(HARDWARE.batteryLow);
    expect(noticesOf(rig)).toEqual([]);
    after(3.55, 0.2);
    expect(noticesOf(rig)).toEqual([expect.stringMatching(/^45: The battery is low: 3\.5/)]);
    // A dip of one second, as under load, is not reported.
    expect(after(3.2, 1)).toBe(HARDWARE.batteryLow | HARDWARE.batteryLower | HARDWARE.batteryEmpty);
    expect(after(3.55, 3)).toBe(HARDWARE.batteryLow);
    expect(noticesOf(rig)).toEqual([]);
    after(3.45, 2.2);
    expect(noticesOf(rig)).toEqual([expect.stringMatching(/^45: The battery is nearly empty: /)]);
    after(3.2, 2.2);
    expect(noticesOf(rig)).toEqual([expect.stringMatching(/^45: The battery is empty: /)]);
    // A recovery of one second does not end the step.
    after(3.7, 1);
    after(3.2, 3);
    expect(noticesOf(rig)).toEqual([]);
    expect(after(3.7, 2.2)).toBe(0);
  });
});

describe('rows 11 and 12, the line to a VESC', () => {
  faultRow(12, 'fake', 'may bring an answer late: it is not taken for that to the next request', async () => {
    const rig = await openCar();
    rig.drive(1, 20);
    const foreign = rig.driver.report.busCounters[BUS.foreignReplies]!;
    // The previous answer is sent in its place, complete.
    rig.faults.plan({ kind: 'stale' });
    const statuses = Array.from({ length: 5 }, () => {
      rig.xM += 0.02;
      return rig.tick([rig.xM, 0]);
    });
    expect(statuses.filter((status) => status === 'late')).toHaveLength(1);
    expect(rig.driver.report.busCounters[BUS.foreignReplies]).toBe(foreign + 1);
    // An answer that ends after its tick, in which the next request is sent.
    rig.faults.plan({ kind: 'delay', seconds: 0.015 });
    const later = Array.from({ length: 5 }, () => {
      rig.xM += 0.02;
      return rig.tick([rig.xM, 0]);
    });
    // A `read` that sends the request itself does so sooner, and meets the end of that answer too; three would be a loss.
    expect(later.filter((status) => status === 'late').length).toBeLessThanOrEqual(2);
  });

  faultRow(11, 'fake', 'may be full of garbage: what is read is what the car did, and nothing else', async () => {
    const rig = await openCar({ seed: 7 });
    Object.assign(rig.faults.replies, {
      flip: 0.002,
      drop: 0.002,
      garbage: 0.1,
      split: 0.05,
      duplicate: 0.05,
      wrongId: 0.02,
    });
    let missed = 0;
    for (let i = 0; i < 2000; i++) {
      rig.xM += 0.02 * Math.sin(i / 200);
      if (rig.tick([rig.xM, 0.2 * Math.sin(i / 30)]) !== 'ok') missed++;
      else expect(Math.abs(rig.state.positionRad[0]! - rig.body.positionRad[0]!)).toBeLessThan(0.1);
    }
    expect(missed).toBeGreaterThan(10);
    expect(missed).toBeLessThan(700);
    expect(rig.driver.report.busCounters[BUS.checksumErrors]).toBeGreaterThan(10);
  });
});
