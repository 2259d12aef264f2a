/** Thread of the monitor's server: packets come in, operator requests go out. */
import { parentPort, workerData } from 'node:worker_threads';
import type { PersonRequest } from '../../session/index.ts';
import type { MonitorPlace } from './access.ts';
import { MonitorServer } from './server.ts';

export interface ServerThreadData {
  readonly place: MonitorPlace;
  readonly pages: string;
}

export type ToServer = { readonly kind: 'packet'; readonly packet: Uint8Array } | { readonly kind: 'close' };

export type FromServer =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  | { readonly kind: 'request'; readonly request: PersonRequest };

const port = parentPort!;
const { place, pages } = workerData as ServerThreadData;
const tell = (message: FromServer): void => port.postMessage(message);
const server = new MonitorServer({
  place,
  pages,
  onRequest: (request) => tell({ kind: 'request', request }),
});

port.on('message', (message: ToServer) => {
  if (message.kind === 'packet') server.publish(message.packet);
  else void server.close().then(() => port.close());
});

server.listen().then(
  (listening) => tell({ kind: 'listening', port: listening }),
  (error: NodeJS.ErrnoException) => {
    tell({ kind: 'failed', code: error.code ?? '', message: error.message });
    void server.close().then(() => port.close());
  },
);
