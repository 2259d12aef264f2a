/** Thread that writes a trace: neither a disk nor a long message delays the run. */
import { parentPort, workerData } from 'node:worker_threads';
import { nextEpisode } from './trace-reader.ts';
import { TraceWriter } from './trace-writer.ts';

export interface TraceThreadData {
  readonly folder: string;
}

export type ToTraceThread =
  | { readonly kind: 'packets'; readonly packets: readonly Uint8Array[] }
  | { readonly kind: 'close' };

export type FromTraceThread =
  | { readonly kind: 'trouble'; readonly message: string }
  /** Number of packets processed. */
  | { readonly kind: 'taken'; readonly packets: number }
  | { readonly kind: 'closed'; readonly dropped: number };

/** Most data lost with the process, besides what is in transit to this thread, ms. */
const CHUNK_MS = 2000;

const port = parentPort!;
const { folder } = workerData as TraceThreadData;
const tell = (message: FromTraceThread): void => port.postMessage(message);
const onTrouble = (message: string): void => tell({ kind: 'trouble', message });
const early: ToTraceThread[] = [];
let writer: TraceWriter | undefined;

function take(message: ToTraceThread): void {
  if (writer === undefined) {
    early.push(message);
    return;
  }
  if (message.kind === 'packets') {
    for (const packet of message.packets) writer.add(packet);
    tell({ kind: 'taken', packets: message.packets.length });
    return;
  }
  writer.close();
  tell({ kind: 'closed', dropped: writer.dropped });
  port.close();
}

port.on('message', take);
const firstEpisode = await nextEpisode(folder);
writer = new TraceWriter({ folder, firstEpisode, onTrouble });
for (const message of early) take(message);
// Also for an idle robot that publishes nothing.
setInterval(() => writer?.flush(), CHUNK_MS).unref();
