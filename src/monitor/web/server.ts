/**
 * The monitor's server: static pages, files of the run, and one stream a page. It holds no state of the robot but the newest packet of
 * each kind, decides who may ask for what, and hands on what a person asks for. Runs in a thread of its own (`server-thread.ts`), so that
 * neither pages nor a run that is busy hold each other up.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import fastifyStatic from '@fastify/static';
import fastify, { type FastifyInstance } from 'fastify';
import type { WebSocket, WebSocketServer } from 'ws';
import { asObject, decodeJson, encodeJson, kindOf, parseJson, SystemClock } from '../../core/index.ts';
import { TraceReader } from '../../record/trace.ts';
import type { PersonRequest, RunView } from '../../session/index.ts';
import { readPersonRequest } from '../../session/person-request.ts';
import { foreignReason, type MonitorPlace, PAGE_HEADERS, type Right, rightOf, viewerReason } from './access.ts';
import { FoxgloveServer } from './foxglove-server.ts';
import { Outbox } from './outbox.ts';
import { Past } from './past.ts';
import { PrometheusMetrics } from './prometheus.ts';
import { listRelabels, relabelFromPage } from './relabels.ts';
import { listRuns, readRunFile } from './run-files.ts';
import { ScenePicture } from './scene.ts';
import { Seat } from './seat.ts';
import { createSocketServer, dismiss, limitConnections, PATIENCE, refuseUpgrade } from './sockets.ts';
import { Stops } from './stops.ts';

export interface ServerOptions {
  readonly place: MonitorPlace;
  /** Folder of the built pages. */
  readonly pages: string;
  /** Takes what a person asks for, already checked, and allowed to them. */
  readonly onRequest: (request: PersonRequest) => void;
}

/** Who sits at a robot, for each page: told whenever it changes. */
export interface OperatorsView {
  /** Number of this page. */
  readonly you: number;
  readonly right: Right;
  /** This page has the seat. */
  readonly isYours: boolean;
  /** Name of whoever has it; empty where it is free. */
  readonly holder: string;
  readonly pages: number;
}

/** Longest message of a page, bytes: a command has some 400. */
const LONGEST_MESSAGE_BYTES = 4096;
/** Messages of a page in a second that are read; one at 50 Hz sends 60. More is no person. */
const MOST_MESSAGES_PER_S = 250;
/** Open pages; an operator always finds a place beside forgotten tabs. */
const MOST_PAGES = 64;
/** Those that only watch: whoever may operate finds a place beside them. */
const MOST_WATCHING = 48;
/** Where Foxglove and Lichtblick connect to. */
const VIEWERS_PATH = '/foxglove';
/** Who has not said hello by then is no page of ours, ms. */
const HELLO_MS = 5000;
/** Who has not said hello, and makes room for who comes after so many. */
const MOST_SILENT = 64;
const FLUSH_MS = 20;
/** A page that answers no ping in this time is gone, ms. */
const PING_MS = 10_000;
interface Page {
  readonly id: number;
  readonly socket: WebSocket;
  readonly outbox: Outbox;
  readonly right: Right;
  /** Of the person at it. */
  name: string;
  /** In the present second. */
  messages: number;
  isAlive: boolean;
}

export class MonitorServer {
  readonly #options: ServerOptions;
  readonly #app: FastifyInstance;
  readonly #sockets: WebSocketServer;
  readonly #seat: Seat = new Seat();
  readonly #clock: SystemClock = new SystemClock();
  readonly #pages = new Set<Page>();
  /** Those that have not said hello yet, who waits longest first. */
  readonly #silent = new Set<WebSocket>();
  readonly #past: Past = new Past();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #viewers: FoxgloveServer = new FoxgloveServer(this.#past);
  readonly #metrics: PrometheusMetrics = new PrometheusMetrics();
  readonly #picture: ScenePicture = new ScenePicture();
  readonly #stops: Stops;
  /** The run's. */
  #folder: string | undefined;
  #trace: TraceReader | undefined;
  #count = 0;
  #toldHolder = '';
  /** The page that took over last. */
  #driver = 0;

  constructor(options: ServerOptions) {
    const { place } = options;
    this.#options = options;
    this.#stops = new Stops(() => options.onRequest({ kind: 'stop' }));
    this.#app = fastify({
      logger: false,
      bodyLimit: LONGEST_MESSAGE_BYTES,
      forceCloseConnections: true,
      ...(place.tls === undefined
        ? { http: PATIENCE }
        : { https: { ...place.tls, ...PATIENCE, handshakeTimeout: HELLO_MS } }),
    }) as unknown as FastifyInstance;
    this.#sockets = createSocketServer({ maxPayload: LONGEST_MESSAGE_BYTES });
    this.#route();
  }

  /** Listens. Gives the port. Rejects where it cannot. */
  async listen(): Promise<number> {
    const { place } = this.#options;
    await this.#app.listen({ host: place.host, port: place.port });
    limitConnections(this.#app.server as Server);
    (this.#app.server as Server).on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#upgrade(request, socket, head);
    });
    this.#every(FLUSH_MS, () => this.#flush());
    this.#every(1000, () => this.#eachSecond());
    this.#every(PING_MS, () => this.#ping());
    return (this.#app.server.address() as AddressInfo).port;
  }

  /** Tells all pages, and those that come later what they need of it. */
  publish(packet: Uint8Array): void {
    const kind = kindOf(packet);
    // Who operates is said here, and by nobody in the run.
    if (kind === undefined || kind === 'operators') return;
    try {
      if (kind === 'run') this.#setFolder(decodeJson(packet) as RunView);
      this.#metrics.take(packet);
      this.#past.put(packet);
      this.#viewers.publish(packet);
    } catch {
      // Modules of others run where packets come from: one that cannot be read is told to nobody.
      return;
    }
    for (const page of this.#pages) page.outbox.put(packet);
  }

  /** Bytes that wait for pages here, for the bench. */
  get waitingBytes(): number {
    let bytes = this.#viewers.waitingBytes;
    for (const { outbox, socket } of this.#pages) bytes += outbox.waitingBytes + socket.bufferedAmount;
    return bytes;
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#stops.close();
    for (const { socket } of this.#pages) socket.close(1001, 'The run has ended.');
    this.#viewers.close();
    await this.#app.close();
    for (const { socket } of this.#pages) socket.terminate();
  }

  #every(ms: number, work: () => void): void {
    this.#timers.push(setInterval(work, ms));
  }

  #route(): void {
    const { pages, place } = this.#options;
    const app = this.#app;
    app.addHook('onRequest', async (request, reply) => {
      reply.headers(PAGE_HEADERS);
      const reason = foreignReason(request.headers.host, request.headers.origin, place);
      if (reason !== undefined) await reply.code(403).send({ error: reason });
    });
    app.register(fastifyStatic, { root: pages, cacheControl: false });
    app.addHook('preHandler', async (request, reply) => {
      if (!/^\/(api\/|metrics\b)/.test(request.url)) return;
      if (rightOf(bearerOf(request.headers.authorization), place) === undefined) {
        await reply.code(401).send({ error: 'This needs the token of the monitor.' });
      }
    });
    app.get('/metrics', async (_, reply) => {
      return reply.type('text/plain; version=0.0.4; charset=utf-8').send(this.#metrics.text(this.#pages.size));
    });
    app.get('/api/runs', async () => (this.#folder === undefined ? [] : listRuns(this.#folder)));
    app.get('/api/scene', async (_, reply) => {
      const [packet] = this.#past.of('run');
      const answer = packet && (await this.#picture.of(decodeJson(packet) as RunView));
      if (answer !== undefined && 'scene' in answer && answer.scene !== undefined) return answer.scene;
      const problem =
        answer !== undefined && 'problem' in answer ? answer.problem : 'This robot has no shapes of its own.';
      // No error: a page then draws what the safety model knows of it.
      return reply.code(204).header('x-problem', encodeURIComponent(problem)).send();
    });
    this.#routeEpisodes();
    app.get('/api/files/:name', async (request, reply) => {
      const { name } = request.params as { name: string };
      const { from: byte = '0', run } = request.query as { from?: string; run?: string };
      const from = Number(byte);
      if (!Number.isSafeInteger(from) || from < 0) return reply.code(400).send({ error: 'from is a number of bytes.' });
      const lines = this.#folder === undefined ? undefined : await readRunFile(this.#folder, { name, run, from });
      if (lines === undefined) return reply.code(404).send({ error: 'There is no such file.' });
      return reply.type('text/plain; charset=utf-8').send(lines);
    });
  }

  /** Episodes as the run's trace has them. */
  #routeEpisodes(): void {
    const app = this.#app;
    app.get('/api/episodes', async () => (await this.#trace?.episodes()) ?? []);
    app.get('/api/episodes/:number', async (request, reply) => {
      const number = Number((request.params as { number: string }).number);
      const episode = await this.#trace?.episode(number);
      return episode ?? reply.code(404).send({ error: 'The trace has no such episode.' });
    });
    app.get('/api/relabels', async () => (this.#folder === undefined ? [] : listRelabels(this.#folder)));
  }

  #setFolder({ folder }: RunView): void {
    if (typeof folder !== 'string') throw new TypeError('a run without a folder');
    if (folder === this.#folder) return;
    this.#folder = folder;
    this.#trace = new TraceReader(folder);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { place } = this.#options;
    const { host, origin } = request.headers;
    const [path, query] = (request.url ?? '').split('?');
    const isViewer = path === VIEWERS_PATH;
    // Foxglove asks for an address only: its token can be nowhere else.
    const reason = isViewer
      ? (viewerReason(host, origin, new URLSearchParams(query).get('token') ?? undefined, place) ??
        this.#viewers.refusalOf(request))
      : (foreignReason(host, origin, place) ?? (request.url === '/stream' ? undefined : 'There is no stream here.'));
    if (reason !== undefined) refuseUpgrade(socket, reason);
    else if (isViewer) this.#viewers.upgrade(request, socket, head);
    else this.#sockets.handleUpgrade(request, socket, head, (ws) => this.#greet(ws));
  }

  /** A page says who it is first, with its token: addresses are written into logs and histories, messages are not. */
  #greet(socket: WebSocket): void {
    const timer = setTimeout(() => dismiss(socket, 'Nobody said hello.'), HELLO_MS);
    const isHeard = (): void => {
      clearTimeout(timer);
      this.#silent.delete(socket);
    };
    const [first] = this.#silent;
    if (first !== undefined && this.#silent.size >= MOST_SILENT) {
      this.#silent.delete(first);
      first.terminate();
    }
    this.#silent.add(socket);
    socket.on('error', () => socket.terminate());
    socket.once('close', isHeard);
    socket.once('message', (data, isBinary) => {
      isHeard();
      const hello = isBinary ? undefined : asObject(parseJson(String(data)));
      const right = hello?.['kind'] === 'hello' ? rightOf(hello['token'], this.#options.place) : undefined;
      if (right === undefined) {
        dismiss(socket, 'Wrong token.');
        return;
      }
      const name = nameOf(hello?.['name']);
      // A link that only shows may be given to others by whoever may do more.
      const granted = hello?.['watchOnly'] === true ? 'watch' : right;
      if (!this.#hasPlaceFor(granted)) {
        socket.close(1013, 'Too many pages are open.');
        return;
      }
      this.#admit(socket, granted, name, windowOf(hello?.['window']));
    });
  }

  #hasPlaceFor(right: Right): boolean {
    if (this.#pages.size >= MOST_PAGES) return false;
    return right === 'operate' || [...this.#pages].filter((page) => page.right === 'watch').length < MOST_WATCHING;
  }

  #admit(socket: WebSocket, right: Right, name: string, window: number): void {
    const id = ++this.#count;
    const page: Page = {
      id,
      socket,
      right,
      name: name || `page ${id}`,
      outbox: new Outbox(
        {
          get bufferedAmount() {
            return socket.bufferedAmount;
          },
          send: (packet) => socket.send(packet, () => undefined),
        },
        window,
      ),
      messages: 0,
      isAlive: true,
    };
    this.#pages.add(page);
    socket.on('pong', () => {
      page.isAlive = true;
    });
    socket.on('message', (data, isBinary) => this.#onMessage(page, isBinary ? undefined : String(data)));
    socket.on('close', () => this.#forget(page));
    for (const packet of this.#past.packets) page.outbox.put(packet);
    this.#tellOperators();
  }

  #forget(page: Page): void {
    if (!this.#pages.delete(page)) return;
    this.#seat.leave(page.id);
    this.#tellOperators();
  }

  #onMessage(page: Page, text: string | undefined): void {
    const message = text === undefined ? undefined : asObject(parseJson(text));
    const kind = message?.['kind'];
    // From everybody who may watch, also as the last that is heard of them.
    if (kind === 'stop') this.#stops.say();
    if (++page.messages > MOST_MESSAGES_PER_S) {
      dismiss(page.socket, `More than ${MOST_MESSAGES_PER_S} messages in a second.`);
      this.#forget(page);
      return;
    }
    const nowS = this.#clock.nowS();
    this.#seat.hear(page.id, nowS);
    if (kind === 'input' || kind === 'seen') page.outbox.answer();
    switch (kind) {
      case 'sit':
        page.name = nameOf(message?.['name']) || page.name;
        this.#sit(page, nowS);
        return;
      case 'leave':
        this.#seat.leave(page.id);
        this.#tellOperators();
        return;
      case 'alive':
      case 'seen':
      case 'stop':
        return;
      case 'relabel':
        void this.#relabel(page, message ?? {});
        return;
      default:
        this.#ask(page, readPersonRequest(message), nowS);
    }
  }

  #sit(page: Page, nowS: number): void {
    if (page.right !== 'operate') {
      this.#tell(page, 'This link shows the robot only: it can stop it, and not move it.');
      return;
    }
    const { isTaken, by } = this.#seat.take(page.id, page.name, nowS);
    if (!isTaken) this.#tell(page, `${by} operates the robot: they give it up first.`);
    this.#tellOperators();
  }

  #ask(page: Page, request: PersonRequest | undefined, nowS: number): void {
    if (request === undefined) {
      this.#tell(page, 'That is no request: nothing was done.');
    } else if (this.#seat.isHeldBy(page.id, nowS)) {
      if (request.kind === 'takeOver') this.#driver = page.id;
      // Nobody moves what another has taken over and not given back yet.
      if (request.kind === 'input' && this.#driver !== page.id) return;
      this.#options.onRequest(request.kind === 'takeOver' ? { ...request, by: page.name } : request);
    } else if (request.kind !== 'input') {
      const holder = this.#seat.holder(nowS)?.name;
      this.#tell(page, holder === undefined ? 'Take the seat first.' : `${holder} operates the robot.`);
    }
  }

  /** Nothing moves by it: who may operate may say it, from any seat. */
  async #relabel(page: Page, message: Readonly<Record<string, unknown>>): Promise<void> {
    if (page.right !== 'operate' || this.#folder === undefined || this.#trace === undefined) {
      this.#tell(page, 'This link shows the robot only: it cannot relabel.');
      return;
    }
    this.#tell(page, await relabelFromPage(this.#folder, this.#trace, message));
  }

  /** A sentence for this page alone. */
  #tell(page: Page, line: string): void {
    page.outbox.put(encodeJson('notice', { line, atMs: Date.now(), isForYou: true }));
  }

  #tellOperators(): void {
    const nowS = this.#clock.nowS();
    const holder = this.#seat.holder(nowS);
    this.#toldHolder = keyOf(holder);
    for (const { id, right, outbox } of this.#pages) {
      const view: OperatorsView = {
        you: id,
        right,
        isYours: holder?.client === id,
        holder: holder?.name ?? '',
        pages: this.#pages.size,
      };
      outbox.put(encodeJson('operators', view));
    }
  }

  #flush(): void {
    for (const { outbox } of this.#pages) outbox.flush();
    this.#viewers.flush();
    if (keyOf(this.#seat.holder(this.#clock.nowS())) !== this.#toldHolder) this.#tellOperators();
  }

  #eachSecond(): void {
    for (const page of this.#pages) page.messages = 0;
    this.#viewers.eachSecond();
  }

  #ping(): void {
    this.#viewers.ping();
    for (const page of this.#pages) {
      if (page.isAlive) {
        page.isAlive = false;
        page.socket.ping();
      } else page.socket.terminate();
    }
  }
}

/** As a person gave it, short enough for a line. */
function nameOf(given: unknown): string {
  return typeof given === 'string' ? given.trim().slice(0, 40) : '';
}

function keyOf(holder: { readonly client: number; readonly name: string } | undefined): string {
  return holder === undefined ? '' : `${holder.client} ${holder.name}`;
}

/** Frames on their way at once that a page asks for, where it answers them. */
function windowOf(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : Number.POSITIVE_INFINITY;
}

function bearerOf(header: string | undefined): string | undefined {
  return header?.startsWith('Bearer ') === true ? header.slice(7) : undefined;
}
