import { expect, it } from 'vitest';
import { Wire } from './wire.ts';

const BYTE_S = 10e-6;

function wire(latencyS?: number): Wire {
  return new Wire({ baud: 1_000_000, latencyS });
}

it('carries a byte in ten bits, one after another', () => {
  const line = wire();
  expect(line.fromHost(8, 1)).toBeCloseTo(1 + 8 * BYTE_S, 9);
  // Bytes sent at once wait for those in transit.
  expect(line.fromHost(2, 1)).toBeCloseTo(1 + 10 * BYTE_S, 9);
  line.fromDevice(Uint8Array.of(1, 2, 3), 3, 2);
  const into = new Uint8Array(8);
  expect(line.nextS).toBeCloseTo(2 + BYTE_S, 9);
  expect(line.lastS).toBeCloseTo(2 + 3 * BYTE_S, 9);
  expect(line.take(into, 0, 2)).toBe(0);
  expect(line.take(into, 0, 2 + 2.5 * BYTE_S)).toBe(2);
  expect(line.take(into, 2, 3)).toBe(1);
  expect([...into.subarray(0, 3)]).toEqual([1, 2, 3]);
  expect(line.nextS).toBe(Number.POSITIVE_INFINITY);
});

it('hands over at the beats of an adapter that collects', () => {
  const line = wire(0.001);
  line.fromDevice(Uint8Array.of(7), 1, 0.0203);
  expect(line.nextS).toBeCloseTo(0.021, 9);
});

it('puts a reply that was announced later before one that comes later', () => {
  const line = wire();
  line.fromDevice(Uint8Array.of(9), 1, 1);
  line.fromDevice(Uint8Array.of(1, 2), 2, 0.5);
  const into = new Uint8Array(4);
  expect(line.take(into, 0, 2)).toBe(3);
  expect([...into.subarray(0, 3)]).toEqual([1, 2, 9]);
});

it('lets two that speak at once drown each other', () => {
  const line = wire();
  line.fromDevice(Uint8Array.of(0b1100, 0b1010), 2, 1);
  line.fromDevice(Uint8Array.of(0b0110, 0b0110), 2, 1);
  const into = new Uint8Array(4);
  expect(line.take(into, 0, 2)).toBe(2);
  expect([...into.subarray(0, 2)]).toEqual([0b0100, 0b0010]);
  expect(line.collisions).toBe(2);
});

it.each([0.3, -0.3])('makes garbage even of two that say the same, %f of a byte out of step', (bytes) => {
  const line = wire();
  const said = Uint8Array.of(0xff, 0x01, 0x02);
  line.fromDevice(said, 3, 1);
  line.fromDevice(said, 3, 1 + bytes * BYTE_S);
  const into = new Uint8Array(8);
  const count = line.take(into, 0, 2);
  expect([...into.subarray(0, count)]).not.toEqual([...said]);
});
