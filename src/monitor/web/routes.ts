/** What the monitor's server answers over HTTP: the pages, figures for Prometheus, and what the run's folder has. Nothing of it moves anything. */
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { decodeJson } from '../../core/index.ts';
import type { TraceReader } from '../../record/trace.ts';
import type { RunView } from '../../session/index.ts';
import { foreignReason, type MonitorPlace, PAGE_HEADERS, rightOf } from './access.ts';
import type { Past } from './past.ts';
import { listRelabels } from './relabels.ts';
import { listRuns, readRunFile } from './run-files.ts';
import { ScenePicture } from './scene.ts';

/** Where the run writes. */
export interface RunPlace {
  readonly folder: string;
  readonly trace: TraceReader;
}

export interface RouteSources {
  readonly place: MonitorPlace;
  /** Folder of the built pages. */
  readonly pages: string;
  readonly past: Past;
  readonly metrics: () => string;
  /** `undefined` until a run has said where it is. */
  readonly run: () => RunPlace | undefined;
}

export function addRoutes(app: FastifyInstance, { place, pages, past, metrics, run }: RouteSources): void {
  guardRoutes(app, place);
  app.register(fastifyStatic, { root: pages, cacheControl: false });
  app.get('/metrics', async (_, reply) => {
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(metrics());
  });
  addScene(app, past);
  addRunFiles(app, run);
}

function guardRoutes(app: FastifyInstance, place: MonitorPlace): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(PAGE_HEADERS);
    const reason = foreignReason(request.headers.host, request.headers.origin, place);
    if (reason !== undefined) await reply.code(403).send({ error: reason });
  });
  app.addHook('preHandler', async (request, reply) => {
    // By the route that answers: an address may be written in many ways, and be led to it all the same.
    if (!/^\/(api\/|metrics\b)/.test(request.routeOptions.url ?? request.url)) return;
    if (rightOf(bearerOf(request.headers.authorization), place) === undefined) {
      await reply.code(401).send({ error: 'This needs the token of the monitor.' });
    }
  });
}

function addScene(app: FastifyInstance, past: Past): void {
  const picture = new ScenePicture();
  app.get('/api/scene', async (_, reply) => {
    const [packet] = past.of('run');
    const answer = packet && (await picture.of(decodeJson(packet) as RunView));
    if (answer !== undefined && 'scene' in answer && answer.scene !== undefined) return answer.scene;
    const problem =
      answer !== undefined && 'problem' in answer ? answer.problem : 'This robot has no shapes of its own.';
    // No error: a page then draws what the safety model knows of it.
    return reply.code(204).header('x-problem', encodeURIComponent(problem)).send();
  });
}

/** Files of the run, and its episodes as its trace has them. */
function addRunFiles(app: FastifyInstance, run: RouteSources['run']): void {
  const inFolder = <T>(read: (folder: string) => T): T | undefined => {
    const folder = run()?.folder;
    return folder === undefined ? undefined : read(folder);
  };
  app.get('/api/runs', async () => (await inFolder(listRuns)) ?? []);
  app.get('/api/relabels', async () => (await inFolder(listRelabels)) ?? []);
  app.get('/api/files/:name', async (request, reply) => {
    const { name } = request.params as { name: string };
    const { from: byte = '0', run } = request.query as { from?: string; run?: string };
    const from = Number(byte);
    if (!Number.isSafeInteger(from) || from < 0) return reply.code(400).send({ error: 'from is a number of bytes.' });
    const lines = await inFolder((folder) => readRunFile(folder, { name, run, from }));
    if (lines === undefined) return reply.code(404).send({ error: 'There is no such file.' });
    return reply.type('text/plain; charset=utf-8').send(lines);
  });
  app.get('/api/episodes', async () => (await run()?.trace.episodes()) ?? []);
  app.get('/api/episodes/:number', async (request, reply) => {
    const number = Number((request.params as { number: string }).number);
    const episode = await run()?.trace.episode(number);
    return episode ?? reply.code(404).send({ error: 'The trace has no such episode.' });
  });
}

function bearerOf(header: string | undefined): string | undefined {
  return header?.startsWith('Bearer ') === true ? header.slice(7) : undefined;
}
