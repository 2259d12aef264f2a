import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyParser } from './key-parser.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8');

/** Names of the keys in `chunks`, arriving 1 ms apart; upper case for Shift. */
function names(...chunks: (string | Uint8Array)[]): string[] {
  const parser = new KeyParser();
  return chunks.flatMap((chunk, i) =>
    parser
      .feed(typeof chunk === 'string' ? bytes(chunk) : chunk, i * 1e-3)
      .map((key) => (key.hasShift ? key.name.toUpperCase() : key.name)),
  );
}

describe('KeyParser', () => {
  it('reads letters, Shift, space and Ctrl+C', () => {
    expect(names('w', 'W', ' ', '?', '\x03')).toEqual(['w', 'W', ' ', '?', 'interrupt']);
  });

  it('reads arrow and page keys in both of the forms that terminals send, with Shift', () => {
    expect(names('\x1b[A', '\x1bOB', '\x1b[1;2C', '\x1b[D', '\x1b[5~', '\x1b[6;2~')).toEqual([
      'up',
      'down',
      'RIGHT',
      'left',
      'pageUp',
      'PAGEDOWN',
    ]);
  });

  it('reads a sequence that comes byte by byte', () => {
    expect(names('\x1b', '[', '1', ';', '2', 'A', 'w')).toEqual(['UP', 'w']);
  });

  it('gives Escape once nothing has followed it, and never before', () => {
    const parser = new KeyParser();
    expect(parser.feed(bytes('\x1b'), 0)).toEqual([]);
    expect(parser.idle(0.04)).toEqual([]);
    expect(parser.idle(0.06).map((k) => k.name)).toEqual(['escape']);
    expect(parser.idle(1)).toEqual([]);
  });

  it('forgets an unfinished sequence, so that the next key counts', () => {
    const parser = new KeyParser();
    for (const unfinished of ['\x1b[1;', '\x1b]0;title', '\x1bP']) {
      expect(parser.feed(bytes(unfinished), 0)).toEqual([]);
      expect(parser.feed(bytes(' '), 0.06).map((k) => k.name)).toEqual([' ']);
    }
  });

  it('gives a key once that a stalled program finds repeated many times', () => {
    expect(names('w'.repeat(40))).toEqual(['w']);
    expect(names('\x1b[A'.repeat(40))).toEqual(['up']);
  });

  it('lets nothing but stop and interrupt through from pasted text', () => {
    expect(names('take the weather with you\x03')).toEqual([' ', 'interrupt']);
    expect(names('\x1b[200~w', 'd', 't', '\x1b[201~', 'w')).toEqual(['w']);
  });

  it('drops UTF-8 characters whole, also when they are cut', () => {
    const euro = bytes('€');
    expect(names('w', euro.subarray(0, 1), euro.subarray(1), 'é', '漢字', 'd')).toEqual(['w', 'd']);
  });

  it('hears Ctrl+C in the middle of anything', () => {
    const beginnings = ['', '\x1b', '\x1b[', '\x1b[1;', '\x1bO', '\x1b]0;', '\x1b[200~', 'x'.repeat(500)];
    for (const beginning of beginnings) expect(names(beginning, '\x03')).toContain('interrupt');
  });

  it('survives any bytes, however cut, and then hears a key again', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 }), (chunks) => {
        const parser = new KeyParser();
        chunks.forEach((chunk, i) => {
          for (const key of parser.feed(chunk, i * 1e-3)) expect(key.name.length).toBeGreaterThan(0);
        });
        parser.idle(9);
        expect(parser.feed(bytes('w'), 10).map((k) => k.name)).toEqual(['w']);
      }),
      { numRuns: 500 },
    );
  });

  it('reads the same keys however the bytes of a sequence are cut', () => {
    const tokens = ['w', 'W', '\x1b[A', '\x1b[1;2B', '\x1bOC', '\x1b[5~'];
    fc.assert(
      fc.property(fc.constantFrom(...tokens), fc.constantFrom(...tokens), fc.nat(8), (a, b, cut) => {
        const all = bytes(a + b);
        expect(names(all.subarray(0, cut), all.subarray(cut)).filter((n, i, list) => list.indexOf(n) === i)).toEqual(
          names(a, b).filter((n, i, list) => list.indexOf(n) === i),
        );
      }),
    );
  });
});
