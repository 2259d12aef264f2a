/** Limits on sockets before their client is authenticated, and their shutdown. */
import type { Duplex } from 'node:stream';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';

/** Time in which a client must send a request, ms. */
const SPEAK_MS = 5000;
/** Time for a dismissed client to disconnect, ms. */
const LEAVE_MS = 250;

/** Fastify options that bound every wait: its own, and those of Node's server. */
export const PATIENCE = { requestTimeout: 2 * SPEAK_MS, keepAliveTimeout: SPEAK_MS } as const;
export const SERVER_PATIENCE = { connectionsCheckingInterval: 1000, headersTimeout: SPEAK_MS } as const;

/** Creates a WebSocket server behind upgrades. No automatic pongs: a client that sends pings and reads nothing would fill the memory. */
export function createSocketServer(
  options: Pick<ServerOptions, 'maxPayload'> & Pick<ServerOptions, 'handleProtocols'>,
): WebSocketServer {
  return new WebSocketServer({
    ...options,
    noServer: true,
    perMessageDeflate: false,
    clientTracking: false,
    autoPong: false,
  });
}

/** Close codes: not admitted (RFC 6455, 7.4.1), or may retry later (IANA's registry). */
const NOT_LET_IN = 1008;
export const TRY_LATER = 1013;

/** Ends `socket` with a reason and ignores further messages; terminates it if the client does not close. */
export function dismiss(socket: WebSocket, reason: string, code: number = NOT_LET_IN): void {
  socket.removeAllListeners('message');
  socket.close(code, reason);
  const timer = setTimeout(() => socket.terminate(), LEAVE_MS);
  socket.once('close', () => clearTimeout(timer));
}

/** Refuses an upgrade, with one sentence. */
export function refuseUpgrade(socket: Duplex, reason: string): void {
  // The client may be gone; one that stays is not waited for.
  socket.on('error', () => socket.destroy());
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-type: text/plain\r\n\r\n${reason}`);
}
