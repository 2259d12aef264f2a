import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TankModel } from '../../core/index.ts';
import { EnergyLedger } from './ledger.ts';

const tank: TankModel = { port: 'joint', startJ: 2, minJ: 0.5, maxJ: 4, powerMaxW: 80, recovery: 0.9, topUpW: 0.1 };

describe('the books of a tank', () => {
  it('begin at the start, take what goes out, and hold at most the brim', () => {
    const books = new EnergyLedger(tank);
    expect(books.energyJ).toBe(2);
    expect(books.spareJ).toBe(1.5);
    books.debit(0.7);
    expect(books.energyJ).toBeCloseTo(1.3, 12);
    books.debit(-9);
    expect(books.energyJ).toBe(4);
    books.reset();
    expect(books.energyJ).toBe(2);
  });

  it('credit a share of what dampers took out', () => {
    const books = new EnergyLedger(tank);
    expect(books.credit(1)).toBeCloseTo(0.9, 12);
    expect(books.energyJ).toBeCloseTo(2.9, 12);
    expect(books.credit(-1)).toBe(0);
    expect(books.credit(Number.NaN)).toBe(0);
    expect(books.energyJ).toBeCloseTo(2.9, 12);
  });

  it('top up slowly, not beyond the start, and not at all without being told to', () => {
    const books = new EnergyLedger(tank);
    expect(books.topUp(1)).toBe(0);
    books.debit(0.05);
    expect(books.topUp(0.2)).toBeCloseTo(0.02, 12);
    expect(books.topUp(10)).toBeCloseTo(0.03, 12);
    expect(books.energyJ).toBeCloseTo(2, 12);
    books.debit(1);
    expect(books.topUp(Number.NaN)).toBe(0);
    const { topUpW: _, ...without } = tank;
    const dry = new EnergyLedger(without);
    dry.debit(1);
    expect(dry.topUp(10)).toBe(0);
  });

  it('are empty after a debit that is no number', () => {
    const books = new EnergyLedger(tank);
    books.debit(Number.NaN);
    expect(books.energyJ).toBe(0.5);
  });

  it('stay at most full, whatever is booked', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.double(), fc.boolean())), (bookings) => {
        const books = new EnergyLedger(tank);
        for (const [energyJ, isCredit] of bookings) {
          if (isCredit) books.credit(energyJ);
          else books.debit(energyJ);
          expect(books.energyJ).toBeLessThanOrEqual(4);
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
