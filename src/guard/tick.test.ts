import { expect, it } from 'vitest';
import { controlTick, type TickStages } from './tick.ts';

it('runs the eight parts of a tick once each, in the order of the design', () => {
  const order: string[] = [];
  const parts = ['read', 'check', 'observe', 'decide', 'arbitrate', 'protect', 'write', 'record'] as const;
  const stages = Object.fromEntries(parts.map((part) => [part, () => order.push(part)]));
  controlTick(stages as unknown as TickStages);
  expect(order).toEqual([...parts]);
});
