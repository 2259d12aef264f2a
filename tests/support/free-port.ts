/** Ports for programs that tests start later, which nothing else takes meanwhile. */
import { createServer } from 'node:net';

/** Below the range that the system gives connections and listeners at port 0 from (32768 on, ip(7)), and apart for each worker of vitest. */
const FIRST = 20_000;
const SPAN = 1_000;
const WORKERS = 10;
const first = FIRST + (Number(process.env['VITEST_POOL_ID'] ?? 0) % WORKERS) * SPAN;
let next = process.pid % SPAN;

/** A loopback address whose port, and the one after it, are free. */
export async function freeAddress(): Promise<string> {
  return `tcp://127.0.0.1:${await freePort(2)}`;
}

/** The first of `count` free ports of 127.0.0.1 in a row. */
export async function freePort(count = 1): Promise<number> {
  for (;;) {
    if (next + count > SPAN) next = 0;
    const port = first + next;
    next += count;
    const ports = Array.from({ length: count }, (_, i) => port + i);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  const free = await new Promise<boolean>((resolve) => {
    probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  return free;
}
