import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultRow } from '../../tests/support/fault-row.ts';
import { sealWeights, verifyWeights } from '../model/index.ts';
import { createTransition, SOURCES, type Transition } from '../rows/index.ts';
import {
  decodeBundle,
  encodeBundle,
  readAck,
  readBatch,
  readControl,
  readHello,
  readHelloAck,
  readRefusal,
} from './messages.ts';
import { decodeRecord, encodeRecord, recordBytes } from './record.ts';
import {
  decodeFrame,
  encodeFrame,
  FRAME_KINDS,
  type Frame,
  HEADER,
  HEADER_BYTES,
  MAX_MESSAGE_BYTES,
  peekWeightsVersion,
} from './wire.ts';

const SIZES = { observationSize: 5, actionSize: 3 };
const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const u53 = fc.maxSafeNat();
const hash = fc.stringMatching(/^[0-9a-f]{16}$/);
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const floats = (length: number) =>
  fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: length, maxLength: length });

const frames = fc.record({
  kind: fc.constantFrom(...FRAME_KINDS.filter((kind) => kind !== 'none')),
  flags: fc.integer({ min: 0, max: 65_535 }),
  schemaHash: hash,
  robotHash: hash,
  epoch: u32,
  count: u32,
  sequence: u53,
  monotonicNs: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
});

const transitions: fc.Arbitrary<Transition> = fc.record({
  epoch: u32,
  seq: u53,
  episode: u32,
  step: u32,
  segment: u32,
  source: fc.constantFrom(...SOURCES),
  policyVersion: u32,
  observationAgeMs: number,
  observation: floats(5).map((v) => Float32Array.from(v)),
  nextObservation: floats(5).map((v) => Float32Array.from(v)),
  policyAction: floats(3).map((v) => Float32Array.from(v)),
  humanAction: floats(3).map((v) => Float32Array.from(v)),
  executed: floats(3).map((v) => Float32Array.from(v)),
  reward: number,
  cost: number,
  marginMin: number,
  tankDrainJ: number,
  tankLevel: number,
  terminated: fc.boolean(),
  truncated: fc.boolean(),
  isBasePhase: fc.boolean(),
  filterBits: u32,
});

function encoded(t: Transition): Uint8Array {
  const bytes = new Uint8Array(recordBytes(SIZES)).fill(0xff);
  encodeRecord(new DataView(bytes.buffer), 0, t, SIZES);
  return bytes;
}

describe('frame', () => {
  it('gives back what was put in', () => {
    fc.assert(
      fc.property(frames, fc.uint8Array({ maxLength: 300 }), (fields, payload) => {
        const decoded = decodeFrame(encodeFrame(fields, payload));
        expect(decoded).toEqual({ ok: true, value: { ...fields, payload } });
      }),
    );
  });

  faultRow(6, 'fake', 'is refused after any change of one byte, and after any cut or addition', () => {
    fc.assert(
      fc.property(
        frames,
        fc.uint8Array({ maxLength: 64 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (f, p, at, flip) => {
          const bytes = encodeFrame(f, p);
          expect(decodeFrame(bytes.subarray(0, at % bytes.length)).ok).toBe(false);
          expect(decodeFrame(Buffer.concat([bytes, Buffer.alloc(1 + (at % 9))])).ok).toBe(false);
          bytes[at % bytes.length]! ^= flip;
          expect(decodeFrame(bytes).ok).toBe(false);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is damaged where its version does not belong to its checksum, whichever bit of it flipped', () => {
    for (let bit = 0; bit < 8; bit++) {
      const bytes = encodeFrame({ kind: 'heartbeat' }, new Uint8Array(3));
      bytes[HEADER.version]! ^= 1 << bit;
      expect(decodeFrame(bytes)).toMatchObject({ error: { reason: 'bad-checksum' } });
      bytes[HEADER_BYTES]! ^= 1;
      expect(decodeFrame(bytes)).toMatchObject({ error: { reason: 'bad-version' } });
    }
  });

  it('never throws on garbage, whatever it is read as', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), u32, (payload, count) => {
        const frame = { payload, count, flags: 0, epoch: 0, sequence: 0 } as unknown as Frame;
        decodeFrame(payload);
        peekWeightsVersion(payload);
        readBatch(frame, SIZES);
        readAck(frame);
        decodeRecord(payload, SIZES);
        decodeBundle(payload);
        for (const read of [readHello, readHelloAck, readRefusal, readControl]) expect(read(payload).ok).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  faultRow(31, 'fake', 'checks announced lengths before anything is allocated', () => {
    const bytes = encodeFrame({ kind: 'weights' }, new Uint8Array(16));
    new DataView(bytes.buffer).setUint32(HEADER.payloadLength, 0xffff_ffff, true);
    expect(decodeFrame(bytes)).toMatchObject({ ok: false, error: { reason: 'bad-length' } });
    const bomb = new Uint8Array(16).fill(0xff);
    expect(decodeBundle(bomb)).toMatchObject({ ok: false, error: { reason: 'bad-length' } });
    const frame = { payload: new Uint8Array(16), count: 0xffff_ffff } as unknown as Frame;
    expect(readBatch(frame, SIZES)).toMatchObject({ ok: false, error: { reason: 'bad-length' } });
    expect(decodeFrame(new Uint8Array(MAX_MESSAGE_BYTES + 1))).toMatchObject({ error: { reason: 'too-long' } });
    expect(() => encodeFrame({ kind: 'weights' }, new Uint8Array(MAX_MESSAGE_BYTES))).toThrow(RangeError);
  });

  it('has a header without gaps or overlaps', () => {
    const ends = Object.values(HEADER).slice(1);
    expect([...ends].sort((a, b) => a - b)).toEqual(ends);
    expect(HEADER.checksum + 4).toBe(HEADER_BYTES);
  });
});

describe('record', () => {
  it('gives back every transition exactly', () => {
    fc.assert(
      fc.property(transitions, (t) => {
        expect(decodeRecord(encoded(t), SIZES)).toEqual({ ok: true, value: t });
      }),
    );
  });

  it.each([
    ['an unknown source', 80, SOURCES.length, 'bad-value'],
    ['a flag that is neither 0 nor 1', 81, 2, 'bad-value'],
    ['a sequence number of 2^53', 6, 0x20, 'bad-value'],
  ])('is refused with %s', (_, at, value, reason) => {
    const bytes = encoded(createTransition(5, 3));
    bytes[at] = value;
    expect(decodeRecord(bytes, SIZES)).toMatchObject({ ok: false, error: { reason } });
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('is refused with %d anywhere', (value) => {
    for (const offset of [32, 40, 48, 56, 64, 72]) {
      const bytes = encoded(createTransition(5, 3));
      new DataView(bytes.buffer).setFloat64(offset, value, true);
      expect(decodeRecord(bytes, SIZES)).toMatchObject({ ok: false, error: { reason: 'not-finite' } });
    }
    for (let offset = 84; offset < recordBytes(SIZES); offset += 4) {
      const bytes = encoded(createTransition(5, 3));
      new DataView(bytes.buffer).setFloat32(offset, value, true);
      expect(decodeRecord(bytes, SIZES)).toMatchObject({ ok: false, error: { reason: 'not-finite' } });
    }
  });
});

describe('weights bundle', () => {
  const fields = {
    runId: 'run',
    version: 3,
    parent: 2,
    trainingStep: 10,
    updates: 20,
    schemaHash: '0123456789abcdef',
    createdAt: '2026-01-01T00:00:00.000Z',
    shapes: [{ name: 'w', shape: [2, 2] }],
  };
  const expected = { runId: 'run', schemaHash: '0123456789abcdef', newestVersion: 2 };
  const good = () => sealWeights(fields, new Uint8Array([1, 2, 3]), Float32Array.of(1, 2, 3, 4));

  it('passes when it is what was expected', () => {
    const decoded = decodeBundle(encodeBundle(good()));
    expect(decoded).toEqual({ ok: true, value: good() });
    expect(verifyWeights(good(), expected).ok).toBe(true);
  });

  it.each([
    ['another run', { ...expected, runId: 'other' }, 'wrong-run'],
    ['another schema', { ...expected, schemaHash: 'ffffffffffffffff' }, 'wrong-schema'],
    ['a version that does not rise', { ...expected, newestVersion: 3 }, 'old-version'],
  ])('is refused for %s', (_, wanted, reason) => {
    expect(verifyWeights(good(), wanted)).toMatchObject({ ok: false, error: { reason } });
  });

  faultRow(
    7,
    'fake',
    'is refused when a weight, the graph or a field of the manifest was changed, or a weight is not finite',
    () => {
      const refused = (change: (b: ReturnType<typeof good>) => object) => {
        const bundle = good();
        const result = verifyWeights({ ...bundle, ...change(bundle) }, expected);
        return result.ok ? 'accepted' : result.error.reason;
      };
      expect(refused(() => ({ weights: Float32Array.of(1, 2, 3, 5) }))).toBe('bad-digest');
      expect(refused(() => ({ graph: new Uint8Array([1, 2]) }))).toBe('bad-digest');
      expect(refused((b) => ({ manifest: { ...b.manifest, updates: 21 } }))).toBe('bad-digest');
      const broken = sealWeights(fields, new Uint8Array(0), Float32Array.of(1, Number.NaN, 3, 4));
      expect(verifyWeights(broken, expected)).toMatchObject({ error: { reason: 'not-finite' } });
    },
  );

  it('never passes after a change of one byte', () => {
    const bytes = encodeBundle(good());
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = bytes.slice();
        changed[at]! ^= flip;
        const decoded = decodeBundle(changed);
        if (decoded.ok && Buffer.compare(Buffer.from(encodeBundle(decoded.value)), Buffer.from(bytes)) !== 0) {
          expect(verifyWeights(decoded.value, expected).ok).toBe(false);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is not built when shapes and weights differ, or when it would not fit into a message', () => {
    expect(() => sealWeights(fields, new Uint8Array(0), new Float32Array(5))).toThrow(RangeError);
    const shapes = [{ name: 'w', shape: [5_000_000] }];
    const large = sealWeights({ ...fields, shapes }, new Uint8Array(0), new Float32Array(5_000_000));
    expect(() => encodeBundle(large)).toThrow(RangeError);
  });
});
