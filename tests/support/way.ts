/** A network between a page and the monitor: it can go away without a word, and come back; or be pulled out, and plugged in again. */
import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';

export class Way {
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;
  #isCut = false;

  private constructor(address: string) {
    this.#target = Number(new URL(address).port);
  }

  /** A way to the monitor at `address`, on loopback. */
  static async to(address: string): Promise<Way> {
    const way = new Way(address);
    await way.plugIn();
    return way;
  }

  get address(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  /** Nothing gets through any more, and nobody is told; new connections are taken and carry nothing. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) {
      socket.unpipe();
      socket.pause();
    }
  }

  /** New connections carry everything again; those that there are stay as they are. */
  mend(): void {
    this.#isCut = false;
  }

  /** Every connection ends, and none is taken. */
  pullOut(): void {
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  /** Connections are taken again, at the same address. */
  async plugIn(): Promise<void> {
    const server = createServer((near) => this.#take(near));
    this.#server = server;
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as { port: number }).port;
  }

  #take(near: Socket): void {
    this.#keep(near);
    if (this.#isCut) return;
    const far = createConnection(this.#target, '127.0.0.1');
    this.#keep(far);
    near.pipe(far);
    far.pipe(near);
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
  }
}
