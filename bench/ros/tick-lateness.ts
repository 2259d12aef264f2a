/** How late the guard's tick begins, without ROS and beside it: a mock, and the arm behind topics at 500 readings a second. */
import type { BenchGuardEnd } from '../runtime/bench-guard.ts';
import { driveGuard } from '../runtime/bench-node.ts';
import { Children } from './children.ts';
import { startGuardOnRos } from './guard-on-ros.ts';

export interface TickLatenessResult {
  readonly controlHz: number;
  readonly without: BenchGuardEnd['lateness'];
  readonly beside: BenchGuardEnd['lateness'];
  /** Whether the tick's thread ran before everything else. */
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
