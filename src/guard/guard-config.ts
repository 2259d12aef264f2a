/** Everything a guard process is started with, as plain data in one JSON file that whoever starts it writes. */
import type { ActionSpec, RobotModel } from '../core/index.ts';
import type { DriverSpec } from '../drivers/index.ts';

export interface GuardConfig {
  readonly model: RobotModel;
  readonly action: ActionSpec;
  readonly policyPeriodS: number;
  readonly driver: DriverSpec;
  /** Where the node connects: a path that only this user can open, at most 107 bytes. */
  readonly socketPath: string;
  /**
   * Who may acknowledge, enable and activate. `supervisor`: whoever started this guard, over the channel between the two
   * processes, which no other has; the node may not. `node`: whoever is connected, as the node serves people too.
   */
  readonly authority: 'supervisor' | 'node';
  /** `try`: raise the tick's thread to real-time priority where that is allowed. `no`: leave it. */
  readonly realTimePriority: 'try' | 'no';
}

/**
 * What Node is started with for a guard. V8's compiler and collector then do all their work on the thread it belongs to:
 * otherwise a tick with real-time priority waits for helper threads that have none (measured: p99.9 of 17 ms instead of
 * 0.9 ms beside a load on every core).
 */
export const GUARD_NODE_FLAGS: readonly string[] = ['--single-threaded'];
