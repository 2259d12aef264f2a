import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  anyReference,
  type CarRig,
  type CarRigOptions,
  carRig,
  noticesOf,
  openCar,
} from '../../../tests/support/emulated-car.ts';
import { faultRow } from '../../../tests/support/fault-row.ts';
import { vec } from '../../../tests/support/vec.ts';
import { BUS, HARDWARE } from '../../rows/index.ts';
import * as vesc from './protocol.ts';
import { VescReader } from './reader.ts';

describe('a car with a VESC', () => {
  it('goes as fast as its reference, and where it steers', async () => {
    const rig = await openCar();
    rig.drive(1.5, 150, 0.2);
    expect(rig.body.velocityRadPerS[0]).toBeCloseTo(1.5, 1);
    expect(rig.state.velocityRadPerS[0]).toBeCloseTo(1.5, 1);
    expect(rig.body.positionRad[1]).toBeCloseTo(0.2, 2);
    // Readings are a period minus 3 ms old.
    const ageS = rig.line.clock.nowS() - rig.state.measuredAtS;
    expect(rig.state.positionRad[0]).toBeCloseTo(rig.body.positionRad[0]! - 1.5 * ageS, 2);
    expect(Math.abs(rig.xM - rig.body.positionRad[0]!)).toBeLessThan(0.15);
    rig.drive(0, 100);
    expect(rig.body.velocityRadPerS[0]).toBeCloseTo(0, 2);
  });

  it('goes on a line on which what is sent comes back, and takes none of that for an answer', async () => {
    const rig = carRig();
    rig.line.isEchoing = true;
    await rig.driver.open();
    rig.driver.torque(1);
    rig.tick();
    rig.drive(1.5, 150);
    expect(rig.body.velocityRadPerS[0]).toBeCloseTo(1.5, 1);
    expect(rig.driver.report.busCounters[BUS.foreignReplies]).toBe(0);
    expect(rig.driver.report.hardwareFaults).toBe(0);
  });

  it('counts on over the end of the tachometer', async () => {
    const rig = carRig();
    rig.body.positionRad[0] = 2 ** 31 / rig.bus.car.countsPerM - 1;
    await rig.driver.open();
    rig.driver.torque(1);
    rig.tick();
    rig.drive(1, 150);
    expect(rig.body.positionRad[0]! * rig.bus.car.countsPerM).toBeGreaterThan(2 ** 31);
    expect(rig.state.positionRad[0]).toBeCloseTo(3, 0);
    expect(rig.driver.report.hardwareFaults).toBe(0);
  });

  it('has what the IMU feels as signals: turn and pull in a curve', async () => {
    const rig = await openCar({ signalNames: ['gyroZRadPerS', 'accelYMPerS2', 'accelZMPerS2', 'inputV'] });
    rig.drive(1, 150, 0.2);
    const turnRadPerS = Math.tan(0.2) / 0.3302;
    expect([...rig.state.signals]).toEqual([
      expect.closeTo(turnRadPerS, 1),
      expect.closeTo(turnRadPerS, 1),
      expect.closeTo(9.80665),
      expect.closeTo(12.3, 0),
    ]);
  });

  it('asks at the end of a tick, so that the next waits for nothing; and alone within its share of the period', async () => {
    const rig = await openCar({ signalNames: ['gyroZRadPerS'] });
    const { driver, line, state } = rig;
    const readS = (): number => {
      const startS = line.clock.nowS();
      driver.read(state);
      return line.clock.nowS() - startS;
    };
    rig.drive(1, 10);
    expect(readS()).toBe(0);
    // Nothing was written: the request is sent now, 28 bytes and 76 back, some of them at the same time.
    expect(readS()).toBeGreaterThan(0.006);
    expect(readS()).toBeLessThan(0.6 / 50);
    rig.bus.faults.isDead = true;
    for (let i = 0; i < 5; i++) expect(readS()).toBeLessThanOrEqual(0.6 / 50 + 1e-9);
  });

  it('refuses references that no car could follow, and sends nothing then', async () => {
    const rig = await openCar();
    rig.tick([0, 0]);
    const before = rig.bus.counts.requests;
    for (const wrong of [
      [Number.NaN, 0],
      [0, Number.NaN],
      [0, 0.27],
      [0, -0.27],
      [3.1, 0],
      [-1e9, 0],
      [0, Number.POSITIVE_INFINITY],
    ]) {
      expect(rig.driver.write(anyReference(wrong))).toBe('rejected');
    }
    expect(rig.driver.write(anyReference([0]))).toBe('rejected');
    expect(rig.bus.counts.requests).toBe(before);
  });

  it('brakes before it drives backwards, and then does', async () => {
    const rig = await openCar();
    rig.drive(2, 100);
    let slowest = Number.POSITIVE_INFINITY;
    const seen = new Set<string>();
    for (let i = 0; i < 150; i++) {
      rig.drive(-1, 1);
      const speed = rig.body.velocityRadPerS[0]!;
      slowest = Math.min(slowest, speed);
      if (rig.bus.command.kind === 'erpm' && rig.bus.command.value < 0) seen.add(speed > 0.25 ? 'too soon' : 'reverse');
      else seen.add(rig.bus.command.kind);
    }
    expect([...seen].sort()).toEqual(['brake', 'reverse']);
    expect(slowest).toBeLessThan(-0.9);
  });
});

/** Notice after a restart of the VESC. */
const ANEW = '13: The VESC has restarted by itself: the position of the car is lost.';

describe('what goes wrong with a VESC', () => {
  it('is named by its fault code, each once, and forgotten when it is gone', async () => {
    const rig = await openCar();
    for (const [code, name] of [
      [2, 'UNDER_VOLTAGE'],
      [4, 'ABS_OVER_CURRENT'],
      [77, 'number 77'],
    ] as const) {
      rig.bus.faults.errorBits = code;
      rig.tick();
      rig.tick();
      expect(rig.driver.report.hardwareFaults).toBe(HARDWARE.servoFault);
      expect(noticesOf(rig)).toEqual([`13: The VESC reports fault ${code} (${name}).`]);
    }
    rig.bus.faults.errorBits = 0;
    rig.tick();
    rig.tick();
    expect(rig.driver.report.hardwareFaults).toBe(0);
    expect(noticesOf(rig)).toEqual([]);
  });

  it('is heat, of the VESC and of the motor', async () => {
    const rig = await openCar({ options: (options) => ({ ...options, mosfetMaxC: 30, motorMaxC: 40 }) });
    rig.drive(2, 50);
    expect(rig.driver.report.hardwareFaults).toBe(0);
    rig.bus.faults.isOverloaded = true;
    rig.tick();
    rig.tick();
    expect(rig.driver.report.hardwareFaults).toBe(HARDWARE.servoFault);
    expect(noticesOf(rig)).toEqual(['13: The VESC reports fault 5 (OVER_TEMP_FET).']);
  });

  it('is a start of its own: odometry stands still, and within its fence the car is driven no more', async () => {
    const rig = await openCar();
    rig.drive(1.5, 100);
    const before = rig.state.positionRad[0]!;
    rig.bus.powerCycle();
    rig.tick([rig.xM, 0]);
    rig.tick([rig.xM, 0]);
    expect(rig.state.positionRad[0]! - before).toBeLessThan(0.1);
    expect(rig.driver.report.hardwareFaults & HARDWARE.servoReset).not.toBe(0);
    expect(noticesOf(rig)).toEqual([ANEW]);
    rig.driver.torque(0);
    for (let i = 0; i < 100; i++) rig.tick();
    expect(rig.driver.service('prepare')).toMatchObject({
      refusal: expect.stringMatching(/position of the car in its fence is lost\. Put the car at its start/),
    });
    rig.driver.torque(1);
    rig.tick();
    expect(rig.driver.write(vec<'rad'>([rig.state.positionRad[0]!, 0]))).toBe('lost');
  });

  it('is a start of its own, after which a car without a fence goes on once somebody has looked', async () => {
    const rig = await openCar({
      robot: ({ base, ...robot }) => ({ ...robot, base: { ...base!, fence: undefined } }),
    });
    rig.drive(1.5, 100);
    rig.bus.powerCycle();
    rig.tick();
    rig.tick();
    expect(noticesOf(rig)).toEqual([ANEW]);
    rig.driver.torque(0);
    expect(rig.driver.service('prepare')).toBe('done');
    expect(rig.driver.report.hardwareFaults).toBe(0);
  });

  it('is a start of its own 5 m from the first, after 1.2 s of silence, which nothing but its counters shows', async () => {
    const rig = await openCar();
    rig.drive(2, 125);
    rig.drive(0, 50);
    const before = rig.state.positionRad[0]!;
    expect(before).toBeGreaterThan(4.5);
    rig.driver.torque(0);
    rig.bus.faults.isDead = true;
    for (let i = 0; i < 60; i++) rig.tick();
    rig.bus.powerCycle();
    rig.bus.faults.isDead = false;
    for (let i = 0; i < 5; i++) rig.tick();
    expect(rig.state.positionRad[0]).toBeCloseTo(before, 1);
    expect(rig.driver.report.hardwareFaults & HARDWARE.servoReset).not.toBe(0);
    expect(noticesOf(rig)).toContain(ANEW);
    expect(rig.driver.report.needsFirstMotion).toBe(true);
    expect(rig.driver.service('prepare')).toMatchObject({ refusal: expect.any(String) });
  });

  it('is another VESC at the same port, whatever that has counted', async () => {
    const rig = await openCar();
    rig.driver.torque(0);
    rig.line.unplug();
    for (let i = 0; i < 5; i++) rig.tick();
    rig.bus.uuid = '0123456789abcdef01234567';
    rig.line.plug();
    rig.driver.service('recover');
    expect(noticesOf(rig)).toContain(ANEW);
    expect(rig.driver.service('prepare')).toMatchObject({ refusal: expect.any(String) });
  });

  it('is an unplugged cable, after which the metres that the car rolled meanwhile count', async () => {
    const rig = await openCar();
    rig.drive(2, 100);
    rig.line.unplug();
    for (let i = 0; i < 100; i++) rig.tick([rig.xM, 0]);
    const seenM = rig.state.positionRad[0]!;
    rig.line.plug();
    rig.driver.service('recover');
    rig.tick();
    expect(rig.body.positionRad[0]! - seenM).toBeGreaterThan(0.5);
    expect(rig.state.positionRad[0]).toBeCloseTo(rig.body.positionRad[0]!, 1);
    expect(noticesOf(rig)).not.toContain(ANEW);
    expect(rig.driver.service('prepare')).toBe('done');
  });

  it('is an unplugged cable, and a driver that goes on once it is back', async () => {
    const rig = await openCar();
    rig.drive(1, 20);
    rig.line.unplug();
    expect(rig.tick([rig.xM, 0])).toBe('lost');
    expect(rig.driver.write(vec<'rad'>([rig.xM, 0]))).toBe('lost');
    for (let i = 0; i < 3; i++) rig.tick();
    expect(rig.driver.report.hardwareFaults & HARDWARE.signalLost).not.toBe(0);
    expect(rig.driver.service('prepare')).toMatchObject({ refusal: expect.stringMatching(/No VESC answers/) });
  });

  it('is another baud rate, and something that is no VESC', async () => {
    await expect(carRig({ hostBaud: 9600 }).driver.open()).rejects.toThrow(/No VESC answers on .* at 9600 bit\/s/);
    const rig = carRig();
    rig.bus.faults.isDead = true;
    await expect(rig.driver.open()).rejects.toThrow(/No VESC answers/);
  });
});

describe('the line to a VESC', () => {
  faultRow(
    37,
    'fake',
    'carries no speed, servo or current beyond the limits, whatever is asked or answered',
    async () => {
      const reference = fc.tuple(
        fc.oneof(fc.double({ min: -3, max: 3, noNaN: true }), fc.constantFrom(Number.NaN, 1e9, -1e9)),
        fc.oneof(fc.double({ min: -0.3, max: 0.3, noNaN: true }), fc.constantFrom(Number.NaN, 5, -5)),
      );
      const tick = fc.record({
        reference: fc.option(reference, { nil: undefined }),
        flip: fc.constantFrom(0, 0, 0.05, 0.5),
        isOn: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(tick, { minLength: 5, maxLength: 60 }), fc.integer(), async (ticks, seed) => {
          // The servo reaches less far than the car may steer, which the driver kind would refuse.
          const options: CarRigOptions['options'] = (plain) => ({
            ...plain,
            steering: { ...plain.steering, min: 0.3, max: 0.7 },
          });
          const rig = carRig({ seed, options });
          const sent = listenTo(rig);
          await rig.driver.open();
          for (const { reference: asked, flip, isOn } of ticks) {
            rig.faults.replies.flip = flip;
            if (isOn) rig.driver.torque(1);
            rig.tick(asked);
          }
          await rig.driver.close();
          for (const [command, value] of sent) {
            if (command === vesc.COMMAND.setRpm) expect(Math.abs(value)).toBeLessThanOrEqual(3 * 4615);
            if (command === vesc.COMMAND.setServo) {
              expect(value).toBeGreaterThanOrEqual(300);
              expect(value).toBeLessThanOrEqual(700);
            }
            if (command === vesc.COMMAND.setCurrent || command === vesc.COMMAND.setBrake) {
              expect(value).toBeGreaterThanOrEqual(0);
              expect(value).toBeLessThanOrEqual(20_000);
            }
          }
          expect(rig.line.clock.nowS()).toBeLessThan(60);
        }),
        { numRuns: 60 },
      );
    },
  );

  it("brings the guardian's stop through behind a packet that was cut anywhere", async () => {
    const request = new Uint8Array(64);
    let end = vesc.writeRpm(request, 0, 0x030100);
    end = vesc.writeServo(request, end, 0.515);
    end = vesc.writeGetSelected(request, end, -1);
    end = vesc.writeGetImu(request, end, 0x0301);
    const rig = carRig();
    const stop = Buffer.concat(rig.driver.facts.bus!.stopFrames);
    expect(stop.length).toBeLessThanOrEqual(4096);
    for (let cut = 0; cut <= end; cut++) {
      const heard: number[] = [];
      const reader = new VescReader((command) => heard.push(command));
      reader.push(request, 0, cut);
      heard.length = 0;
      reader.push(stop, 0, stop.length);
      // At once if nothing was truncated, and before the port could be full.
      expect(heard.at(-1)).toBe(vesc.COMMAND.setBrake);
      expect(heard.length).toBeGreaterThanOrEqual(2);
    }
  });

  it('lets a car stop that the guardian stops', async () => {
    const rig = await openCar();
    rig.drive(2, 100);
    for (const frame of rig.driver.facts.bus!.stopFrames) rig.line.write(frame, frame.length);
    rig.line.wait(rig.line.clock.nowS() + 0.1);
    expect(rig.bus.command).toEqual({ kind: 'brake', value: 10 });
  });
});

/** Returns the commands sent to the device from now on, each with its value. */
function listenTo(rig: CarRig): (readonly [command: number, value: number])[] {
  const sent: (readonly [number, number])[] = [];
  const reader = new VescReader((command, bytes, at, count) => {
    sent.push([command, count === 4 || count === 2 ? vesc.getInt(bytes, at, count) : 0]);
  });
  const receive = rig.faults.receive.bind(rig.faults);
  rig.faults.receive = (bytes, count, atS, transmit) => {
    reader.push(bytes, 0, count);
    receive(bytes, count, atS, transmit);
  };
  return sent;
}
