/** Everything a guard process is started with, as plain data in one JSON file that whoever starts it writes. */
import type { ActionSpec, RobotModel } from '../../core/index.ts';
import type { DriverConfig } from './driver-registry.ts';

export interface GuardConfig {
  readonly model: RobotModel;
  readonly action: ActionSpec;
  readonly policyPeriodS: number;
  readonly driver: DriverConfig;
  /** Where the node connects: a path that only this user can open, at most 107 bytes. */
  readonly socketPath: string;
  /** `try`: raise the tick's thread to real-time priority where that is allowed. `no`: leave it. */
  readonly realTimePriority: 'try' | 'no';
}
