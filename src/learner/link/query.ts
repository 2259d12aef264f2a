/** Asking a learner which run it trains, before a robot joins it: a robot that is told nothing takes the learner's run. */
import { Dealer } from 'zeromq';
import { ReinError } from '../../core/index.ts';
import { readAbout } from './messages.ts';
import { CONNECTING_OPTIONS, Outbox, parseAddress, receiveAll, SEND_TIMEOUT_MS } from './sockets.ts';
import { decodeFrame, encodeFrame } from './wire.ts';

/** Who a learner is. */
export interface LearnerInfo {
  readonly runId: string;
  readonly schemaHash: string;
  /** Newest weights; 0 before training has begun. */
  readonly weightsVersion: number;
  /** What observations and actions mean to it, key by key; absent at learners that do not say. */
  readonly meaning?: Readonly<Record<string, unknown>>;
}

const ASK_AGAIN_MS = 200;

/**
 * Asks the learner at `address`. Rejects with `ReinError('link')` for an address that cannot be one, and where nobody
 * answers within `timeoutMs`.
 */
export async function askLearner(address: string, timeoutMs: number): Promise<LearnerInfo> {
  parseAddress(address);
  const socket = new Dealer({ ...CONNECTING_OPTIONS, sendTimeout: SEND_TIMEOUT_MS });
  socket.connect(address);
  const outbox = new Outbox<Uint8Array>(socket, 1);
  const ask = (): void => outbox.push(encodeFrame({ kind: 'query' }));
  const asking = setInterval(ask, ASK_AGAIN_MS);
  let timer: NodeJS.Timeout | undefined;
  let done: Promise<void> = Promise.resolve();
  try {
    return await new Promise<LearnerInfo>((resolve, reject) => {
      timer = setTimeout(() => reject(noAnswer(address)), timeoutMs);
      done = receiveAll(socket, ([bytes]) => {
        const info = infoIn(bytes!);
        if (info !== undefined) resolve(info);
      });
      ask();
    });
  } finally {
    clearInterval(asking);
    clearTimeout(timer);
    socket.close();
    await done;
  }
}

function infoIn(bytes: Uint8Array): LearnerInfo | undefined {
  const frame = decodeFrame(bytes);
  if (!frame.ok || frame.value.kind !== 'about') return undefined;
  const about = readAbout(frame.value.payload);
  if (!about.ok) return undefined;
  const { runId, weightsVersion, meaning } = about.value;
  const info = { runId, weightsVersion, schemaHash: frame.value.schemaHash };
  return meaning === undefined ? info : { ...info, meaning };
}

function noAnswer(address: string): ReinError {
  return new ReinError('link', `no learner answers at ${address}`, {
    remedy: 'start the learner (rein learn), or check the address',
  });
}
