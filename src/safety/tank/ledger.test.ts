import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { times } from '../../../tests/support/times.ts';
import type { TankModel } from '../../model/index.ts';
import { CONTENT, EnergyLedger, SPARE, TAKEN } from './ledger.ts';

const tank: TankModel = {
  startJ: 2,
  minJ: 0.5,
  maxJ: 4,
  powerMaxW: 80,
  recovery: 0.9,
  topUpW: 0.1,
  velocityFeedForward: false,
  delayTicks: 0,
};

function debit(books: EnergyLedger, energyJ: number): void {
  books.debit(Float64Array.of(energyJ), 0);
}

function credit(books: EnergyLedger, dissipatedJ: number): number {
  books.credit(Float64Array.of(dissipatedJ), 0);
  return books.accountJ[TAKEN]!;
}

function topUp(books: EnergyLedger, dtS: number): number {
  books.topUp(times(dtS));
  return books.accountJ[TAKEN]!;
}

describe('the books of a tank', () => {
  it('begin at the start, take what goes out, and hold at most the brim', () => {
    const books = new EnergyLedger(tank);
    expect(books.accountJ[CONTENT]!).toBe(2);
    expect(books.accountJ[SPARE]!).toBe(1.5);
    debit(books, 0.7);
    expect(books.accountJ[CONTENT]!).toBeCloseTo(1.3, 12);
    debit(books, -9);
    expect(books.accountJ[CONTENT]!).toBe(4);
    books.reset();
    expect(books.accountJ[CONTENT]!).toBe(2);
  });

  it('credit a share of what dampers took out', () => {
    const books = new EnergyLedger(tank);
    expect(credit(books, 1)).toBeCloseTo(0.9, 12);
    expect(books.accountJ[CONTENT]!).toBeCloseTo(2.9, 12);
    expect(credit(books, -1)).toBe(0);
    expect(credit(books, Number.NaN)).toBe(0);
    expect(books.accountJ[CONTENT]!).toBeCloseTo(2.9, 12);
  });

  it('top up slowly, not beyond the start, and not at all without being told to', () => {
    const books = new EnergyLedger(tank);
    expect(topUp(books, 1)).toBe(0);
    debit(books, 0.05);
    expect(topUp(books, 0.2)).toBeCloseTo(0.02, 12);
    expect(topUp(books, 10)).toBeCloseTo(0.03, 12);
    expect(books.accountJ[CONTENT]!).toBeCloseTo(2, 12);
    debit(books, 1);
    expect(topUp(books, Number.NaN)).toBe(0);
    const dry = new EnergyLedger({ ...tank, topUpW: 0 });
    debit(dry, 1);
    expect(topUp(dry, 10)).toBe(0);
  });

  it('are empty after a debit that is no number', () => {
    const books = new EnergyLedger(tank);
    debit(books, Number.NaN);
    expect(books.accountJ[CONTENT]!).toBe(0.5);
  });

  it('stay at most full, whatever is booked', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.double(), fc.boolean())), (bookings) => {
        const books = new EnergyLedger(tank);
        for (const [energyJ, isCredit] of bookings) {
          if (isCredit) credit(books, energyJ);
          else debit(books, energyJ);
          expect(books.accountJ[CONTENT]!).toBeLessThanOrEqual(4);
        }
      }),
    );
  });

  it.each([
    { minJ: -1 },
    { minJ: 3 },
    { startJ: 5 },
    { startJ: 4, minJ: 4 },
    { maxJ: Number.POSITIVE_INFINITY },
    { minJ: Number.NaN },
    { powerMaxW: 0 },
    { recovery: 1 },
    { recovery: -0.1 },
    { topUpW: -1 },
  ])('refuse %o', (wrong) => {
    expect(() => new EnergyLedger({ ...tank, ...wrong })).toThrow(RangeError);
  });
});
