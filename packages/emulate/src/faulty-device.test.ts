import { describe, expect, it } from 'vitest';
import { Rng } from '../../../src/model/index.ts';
import type { EmulatedDevice, PacketShape } from './device.ts';
import type { PacketFault } from './faults.ts';
import { FaultyDevice } from './faulty-device.ts';

const BYTE_S = 10e-6;
/** Id, two bytes, and their sum. */
const shape: PacketShape = {
  idAt: 0,
  seal: (packet) => {
    packet[3] = packet[0]! + packet[1]! + packet[2]!;
  },
};

/** Answers each byte with a packet that contains it, 1 ms later. */
function answering(): { readonly device: EmulatedDevice; readonly heard: number[] } {
  const heard: number[] = [];
  const device: EmulatedDevice = {
    receive: (bytes, count, atS, transmit) => {
      for (const byte of bytes.subarray(0, count)) {
        heard.push(byte);
        transmit(Uint8Array.of(1, byte, 3, byte + 4), atS + 0.001);
      }
    },
    advance: () => undefined,
    powerCycle: () => undefined,
  };
  return { device, heard };
}

type Sent = { readonly bytes: readonly number[]; readonly atS: number };

function ask(faulty: FaultyDevice, ...asked: readonly number[]): Sent[] {
  const sent: Sent[] = [];
  for (const byte of asked) {
    faulty.receive(Uint8Array.of(byte), 1, 2, (bytes, atS) => void sent.push({ bytes: [...bytes], atS }));
  }
  return sent;
}

function faulty(seed = 1): FaultyDevice {
  return new FaultyDevice(answering().device, shape, BYTE_S, new Rng(seed));
}

describe('for one packet', () => {
  it.each<[PacketFault, readonly Sent[]]>([
    [{ kind: 'drop', at: 1, count: 2 }, [{ bytes: [1, 9], atS: 2.001 }]],
    [{ kind: 'flip', bit: 10 }, [{ bytes: [1, 5 ^ 4, 3, 9], atS: 2.001 }]],
    [{ kind: 'delay', seconds: 0.5 }, [{ bytes: [1, 5, 3, 9], atS: 2.501 }]],
    [{ kind: 'garbage', bytes: Uint8Array.of(8, 8) }, [{ bytes: [8, 8, 1, 5, 3, 9], atS: 2.001 }]],
    [{ kind: 'wrongId', id: 77 }, [{ bytes: [77, 5, 3, 85], atS: 2.001 }]],
    [
      { kind: 'duplicate' },
      [
        { bytes: [1, 5, 3, 9], atS: 2.001 },
        { bytes: [1, 5, 3, 9], atS: 2.00104 },
      ],
    ],
    [
      { kind: 'split', at: 3, gapS: 0.1 },
      [
        { bytes: [1, 5, 3], atS: 2.001 },
        { bytes: [9], atS: 2.10103 },
      ],
    ],
  ])('%o befalls the next, and none after it', (fault, expected) => {
    const device = faulty();
    device.plan(fault);
    const sent = ask(device, 5);
    expect(sent.map(({ bytes }) => bytes)).toEqual(expected.map(({ bytes }) => bytes));
    for (const [i, { atS }] of expected.entries()) expect(sent[i]!.atS).toBeCloseTo(atS, 9);
    expect(ask(device, 6)).toEqual([{ bytes: [1, 6, 3, 10], atS: 2.001 }]);
    expect(device.befallen).toBe(1);
  });

  it('sends the reply before in place of the next', () => {
    const device = faulty();
    ask(device, 5);
    device.plan({ kind: 'stale' });
    expect(ask(device, 6)).toEqual([{ bytes: [1, 5, 3, 9], atS: 2.001 }]);
  });
});

describe('by rate', () => {
  const many = Array.from({ length: 2000 }, (_, i) => i % 100);

  it('leaves all as it is at 0', () => {
    expect(ask(faulty(), ...many).every(({ bytes }, i) => bytes[1] === many[i])).toBe(true);
  });

  it('befalls about as many as it says, and the same ones with the same seed', () => {
    const run = (seed: number): Sent[] => {
      const device = faulty(seed);
      device.replies.flip = 0.01;
      device.replies.delay = 0.1;
      return ask(device, ...many);
    };
    const sent = run(3);
    const flipped = sent.filter(({ bytes }, i) => `${bytes}` !== `${[1, many[i], 3, many[i]! + 4]}`);
    const delayed = sent.filter(({ atS }) => atS > 2.001);
    expect(flipped.length / many.length).toBeCloseTo(0.04, 1);
    expect(delayed.length / many.length).toBeCloseTo(0.1, 1);
    expect(flipped.length).toBeGreaterThan(30);
    expect(run(3)).toEqual(sent);
    expect(run(4)).not.toEqual(sent);
  });

  it('befalls requests too', () => {
    const { device, heard } = answering();
    const behind = new FaultyDevice(device, shape, BYTE_S, new Rng(1));
    behind.requests.drop = 0.5;
    ask(behind, ...many);
    expect(heard.length).toBeGreaterThan(800);
    expect(heard.length).toBeLessThan(1200);
  });
});

it('fills the bus with garbage, as much as it says', () => {
  const device = faulty();
  device.noiseBytesPerS = 5000;
  let count = 0;
  for (let i = 0; i <= 1000; i++) {
    device.advance(i * 0.001, (bytes, atS) => {
      expect(atS).toBeLessThanOrEqual(i * 0.001);
      count += bytes.length;
    });
  }
  expect(count).toBeGreaterThan(4900);
  expect(count).toBeLessThan(5100);
});
