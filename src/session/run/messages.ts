/** Start parameters of the node of `rein run`, and its messages to and from its parent process. */
import { asObject } from '../../model/index.ts';
import type { PacketMessage, PersonMessage } from '../person-request.ts';
import type { RunRequest } from '../run-request.ts';
import type { RecordingPlan } from '../session-types.ts';
import { type RunStatus, readRunStatus } from '../status.ts';

/** Start parameters of a node, as JSON in its first argument. */
export interface NodeStart {
  readonly request: RunRequest;
  /** File with the run's checked configuration, written bit by bit by `serialize` of `node:v8`. */
  readonly checkedConfig: string;
  /** The run's folder: journal and metrics. */
  readonly folder: string;
  /** The learner's run, or the folder's if there is no learner. Absent: the run that the learner reports when it answers. */
  readonly runId?: string | undefined;
  /** Present if people record demonstrations. */
  readonly recording?: RecordingPlan | undefined;
  /** Address at which the guard listens. */
  readonly socketPath: string;
  /** The run is watched, and the watcher may send requests. */
  readonly isWatched: boolean;
  /** Start of the whole run, regardless of node restarts: seconds of the machine's monotonic clock. */
  readonly startedAtS: number;
}

/** Messages to the node from the process that holds the terminal. */
export type ToNodeMessage =
  /** Typed input, base64. */
  | { readonly kind: 'keys'; readonly bytes: string }
  /** The terminal is gone. */
  | { readonly kind: 'keysLost' }
  | PersonMessage;

/** Messages of the node to its parent, besides its failure, and packets for watchers. */
export type LiveNodeMessage =
  | { readonly kind: 'status'; readonly status: RunStatus }
  | { readonly kind: 'print'; readonly line: string };

/** All messages of a node. */
export type FromNodeMessage = LiveNodeMessage | PacketMessage;

/** Returns `value` as a message, or `undefined` if it is none: third-party modules run in the node. Never throws. */
export function readLiveNodeMessage(value: unknown): LiveNodeMessage | undefined {
  const { kind, status, line } = asObject(value) ?? {};
  if (kind === 'print' && typeof line === 'string') return { kind, line };
  const read = kind === 'status' ? readRunStatus(status) : undefined;
  return read === undefined ? undefined : { kind: 'status', status: read };
}
