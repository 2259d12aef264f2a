/** Files of a suite share a process: what a test leaves faked would hang the tests of other files. */
import { describe, expect, it, vi } from 'vitest';

describe('timers that a test has faked', () => {
  it('and not given back, as one that times out', () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    expect(vi.isFakeTimers()).toBe(true);
  });

  it('are real again in the next test', () => {
    expect(vi.isFakeTimers()).toBe(false);
  });
});
