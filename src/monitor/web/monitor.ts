/** Monitor of a run: its address, and the run's connection to it. A failed monitor is reported; no robot waits for it or stops by it. */
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { createSecureContext } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { ReinError } from '../../model/index.ts';
import type { PersonRequest, RunWatcher } from '../../session/index.ts';
import { checkPlace, isLoopback, type MonitorPlace } from './access.ts';
import type { FromServer, ServerThreadData, ToServer } from './server-thread.ts';

/** Options of the command line for the monitor. */
export interface MonitorRequest {
  /** `off` or `none`, a port, a host, or both: `0.0.0.0:7400`. Absent: the first free port of the loopback address from 7400 on. */
  readonly monitor?: string | undefined;
  /** File names. */
  readonly monitorToken?: string | undefined;
  readonly monitorCert?: string | undefined;
  readonly monitorKey?: string | undefined;
  /**
   * `watch`: local clients may watch and stop, and moving anything requires a token; if none is given and the address
   * is loopback, one that operates and one that watches are generated for this run.
   */
  readonly guests?: 'watch';
  /** First port tried if none is given; 7400 by default. */
  readonly firstPort?: number;
}

export interface Monitor extends RunWatcher {
  /** URL for browsers. */
  readonly address: string;
  /** URL with the operator's token, to be shown only to the user who started the run: never for a log. */
  readonly secretAddress: string;
  /** The same URL as reached from other machines, for a phone; `undefined` if none may. */
  readonly phoneAddress: string | undefined;
  /** URL for Foxglove, with a token that only watches, and as secret as that; `undefined` if there is no such token. */
  readonly viewerAddress: string | undefined;
  close(): Promise<void>;
}

const FIRST_PORT = 7400;
const PORTS_TRIED = 20;
const TOKEN_BYTES = 16;
/** Heap of the thread; what it keeps for pages is bounded far below. */
const MOST_HEAP_MB = 256;

/** Place requested by `request`; `undefined` for none. Throws `ReinError('config')` if it is invalid, or strangers could get in. */
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

/** Warning about a secret that other users of this machine may read or change; `undefined` if they may not. */
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
 * Serves the monitor at the requested place. `undefined` if none is requested. Rejects with `ReinError` if it is not
 * allowed, or a given port is in use; without a port, the next free one is taken.
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
  EACCES: 'permission denied',
  ENOTFOUND: 'unknown host name',
};

type Failed = Extract<FromServer, { kind: 'failed' }>;

function serve(place: MonitorPlace, print: (line: string) => void): Promise<Monitor | Failed> {
  const data: ServerThreadData = { place, pages: fileURLToPath(new URL('../app/', import.meta.url)) };
  const worker = new Worker(new URL('./server-thread.js', import.meta.url), {
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
  });
  let ask: ((request: PersonRequest) => void) | undefined;
  /** A page requested a stop before the run listened to pages. */
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
      // Pages that do not disconnect are cut off.
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
      // Without it there is no remote view or control; the guard notices the lost operator by the lease.
      if (isServed && !isClosing) print(`The monitor has failed and is gone: ${error.message}. The run goes on.`);
    });
  });
}

const CLOSE_MS = 1000;

/** Host by which other machines reach `host`: this machine's first address if it listens on all; `undefined` if they cannot. */
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
