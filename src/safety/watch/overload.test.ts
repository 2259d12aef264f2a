import { describe, expect, it } from 'vitest';
import { faultRow } from '../../../tests/support/fault-row.ts';
import { OVERLOADED, OVERRUN } from '../fault-table/flags.ts';
import { OverloadWatchdog } from './overload.ts';

describe('row 48, overload', () => {
  faultRow(48, 'fake', 'slows at 5 overruns within a second, stops at 20, and is over when the second is', () => {
    const dog = new OverloadWatchdog();
    const flags = Array.from({ length: 21 }, (_, k) => dog.check(k, 10 + 0.02 * k));
    expect(flags.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
    expect(new Set(flags.slice(5, 20))).toEqual(new Set([OVERRUN]));
    expect(flags[20]).toBe(OVERRUN | OVERLOADED);
    expect(dog.check(20, 11.01)).toBe(OVERRUN | OVERLOADED);
    expect(dog.check(20, 11.03)).toBe(OVERRUN);
    expect(dog.check(20, 11.33)).toBe(0);
  });

  it('does not mind four in every second', () => {
    const dog = new OverloadWatchdog();
    for (let k = 0; k < 100; k++) expect(dog.check(k, 0.2501 * k)).toBe(0);
  });

  it('counts many at once, and a clock that is no number as no time', () => {
    const dog = new OverloadWatchdog();
    expect(dog.check(1000, 5)).toBe(OVERRUN | OVERLOADED);
    expect(dog.check(1000, Number.NaN)).toBe(0);
    expect(dog.check(1000, 5.5)).toBe(OVERRUN | OVERLOADED);
  });
});
