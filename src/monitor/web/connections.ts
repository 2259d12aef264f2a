/**
 * Bound on all connections, since the process also needs file descriptors for the robot. At the limit the longest idle
 * connection gives way to a new one, so that idle clients lock out none; each connection is served one request at a
 * time.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const MOST_CONNECTIONS = 256;
/**
 * Most connections of one address, leaving the rest to others. More than all streams together, so that there is always
 * one that can give way.
 */
const MOST_OF_ONE = 192;
/** Most pending requests of a connection; browsers send none before the last was answered. */
const MOST_IN_LINE = 16;

interface Connection {
  readonly key: string;
  /** With TLS, the TCP socket inside. */
  readonly socket: Socket;
  readonly address: string;
  isStream: boolean;
  /** Requests that are not answered yet. */
  requests: number;
  /** Resolves once the last of them is answered. */
  free: Promise<void>;
}

export class Connections {
  /** By remote address and port, longest idle first. */
  readonly #all = new Map<string, Connection>();

  /** Applies these limits to the connections of `server` from now on. */
  constructor(server: Server) {
    server.on('connection', (socket: Socket) => this.#add(socket));
  }

  /** Resolves once `answer` is next on its connection; `false` if the connection has closed. */
  async turnOf({ socket }: IncomingMessage, answer: ServerResponse): Promise<boolean> {
    const connection = this.#all.get(keyOf(socket));
    if (connection === undefined) return !socket.destroyed;
    if (++connection.requests > MOST_IN_LINE) socket.destroy();
    const before = connection.free;
    connection.free = new Promise((resolve) => {
      answer.once('close', () => {
        connection.requests--;
        this.#touch(connection);
        resolve();
      });
    });
    await before;
    return !socket.destroyed;
  }

  /** Marks `socket` as a stream, which has limits elsewhere. */
  becomesStream(socket: Socket): void {
    const connection = this.#all.get(keyOf(socket));
    if (connection !== undefined) connection.isStream = true;
  }

  #add(socket: Socket): void {
    const address = socket.remoteAddress;
    const all = [...this.#all.values()];
    const ofOne = all.filter((other) => other.address === address);
    const crowd = ofOne.length >= MOST_OF_ONE ? ofOne : all.length >= MOST_CONNECTIONS ? all : undefined;
    // A socket that has closed already has no address.
    if (address === undefined || (crowd !== undefined && !this.#makeRoomIn(crowd))) {
      socket.destroy();
      return;
    }
    const key = keyOf(socket);
    const connection = { key, socket, address, isStream: false, requests: 0, free: Promise.resolve() };
    this.#all.set(key, connection);
    socket.once('close', () => this.#forget(connection));
  }

  /** Ends an idle connection, otherwise one being answered, but no stream. `false` if there is none. */
  #makeRoomIn(crowd: readonly Connection[]): boolean {
    const others = crowd.filter(({ isStream }) => !isStream);
    const ended = others.find(({ requests }) => requests === 0) ?? others[0];
    if (ended === undefined) return false;
    this.#forget(ended);
    ended.socket.destroy();
    return true;
  }

  /** Marks the connection as most recently used. */
  #touch(connection: Connection): void {
    if (this.#forget(connection)) this.#all.set(connection.key, connection);
  }

  /** `false` if it was forgotten before. */
  #forget({ key, socket }: Connection): boolean {
    return this.#all.get(key)?.socket === socket && this.#all.delete(key);
  }
}

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
