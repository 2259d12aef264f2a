/** What the node of `rein run` is started with, and what it and the process that started it send each other. */
import { asObject } from '../../core/index.ts';
import type { PacketMessage, PersonMessage } from '../person-request.ts';
import type { RunRequest } from '../run-request.ts';
import type { RecordingPlan } from '../session-types.ts';
import { type RunStatus, readRunStatus } from '../status.ts';

/** What a node is started with, as JSON in its first argument. */
export interface NodeStart {
  readonly request: RunRequest;
  /** File with the run's configuration, which was checked: `serialize` of `node:v8` wrote it, bit by bit. */
  readonly checkedConfig: string;
  /** The run's folder: journal and metrics. */
  readonly folder: string;
  /** The learner's run, or the folder's where there is no learner. Absent: whatever the learner says when it answers. */
  readonly runId?: string | undefined;
  /** People record demonstrations; absent: they do not. */
  readonly recording?: RecordingPlan | undefined;
  /** Where the guard listens. */
  readonly socketPath: string;
  /** Somebody watches, and may ask for something. */
  readonly isWatched: boolean;
  /** When the whole run began, however often its node was started anew: seconds of the machine's monotonic clock. */
  readonly startedAtS: number;
}

/** What the process that holds the terminal hands on to the node. */
export type ToNodeMessage =
  /** What a person typed, base64. */
  | { readonly kind: 'keys'; readonly bytes: string }
  /** The terminal has gone away. */
  | { readonly kind: 'keysLost' }
  | PersonMessage;

/** What the node tells the process that started it, besides why it gives up, and packets for whoever watches. */
export type LiveNodeMessage =
  | { readonly kind: 'status'; readonly status: RunStatus }
  | { readonly kind: 'print'; readonly line: string };

/** All of it. */
export type FromNodeMessage = LiveNodeMessage | PacketMessage;

/** The message that `value` is, or `undefined` where it is none: modules of others run in the node. Never throws. */
export function readLiveNodeMessage(value: unknown): LiveNodeMessage | undefined {
  const { kind, status, line } = asObject(value) ?? {};
  if (kind === 'print' && typeof line === 'string') return { kind, line };
  const read = kind === 'status' ? readRunStatus(status) : undefined;
  return read === undefined ? undefined : { kind: 'status', status: read };
}
