import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as vesc from './protocol.ts';
import { VescReader } from './reader.ts';
import * as answers from './values.ts';

const { COMMAND } = vesc;
const { VALUE } = answers;

function hex(write: (out: Uint8Array, at: number) => number): string {
  const out = new Uint8Array(600);
  return Buffer.from(out.subarray(0, write(out, 0))).toString('hex');
}

interface Heard {
  readonly packets: string[];
  readonly reader: VescReader;
}

function listener(maxPayload?: number): Heard {
  const packets: string[] = [];
  const reader = new VescReader((command, bytes, at, count) => {
    packets.push(Buffer.from([command, ...bytes.subarray(at, at + count)]).toString('hex'));
  }, maxPayload);
  return { packets, reader };
}

function heard(bytes: Uint8Array, maxPayload?: number): string[] {
  const { packets, reader } = listener(maxPayload);
  reader.push(bytes, 0, bytes.length);
  reader.restart();
  return packets;
}

describe('packets of a VESC', () => {
  // `tests/` of a C++ client, "test_build_requests_exact_bytes" and "test_build_control_commands_exact_bytes" (goat_vesc, GitHub).
  it.each([
    ['asks for the firmware', '020100000003', (out: Uint8Array) => vesc.writeCommand(out, 0, COMMAND.firmware)],
    ['asks for all values', '020104408403', (out: Uint8Array) => vesc.writeCommand(out, 0, COMMAND.getValues)],
    ['asks for the IMU', '020341ffff379203', (out: Uint8Array) => vesc.writeGetImu(out, 0, 0xffff)],
    ['asks for a part of it', '0203411234395b03', (out: Uint8Array) => vesc.writeGetImu(out, 0, 0x1234)],
    ['sets 1000 electrical turns a minute', '020508000003e82b5803', (out: Uint8Array) => vesc.writeRpm(out, 0, 1000)],
    ['sets a duty of 0.2', '02050500004e2029f603', (out: Uint8Array) => vesc.writeDuty(out, 0, 0.2)],
    ['sets 1.5 A', '020506000005dc388103', (out: Uint8Array) => vesc.writeCurrent(out, 0, 1.5)],
    ['brakes with -1.5 A', '020507fffffa247bf803', (out: Uint8Array) => vesc.writeBrake(out, 0, -1.5)],
    ['puts the servo in the middle', '02030c01f4e9cb03', (out: Uint8Array) => vesc.writeServo(out, 0, 0.5)],
  ])('%s as others do (goat_vesc)', (_, bytes, write) => {
    expect(hex(write)).toBe(bytes);
  });

  it.each([
    [0, '02050800000000022d03'],
    [1723, '020508000006bbbe3b03'],
    [3446, '02050800000d766a2003'],
    [5169, '02050800001431ebe803'],
    [6893, '02050800001aedc21603'],
  ])('sets %d electrical turns a minute as VescUart does (noted in VescNano, src/main.cpp)', (erpm, bytes) => {
    expect(hex((out) => vesc.writeRpm(out, 0, erpm))).toBe(bytes);
  });

  it('reads the packets of PyVESC (test.py, test_corrupt_recovery), the whole ones alone', () => {
    const good = '0203546521429203';
    const recovered = '020421e1242038bb03';
    expect(heard(Buffer.from(good, 'hex'))).toEqual(['546521']);
    for (const corrupt of [
      '0103546521429203',
      '0202546521429203',
      '020454652142920303',
      '0203736521429203',
      '0203546579429203',
      '0203546521aa9103',
      '0203546521429209',
    ]) {
      expect(heard(Buffer.from(`${corrupt}${recovered}050901`, 'hex'))).toEqual(['21e12420']);
    }
  });

  it('reads packets with a length of two bytes, however they are cut', () => {
    for (const size of [255, 256, 512]) {
      const payload = Uint8Array.from({ length: size }, (_, i) => i & 0xff);
      const crc = vesc.crc16(payload, 0, size);
      const bytes = Uint8Array.from([3, size >> 8, size & 0xff, ...payload, crc >> 8, crc & 0xff, 3]);
      const { packets, reader } = listener();
      for (let i = 0; i < bytes.length; i += 7) reader.push(bytes, i, Math.min(bytes.length, i + 7));
      expect(packets).toEqual([Buffer.from(payload).toString('hex')]);
      expect(heard(bytes, 128)).toEqual([]);
    }
  });

  it('takes no packet with a turned bit, and the one behind it always', () => {
    const out = new Uint8Array(64);
    const first = vesc.writeRpm(out, 0, 4614);
    const end = vesc.writeServo(out, first, 0.53);
    const servo = heard(out.subarray(first, end));
    for (let bit = 0; bit < 8 * first; bit++) {
      const wrong = out.slice(0, end);
      wrong[bit >> 3]! ^= 1 << (bit & 7);
      const { packets, reader } = listener(128);
      reader.push(wrong, 0, end);
      reader.restart();
      expect(packets).toEqual(servo);
    }
  });
});

describe('what a VESC answers', () => {
  it('is read in its units: 44 values of the scales of commands.c', () => {
    const values = new Float64Array(answers.VALUE_COUNT);
    values[VALUE.mosfetC] = 32.5;
    values[VALUE.motorC] = -1.5;
    values[VALUE.motorA] = 12.34;
    values[VALUE.inputA] = -8.9;
    values[VALUE.dutyRatio] = -0.321;
    values[VALUE.erpm] = -12_345;
    values[VALUE.inputV] = 11.5;
    values[VALUE.tachometer] = -77;
    values[VALUE.tachometerAbs] = 88;
    values[VALUE.fault] = 7;
    values[VALUE.status] = 1;
    const out = new Uint8Array(128);
    // 74 bytes of payload: what firmware 6 and later send for COMM_GET_VALUES.
    expect(answers.writeValues(out, 0, values)).toBe(79);
    const wanted = (1 << VALUE.mosfetC) | (1 << VALUE.erpm) | (1 << VALUE.tachometer) | (1 << VALUE.status);
    const into = new Float64Array(answers.VALUE_COUNT);
    const end = answers.writeSelected(out, 0, wanted, values);
    expect(answers.readSelected(out, 3, end - 6, into)).toBe(wanted);
    expect([into[VALUE.mosfetC], into[VALUE.erpm], into[VALUE.tachometer], into[VALUE.status]]).toEqual([
      32.5, -12_345, -77, 1,
    ]);
    expect(into[VALUE.inputV]).toBe(0);
  });

  it('is read of firmware that repeats the mask and has no status', () => {
    const asked = (1 << VALUE.erpm) | (1 << VALUE.status);
    const out = Uint8Array.from([0, 0x20, 0x00, 0x80, 0xff, 0xff, 0xff, 0xfe]);
    const into = new Float64Array(answers.VALUE_COUNT);
    expect(vesc.getInt(out, 0, 4)).toBe(asked);
    expect(answers.readSelected(out, 0, 8, into)).toBe(1 << VALUE.erpm);
    expect(into[VALUE.erpm]).toBe(-2);
    expect(answers.readSelected(out, 0, 7, into)).toBe(0);
    expect(answers.readSelected(out, 0, 3, into)).toBe(0);
  });

  it('has numbers of the IMU as IEEE 754 writes them', () => {
    const numbers = Float64Array.from({ length: 16 }, (_, i) => (i - 8) / 4);
    const out = new Uint8Array(128);
    const into = new Float64Array(answers.IMU_NUMBERS);
    const end = answers.writeImu(out, 0, answers.IMU_MASK, numbers);
    expect(end).toBe(33);
    expect(answers.readImu(out, 3, answers.IMU_BYTES, into)).toBe(true);
    expect([...into]).toEqual([...numbers.subarray(3, 9)]);
    expect(answers.readImu(out, 3, answers.IMU_BYTES - 4, into)).toBe(false);
  });

  it('names its faults', () => {
    expect([answers.faultName(2), answers.faultName(5), answers.faultName(33), answers.faultName(200)]).toEqual([
      'UNDER_VOLTAGE',
      'OVER_TEMP_FET',
      'ABS_OVERSPEED',
      'number 200',
    ]);
  });
});

describe('the reader of a VESC, whatever comes', () => {
  const frames = fc.constantFrom(
    ...['020508000003e82b5803', '02030c01f4e9cb03', '020104408403', '0203546521429203'].map((text) =>
      Uint8Array.from(Buffer.from(text, 'hex')),
    ),
  );
  const noise = fc.uint8Array({ maxLength: 40 });

  it('hands out what has a right checksum and stop, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(frames, noise), { maxLength: 30 }),
        fc.integer({ min: 1, max: 50 }),
        (parts, step) => {
          const bytes = Uint8Array.from(parts.flatMap((part) => [...part]));
          const { packets, reader } = listener(64);
          for (let i = 0; i < bytes.length; i += step) reader.push(bytes, i, Math.min(bytes.length, i + step));
          reader.restart();
          const text = Buffer.from(bytes).toString('hex');
          for (const packet of packets) {
            const payload = Buffer.from(packet, 'hex');
            const crc = vesc.crc16(payload, 0, payload.length).toString(16).padStart(4, '0');
            expect(text).toContain(`${payload.length.toString(16).padStart(2, '0')}${packet}${crc}03`);
          }
          const handed = packets.reduce((sum, packet) => sum + packet.length / 2 + vesc.OVERHEAD_BYTES, 0);
          expect(handed + reader.skippedBytes).toBe(bytes.length);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('finds a packet again behind any noise, at the latest with the one after it', () => {
    fc.assert(
      fc.property(noise, (bytes) => {
        const frame = Uint8Array.from(Buffer.from('020508000003e82b5803', 'hex'));
        const { packets, reader } = listener(20);
        reader.push(bytes, 0, bytes.length);
        for (let i = 0; i < 3; i++) reader.push(frame, 0, frame.length);
        expect(packets.filter((packet) => packet === '08000003e8').length).toBeGreaterThanOrEqual(1);
        reader.restart();
        expect(packets.filter((packet) => packet === '08000003e8')).toHaveLength(3);
      }),
      { numRuns: 2000 },
    );
  });
});
