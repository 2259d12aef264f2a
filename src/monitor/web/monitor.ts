/** The monitor of a run: where it is served, and how a run reaches it. A monitor that fails is told of; no robot waits for it or stops by it. */
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { createSecureContext } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { ReinError } from '../../core/index.ts';
import type { PersonRequest, RunWatcher } from '../../session/index.ts';
import { checkPlace, isLoopback, type MonitorPlace } from './access.ts';
import type { FromServer, ServerThreadData, ToServer } from './server-thread.ts';

/** What the command line says of the monitor. */
export interface MonitorRequest {
  /** `off` or `none`, a port, a host, or both: `0.0.0.0:7400`. Absent: the first free port of the loopback address from 7400 on. */
  readonly monitor?: string | undefined;
  /** Files. */
  readonly monitorToken?: string | undefined;
  readonly monitorCert?: string | undefined;
  readonly monitorKey?: string | undefined;
  /**
   * `watch`: whoever is on this machine may watch and stop, and nobody moves anything without a token; where none is named and the address
   * is loopback, one that operates and one that watches are made for this run.
   */
  readonly guests?: 'watch';
  /** From which on a free port is looked for where none is named; 7400 by default. */
  readonly firstPort?: number;
}

export interface Monitor extends RunWatcher {
  /** Where a browser finds it. */
  readonly address: string;
  /** The same with the operator's token, for the eyes of whoever started it: never for a log. */
  readonly secretAddress: string;
  /** The same for a phone, by which other machines find this one; `undefined` where none may. */
  readonly phoneAddress: string | undefined;
  /** Where Foxglove finds the run, with a token that only watches; `undefined` where there is none. As secret as that. */
  readonly viewerAddress: string | undefined;
  close(): Promise<void>;
}

const FIRST_PORT = 7400;
const PORTS_TRIED = 20;
const TOKEN_BYTES = 16;
/** Of the thread; what pages are told is bounded far below. */
const MOST_HEAP_MB = 256;

/** The place that `request` means; `undefined` for none. Throws `ReinError('config')` where it means none, or strangers could get in. */
export function monitorPlace(request: MonitorRequest): MonitorPlace | undefined {
  const { monitor: word, monitorToken, monitorCert, monitorKey } = request;
  if (word === 'off' || word === 'none') return undefined;
  const [host, port] = word === undefined ? [LOOPBACK_HOST, undefined] : hostAndPort(word);
  if ((monitorCert === undefined) !== (monitorKey === undefined)) {
    throw new ReinError('config', 'TLS needs both --monitor-cert and --monitor-key.');
  }
  const tls = monitorCert === undefined || monitorKey === undefined ? undefined : tlsOf(monitorCert, monitorKey);
  const [given, givenToView] = monitorToken === undefined ? [] : textOf(monitorToken, 'token').trim().split(/\s+/);
  const guests = isLoopback(host) ? request.guests : undefined;
  const isMade = given === undefined && guests !== undefined;
  const [token, viewToken] = isMade ? [madeToken(), madeToken()] : [given, givenToView];
  const place = { host, port: port ?? FIRST_PORT, tls, token, viewToken, guests };
  checkPlace(place);
  return place;
}

function madeToken(): string {
  return randomBytes(TOKEN_BYTES).toString('hex');
}

const LOOPBACK_HOST = '127.0.0.1';

function hostAndPort(word: string): [string, number | undefined] {
  const [, host, port] =
    /^(?:(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]*[A-Za-z.][A-Za-z0-9.-]*|\d+\.\d+\.\d+\.\d+)(?::|$))?(\d{1,5})?$/.exec(word) ??
    [];
  if ((host === undefined && port === undefined) || Number(port ?? 0) > 65_535) {
    throw new ReinError('config', `--monitor ${word} is no address.`, {
      remedy: 'Give a port, an address or both: --monitor 7400, --monitor 0.0.0.0:7400; or --monitor off.',
    });
  }
  return [host?.replace(/^\[|\]$/g, '') ?? LOOPBACK_HOST, port === undefined ? undefined : Number(port)];
}

function tlsOf(certFile: string, keyFile: string): { readonly cert: string; readonly key: string } {
  const tls = { cert: textOf(certFile, 'certificate'), key: textOf(keyFile, 'key') };
  try {
    createSecureContext(tls);
  } catch (error) {
    throw new ReinError('config', `${certFile} and ${keyFile} are no certificate with its key, as PEM.`, {
      remedy: 'Give --monitor-cert and --monitor-key as openssl req -x509 -nodes writes them.',
      cause: error,
    });
  }
  return tls;
}

/** What is to be said of a secret that others on this machine may read or change; `undefined` where they may not. */
export function openToOthers(file: string): string | undefined {
  const { mode } = statSync(file);
  if ((mode & 0o077) === 0) return undefined;
  const shown = (mode & 0o777).toString(8).padStart(3, '0');
  return `Other users of this machine may read or change ${file} (mode ${shown}), and move the robot with it. → chmod 600 ${file}`;
}

function textOf(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ReinError('config', `The monitor's ${what} cannot be read: ${(error as Error).message}.`);
  }
}

/**
 * Serves the monitor at the place that `request` means. `undefined` where it means none. Rejects with `ReinError` where it may not be there, or a
 * port that was asked for is in use; without one, the next that is free is taken.
 */
export async function openMonitor(
  request: MonitorRequest,
  print: (line: string) => void,
): Promise<Monitor | undefined> {
  const place = monitorPlace(request);
  if (place === undefined) return undefined;
  for (const file of [request.monitorToken, request.monitorKey]) {
    const warning = file && openToOthers(file);
    if (warning) print(warning);
  }
  const isAsked = /\d$/.test(request.monitor ?? '') && request.monitor !== place.host;
  for (let tried = 1; ; tried++) {
    const port = isAsked ? place.port : tried < PORTS_TRIED ? (request.firstPort ?? FIRST_PORT) + tried - 1 : 0;
    const served = await serve({ ...place, port }, print);
    if (!('code' in served)) return served;
    if (served.code === 'EADDRINUSE' && !isAsked && port !== 0) continue;
    const why = REASONS[served.code] ?? served.message;
    throw new ReinError('environment', `The monitor cannot be served at ${place.host}, port ${port}: ${why}.`, {
      remedy: 'Give another address: --monitor HOST:PORT, or --monitor off.',
    });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'this user may not listen there',
  ENOTFOUND: 'nobody knows that name',
};

type Failed = Extract<FromServer, { kind: 'failed' }>;

function serve(place: MonitorPlace, print: (line: string) => void): Promise<Monitor | Failed> {
  const data: ServerThreadData = { place, pages: fileURLToPath(new URL('../app/', import.meta.url)) };
  const worker = new Worker(new URL('./server-thread.js', import.meta.url), {
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
  });
  let ask: ((request: PersonRequest) => void) | undefined;
  /** Said on a page that was there before the run heard of pages. */
  let isStopDue = false;
  let isServed = false;
  let isClosing = false;
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const tell = (message: ToServer, transfer: readonly ArrayBuffer[] = []): void =>
    worker.postMessage(message, transfer);
  const secret = place.token === undefined ? '' : `#token=${place.token}`;
  const outside = outsideHost(place.host);
  const monitorAt = (port: number): Monitor => ({
    address: addressOf(place, port),
    secretAddress: `${addressOf(place, port)}${secret}`,
    phoneAddress: outside && `${addressOf({ ...place, host: outside }, port)}${secret}`,
    viewerAddress: place.viewToken && viewerAddressOf(addressOf(place, port), place.viewToken),
    packet: (packet) => tell({ kind: 'packet', packet }, [packet.buffer as ArrayBuffer]),
    asks: (to) => {
      ask = to;
      if (isStopDue) to({ kind: 'stop' });
      isStopDue = false;
    },
    close: async () => {
      isClosing = true;
      worker.ref();
      tell({ kind: 'close' });
      // Pages that do not let go are cut off.
      const timer = setTimeout(() => void worker.terminate(), CLOSE_MS);
      await ended;
      clearTimeout(timer);
    },
  });
  return new Promise((resolve, reject) => {
    worker.on('message', (message: FromServer) => {
      if (message.kind === 'listening') {
        // A run that is over does not wait for its pages.
        worker.unref();
        isServed = true;
        resolve(monitorAt(message.port));
      } else if (message.kind === 'failed') resolve(message);
      else if (ask !== undefined) ask(message.request);
      else isStopDue ||= message.request.kind === 'stop';
    });
    worker.on('error', (error: Error) => {
      reject(new ReinError('environment', `The monitor cannot be served: ${error.message}.`, { cause: error }));
      // Without it nobody sees or steers from afar; the robot's operator is lost, which its own lease notices.
      if (isServed && !isClosing) print(`The monitor has failed and is gone: ${error.message}. The run goes on.`);
    });
  });
}

const CLOSE_MS = 1000;

/** Where other machines find `host`; this machine's first address where it listens everywhere, `undefined` where they cannot. */
function outsideHost(host: string): string | undefined {
  if (isLoopback(host)) return undefined;
  if (!isEverywhere(host)) return host;
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address;
}

function isEverywhere(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function addressOf({ host, tls }: MonitorPlace, port: number): string {
  const name = isEverywhere(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${tls === undefined ? 'http' : 'https'}://${name}:${port}/`;
}

function viewerAddressOf(address: string, viewToken: string): string {
  return `${address.replace(/^http/, 'ws')}foxglove?token=${viewToken}`;
}
