/** Binding the learner's two sockets, with an error a person can act on. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Router, XPublisher } from 'zeromq';
import { ReinError } from '../core/index.ts';
import { parseAddress, requireLoopback, weightsAddressBeside } from './sockets.ts';

/** Free ports are taken in pairs; a neighbour may be in use. */
const ATTEMPTS = 20;
/** A socket that was closed gives its port back a moment later: for so long a port in use is tried again. */
const STILL_CLOSING_MS = 300;

/** Binds `router` to `bind` and `publisher` to `weightsBind`, or to the port after the router's. Rejects with `ReinError('link')`. */
export async function bindPair(
  router: Router,
  publisher: XPublisher,
  bind: string,
  weightsBind: string | undefined,
): Promise<{ address: string; weightsAddress: string }> {
  requireLoopback(bind);
  if (weightsBind !== undefined) requireLoopback(weightsBind);
  const isAnyPort = parseAddress(bind).port === 0 && weightsBind === undefined;
  for (let attempt = 1; ; attempt++) {
    const address = await bindOne(router, bind);
    try {
      return { address, weightsAddress: await bindOne(publisher, weightsBind ?? weightsAddressBeside(address)) };
    } catch (error) {
      if (!isAnyPort || attempt === ATTEMPTS) throw error;
      await router.unbind(address);
    }
  }
}

async function bindOne(socket: Router | XPublisher, address: string): Promise<string> {
  const { host, port } = parseAddress(address);
  try {
    await bindPatiently(socket, address, port === 0 ? 0 : STILL_CLOSING_MS);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const sentence =
      code === 'EADDRINUSE'
        ? `port ${port} on ${host} is in use`
        : `${address} cannot be bound: ${(error as Error).message}`;
    throw new ReinError('link', sentence, {
      remedy: 'stop the program that uses it (perhaps another learner), or choose another port',
      cause: error,
    });
  }
  return socket.lastEndpoint ?? address;
}

async function bindPatiently(socket: Router | XPublisher, address: string, patienceMs: number): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    try {
      await socket.bind(address);
      return;
    } catch (error) {
      const isInUse = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!isInUse || performance.now() - startedMs > patienceMs) throw error;
    }
    await delay(20);
  }
}
