/** Queries a learner's run before a robot joins it: a robot without a configured run takes the learner's. */
import { Dealer } from 'zeromq';
import { ReinError } from '../model/index.ts';
import { Connection } from './connection.ts';
import { protocolRefusal, readAbout } from './messages.ts';
import { CONNECTING_OPTIONS, SEND_TIMEOUT_MS } from './sockets.ts';
import { decodeFrame, encodeFrame, type Frame, type LinkFault } from './wire.ts';

/** Identity of a learner. */
export interface LearnerInfo {
  readonly runId: string;
  readonly schemaHash: string;
  /** Version of the newest weights; 0 before training has begun. */
  readonly weightsVersion: number;
  /** Meaning of its observations and actions, key by key; absent if the learner does not state it. */
  readonly meaning?: Readonly<Record<string, unknown>>;
}

const ASK_AGAIN_MS = 200;

/**
 * Queries the learner at `address`. Rejects with `ReinError('link')` for an invalid address or without an answer within
 * `timeoutMs`; with `ReinError('environment')` for an answer in another protocol version.
 */
export async function askLearner(address: string, timeoutMs: number): Promise<LearnerInfo> {
  let onMessage: (bytes: Uint8Array) => void = () => undefined;
  const connection = new Connection({
    address,
    open: () => new Dealer({ ...CONNECTING_OPTIONS, sendTimeout: SEND_TIMEOUT_MS }),
    onMessage: (bytes) => onMessage(bytes),
    waiting: 1,
  });
  const ask = (): void => connection.send(encodeFrame({ kind: 'query' }));
  const asking = setInterval(ask, ASK_AGAIN_MS);
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<LearnerInfo>((resolve, reject) => {
      timer = setTimeout(() => reject(noAnswer(address)), timeoutMs);
      onMessage = (bytes) => {
        const frame = decodeFrame(bytes);
        if (!frame.ok && frame.error.reason === 'bad-version') reject(otherVersion(address, frame.error));
        const info = frame.ok ? infoIn(frame.value) : undefined;
        if (info !== undefined) resolve(info);
      };
      ask();
    });
  } finally {
    clearInterval(asking);
    clearTimeout(timer);
    await connection.close();
  }
}

function infoIn(frame: Frame): LearnerInfo | undefined {
  if (frame.kind !== 'about') return undefined;
  const about = readAbout(frame.payload);
  if (!about.ok) return undefined;
  const { runId, weightsVersion, meaning } = about.value;
  const info = { runId, weightsVersion, schemaHash: frame.schemaHash };
  return meaning === undefined ? info : { ...info, meaning };
}

function otherVersion(address: string, problem: LinkFault): ReinError {
  const { message, remedy } = protocolRefusal(problem);
  return new ReinError('environment', `the learner at ${address} cannot be used: ${message}`, { remedy });
}

function noAnswer(address: string): ReinError {
  return new ReinError('link', `no learner answers at ${address}`, {
    remedy: 'start the learner (rein learn), or check the address',
  });
}
