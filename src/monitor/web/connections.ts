/**
 * Connections of all kinds: the process that serves them holds the robot's other ends, which need files of their own. Of those that are too
 * many the one that has rested longest gives way to who comes, so that nobody locks others out by doing nothing; and each is answered one
 * request at a time.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const MOST_CONNECTIONS = 256;
/** Of one address: what is left is for the others. More than all streams together, so that there is always one that can give way. */
const MOST_OF_ONE = 192;
/** Requests of one connection that wait for their turn; browsers send none before the last was answered. */
const MOST_IN_LINE = 16;

interface Connection {
  readonly key: string;
  /** TLS has one of its own around it. */
  readonly socket: Socket;
  readonly address: string;
  isStream: boolean;
  /** Requests that are not answered yet. */
  requests: number;
  /** Resolves once the last of them is. */
  free: Promise<void>;
}

export class Connections {
  /** By their other end, who has rested longest first. */
  readonly #all = new Map<string, Connection>();

  /** `server` takes connections from now on as this allows. */
  constructor(server: Server) {
    server.on('connection', (socket: Socket) => this.#add(socket));
  }

  /** Resolves once `answer` is the next of its connection: `false` where that is gone, and nobody waits for it. */
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

  /** `socket` is a stream now, which others bound. */
  becomesStream(socket: Socket): void {
    const connection = this.#all.get(keyOf(socket));
    if (connection !== undefined) connection.isStream = true;
  }

  #add(socket: Socket): void {
    const address = socket.remoteAddress;
    const all = [...this.#all.values()];
    const ofOne = all.filter((other) => other.address === address);
    const crowd = ofOne.length >= MOST_OF_ONE ? ofOne : all.length >= MOST_CONNECTIONS ? all : undefined;
    // Who is gone already has no address.
    if (address === undefined || (crowd !== undefined && !this.#makeRoomIn(crowd))) {
      socket.destroy();
      return;
    }
    const key = keyOf(socket);
    const connection = { key, socket, address, isStream: false, requests: 0, free: Promise.resolve() };
    this.#all.set(key, connection);
    socket.once('close', () => this.#forget(connection));
  }

  /** Ends one that waits for nothing, or else one that is being answered, and no stream. `false` where there is none. */
  #makeRoomIn(crowd: readonly Connection[]): boolean {
    const others = crowd.filter(({ isStream }) => !isStream);
    const ended = others.find(({ requests }) => requests === 0) ?? others[0];
    if (ended === undefined) return false;
    this.#forget(ended);
    ended.socket.destroy();
    return true;
  }

  /** It has rested the least. */
  #touch(connection: Connection): void {
    if (this.#forget(connection)) this.#all.set(connection.key, connection);
  }

  /** `false` where it was forgotten before. */
  #forget({ key, socket }: Connection): boolean {
    return this.#all.get(key)?.socket === socket && this.#all.delete(key);
  }
}

function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
