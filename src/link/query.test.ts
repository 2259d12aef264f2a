import { createServer } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Router } from 'zeromq';
import { sealWeights } from '../model/index.ts';
import { askLearner } from './query.ts';
import { type LearnerServer, startLearnerServer } from './server.ts';
import { encodeFrame } from './wire.ts';

const RUN = { runId: 'run-7', schemaHash: '00112233445566ff' };
const open: { close(): Promise<void> | void }[] = [];

afterEach(async () => {
  for (const it of open.splice(0).reverse()) await it.close();
});

async function server(): Promise<LearnerServer> {
  const started = await startLearnerServer({
    bind: 'tcp://127.0.0.1:0',
    ...RUN,
    observationSize: 1,
    actionSize: 1,
    onTransition: () => undefined,
  });
  open.push(started);
  return started;
}

describe('asking a learner', () => {
  it('gives its run, its schema and its newest weights, and leaves no robot behind', async () => {
    const learner = await server();
    expect(await askLearner(learner.address, 20_000)).toEqual({ ...RUN, weightsVersion: 0 });
    const fields = { ...RUN, version: 3, parent: null, trainingStep: 0, updates: 0, createdAt: '', shapes: [] };
    learner.publish(sealWeights(fields, new Uint8Array(1), new Float32Array(0)));
    expect(await askLearner(learner.address, 20_000)).toEqual({ ...RUN, weightsVersion: 3 });
    expect(learner.robots()).toEqual([]);
    expect(learner.counters.quarantined).toEqual({});
  });

  it('says in one sentence that nobody answers, where nobody listens and where a stranger does', async () => {
    await expect(askLearner('tcp://127.0.0.1:9', 300)).rejects.toThrow('no learner answers at tcp://127.0.0.1:9');
    const stranger = createServer(
      (socket) =>
        void socket
          .on('error', () => undefined)
          .resume()
          .end('hello'),
    );
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    open.push({ close: () => new Promise<void>((resolve) => stranger.close(() => resolve())) });
    const { port } = stranger.address() as { port: number };
    await expect(askLearner(`tcp://127.0.0.1:${port}`, 300)).rejects.toThrow('no learner answers');
    await expect(askLearner('nowhere', 300)).rejects.toThrow('not an address');
  });

  it('leaves a peer over which the process grows and nothing whole comes, and asks over a new connection', async () => {
    const asked = new Set<string>();
    let residentBytes = 0;
    // Only until the second connection: one without a message within two checks would be replaced as well.
    const growing = vi.spyOn(process.memoryUsage, 'rss').mockImplementation(() => {
      if (asked.size < 2) residentBytes += 300 * 1024 * 1024;
      return residentBytes;
    });
    const router = new Router({ linger: 0 });
    await router.bind('tcp://127.0.0.1:0');
    open.push(router, { close: () => growing.mockRestore() });
    const about = encodeFrame(
      { kind: 'about', schemaHash: RUN.schemaHash },
      Buffer.from('{"runId":"run-7","weightsVersion":3}'),
    );
    void (async () => {
      for await (const [identity] of router) {
        if (asked.add(identity!.toString('hex')).size > 1) await router.send([identity!, about]);
      }
    })().catch(() => undefined);
    expect(await askLearner(router.lastEndpoint!, 20_000)).toEqual({ ...RUN, weightsVersion: 3 });
  });

  it('does not believe an answer that it cannot read', async () => {
    const router = new Router({ linger: 0 });
    await router.bind('tcp://127.0.0.1:0');
    open.push(router);
    void (async () => {
      for await (const [identity] of router) {
        await router.send([identity!, encodeFrame({ kind: 'about' }, Buffer.from('{"runId":7}'))]);
      }
    })().catch(() => undefined);
    await expect(askLearner(router.lastEndpoint!, 500)).rejects.toThrow('no learner answers');
  });
});
