/** A TCP proxy that breaks each of its connections once, as a bad network or a broken peer does, and is honest from then on. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** What happens to one direction of a connection. Chunks are what the kernel hands over in one piece. */
export const LIES = ['cut', 'flip', 'drop', 'double', 'swap', 'garbage', 'tooLong', 'moreFrames'] as const;
export type Lie = (typeof LIES)[number];
export type Direction = 'toLearner' | 'toRobot';

export interface LyingProxy {
  readonly address: string;
  /** Whether the lie was told. */
  readonly isReported: boolean;
  /** Connections that were made so far. */
  readonly connections: number;
  close(): void;
}

/** A frame of 17 MiB is announced: flags 0x02 (long), then eight bytes of length. */
const TOO_LONG = Buffer.from([0x02, 0, 0, 0, 0, 0x01, 0x10, 0, 0]);
/** A message of several parts that does not end: flags 0x01 (more), five bytes. */
const MORE = Buffer.from([0x01, 0x05, ...Buffer.from('hello')]);

/** Starts a proxy to `target` on loopback that tells `lie` once, from the `chunk`th chunk of `direction` on. */
export async function startLyingProxy(
  target: number,
  lie: Lie,
  direction: Direction,
  chunk: number,
): Promise<LyingProxy> {
  const sockets = new Set<Socket>();
  const state = { isReported: false, connections: 0 };
  const server = createServer((near) => {
    state.connections++;
    const far = connect(target, '127.0.0.1');
    const close = (): void => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', close);
      socket.on('close', () => {
        sockets.delete(socket);
        close();
      });
    }
    let seen = 0;
    let held: Buffer | undefined;
    const pass = (from: Socket, to: Socket, isLiar: boolean): void => {
      from.on('data', (bytes) => {
        if (held !== undefined && isLiar) {
          to.write(bytes);
          to.write(held);
          held = undefined;
          return;
        }
        if (!isLiar || state.isReported || seen++ < chunk) {
          to.write(bytes);
          return;
        }
        state.isReported = true;
        if (lie === 'swap') held = bytes;
        else if (lie === 'cut') close();
        else for (const piece of reported(lie, bytes)) to.write(piece);
      });
    };
    pass(near, far, direction === 'toLearner');
    pass(far, near, direction === 'toRobot');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `tcp://127.0.0.1:${(server.address() as { port: number }).port}`,
    get isReported() {
      return state.isReported;
    },
    get connections() {
      return state.connections;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function reported(lie: Lie, bytes: Buffer): Buffer[] {
  if (lie === 'drop') return [];
  if (lie === 'double') return [bytes, bytes];
  if (lie === 'garbage') return [bytes, Buffer.from([0x5a, 0xa5, 0xff, 0x13, 0x37])];
  if (lie === 'tooLong') return [bytes, TOO_LONG];
  if (lie === 'moreFrames') return [bytes, MORE];
  const changed = Buffer.from(bytes);
  changed[Math.floor(changed.length / 2)]! ^= 0x10;
  return [changed];
}
