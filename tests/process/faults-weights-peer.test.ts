/** A peer that speaks ZeroMQ's handshake on the weights port and then says anything: the robot's process lives, and takes good weights after it. */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect } from 'vitest';
import { encodeBundle } from '../../src/link/index.ts';
import { encodeFrame } from '../../src/link/wire.ts';
import { sealWeights } from '../../src/model/index.ts';
import { faultRow } from '../support/fault-row.ts';
import { LinkProcesses } from '../support/link-processes.ts';
import { until } from '../support/until.ts';

const RUN = { runId: 'run', schemaHash: '00112233445566ff' };
const LIMIT_MS = 30_000;
const processes = new LinkProcesses();
const closers: (() => unknown)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
  processes.kill();
});

/** ZMTP 3.1: signature, version, mechanism NULL, filler. */
function greeting(): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.set([0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 1]);
  bytes.write('NULL', 12, 'latin1');
  return bytes;
}

/** RFC 37: flags 0x04 (command), length, name, properties. */
function ready(type: string): Buffer {
  const property = Buffer.concat([Buffer.from('\x0bSocket-Type', 'latin1'), Buffer.from([0, 0, 0, type.length])]);
  const body = Buffer.concat([Buffer.from('\x05READY', 'latin1'), property, Buffer.from(type, 'latin1')]);
  return Buffer.concat([Buffer.from([0x04, body.length]), body]);
}

function frame(flags: number, body: Uint8Array): Buffer {
  const head = Buffer.alloc(9);
  head[0] = flags | 2;
  head.writeBigUInt64BE(BigInt(body.length), 1);
  return Buffer.concat([head, body]);
}

const HELLO = Buffer.from('hello');
/** What is said after the handshake. */
const SAID: Record<string, Buffer> = {
  'one frame of an endless message': Buffer.from([0x01, 0x05, ...HELLO]),
  'a message of two parts': Buffer.concat([frame(1, HELLO), frame(0, HELLO)]),
  'a message of two parts, and one of one': Buffer.concat([frame(1, HELLO), frame(0, HELLO), frame(0, HELLO)]),
  'a message of a thousand parts': Buffer.concat(Array.from({ length: 1000 }, () => frame(1, HELLO))),
  'a frame of 17 MiB': Buffer.concat([Buffer.from([0x02, 0, 0, 0, 0, 0x01, 0x10, 0, 0]), Buffer.alloc(4096)]),
  'a frame of 2^63 bytes': Buffer.from([0x02, 0x80, 0, 0, 0, 0, 0, 0, 0]),
  'flags that do not exist': Buffer.from([0xff, 0x05, ...HELLO]),
  'an unknown command': frame(4, Buffer.from('\x05WRONG', 'latin1')),
  'an empty command': frame(4, Buffer.alloc(0)),
  'a PING without its time': frame(4, Buffer.from('\x04PING', 'latin1')),
  'a PING with a long context': frame(4, Buffer.from(`\x04PING\x00\x10${'c'.repeat(200)}`, 'latin1')),
  'a second READY': ready('PUB'),
  'a subscription': frame(4, Buffer.from('\x09SUBSCRIBEtopic', 'latin1')),
  'a CANCEL': frame(4, Buffer.from('\x06CANCEL', 'latin1')),
  'a command with MORE': frame(5, Buffer.from('\x04PING\x00\x10', 'latin1')),
  'an ERROR': frame(4, Buffer.from('\x05ERROR\x03bad', 'latin1')),
  'an empty message': frame(0, Buffer.alloc(0)),
  'garbage in a frame': frame(0, Buffer.alloc(3000, 0x5a)),
  'half a frame': Buffer.from([0x00, 0x50, ...HELLO]),
};

function weights(version: number): Buffer {
  const fields = { ...RUN, version, parent: null, trainingStep: 0, updates: 0, createdAt: '' };
  const bundle = sealWeights(
    { ...fields, shapes: [{ name: 'w', shape: [4] }] },
    new Uint8Array([1]),
    new Float32Array(4),
  );
  return frame(0, encodeFrame({ kind: 'weights', sequence: version }, encodeBundle(bundle)));
}

/** A line of /proc/PID/status. */
function kilobytesIn(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
}

describe('on the weights port', () => {
  faultRow(
    [30, 31],
    'process',
    'a peer that says more than is read, and is gone, aborts nobody',
    async () => {
      const sockets = new Set<Socket>();
      let isFull = false;
      const server = createServer((socket) => {
        sockets.add(socket);
        socket.on('error', () => undefined);
        socket.write(greeting());
        let got = 0;
        socket.on('data', (bytes) => {
          got += bytes.length;
          if (got <= 64 || isFull) return;
          isFull = true;
          socket.write(ready('PUB'));
          for (let i = 0; i < 400; i++) socket.write(frame(0, Buffer.alloc(100_000)));
        });
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as { port: number };
      const subscriber = processes.start('link-subscriber.js', `tcp://127.0.0.1:${port}`);
      await until(() => subscriber.output().includes('ready'), 'the subscriber', LIMIT_MS);
      subscriber.child.stdin?.write('2500');
      await until(() => isFull, 'its connection', LIMIT_MS);
      await delay(300);
      server.close();
      for (const socket of sockets) socket.destroy();
      let ended: number | string | undefined;
      void subscriber.exit.then((how) => {
        ended = how;
      });
      await until(() => ended !== undefined || subscriber.output().includes('awake'), 'the busy time', LIMIT_MS);
      await delay(300);
      expect(ended).toBeUndefined();
      subscriber.child.stdin?.end();
      expect(await subscriber.exit).toBe(0);
    },
    2 * LIMIT_MS,
  );

  faultRow(
    [30, 31],
    'process',
    'a message of endless parts costs its sender the connection, and the subscriber a bounded memory',
    async () => {
      const part = frame(1, Buffer.alloc(1_000_000));
      const mostBytes = 2e9;
      const boundBytes = 640 * 1024 * 1024;
      const reported: number[] = [];
      const sockets = new Set<Socket>();
      const server = createServer(async (socket) => {
        sockets.add(socket);
        let isOver = false;
        socket.on('error', () => undefined);
        socket.on('close', () => {
          isOver = true;
        });
        socket.write(greeting());
        let got = 0;
        while (got <= 64) got += ((await once(socket, 'data')) as [Buffer])[0].length;
        socket.resume();
        socket.write(ready('PUB'));
        const at = reported.push(0) - 1;
        if (at === 2) socket.write(weights(7));
        if (at >= 2) return;
        while (!isOver && reported[at]! < mostBytes) {
          const isTaken = socket.write(part);
          reported[at]! += part.length;
          if (!isTaken) await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
          await delay(2); // what a fast network carries
        }
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      closers.push(() => {
        server.close();
        for (const socket of sockets) socket.destroy();
      });
      const { port } = server.address() as { port: number };
      const subscriber = processes.start('link-subscriber.js', `tcp://127.0.0.1:${port}`);
      await until(() => subscriber.output().includes('ready'), 'the subscriber', LIMIT_MS);
      const memory = (): string => readFileSync(`/proc/${subscriber.child.pid}/status`, 'utf8');
      const before = kilobytesIn(memory(), 'VmRSS');
      await until(
        () => subscriber.output().includes('version 7') || reported[0]! >= mostBytes,
        'good weights after two floods',
        LIMIT_MS,
      );
      expect(reported[0]).toBeLessThan(mostBytes);
      expect(1024 * (kilobytesIn(memory(), 'VmHWM') - before)).toBeLessThan(boundBytes);
      subscriber.child.stdin?.end();
      expect(await subscriber.exit).toBe(0);
    },
    2 * LIMIT_MS,
  );

  faultRow(
    [30, 31],
    'process',
    'nothing that a peer says after its handshake aborts the subscriber or ends its messages',
    async (promised) => {
      const kinds = Object.keys(SAID);
      let next = 0;
      const sockets = new Set<Socket>();
      const server = createServer((socket) => {
        sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => sockets.delete(socket));
        socket.write(greeting());
        let got = 0;
        let isSaid = false;
        socket.on('data', (bytes) => {
          got += bytes.length;
          if (got <= 64 || isSaid) return;
          isSaid = true;
          const kind = kinds[next++];
          const said = kind === undefined ? weights(7) : SAID[kind]!;
          socket.write(Buffer.concat([ready('PUB'), said]));
          if (kind !== undefined) setTimeout(() => socket.destroy(), 150);
        });
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      closers.push(() => {
        server.close();
        for (const socket of sockets) socket.destroy();
      });
      const { port } = server.address() as { port: number };
      const subscriber = processes.start('link-subscriber.js', `tcp://127.0.0.1:${port}`);
      let ended: number | string | undefined;
      void subscriber.exit.then((how) => {
        ended = how;
      });
      await until(() => ended !== undefined || subscriber.output().includes('version 7'), 'good weights', LIMIT_MS);
      expect(ended, `after ${kinds[next - 1]}`).toBeUndefined();
      expect(next).toBeGreaterThan(kinds.length);
      expect(subscriber.output().match(/version/g)).toHaveLength(1 + promised('acceptedStrange'));
      subscriber.child.stdin?.end();
      expect(await subscriber.exit).toBe(0);
    },
    2 * LIMIT_MS,
  );
});
