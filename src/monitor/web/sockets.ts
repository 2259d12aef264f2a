/** Sockets of strangers: what they may take of this process before anybody knows who they are, and how they are let go of. */
import type { Duplex } from 'node:stream';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';

/** Who has not asked for anything by then is cut off, ms. */
const SPEAK_MS = 5000;
/** Who is shown the door gets so long to go, ms. */
const LEAVE_MS = 250;

/** Options of Fastify that let nobody wait for ever: its own, and those that Node's server has besides. */
export const PATIENCE = { requestTimeout: 2 * SPEAK_MS, keepAliveTimeout: SPEAK_MS } as const;
export const SERVER_PATIENCE = { connectionsCheckingInterval: 1000, headersTimeout: SPEAK_MS } as const;

/** A WebSocket server behind upgrades. Answers no ping by itself: who sends pings and reads nothing would fill the memory with answers. */
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

/** Codes of an end: whoever it is about has no business here (RFC 6455, 7.4.1), or may come back later (IANA's registry). */
const NOT_LET_IN = 1008;
export const TRY_LATER = 1013;

/** Ends `socket` with a reason, and hears nothing more of it, whether or not its other end wants to go. */
export function dismiss(socket: WebSocket, reason: string, code: number = NOT_LET_IN): void {
  socket.removeAllListeners('message');
  socket.close(code, reason);
  const timer = setTimeout(() => socket.terminate(), LEAVE_MS);
  socket.once('close', () => clearTimeout(timer));
}

/** Answers an upgrade that is not granted, in one sentence. */
export function refuseUpgrade(socket: Duplex, reason: string): void {
  // Whoever asked may be gone; and one who stays is not waited for.
  socket.on('error', () => socket.destroy());
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-type: text/plain\r\n\r\n${reason}`);
}
