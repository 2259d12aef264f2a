import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IDLE_S, SEAT_LEASE_S, Seat } from './seat.ts';

describe("the operator's seat", () => {
  it('is for one: a second is told whose it is, and gets it once it is given up', () => {
    const seat = new Seat();
    expect(seat.take(1, 'Ann', 0)).toEqual({ isTaken: true, by: 'Ann' });
    expect(seat.take(2, 'Ben', 0.1)).toEqual({ isTaken: false, by: 'Ann' });
    seat.leave(2);
    expect(seat.isHeldBy(1, 0.2)).toBe(true);
    seat.leave(1);
    expect(seat.take(2, 'Ben', 0.3).isTaken).toBe(true);
  });

  it('is free when its holder has not been heard for its lease, and late words do not bring them back', () => {
    const seat = new Seat();
    seat.take(1, 'Ann', 0);
    seat.hear(1, 0.9);
    expect(seat.isHeldBy(1, 0.9 + SEAT_LEASE_S)).toBe(true);
    expect(seat.isHeldBy(1, 0.91 + SEAT_LEASE_S)).toBe(false);
    seat.hear(1, 5);
    expect(seat.holder(5)).toBeUndefined();
  });

  it('is given to another where its holder has done nothing for a minute, though their page is there', () => {
    const seat = new Seat();
    seat.take(1, 'Ann', 0);
    const sit = (untilS: number, how: 'acts' | 'is there'): void => {
      for (let s = Math.floor(untilS) - 60; s < untilS; s += 0.5) if (s > 0) seat.hear(1, s, how);
    };
    sit(59.4, 'is there');
    expect(seat.take(2, 'Ben', 59.5)).toEqual({ isTaken: false, by: 'Ann' });
    seat.hear(1, 59.8, 'acts');
    sit(119, 'is there');
    expect(seat.take(2, 'Ben', 119).isTaken).toBe(false);
    seat.hear(1, 119.3, 'is there');
    expect(seat.take(2, 'Ben', 59.8 + IDLE_S)).toEqual({ isTaken: true, by: 'Ann' });
    expect(seat.isHeldBy(1, 120)).toBe(false);
  });

  it('never has two holders, nor one who was silent for its lease, whatever happens and however time jumps', () => {
    const act = fc.record({
      client: fc.integer({ min: 1, max: 4 }),
      what: fc.constantFrom('take', 'hear', 'leave'),
      passS: fc.double({ min: -3, max: 3, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const seat = new Seat();
        const heardAtS = new Map<number, number>();
        let nowS = 100;
        for (const { client, what, passS } of acts) {
          nowS += passS;
          const before = seat.holder(nowS)?.client;
          if (what === 'take') {
            const { isTaken } = seat.take(client, `${client}`, nowS);
            expect(isTaken).toBe(before === undefined || before === client);
            if (isTaken) heardAtS.set(client, nowS);
          } else if (what === 'hear') {
            seat.hear(client, nowS);
            if (before === client) heardAtS.set(client, nowS);
          } else seat.leave(client);
          const held = [1, 2, 3, 4].filter((one) => seat.isHeldBy(one, nowS));
          expect(held.length).toBeLessThanOrEqual(1);
          for (const one of held) expect(Math.abs(nowS - heardAtS.get(one)!)).toBeLessThanOrEqual(SEAT_LEASE_S);
        }
      }),
    );
  });
});
