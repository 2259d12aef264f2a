import { describe, expect, it } from 'vitest';
import { faultRow } from '../../../tests/support/fault-row.ts';
import { MessageBudget } from './message-budget.ts';

/** Number of `count` messages, one every `everyS`, that are accepted from a node at 100 Hz. */
function sent(budget: MessageBudget, fromS: number, count: number, everyS: number): number {
  let taken = 0;
  for (let i = 0; i < count; i++) if (budget.take(fromS + i * everyS)) taken++;
  return taken;
}

describe('what a node may say', () => {
  it('is a command every tick, for ever', () => {
    expect(sent(new MessageBudget(100, 0), 0, 100_000, 0.01)).toBe(100_000);
  });

  faultRow(32, 'fake', 'is a second of its rate at once, and no more', () => {
    const budget = new MessageBudget(100, 0);
    expect(sent(budget, 5, 10_000, 0)).toBe(400);
    expect(sent(budget, 5.5, 10_000, 0)).toBe(200);
  });

  it('is four messages a tick in the long run', () => {
    const taken = sent(new MessageBudget(100, 0), 0, 100_000, 1e-4);
    expect(taken).toBeGreaterThan(4395);
    expect(taken).toBeLessThan(4402);
  });
});
