import { describe, expect, it } from 'vitest';
import { FEETECH_MODELS, feetech, type LineStatus, type SerialLine, ServoBus } from '../../../../src/drivers/serial.ts';
import { type Clock, Rng } from '../../../../src/model/index.ts';
import { SimpleBody, type SimpleJoint } from '../bodies/simple-body.ts';
import { MemoryLine } from '../memory-line.ts';
import type { ServoSpec } from '../servo-chain.ts';
import { FeetechBus } from './feetech-bus.ts';
import { FeetechServo } from './feetech-servo.ts';

const PER_RAD = 4096 / (2 * Math.PI);
const GOAL = 42;
const POSITION = 56;
const TORQUE_ENABLE = 40;
const { INSTRUCTION, STS_PROTOCOL } = feetech;

interface Arm {
  readonly servos: readonly FeetechServo[];
  readonly device: FeetechBus;
  readonly body: SimpleBody;
  readonly line: MemoryLine;
  readonly bus: ServoBus;
}

function arm(
  ids: readonly number[],
  { joint = {}, ...options }: { joint?: SimpleJoint; hostBaud?: number; spec?: Partial<ServoSpec> } = {},
): Arm {
  const servos = ids.map(
    (id, i) =>
      new FeetechServo({
        id,
        model: FEETECH_MODELS['sts3215']!,
        joint: i,
        zeroCounts: 2048,
        countsPerUnit: PER_RAD,
        registers: { returnDelay: 0 },
        ...options.spec,
      }),
  );
  const body = new SimpleBody(ids.map(() => ({ inertiaKgM2: 0.03, ...joint })));
  const device = new FeetechBus({ servos, body, baud: 1_000_000, rng: new Rng(1) });
  const line = new MemoryLine(device, { baud: 1_000_000, hostBaud: options.hostBaud });
  return { servos, device, body, line, bus: new ServoBus({ line, protocol: STS_PROTOCOL }) };
}

function pass({ line }: Arm, seconds: number): void {
  line.wait(line.clock.nowS() + seconds);
  // Like a host that reads once per period: time passes in small pieces.
  line.read(new Uint8Array(256), 0);
}

function bytesOf(value: number): Uint8Array {
  return Uint8Array.of(value & 0xff, value >> 8);
}

function read16({ bus }: Arm, id: number, address: number): number {
  const into = new Uint8Array(2);
  expect(bus.read(id, address, 2, into)).toBe('ok');
  return into[0]! + 256 * into[1]!;
}

/** Sends one request, and returns all bytes that come back within 20 ms. */
function exchange({ line }: Arm, id: number, instruction: number, ...parameters: readonly number[]): number[] {
  const body = [id, parameters.length + 2, instruction, ...parameters];
  const packet = Uint8Array.of(0xff, 0xff, ...body, ~body.reduce((sum, byte) => sum + byte, 0) & 0xff);
  expect(line.write(packet, packet.length)).toBe('ok');
  line.wait(line.clock.nowS() + 0.02);
  const into = new Uint8Array(512);
  return [...into.subarray(0, line.read(into, 0))];
}

/** Line whose host passes bytes on with a delay. */
class LateLine implements SerialLine {
  readonly path = 'late';
  readonly baud = 1_000_000;
  readonly clock: Clock;
  lateS = 0;
  readonly #line: MemoryLine;
  readonly #held: { readonly atS: number; readonly bytes: readonly number[] }[] = [];

  constructor(line: MemoryLine) {
    this.#line = line;
    this.clock = line.clock;
  }

  write(bytes: Uint8Array, length: number): LineStatus {
    return this.#line.write(bytes, length);
  }

  read(into: Uint8Array, at: number): number {
    const came = new Uint8Array(256);
    const got = this.#line.read(came, 0);
    if (got > 0) this.#held.push({ atS: this.clock.nowS() + this.lateS, bytes: [...came.subarray(0, got)] });
    let to = at;
    while ((this.#held[0]?.atS ?? Number.POSITIVE_INFINITY) <= this.clock.nowS()) {
      for (const byte of this.#held.shift()!.bytes) into[to++] = byte;
    }
    return to - at;
  }

  wait(untilS: number): void {
    this.#line.wait(untilS);
  }

  close(): void {}
}

describe('an answer that comes late', () => {
  const REGISTERS = [16, 33, 34, 35, 36, 9, 13, 14, 18, 19, 5];
  const late = new LateLine(arm([1]).line);
  const bus = new ServoBus({ line: late, protocol: STS_PROTOCOL });
  const into = new Uint8Array(1);
  const read1 = (address: number): number | undefined => (bus.read(1, address, 1, into) === 'ok' ? into[0] : undefined);
  const truth = new Map(REGISTERS.map((address) => [address, read1(address)]));

  it.each([0.02, 0.028, 0.035, 0.045, 0.061, 0.09, 0.119, 0.14])(
    'by %s s is never taken for that of another register',
    (lateS) => {
      expect(new Set(truth.values()).size).toBeGreaterThan(5);
      let answers = 0;
      for (let i = 0; i < 66; i++) {
        const address = REGISTERS[(i * 7) % REGISTERS.length]!;
        // In the middle of a session: some answers are in time, and some are not.
        late.lateS = i % 3 === 0 ? lateS : 0.001;
        const value = read1(address);
        if (value === undefined) continue;
        answers++;
        expect([address, value]).toEqual([address, truth.get(address)]);
      }
      expect(answers).toBe(66);
    },
  );

  it('by more than all tries together is none, and no next one is taken for it', () => {
    for (const address of REGISTERS) {
      late.lateS = 0.2;
      expect(read1(35)).toBeUndefined();
      late.lateS = 0.001;
      expect([address, read1(address)]).toEqual([address, truth.get(address)]);
    }
  });
});

describe('what a servo answers', () => {
  it('is what the manual prints for a ping of servo 1', () => {
    // Feetech, "Smart Servo Communication Protocol", PING: FF FF 01 02 01 FB is answered with FF FF 01 02 00 FC.
    expect(exchange(arm([1]), 1, INSTRUCTION.ping)).toEqual([0xff, 0xff, 0x01, 0x02, 0x00, 0xfc]);
  });

  it('is what stands in its registers', () => {
    const subject = arm([1]);
    const answer = exchange(subject, 1, INSTRUCTION.read, POSITION, 2);
    expect(answer.slice(0, 7)).toEqual([0xff, 0xff, 1, 4, 0, 0x00, 0x08]);
    expect(read16(subject, 1, 3)).toBe(777);
  });

  it('begins after its return delay, in units of 2 µs', () => {
    const answersAt = (returnDelay: number): number => {
      const subject = arm([1], { spec: { registers: { returnDelay } } });
      const request = Uint8Array.of(0xff, 0xff, 1, 2, 1, 0xfb);
      subject.line.write(request, request.length);
      return subject.line.wire.nextS;
    };
    expect(answersAt(250) - answersAt(0)).toBeCloseTo(500e-6, 5);
  });

  it('answers a broadcast ping one after another, so that a master finds them all', () => {
    const rig = arm([1, 2, 3, 4, 5, 6]);
    const request = new Uint8Array(16);
    rig.line.write(request, STS_PROTOCOL.ping(request, feetech.BROADCAST_ID));
    const found: number[] = [];
    const reader = STS_PROTOCOL.createReader((id) => found.push(id));
    const bytes = new Uint8Array(256);
    rig.line.wait(rig.line.clock.nowS() + 0.01);
    reader.push(bytes, 0, rig.line.read(bytes, 0));
    expect(found).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("knows the instructions of the vendor's newer program: start anew, and calibrate to a position", () => {
    const rig = arm([1]);
    const send = (instruction: number, ...data: readonly number[]): number => {
      const packet = [0xff, 0xff, 1, data.length + 2, instruction, ...data];
      packet.push(feetech.checksumOf(Uint8Array.from(packet), 2, packet.length));
      rig.line.write(Uint8Array.from(packet), packet.length);
      rig.line.wait(rig.line.clock.nowS() + 0.01);
      return rig.line.read(new Uint8Array(64), 0);
    };
    expect(send(INSTRUCTION.calibrateOffset, 1000 & 0xff, 1000 >> 8)).toBe(6);
    pass(rig, 0.01);
    expect(read16(rig, 1, POSITION)).toBe(1000);
    expect(send(INSTRUCTION.calibrateOffset)).toBe(6);
    pass(rig, 0.01);
    expect(read16(rig, 1, POSITION)).toBe(2048);
    rig.servos[0]!.registers.set('torqueEnable', 1);
    expect(send(INSTRUCTION.restart)).toBe(6);
    expect(rig.servos[0]!.isTorqueOn).toBe(false);
  });

  it('stays out after broadcasts, and after writes at status level 0', () => {
    const subject = arm([1]);
    expect(exchange(subject, 0xfe, INSTRUCTION.write, TORQUE_ENABLE, 1)).toEqual([]);
    expect(subject.servos[0]!.isTorqueOn).toBe(true);
    subject.servos[0]!.registers.set('statusLevel', 0);
    expect(exchange(subject, 1, INSTRUCTION.write, TORQUE_ENABLE, 0)).toEqual([]);
    expect(exchange(subject, 1, INSTRUCTION.read, TORQUE_ENABLE, 1)).toHaveLength(7);
  });

  it('comes one after another to a sync read, in the order asked for, without those that are not there', () => {
    const subject = arm([1, 2, 3]);
    subject.servos[1]!.faults.isDead = true;
    const into = new Uint8Array(6).fill(9);
    const answered = subject.bus.syncRead(Uint8Array.of(3, 2, 1), 3, POSITION, 2, into);
    expect(answered).toBe(2);
    expect([3, 2, 1].map((id) => subject.bus.hasAnswered(id))).toEqual([true, false, true]);
    expect([...into]).toEqual([0, 8, 9, 9, 0, 8]);
  });

  it('is garbage where two have one id', () => {
    const subject = arm([4, 4]);
    subject.servos[1]!.registers.set('presentTemperature', 33);
    expect(subject.bus.read(4, 0, 8, new Uint8Array(8))).toBe('missing');
    expect(subject.line.wire.collisions).toBeGreaterThan(0);
  });

  it('is nothing at another baud rate, whichever end has it', () => {
    const deaf = arm([1], { hostBaud: 115_200 });
    expect(deaf.bus.ping(1, new Uint8Array(1), 0)).toBe('missing');
    expect(deaf.device.counts.wrongBytes).toBeGreaterThan(0);
    expect(arm([1], { spec: { registers: { baud: 4 } } }).bus.ping(1, new Uint8Array(1), 0)).toBe('missing');
  });
});

describe('what a servo keeps', () => {
  it('is what was written while its memory was unlocked', () => {
    const subject = arm([1]);
    const { bus } = subject;
    bus.write(1, 21, Uint8Array.of(16), 1);
    expect(subject.servos[0]!.registers.get('gainP')).toBe(16);
    subject.device.powerCycle();
    expect(subject.servos[0]!.registers.get('gainP')).toBe(32);
    bus.write(1, 55, Uint8Array.of(0), 1);
    bus.write(1, 21, Uint8Array.of(16), 1);
    subject.device.powerCycle();
    expect(subject.servos[0]!.registers.get('gainP')).toBe(16);
    expect(subject.servos[0]!.registers.get('lock')).toBe(1);
  });

  it('is what nobody may write', () => {
    const subject = arm([1]);
    expect(subject.bus.write(1, POSITION, bytesOf(5), 2)).toBe('ok');
    pass(subject, 0.01);
    expect(read16(subject, 1, POSITION)).toBe(2048);
  });

  it('is a write that waits for its action', () => {
    const subject = arm([1, 2]);
    for (const id of [1, 2]) exchange(subject, id, INSTRUCTION.regWrite, TORQUE_ENABLE, 1);
    expect(subject.servos.map(({ isTorqueOn }) => isTorqueOn)).toEqual([false, false]);
    expect(subject.servos[0]!.registers.get('asyncWrite')).toBe(1);
    expect(exchange(subject, 0xfe, INSTRUCTION.action)).toEqual([]);
    expect(subject.servos.map(({ isTorqueOn }) => isTorqueOn)).toEqual([true, true]);
    expect(subject.servos[0]!.registers.get('asyncWrite')).toBe(0);
  });

  it('is its id through a factory reset, and its cap after a brown-out', () => {
    const subject = arm([5]);
    const { bus, servos, device } = subject;
    bus.write(5, 55, Uint8Array.of(0), 1);
    bus.write(5, 16, bytesOf(600), 2);
    bus.write(5, TORQUE_ENABLE, Uint8Array.of(1), 1);
    device.powerCycle();
    expect(servos[0]!.isTorqueOn).toBe(false);
    expect(servos[0]!.registers.get('torqueLimit')).toBe(600);
    expect(exchange(subject, 5, INSTRUCTION.factoryReset)).toHaveLength(6);
    expect(servos[0]!.id).toBe(5);
    expect(servos[0]!.registers.get('torqueMax')).toBe(1000);
  });

  it('is the middle that 128 in its torque register makes of where it stands', () => {
    const subject = arm([1], { joint: { startRad: 0.5 } });
    pass(subject, 0.01);
    expect(read16(subject, 1, POSITION)).toBe(2048 + Math.round(0.5 * PER_RAD));
    subject.bus.write(1, TORQUE_ENABLE, Uint8Array.of(128), 1);
    subject.device.powerCycle();
    pass(subject, 0.01);
    expect(read16(subject, 1, POSITION)).toBe(2048);
  });
});

it('goes where a sync write sends it, and holds there', () => {
  const subject = arm([1, 2]);
  const { bus, body } = subject;
  const ids = Uint8Array.of(1, 2);
  const goals = [2048 + 300, 2048 - 500];
  bus.syncWrite(ids, 2, GOAL, Uint8Array.from(goals.flatMap((goal) => [...bytesOf(goal)])), 2);
  bus.syncWrite(ids, 2, TORQUE_ENABLE, Uint8Array.of(1, 1), 1);
  for (let i = 0; i < 100; i++) pass(subject, 0.02);
  for (const [i, goal] of goals.entries()) {
    expect(body.positionRad[i]).toBeCloseTo((goal - 2048) / PER_RAD, 1);
    expect(Math.abs(read16(subject, i + 1, POSITION) - goal)).toBeLessThan(12);
  }
});
