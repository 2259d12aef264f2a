/** A wire that falls silent without closing: what comes is read and dropped, as behind a cable that was pulled far away. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface SilentWire {
  readonly address: string;
  /** Connections that were made so far. */
  readonly connections: number;
  /** From now on the connections that there are carry nothing, and new ones everything. */
  fallSilent(): void;
  close(): void;
}

/** Starts a wire on loopback to `target`, a port of this machine. */
export async function startSilentWire(target: number): Promise<SilentWire> {
  const sockets = new Set<Socket>();
  const state = { connections: 0, silentBefore: 0 };
  const server = createServer((near) => {
    const number = ++state.connections;
    const far = connect(target, '127.0.0.1');
    const isSilent = (): boolean => number <= state.silentBefore;
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => from.destroy());
      from.on('data', (bytes) => {
        if (!isSilent()) to.write(bytes);
      });
      from.on('close', () => {
        sockets.delete(from);
        // Nor does the other end hear of an end.
        if (!isSilent()) to.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `tcp://127.0.0.1:${(server.address() as { port: number }).port}`,
    get connections() {
      return state.connections;
    },
    fallSilent() {
      state.silentBefore = state.connections;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
