/**
 * The monitor's server: static pages, files of the run, and one stream per page. Its only state of the robot is the
 * newest packets of each kind; it checks rights and forwards operator requests. Runs in its own thread
 * (`server-thread.ts`), so that pages and a busy run do not delay each other.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import type { WebSocket, WebSocketServer } from 'ws';
import { asObject, parseJson, SystemClock } from '../../model/index.ts';
import { TraceReader } from '../../record/trace.ts';
import { decodeJson, encodeJson, kindOf } from '../../rows/index.ts';
import type { PersonRequest, RunView } from '../../session/index.ts';
import { readPersonRequest } from '../../session/person-request.ts';
import { foreignReason, type MonitorPlace, type Right, rightByToken, rightOf, viewerReason } from './access.ts';
import { AccessLog } from './access-log.ts';
import { Allowance } from './allowance.ts';
import { Answers } from './answers.ts';
import { Connections } from './connections.ts';
import { FoxgloveServer } from './foxglove-server.ts';
import { Past } from './past.ts';
import { Peer, Peers } from './peers.ts';
import { PrometheusMetrics } from './prometheus.ts';
import { relabelFromPage } from './relabels.ts';
import { addRoutes, type RunPlace } from './routes.ts';
import { IDLE_S, Seat } from './seat.ts';
import { createSocketServer, dismiss, PATIENCE, refuseUpgrade, SERVER_PATIENCE, TRY_LATER } from './sockets.ts';
import { Stops } from './stops.ts';

export interface ServerOptions {
  readonly place: MonitorPlace;
  /** Folder of the built pages. */
  readonly pages: string;
  /** Receives operator requests, already validated and authorised. */
  readonly onRequest: (request: PersonRequest) => void;
}

/** Seat information for a page: sent whenever it changes. */
export interface OperatorsView {
  /** Number of this page. */
  readonly you: number;
  /** Name of its operator here: with a number if another page has the same. */
  readonly name: string;
  readonly right: Right;
  /** This page has the seat. */
  readonly isYours: boolean;
  /** Name of the holder; empty if the seat is free. */
  readonly holder: string;
  readonly pages: number;
  /** Stops received from this page since it was admitted. */
  readonly stops: number;
}

/** Longest message of a page, bytes: a command has some 400. */
const LONGEST_MESSAGE_BYTES = 4096;
/** Open pages; an operator always finds a place beside forgotten tabs. */
const MOST_PAGES = 64;
/** Watching pages, which leave places for operating ones. */
const MOST_WATCHING = 48;
/** Path that Foxglove and Lichtblick connect to. */
const VIEWERS_PATH = '/foxglove';
/** Time in which a page must send `hello`, ms. */
const HELLO_MS = 5000;
/** Most connections without `hello`; the oldest gives way to a new one. */
const MOST_SILENT = 64;
const FLUSH_MS = 20;
/** A page that answers no ping in this time is gone, ms. */
const PING_MS = 10_000;
/** Button presses of one page; no operator presses more. */
const PRESSED = { perS: 10, most: 20 } as const;
/** Messages that are sent periodically, and the stop, which always counts. */
const NO_BUTTONS: readonly unknown[] = ['input', 'seen', 'alive', 'stop'];
const STALE_TOKEN = 'This token is not of this run: the page watches, and can stop the robot.';

/** Data of a page's `hello`, and its right. */
interface Greeting {
  readonly right: Right;
  readonly name: string;
  /** Remote address. */
  readonly from: string | undefined;
  readonly window: number;
}

class Page extends Peer {
  readonly id: number;
  readonly right: Right;
  readonly from: string | undefined;
  /** Name of its operator. */
  name: string;
  /** Stops received from it. */
  stops = 0;
  readonly #pressed: Allowance = new Allowance(PRESSED);
  #isTold = false;

  constructor(socket: WebSocket, id: number, { right, name, from, window }: Greeting) {
    super(socket, window);
    this.id = id;
    this.right = right;
    this.from = from;
    this.name = name || `page ${id}`;
  }

  /** Counts a button press. `false` if there were too many, which is reported once until there are fewer again. */
  mayPress(nowS: number): boolean {
    const may = this.#pressed.take(nowS);
    if (!may && !this.#isTold) this.tell(`More than ${PRESSED.perS} buttons in a second: the others are ignored.`);
    this.#isTold = !may;
    return may;
  }

  /** Sends a notice to this page alone. */
  tell(line: string): void {
    this.outbox.put(encodeJson('notice', { line, atMs: Date.now(), isForYou: true }));
  }
}

export class MonitorServer {
  readonly #options: ServerOptions;
  readonly #app: FastifyInstance;
  readonly #sockets: WebSocketServer;
  readonly #seat: Seat = new Seat();
  readonly #clock: SystemClock = new SystemClock();
  readonly #pages = new Peers<Page>();
  /** Connections without `hello`, longest waiting first. */
  readonly #silent = new Set<WebSocket>();
  readonly #past: Past = new Past();
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #viewers: FoxgloveServer = new FoxgloveServer(this.#past);
  readonly #metrics: PrometheusMetrics = new PrometheusMetrics();
  readonly #stops: Stops;
  readonly #log: AccessLog = new AccessLog();
  readonly #answers: Answers;
  readonly #connections: Connections;
  #run: RunPlace | undefined;
  #count = 0;
  #toldHolder = '';
  /** Page that took over last. */
  #driver = 0;

  constructor(options: ServerOptions) {
    const { place } = options;
    this.#options = options;
    this.#stops = new Stops((by) => options.onRequest({ kind: 'stop', by }));
    this.#app = fastify({
      logger: false,
      bodyLimit: LONGEST_MESSAGE_BYTES,
      forceCloseConnections: true,
      ...PATIENCE,
      ...(place.tls === undefined
        ? { http: SERVER_PATIENCE }
        : { https: { ...place.tls, ...SERVER_PATIENCE, handshakeTimeout: HELLO_MS } }),
    }) as unknown as FastifyInstance;
    this.#sockets = createSocketServer({ maxPayload: LONGEST_MESSAGE_BYTES });
    this.#answers = new Answers(place);
    this.#connections = new Connections(this.#app.server as Server);
    addRoutes(this.#app, {
      place,
      connections: this.#connections,
      answers: this.#answers,
      pages: options.pages,
      past: this.#past,
      metrics: () => this.#metrics.text(this.#pages.size),
      stop: (from) => {
        this.#log.add({ what: 'stop', from });
        this.#stops.say('an unnamed client');
      },
      run: () => this.#run,
    });
  }

  /** Listens; returns the port. Rejects if it cannot. */
  async listen(): Promise<number> {
    const { place } = this.#options;
    // For `localhost` Fastify would create a second server, without the limits set here.
    const host = place.host === 'localhost' ? '127.0.0.1' : place.host;
    await this.#app.listen({ host, port: place.port });
    (this.#app.server as Server).on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      this.#upgrade(request, socket, head);
    });
    this.#every(FLUSH_MS, () => this.#flush());
    this.#every(1000, () => this.#eachSecond());
    this.#every(PING_MS, () => this.#ping());
    return (this.#app.server.address() as AddressInfo).port;
  }

  /** Sends a packet to all pages, and keeps what later pages need. */
  publish(packet: Uint8Array): void {
    const kind = kindOf(packet);
    // `operators` packets come from this server only.
    if (kind === undefined || kind === 'operators') return;
    const isTaken = canRead(() => {
      if (kind === 'run') this.#setFolder(decodeJson(packet) as RunView);
      this.#metrics.take(packet);
      this.#past.put(packet);
    });
    if (!isTaken) return;
    for (const page of this.#pages) page.outbox.put(packet);
    canRead(() => this.#viewers.publish(packet));
  }

  /** Bytes queued for pages here, for the benchmark. */
  get waitingBytes(): number {
    return this.#answers.waitingBytes + this.#viewers.waitingBytes + this.#pages.waitingBytes;
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#stops.close();
    await this.#log.settled();
    this.#pages.close();
    this.#viewers.close();
    await this.#app.close();
    this.#pages.terminate();
  }

  #every(ms: number, work: () => void): void {
    this.#timers.push(setInterval(work, ms));
  }

  #setFolder({ folder }: RunView): void {
    if (typeof folder !== 'string') throw new TypeError('a run without a folder');
    if (folder === this.#run?.folder) return;
    this.#run = { folder, trace: new TraceReader(folder) };
    this.#log.openIn(folder);
  }

  #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const { place } = this.#options;
    const { host, origin } = request.headers;
    const [path, query] = (request.url ?? '').split('?');
    const isViewer = path === VIEWERS_PATH;
    // Foxglove takes only an address, so its token must be in the query.
    const reason = isViewer
      ? (viewerReason(host, origin, new URLSearchParams(query).get('token') ?? undefined, place) ??
        this.#viewers.refusalOf(request))
      : (foreignReason(host, origin, place) ?? (request.url === '/stream' ? undefined : 'There is no stream here.'));
    if (reason !== undefined) {
      this.#log.add({ what: 'refused', from: socket.remoteAddress, why: reason });
      refuseUpgrade(socket, reason);
      return;
    }
    this.#connections.becomesStream(socket);
    if (isViewer) this.#viewers.upgrade(request, socket, head);
    else this.#sockets.handleUpgrade(request, socket, head, (ws) => this.#greet(ws, socket.remoteAddress));
  }

  /** The first message of a page carries its name and token: addresses end in logs and histories, messages do not. */
  #greet(socket: WebSocket, from: string | undefined): void {
    const timer = setTimeout(() => dismiss(socket, 'Handshake timeout.', TRY_LATER), HELLO_MS);
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
      const { place } = this.#options;
      const hello = isBinary ? undefined : asObject(parseJson(String(data)));
      const right = hello?.['kind'] === 'hello' ? rightOf(hello['token'], place) : undefined;
      if (right === undefined) {
        this.#log.add({ what: 'refused', from, why: 'Wrong token.' });
        dismiss(socket, 'Wrong token.');
        return;
      }
      // An operator may pass on a link that only watches.
      const granted = hello?.['watchOnly'] === true ? 'watch' : right;
      if (!this.#hasPlaceFor(granted)) {
        this.#log.add({ what: 'refused', from, why: 'Too many pages are open.' });
        dismiss(socket, 'Too many pages are open.', TRY_LATER);
        return;
      }
      const name = this.#freeName(nameOf(hello?.['name']));
      const greeting = { right: granted, name, from, window: windowOf(hello?.['window']) };
      const page = this.#admit(socket, greeting);
      const isStale = hello?.['token'] !== undefined && rightByToken(hello['token'], place) === undefined;
      if (isStale && place.token !== undefined) page.tell(STALE_TOKEN);
    });
  }

  /** Appends a number to `name` if another page has the same: two tabs of one browser share their memory. */
  #freeName(name: string, own?: Page): string {
    const taken = new Set([...this.#pages].filter((page) => page !== own).map((page) => page.name));
    if (name === '' || !taken.has(name)) return name;
    for (let k = 2; ; k++) if (!taken.has(`${name} (${k})`)) return `${name} (${k})`;
  }

  #hasPlaceFor(right: Right): boolean {
    if (this.#pages.size >= MOST_PAGES) return false;
    return right === 'operate' || [...this.#pages].filter((page) => page.right === 'watch').length < MOST_WATCHING;
  }

  #admit(socket: WebSocket, greeting: Greeting): Page {
    const page = new Page(socket, ++this.#count, greeting);
    this.#pages.add(page);
    socket.on('message', (data, isBinary) => this.#onMessage(page, isBinary ? undefined : String(data)));
    socket.on('close', () => this.#forget(page));
    for (const packet of this.#past.packets) page.outbox.put(packet);
    this.#tellOperators();
    return page;
  }

  #forget(page: Page): void {
    if (!this.#pages.delete(page)) return;
    this.#seat.leave(page.id);
    this.#tellOperators();
  }

  #onMessage(page: Page, text: string | undefined): void {
    const message = text === undefined ? undefined : asObject(parseJson(text));
    const kind = message?.['kind'];
    // Accepted from every page that may watch, even as its last message.
    if (kind === 'stop') {
      this.#log.add({ what: 'stop', from: page.from, by: page.name });
      this.#stops.say(page.name);
    }
    if (!page.mayGoOn()) {
      this.#forget(page);
      return;
    }
    const nowS = this.#clock.nowS();
    this.#seat.hear(page.id, nowS, isAct(message) ? 'acts' : 'is there');
    if (kind === 'input' || kind === 'seen') page.outbox.answer(message?.['shownAtS']);
    if (!NO_BUTTONS.includes(kind) && !page.mayPress(nowS)) return;
    switch (kind) {
      case 'sit':
        page.name = this.#freeName(nameOf(message?.['name']), page) || page.name;
        this.#sit(page, nowS);
        return;
      case 'leave':
        this.#seat.leave(page.id);
        this.#tellOperators();
        return;
      case 'stop':
        // Acknowledges the stop to the page.
        page.stops++;
        this.#tellOperators([page]);
        return;
      case 'alive':
      case 'seen':
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
      page.tell('This link shows the robot only: it can stop it, and not move it.');
      return;
    }
    const { isTaken, by } = this.#seat.take(page.id, page.name, nowS);
    const { from, name } = page;
    if (!isTaken) {
      this.#log.add({ what: 'refused', from, by: name, why: `${by} operates the robot.` });
      page.tell(`${shownTo(page, by)} operates the robot: they must leave the seat, or be idle for ${IDLE_S} s.`);
    } else if (by !== name) {
      this.#log.add({ what: 'seat', from, by: name, why: `${by} had done nothing for ${IDLE_S} s` });
    }
    this.#tellOperators();
  }

  #ask(page: Page, request: PersonRequest | undefined, nowS: number): void {
    if (request === undefined) {
      page.tell('Unknown request: nothing was done.');
    } else if (this.#seat.isHeldBy(page.id, nowS)) {
      if (request.kind === 'takeOver') this.#driver = page.id;
      // Only the page that took over may move the robot until it gives back.
      if (request.kind === 'input' && this.#driver !== page.id) return;
      this.#options.onRequest(request.kind === 'takeOver' ? { ...request, by: page.name } : request);
    } else if (request.kind !== 'input') {
      const holder = this.#seat.holder(nowS)?.name;
      page.tell(holder === undefined ? 'Take the seat first.' : `${shownTo(page, holder)} operates the robot.`);
    }
  }

  /** Moves nothing: allowed to every page that may operate, without the seat. */
  async #relabel(page: Page, message: Readonly<Record<string, unknown>>): Promise<void> {
    if (page.right !== 'operate' || this.#run === undefined) {
      page.tell('This link shows the robot only: it cannot relabel.');
      return;
    }
    page.tell(await relabelFromPage(this.#run.folder, this.#run.trace, message));
  }

  #tellOperators(to: Iterable<Page> = this.#pages): void {
    const nowS = this.#clock.nowS();
    const holder = this.#seat.holder(nowS);
    this.#toldHolder = keyOf(holder);
    for (const page of to) {
      const { id, right, outbox, stops } = page;
      const view: OperatorsView = {
        you: id,
        name: page.name,
        right,
        isYours: holder?.client === id,
        holder: holder === undefined ? '' : holder.client === id ? holder.name : shownTo(page, holder.name),
        pages: this.#pages.size,
        stops,
      };
      outbox.put(encodeJson('operators', view));
    }
  }

  #flush(): void {
    this.#pages.flush();
    canRead(() => this.#viewers.flush());
    if (keyOf(this.#seat.holder(this.#clock.nowS())) !== this.#toldHolder) this.#tellOperators();
  }

  #eachSecond(): void {
    this.#pages.eachSecond();
    this.#viewers.eachSecond();
  }

  #ping(): void {
    this.#viewers.ping();
    this.#pages.ping();
  }
}

/** Third-party modules run where packets come from: an unreadable packet is not published. */
function canRead(take: () => void): boolean {
  try {
    take();
    return true;
  } catch {
    return false;
  }
}

/** True if a message is an operator's act, such as motion or a button press, and no mere sign of life. */
function isAct(message: Readonly<Record<string, unknown>> | undefined): boolean {
  const kind = message?.['kind'];
  if (kind === 'seen' || kind === 'alive') return false;
  if (kind !== 'input') return true;
  const { action, pose } = message ?? {};
  return Array.isArray(action) ? pose !== undefined || action.some((value) => value !== 0) : false;
}

/** Name as entered, truncated for a line. */
function nameOf(given: unknown): string {
  return typeof given === 'string' ? given.trim().slice(0, 40) : '';
}

/** Holder's name as shown to `page`: two tabs of a browser share one name. */
function shownTo(page: Page, holder: string): string {
  const given = withoutNumber(holder);
  return given === withoutNumber(page.name) ? `Another page of ${given}` : holder;
}

/** Name as entered on its page. */
function withoutNumber(name: string): string {
  return name.replace(/ \(\d+\)$/, '');
}

function keyOf(holder: { readonly client: number; readonly name: string } | undefined): string {
  return holder === undefined ? '' : `${holder.client} ${holder.name}`;
}

/** Most frames in transit requested by a page that acknowledges them. */
function windowOf(value: unknown): number {
  return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : Number.POSITIVE_INFINITY;
}
