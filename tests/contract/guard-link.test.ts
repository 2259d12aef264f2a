import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectGuardLink } from '../../src/guard/index.ts';
import { GuardSocketServer } from '../../src/guard/link/socket-server.ts';
import { createMockLink } from '../support/mock-guard.ts';
import { describeGuardLink } from './guard-link.contract.ts';

describeGuardLink('in-memory', async () => {
  const { clock, link } = await createMockLink();
  return { link, nowS: () => clock.nowS(), notify: (notice) => link.notify(notice) };
});

describeGuardLink('socket', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rein-link-'));
  const path = join(folder, 'guard.sock');
  const { clock, link: inner } = await createMockLink();
  const server = await GuardSocketServer.listen(inner, path);
  const link = await connectGuardLink(path);
  return {
    link,
    nowS: () => clock.nowS(),
    notify: (notice) => inner.notify(notice),
    killGuard: () => server.close(),
    release: async () => {
      await server.close();
      await inner.close();
      rmSync(folder, { recursive: true });
    },
  };
});

describe('the socket server', () => {
  let folder: string;
  let path: string;
  let server: GuardSocketServer;
  let inner: Awaited<ReturnType<typeof createMockLink>>['link'];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rein-link-'));
    path = join(folder, 'guard.sock');
    inner = (await createMockLink()).link;
    server = await GuardSocketServer.listen(inner, path);
  });

  afterEach(async () => {
    await server.close();
    await inner.close();
    rmSync(folder, { recursive: true });
  });

  it('refuses a second node while the first is connected, and takes the next when it has gone', async () => {
    const first = await connectGuardLink(path);
    await expect(connectGuardLink(path)).rejects.toMatchObject({ kind: 'link' });
    await first.advance(1);
    await first.close();
    const next = await connectGuardLink(path);
    await next.advance(3);
    expect(next.latest.tick).toBe(inner.latest.tick);
    await next.close();
  });

  it('holds the robot when the node goes', async () => {
    const node = await connectGuardLink(path);
    await node.advance(1);
    await node.request({ kind: 'enable' });
    await node.request({ kind: 'activate' });
    await node.advance(1);
    expect(inner.latest.state).toBe('active.policy');
    await node.close();
    await inner.advance(1);
    expect(inner.latest.state).toBe('ready');
  });

  it('survives random bytes from a peer, cuts it off, and serves the next', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 200_000 }), async (size) => {
        const peer = connect(path);
        peer.on('error', () => peer.destroy());
        await new Promise((resolve) => peer.once('data', resolve));
        const closed = new Promise((resolve) => peer.once('close', resolve));
        peer.end(randomBytes(size));
        await closed;
      }),
      { numRuns: 20 },
    );
    const node = await connectGuardLink(path);
    await node.advance(1);
    await node.close();
  });

  it('is connected to in real time once it has said where the robot is', async () => {
    Object.defineProperty(inner, 'shape', { value: { ...inner.shape, timing: 'real-time' } });
    const connecting = connectGuardLink(path);
    const isEarly = await Promise.race([connecting.then(() => true), delay(50, false)]);
    expect(isEarly).toBe(false);
    await inner.advance(1);
    const node = await connecting;
    expect(node.latest.tick).toBe(inner.latest.tick);
    expect(node.latest.robot.positionRad).toEqual(inner.latest.robot.positionRad);
    await node.close();
  });

  it('says that nobody listens where no guard is', async () => {
    const nowhere = connectGuardLink(join(folder, 'nowhere.sock'), { timeoutMs: 50 });
    await expect(nowhere).rejects.toMatchObject({ kind: 'link', message: expect.stringContaining('No guard listens') });
  });
});
