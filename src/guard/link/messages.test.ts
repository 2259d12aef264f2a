import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAnswer, parseHello, parseRequest, readNumbers } from './messages.ts';

const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const layout = { jointsRad: [0.1, 0.2], objects: { plate: [1, 2, 3, 0.5] }, signals: { depthM: 0.1 } };

describe('what a peer sent', () => {
  it('is taken as a request when it is exactly one', () => {
    expect(parseRequest(bytes({ id: 3, request: { kind: 'stop', more: 1 } }))).toEqual({
      id: 3,
      request: { kind: 'stop' },
    });
    expect(parseRequest(bytes({ id: 4, request: { kind: 'resetScene', layout } }))).toEqual({
      id: 4,
      request: { kind: 'resetScene', layout },
    });
  });

  it.each([
    { id: -1, request: { kind: 'stop' } },
    { id: 1, request: { kind: 'explode' } },
    { id: 1, request: { kind: 'resetScene' } },
    { id: 1, request: { kind: 'resetScene', layout: { ...layout, jointsRad: [0.1, 'x'] } } },
    { id: 1, request: { kind: 'resetScene', layout: { ...layout, jointsRad: [null] } } },
    { id: 1, request: { kind: 'resetScene', layout: { ...layout, objects: { plate: [1, 2, 3] } } } },
    { id: 1, request: { kind: 'resetScene', layout: { ...layout, signals: { depthM: '1' } } } },
    { request: { kind: 'stop' } },
    [],
    null,
    7,
  ])('is refused as a request: %j', (value) => {
    expect(parseRequest(bytes(value))).toBeUndefined();
  });

  it('is taken as an answer or a greeting only when it is one', () => {
    expect(parseAnswer(bytes({ id: 1, answer: { ok: true } }))).toEqual({ id: 1, answer: { ok: true } });
    expect(parseAnswer(bytes({ id: 1, answer: { ok: false } }))).toBeUndefined();
    for (const needs of ['person', 'reading']) {
      const answer = { ok: false, reason: 'why', needs };
      expect(parseAnswer(bytes({ id: 1, answer }))).toEqual({ id: 1, answer });
    }
    const unknown = parseAnswer(bytes({ id: 1, answer: { ok: false, reason: 'why', needs: 'luck' } }));
    expect(unknown).toEqual({ id: 1, answer: { ok: false, reason: 'why' } });
    const shape = { joints: 6, signals: 0, actions: 4, controlHz: 100, timing: 'real-time' };
    expect(parseHello(bytes({ shape, tick: -1 }))).toEqual({ shape, tick: -1 });
    expect(parseHello(bytes({ shape: { ...shape, timing: 'whenever' }, tick: 0 }))).toBeUndefined();
    expect(parseHello(bytes({ shape: { ...shape, joints: 1.5 }, tick: 0 }))).toBeUndefined();
  });

  it('never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 200 }),
          fc.json().map((text) => Buffer.from(text)),
        ),
        (payload) => {
          parseRequest(payload);
          parseAnswer(payload);
          parseHello(payload);
        },
      ),
    );
  });

  it('is taken as numbers only in the right length', () => {
    const out = Float64Array.of(1, 2);
    expect(readNumbers(out, new Uint8Array(15))).toBe(false);
    expect(Array.from(out)).toEqual([1, 2]);
    expect(readNumbers(out, new Uint8Array(Float64Array.of(3, Number.NaN).buffer))).toBe(true);
    expect(Array.from(out)).toEqual([3, Number.NaN]);
  });
});
