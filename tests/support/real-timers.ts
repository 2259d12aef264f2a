/** Runs in each test file: files share a process, and a test that times out never comes to giving the timers back. */
import { afterEach, vi } from 'vitest';

afterEach(() => void vi.useRealTimers());
