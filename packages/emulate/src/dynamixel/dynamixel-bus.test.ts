import { describe, expect, it } from 'vitest';
import {
  DYNAMIXEL_PROTOCOL as DXL,
  FAST_DYNAMIXEL_PROTOCOL as FAST,
} from '../../../../src/drivers/dynamixel/protocol.ts';
import { DYNAMIXEL_MODELS, dynamixel, ServoBus } from '../../../../src/drivers/serial.ts';
import { Rng } from '../../../../src/model/index.ts';
import { SimpleBody } from '../bodies/simple-body.ts';
import { MemoryLine } from '../memory-line.ts';
import { DynamixelBus } from './dynamixel-bus.ts';
import { DynamixelServo } from './dynamixel-servo.ts';

const BAUD = 1_000_000;
const { ALERT, STATUS_ERROR } = dynamixel;

/** Servos with the ids 1, 2, …, each at a free joint. */
function rig(models: readonly string[], protocol = DXL) {
  const body = new SimpleBody(models.map(() => ({})));
  const servos = models.map((model, i) => {
    const spec = {
      id: i + 1,
      model: DYNAMIXEL_MODELS[model]!,
      joint: i,
      zeroCounts: 2048,
      countsPerUnit: 4096 / (2 * Math.PI),
    };
    return new DynamixelServo(spec);
  });
  const devices = new DynamixelBus({ servos, body, baud: BAUD, rng: new Rng(1) });
  const line = new MemoryLine(devices, { baud: BAUD });
  const bus = new ServoBus({ line, protocol });
  line.wait(0.5);
  const into = new Uint8Array(64);
  const of = (id: number, name: string) => servos[id - 1]!.spec.model.registers[name]!;
  return {
    body,
    servos,
    devices,
    line,
    bus,
    read: (id: number, name: string): number | undefined => {
      const { address, bytes } = of(id, name);
      return bus.read(id, address, bytes, into) === 'ok' ? servos[id - 1]!.registers.get(name) : undefined;
    },
    /** Returns the error of the answer; `undefined` without an answer. */
    write: (id: number, name: string, value: number): number | undefined => {
      const { address, bytes } = of(id, name);
      const data = Uint8Array.from({ length: bytes }, (_, i) => Math.floor(value / 256 ** i));
      return bus.write(id, address, data, bytes) === 'ok' ? bus.errorOf(id) : undefined;
    },
    pass: (seconds: number): void => {
      const untilS = line.clock.nowS() + seconds;
      while (line.clock.nowS() < untilS) line.wait(line.clock.nowS() + 0.001);
    },
  };
}

describe('an emulated Dynamixel', () => {
  it('says who it is', () => {
    const { bus } = rig(['xl430-w250']);
    const found = new Uint8Array(3);
    expect(bus.ping(1, found, 3)).toBe('ok');
    expect([...found]).toEqual([1060 & 255, 1060 >> 8, 46]);
    expect(bus.ping(2, found, 3)).toBe('missing');
  });

  it('turns its torque on by a goal where its drive mode says so, and else by nothing but torqueEnable', () => {
    const { write, servos } = rig(['xl430-w250']);
    write(1, 'goalPosition', 2000);
    write(1, 'goalPwm', 400);
    expect(servos[0]!.isTorqueOn).toBe(false);
    write(1, 'driveMode', 8);
    write(1, 'goalPosition', 2000);
    expect(servos[0]!.isTorqueOn).toBe(true);
  });

  it('changes what it stores without torque only, and nothing that is read', () => {
    const { write, servos } = rig(['xl430-w250']);
    expect(write(1, 'homingOffset', 100)).toBe(0);
    expect(write(1, 'torqueEnable', 1)).toBe(0);
    expect(write(1, 'homingOffset', 200)).toBe(STATUS_ERROR.access);
    expect(write(1, 'presentPosition', 7)).toBe(STATUS_ERROR.access);
    expect(servos[0]!.registers.get('homingOffset')).toBe(100);
  });

  // e-Manual, Homing Offset(20), Present Position(132).
  it('adds its offset without a wrap, and ignores more than a quarter of a turn in position mode', () => {
    const { write, pass, servos } = rig(['xl430-w250']);
    const readingAt = (offset: number): number => {
      expect(write(1, 'homingOffset', offset >>> 0)).toBe(0);
      pass(0.01);
      return servos[0]!.registers.get('presentPosition');
    };
    expect([1024, -1024, 1025, -1025].map(readingAt)).toEqual([3072, 1024, 2048, 2048]);
    write(1, 'operatingMode', 4);
    expect([2048, -2100].map(readingAt)).toEqual([4096, -52]);
  });

  it('counts turns until torque in position mode finds it within one', () => {
    const { body, write, pass, servos } = rig(['xl430-w250']);
    const reading = (): number => servos[0]!.registers.get('presentPosition');
    body.positionRad[0] = 1.25 * Math.PI;
    pass(0.01);
    expect(reading()).toBe(4608);
    write(1, 'torqueEnable', 1);
    pass(0.002);
    expect(Math.abs(reading() - 512)).toBeLessThan(8);
  });

  it('runs past its goal where its encoder is frozen, which its own loop reads too', () => {
    const { body, servos, write, pass } = rig(['xl430-w250']);
    write(1, 'torqueEnable', 1);
    pass(0.05);
    servos[0]!.faults.isFrozen = true;
    const stood = servos[0]!.registers.get('presentPosition');
    write(1, 'goalPosition', stood + 300);
    pass(1);
    expect(servos[0]!.registers.get('presentPosition')).toBe(stood);
    // 300 counts are 0.46 rad.
    expect(body.positionRad[0]).toBeGreaterThan(1);
  });

  it('refuses halves of registers, and what is out of range or above a limit', () => {
    const { bus, write } = rig(['xm430-w350']);
    expect(bus.write(1, 116, Uint8Array.of(1, 0), 2)).toBe('ok');
    expect(bus.errorOf(1)).toBe(STATUS_ERROR.dataLength);
    expect(bus.write(1, 200, Uint8Array.of(1), 1)).toBe('ok');
    expect(bus.errorOf(1)).not.toBe(0);
    expect(write(1, 'goalPosition', 4096)).toBe(STATUS_ERROR.dataRange);
    expect(write(1, 'goalCurrent', 1194)).toBe(STATUS_ERROR.dataLimit);
    expect(write(1, 'operatingMode', 2)).toBe(STATUS_ERROR.dataRange);
  });

  // e-Manual, xl330-m288 and xl330-m077, columns "Initial Value" and "Range".
  it('leaves the factory as its page says, and takes nothing out of range', () => {
    const { read, write, servos } = rig(['xl330-m288', 'xl330-m077']);
    const held = (id: number) =>
      ['velocityMax', 'velocityGainI', 'velocityGainP', 'pwmSlope', 'gainI'].map((name) => read(id, name));
    expect(held(1)).toEqual([445, 1600, 180, 140, 0]);
    expect(held(2)).toEqual([1620, 400, 40, 140, 400]);
    for (const [name, value] of [
      ['led', 7],
      ['gainP', 20_000],
      ['velocityGainI', 16_384],
      ['returnDelay', 255],
      ['positionMax', 4096],
    ] as const) {
      const before = servos[0]!.registers.get(name);
      expect(write(1, name, value), name).toBe(STATUS_ERROR.dataRange);
      expect(servos[0]!.registers.get(name)).toBe(before);
    }
    expect([write(1, 'led', 1), write(1, 'gainP', 16_383)]).toEqual([0, 0]);
  });

  // e-Manual, Indirect Address, example 1: LED (65) as the first indirect data.
  it('reads and writes through indirect addresses', () => {
    const { bus, servos } = rig(['xl330-m288']);
    expect(bus.write(1, 168, Uint8Array.of(65, 0), 2)).toBe('ok');
    expect(bus.write(1, 208, Uint8Array.of(1), 1)).toBe('ok');
    expect(servos[0]!.registers.get('led')).toBe(1);
    const into = new Uint8Array(1);
    expect(bus.read(1, 208, 1, into)).toBe('ok');
    expect(into[0]).toBe(1);
  });

  // e-Manual, Bus Watchdog, example: it stops, is −1, refuses goals, and is cleared by 0.
  it('stops when the bus is silent for as long as its watchdog was told, and takes goals again once that is cleared', () => {
    const { write, read, pass, servos } = rig(['xl430-w250']);
    write(1, 'torqueEnable', 1);
    expect(write(1, 'busWatchdog', 10)).toBe(0);
    for (let i = 0; i < 20; i++) {
      pass(0.15);
      expect(read(1, 'busWatchdog')).toBe(10);
    }
    pass(0.25);
    expect(servos[0]!.registers.get('busWatchdog')).toBe(-1);
    expect(write(1, 'goalPosition', 2100)).toBe(STATUS_ERROR.dataRange);
    expect(write(1, 'busWatchdog', 0)).toBe(0);
    expect(write(1, 'goalPosition', 2100)).toBe(0);
  });

  it('latches an overload until it is rebooted', () => {
    const { write, read, pass, bus, servos } = rig(['xl430-w250']);
    write(1, 'torqueEnable', 1);
    servos[0]!.faults.isOverloaded = true;
    pass(0.01);
    expect(write(1, 'led', 1)).toBe(ALERT);
    expect(read(1, 'torqueEnable')).toBe(0);
    write(1, 'torqueEnable', 1);
    expect(read(1, 'torqueEnable')).toBe(0);
    expect(bus.reboot(1)).toBe(true);
    expect(read(1, 'led')).toBeUndefined();
    pass(0.5);
    expect(read(1, 'led')).toBe(0);
    expect(write(1, 'torqueEnable', 1)).toBe(0);
    expect(read(1, 'torqueEnable')).toBe(1);
  });

  it('answers as much as its status return level says', () => {
    const { write, read, bus } = rig(['xl430-w250']);
    expect(write(1, 'statusLevel', 1)).toBe(0);
    expect(write(1, 'led', 1)).toBeUndefined();
    expect(read(1, 'led')).toBe(1);
    write(1, 'statusLevel', 0);
    expect(read(1, 'led')).toBeUndefined();
    expect(bus.ping(1, new Uint8Array(3), 3)).toBe('ok');
  });

  it('answers after its return delay, and hears nothing any more at another baud rate', () => {
    const { write, read, line } = rig(['xl430-w250']);
    const took = (): number => {
      const fromS = line.clock.nowS();
      read(1, 'led');
      return line.clock.nowS() - fromS;
    };
    write(1, 'returnDelay', 0);
    const quickS = took();
    write(1, 'returnDelay', 250);
    expect(took() - quickS).toBeGreaterThan(450e-6);
    expect(write(1, 'baud', 1)).toBe(0);
    expect(read(1, 'led')).toBeUndefined();
  });

  // e-Manual, Secondary(Shadow) ID(12).
  it('takes what the servo of its secondary id is told, and answers to its own id only', () => {
    const { write, read, servos, bus } = rig(['xm430-w350', 'xm430-w350']);
    expect(write(2, 'shadowId', 1)).toBe(0);
    expect(write(1, 'led', 1)).toBe(0);
    expect(servos.map(({ registers }) => registers.get('led'))).toEqual([1, 1]);
    bus.syncWrite(Uint8Array.of(1), 1, 65, Uint8Array.of(0), 1);
    expect([read(1, 'led'), read(2, 'led')]).toEqual([0, 0]);
    expect(write(2, 'led', 1)).toBe(0);
    expect(servos.map(({ registers }) => registers.get('led'))).toEqual([0, 1]);
    servos[0]!.faults.isDead = true;
    expect(read(1, 'led')).toBeUndefined();
  });

  it('waits with a registered write for its action', () => {
    const { line, bus, read, servos } = rig(['xl430-w250']);
    const out = new Uint8Array(64);
    line.write(out, DXL.regWrite(out, 1, 65, Uint8Array.of(1), 0, 1));
    bus.drain();
    expect(read(1, 'led')).toBe(0);
    expect(servos[0]!.registers.get('registeredInstruction')).toBe(1);
    line.write(out, DXL.action(out, 1));
    expect(read(1, 'led')).toBe(1);
  });

  it('forgets what is not kept in a factory reset, of which not all hear one for all', () => {
    const { line, pass, write, servos } = rig(['xl430-w250', 'xl430-w250']);
    const out = new Uint8Array(64);
    write(2, 'returnDelay', 7);
    line.write(out, DXL.factoryReset(out, 0xfe, 'nothing'));
    pass(0.5);
    expect(servos.map((servo) => servo.registers.get('returnDelay'))).toEqual([250, 7]);
    line.write(out, DXL.factoryReset(out, 2, 'id'));
    pass(0.5);
    expect(servos[1]!.registers.get('returnDelay')).toBe(250);
    expect(servos[1]!.id).toBe(2);
  });

  it.each([
    ['each with a status', DXL],
    ['all with one', FAST],
  ])(
    'answers sync reads, %s, and those behind one that is silent answer when they are asked from behind',
    (_, protocol) => {
      const { bus, servos } = rig(['xl430-w250', 'xl330-m288', 'xl330-m288', 'xl330-m077'], protocol);
      servos[1]!.faults.isDead = true;
      const into = new Uint8Array(16);
      expect(bus.syncRead(Uint8Array.of(1, 2, 3, 4), 4, 132, 4, into)).toBe(3);
      expect([1, 2, 3, 4].map((id) => bus.hasAnswered(id))).toEqual([true, false, true, true]);
      expect(into[8]! + into[9]! * 256).toBe(2048);
    },
  );

  it('holds its goal, and pushes no harder than its current may be in current-based position mode', () => {
    const { body, write, pass, servos } = rig(['xl330-m288', 'xl330-m288']);
    for (const [id, mode] of [
      [1, 3],
      [2, 5],
    ] as const) {
      expect(write(id, 'operatingMode', mode)).toBe(0);
      if (mode === 5) expect(write(id, 'goalCurrent', 300)).toBe(0);
      write(id, 'torqueEnable', 1);
      write(id, 'goalPosition', 3072);
    }
    // Both are held in place.
    for (let i = 0; i < 300; i++) {
      body.positionRad.fill(0);
      body.velocityRadPerS.fill(0);
      pass(0.001);
    }
    expect(servos[0]!.motor.currentA).toBeGreaterThan(1.2);
    expect(servos[1]!.motor.currentA).toBeCloseTo(0.3, 1);
    expect(servos[1]!.registers.get('presentLoad')).toBeGreaterThan(250);
    pass(2);
    expect(servos[1]!.registers.get('presentPosition')).toBeGreaterThan(3000);
  });

  it('latches a supply that is too low, and goes limp for it where its shutdown says so', () => {
    const { write, read, pass, devices } = rig(['xl330-m288', 'xl430-w250']);
    for (const id of [1, 2]) write(id, 'torqueEnable', 1);
    expect(read(1, 'presentVoltage')).toBe(50);
    // Each in proportion to its rating: 3 V of 5, and 7.2 of 12, which still powers an XL430.
    devices.supplyV = 3;
    pass(0.01);
    expect([read(1, 'torqueEnable'), read(2, 'torqueEnable')]).toEqual([0, 1]);
    expect([read(1, 'hardwareError'), read(2, 'hardwareError')]).toEqual([1, 0]);
  });
});
