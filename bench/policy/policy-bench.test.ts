import { expect, it } from 'vitest';
import { benchPolicy } from './policy-bench.ts';

it('measures inference, swap, and inference beside a swap', async () => {
  const result = await benchPolicy(50, 3);
  for (const { p50, p99, max } of Object.values(result)) {
    expect(p50).toBeGreaterThan(0);
    expect(p99).toBeGreaterThanOrEqual(p50);
    expect(max).toBeGreaterThanOrEqual(p99);
  }
});
