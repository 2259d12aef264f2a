/** Lateness of the guard's tick, without ROS and beside it: with a mock, and with the arm behind topics at 500 readings a second. */
import type { BenchGuardEnd } from '../runtime/bench-guard.ts';
import { driveGuard } from '../runtime/bench-node.ts';
import { Children } from './children.ts';
import { startGuardOnRos } from './guard-on-ros.ts';

export interface TickLatenessResult {
  readonly controlHz: number;
  readonly without: BenchGuardEnd['lateness'];
  readonly beside: BenchGuardEnd['lateness'];
  /** True if the tick's thread had real-time priority. */
  readonly isRaised: boolean;
}

export async function measureTickLateness(seconds: number): Promise<TickLatenessResult> {
  const controlHz = 100;
  const without = await phase(controlHz, undefined, seconds);
  const beside = await phase(controlHz, 500, seconds);
  return { controlHz, without: without.lateness, beside: beside.lateness, isRaised: beside.raise.isRaised };
}

async function phase(controlHz: number, simHz: number | undefined, seconds: number) {
  const children = new Children();
  try {
    const guard = await startGuardOnRos({ controlHz, simHz }, children);
    await driveGuard(guard.socketPath, guard.policyPeriodS, seconds, 'nothing');
    return await guard.end();
  } finally {
    await children.end();
  }
}
