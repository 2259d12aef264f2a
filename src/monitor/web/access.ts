/**
 * Access rights of the monitor's clients: pure decisions. On the loopback address every local user may watch, and may
 * move what is simulated; otherwise a token decides, and nothing is served beyond loopback without TLS. Pages of other
 * sites are never admitted, whatever they carry: browsers send a request's origin, and a host name that merely resolves
 * here is rejected.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { ReinError } from '../../model/index.ts';

/** `operate`: may take the seat. `watch`: sees everything, and may stop the robot. */
export type Right = 'operate' | 'watch';

/** Address, TLS and tokens of the monitor. */
export interface MonitorPlace {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** PEM texts. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Grants `operate`. */
  readonly token?: string | undefined;
  /** Grants `watch`. */
  readonly viewToken?: string | undefined;
  /** Right of a local client without a valid token. If absent: none if there is an operating token, otherwise `operate`. */
  readonly guests?: Right | undefined;
}

/** Shorter tokens could be guessed. */
export const LEAST_TOKEN_LETTERS = 20;

const LOOPBACK = /^(127(\.\d{1,3}){3}|localhost|::1|\[::1\])$/;

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** Throws `ReinError('config')` for a place where strangers could move the robot. */
export function checkPlace({ host, tls, token, viewToken }: MonitorPlace): void {
  for (const given of [token, viewToken]) {
    if (given === '') refuse('is empty');
    if (given !== undefined && !/^[\x21-\x7e]+$/.test(given))
      refuse('holds blanks or letters that no address can carry');
    if (given !== undefined && given.length < LEAST_TOKEN_LETTERS)
      refuse(`is shorter than ${LEAST_TOKEN_LETTERS} letters`);
  }
  if (isLoopback(host) || (tls !== undefined && token !== undefined)) return;
  const missing = [...(token === undefined ? ['a token'] : []), ...(tls === undefined ? ['TLS'] : [])].join(' and ');
  throw new ReinError('config', `The monitor would be open to the network at ${host} without ${missing}.`, {
    remedy:
      'Give --monitor-token FILE, --monitor-cert FILE and --monitor-key FILE; or leave it at the loopback address, and watch by: rein watch USER@ROBOT.',
  });
}

function refuse(what: string): never {
  throw new ReinError('config', `The monitor's token ${what}.`, {
    remedy: 'Make one: (umask 077; openssl rand -hex 24 > token)',
  });
}

/** Right of a client that presents `given`; `undefined`: none. Takes as long for a wrong token as for the right one. */
export function rightOf(given: unknown, place: MonitorPlace): Right | undefined {
  const shown = rightByToken(given, place);
  if (shown !== undefined || !isLoopback(place.host)) return shown;
  // A stale token is worth no less than none: a client that sees the robot can stop it.
  return place.guests ?? (place.token === undefined ? 'operate' : undefined);
}

/** Right granted by the token `given` itself, independent of the address. */
export function rightByToken(given: unknown, { token, viewToken }: MonitorPlace): Right | undefined {
  const isOperator = token !== undefined && equals(given, token);
  const isViewer = viewToken !== undefined && equals(given, viewToken);
  return isOperator ? 'operate' : isViewer ? 'watch' : undefined;
}

/** Token in a request's `authorization` header. */
export function bearerOf(header: string | undefined): string | undefined {
  return header?.startsWith('Bearer ') === true ? header.slice(7) : undefined;
}

function equals(given: unknown, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(typeof given === 'string' ? given : ''), digest(token)) && given === token;
}

/**
 * Reason to refuse a request; `undefined` if it is admitted. `host` and `origin` as in the request's headers: a page
 * loaded from elsewhere, or under a name that was made to resolve here (DNS rebinding), is foreign.
 */
export function foreignReason(
  host: string | undefined,
  origin: string | undefined,
  place: MonitorPlace,
): string | undefined {
  if (host === undefined) return 'The request names no host.';
  // A host name may end with the root's dot, and is case-insensitive.
  const name = host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
  if (isLoopback(place.host) && !isLoopback(name)) return `This monitor answers to localhost, not to ${shown(name)}.`;
  if (origin === undefined) return undefined;
  const own = `${place.tls === undefined ? 'http' : 'https'}://${host}`;
  return origin === own ? undefined : `A page of ${shown(origin)} may not use this monitor.`;
}

/**
 * Reason to refuse the stream to a viewer, which only shows; `undefined` if it is admitted. Viewers have their own
 * pages: with a token they are trusted, and without one only pages served by this machine or opened from its disk are
 * admitted.
 */
export function viewerReason(
  host: string | undefined,
  origin: string | undefined,
  token: string | undefined,
  place: MonitorPlace,
): string | undefined {
  if (rightOf(token, place) === undefined) return 'Wrong token.';
  const given = rightByToken(token, place);
  if (given === 'operate') return OPERATES_IN_ADDRESS;
  // On the loopback address every client has a right, whatever token it shows.
  const isTrusted = given !== undefined || origin === undefined || isLocalOrigin(origin);
  return foreignReason(host, isTrusted ? undefined : origin, place);
}

const OPERATES_IN_ADDRESS =
  'This token operates the robot, and logs keep addresses: give the one that only watches, which the terminal shows, or the second of --monitor-token.';

function isLocalOrigin(origin: string): boolean {
  if (origin === 'file://') return true;
  const [, name] = /^https?:\/\/(\[[^\]]*\]|[^:/]+)(?::\d+)?$/.exec(origin) ?? [];
  return name !== undefined && isLoopback(name);
}

/** External text, truncated and sanitised. */
function shown(text: string): string {
  return text.replace(/[^\w.:/[\]-]/g, '?').slice(0, 64);
}

/** Headers that restrict a page to its own resources and forbid embedding. `scripts`: hashes of its inline scripts, as ` 'sha256-…'`. */
export function pageHeaders(scripts: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': `default-src 'none'; script-src 'self'${scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
    // A form of the page must send its origin, which a stop requires.
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  };
}
