/** HTTP routes of the monitor: pages, Prometheus metrics, files of the run, and a stop. None of them moves the robot. */
import type { FastifyInstance } from 'fastify';
import type { TraceReader } from '../../record/trace.ts';
import { decodeJson } from '../../rows/index.ts';
import type { RunView } from '../../session/index.ts';
import { bearerOf, foreignReason, type MonitorPlace, pageHeaders, rightOf } from './access.ts';
import { type Answers, limitReading } from './answers.ts';
import type { Connections } from './connections.ts';
import { addPages } from './pages.ts';
import type { Past } from './past.ts';
import { listRelabels } from './relabels.ts';
import { listRuns, readRunFile } from './run-files.ts';
import { ScenePicture } from './scene.ts';

/** Folder and trace of the run. */
export interface RunPlace {
  readonly folder: string;
  readonly trace: TraceReader;
}

export interface RouteSources {
  readonly place: MonitorPlace;
  readonly connections: Connections;
  readonly answers: Answers;
  /** Folder of the built pages. */
  readonly pages: string;
  readonly past: Past;
  readonly metrics: () => string;
  /** Stops the robot; allowed to every client that may watch. */
  readonly stop: (from: string) => void;
  /** `undefined` until the run has sent its folder. */
  readonly run: () => RunPlace | undefined;
}

export function addRoutes(app: FastifyInstance, sources: RouteSources): void {
  const { place, connections, answers, pages, past, metrics, run, stop } = sources;
  limitRequests(app, connections);
  // The origin of every request is checked first.
  const headers: Record<string, string> = {};
  guardRoutes(app, place, headers);
  Object.assign(headers, pageHeaders(addPages(app, pages)));
  addStop(app, stop);
  app.get('/metrics', (request, reply) => {
    return answers.give(request, reply, { make: metrics, type: 'text/plain; version=0.0.4; charset=utf-8' });
  });
  addScene(app, answers, past);
  addRunFiles(app, answers, run);
}

function limitRequests(app: FastifyInstance, connections: Connections): void {
  app.addHook('onRequest', async ({ raw }, reply) => {
    if (!(await connections.turnOf(raw, reply.raw))) reply.hijack();
  });
  app.addHook('onSend', async (_, reply, payload) => {
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
    limitReading(reply.raw, isWhole ? payload.length : Number(reply.getHeader('content-length') ?? 0));
    return payload;
  });
}

function guardRoutes(app: FastifyInstance, place: MonitorPlace, headers: Readonly<Record<string, string>>): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(headers);
    const reason = foreignReason(request.headers.host, request.headers.origin, place);
    if (reason !== undefined) await reply.code(403).send({ error: reason });
  });
  app.addHook('preHandler', async (request, reply) => {
    // Checked by matched route: an address may be written in many ways and still match it.
    if (!/^\/(api\/|metrics\b)/.test(request.routeOptions.url ?? request.url)) return;
    if (rightOf(bearerOf(request.headers.authorization), place) === undefined) {
      await reply.code(401).send({ error: 'This needs the token of the monitor.' });
    }
  });
}

/** Stop for programs, and for a page whose script does not run. `guardRoutes` admits clients that may watch. */
function addStop(app: FastifyInstance, stop: RouteSources['stop']): void {
  app.addContentTypeParser('application/x-www-form-urlencoded', (_, payload, done) => {
    payload.resume();
    done(null);
  });
  app.post('/api/stop', ({ ip }, reply) => {
    stop(ip);
    return reply.type('text/plain; charset=utf-8').send('Stop sent to the robot.\n');
  });
}

function addScene(app: FastifyInstance, answers: Answers, past: Past): void {
  const picture = new ScenePicture();
  app.get('/api/scene', async (request, reply) => {
    const [packet] = past.of('run');
    const answer = packet && (await picture.of(decodeJson(packet) as RunView));
    if (answer !== undefined && 'scene' in answer && answer.scene !== undefined) {
      const { scene } = answer;
      return answers.give(request, reply, { make: () => scene });
    }
    const problem =
      answer !== undefined && 'problem' in answer ? answer.problem : 'This robot has no shapes of its own.';
    // No error: the page then draws the safety model's capsules.
    return reply.code(204).header('x-problem', encodeURIComponent(problem)).send();
  });
}

/** Files of the run, and its episodes from the trace. */
function addRunFiles(app: FastifyInstance, answers: Answers, run: RouteSources['run']): void {
  const inFolder = <T>(read: (folder: string) => T): T | undefined => {
    const folder = run()?.folder;
    return folder === undefined ? undefined : read(folder);
  };
  app.get('/api/runs', (request, reply) => answers.give(request, reply, { make: () => inFolder(listRuns) ?? [] }));
  app.get('/api/relabels', (request, reply) => {
    return answers.give(request, reply, { make: () => inFolder(listRelabels) ?? [] });
  });
  app.get('/api/files/:name', async (request, reply) => {
    const { name } = request.params as { name: string };
    const { from: byte = '0', run } = request.query as { from?: string; run?: string };
    const from = Number(byte);
    if (!Number.isSafeInteger(from) || from < 0) return reply.code(400).send({ error: 'from is a number of bytes.' });
    return answers.give(request, reply, {
      make: () => inFolder((folder) => readRunFile(folder, { name, run, from })),
      type: 'text/plain; charset=utf-8',
      missing: 'There is no such file.',
    });
  });
  app.get('/api/episodes', (request, reply) => {
    // A page that has listed earlier episodes requests the rest alone.
    const from = Number((request.query as { from?: string }).from ?? 0);
    const make = async () => (await run()?.trace.episodes())?.filter(({ episode }) => episode >= from) ?? [];
    return answers.give(request, reply, { make });
  });
  app.get('/api/episodes/:number', (request, reply) => {
    const number = Number((request.params as { number: string }).number);
    return answers.give(request, reply, {
      make: () => run()?.trace.episode(number),
      missing: 'The trace has no such episode.',
    });
  });
}
