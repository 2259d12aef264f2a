/** What the node's process is started with, and what it tells the process that started it. */
import type { RunStatus } from '../status.ts';

/** Who may take over from the policy. */
export type OperatorKind = 'scripted' | 'keyboard' | 'none';

/** Settings of a node, as JSON in its first argument. */
export interface LiveNodeConfig {
  /** `config.yaml` of the run. */
  readonly configFile: string;
  /** The run's folder: journal and metrics. */
  readonly folder: string;
  /** The learner's run, or the folder's where there is no learner. Absent: whatever the learner says when it answers. */
  readonly runId?: string;
  readonly robotId: string;
  /** Where the guard listens. */
  readonly socketPath: string;
  /** The learner's `tcp://host:port`. */
  readonly learner?: string;
  /** A policy file to start with. */
  readonly policy?: string;
  readonly operator: OperatorKind;
  /** Ends by itself so long after `startedAtS`, however often the node was started anew in between. */
  readonly durationS?: number;
  /** When the whole run began: seconds of the machine's monotonic clock. */
  readonly startedAtS: number;
}

/** What the process that holds the terminal hands on to the node. */
export type ToNodeMessage =
  /** What a person typed, base64. */
  | { readonly kind: 'keys'; readonly bytes: string }
  /** The terminal has gone away. */
  | { readonly kind: 'keysLost' };

/** What the node tells the process that started it, besides why it gives up. */
export type LiveNodeMessage =
  | { readonly kind: 'status'; readonly status: RunStatus }
  | { readonly kind: 'print'; readonly line: string };
