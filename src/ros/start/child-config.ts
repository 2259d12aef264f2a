/** What the ROS node's process is started with, as JSON in its first argument. */
import type { FailedMessage } from '../../session/index.ts';
import type { JoyPadName } from '../../teleop/index.ts';
import type { OperatorChoice } from '../node/teleop.ts';

/** What the node tells its supervisor: why it gives up, or which run its learner trains. */
export type NodeChildMessage = FailedMessage | { readonly kind: 'joined'; readonly runId: string };

export interface NodeChildConfig {
  /** `--ros-args …` as the supervisor got them. */
  readonly argv: readonly string[];
  /** `config.yaml` of the run. */
  readonly configFile: string;
  readonly folder: string;
  /** The learner's run, or the folder's where there is no learner. */
  readonly runId: string;
  /** `runId` is that of the learner, which answered an earlier start of this node. */
  readonly hasJoined: boolean;
  readonly robotId: string;
  /** Where the guard listens. */
  readonly socketPath: string;
  readonly learner?: string;
  readonly policy?: string;
  readonly operator: OperatorChoice;
  readonly pad: JoyPadName;
  readonly teleopLeaseS: number;
  /** Least severity that is printed, as ROS counts: 20 information, 30 warnings, 40 errors. */
  readonly printsFrom: number;
  /** How often this node died before; then it comes up configured, never active. */
  readonly restart: number;
  /** A node of this name died without a word shortly before; the graph may show it for a while. */
  readonly hasGhost: boolean;
}
