/**
 * Who may see and who may move: pure decisions of the monitor's server. On the loopback address everybody who is on the machine may see, and
 * may move what is simulated; for all else a token decides, and elsewhere nothing is served without TLS. A page of another site never gets in, whatever it carries: browsers
 * send where a request comes from, and a name that only seems to be ours is not.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { ReinError } from '../../core/index.ts';

/** `operate`: may take the seat. `watch`: sees everything, and may stop the robot. */
export type Right = 'operate' | 'watch';

/** Where the monitor listens, and with what. */
export interface MonitorPlace {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** PEM texts. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** Gives `operate`. */
  readonly token?: string | undefined;
  /** Gives `watch`. */
  readonly viewToken?: string | undefined;
  /** What somebody on this machine may do who shows no token, or a wrong one; nothing where absent and there is any token, or else everything. */
  readonly guests?: Right | undefined;
}

/** A shorter token could be guessed. */
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

/** What whoever shows `given` may do; `undefined`: nothing. Takes as long for a wrong token as for the right one. */
export function rightOf(given: unknown, place: MonitorPlace): Right | undefined {
  const shown = rightByToken(given, place);
  if (shown !== undefined || !isLoopback(place.host)) return shown;
  // A stale token is worth no less than none: whoever sees the robot can stop it.
  return place.guests ?? (place.token === undefined ? 'operate' : undefined);
}

/** What the token `given` gives by itself, wherever it is shown. */
export function rightByToken(given: unknown, { token, viewToken }: MonitorPlace): Right | undefined {
  const isOperator = token !== undefined && equals(given, token);
  const isViewer = viewToken !== undefined && equals(given, viewToken);
  return isOperator ? 'operate' : isViewer ? 'watch' : undefined;
}

/** The token in a request's `authorization`. */
export function bearerOf(header: string | undefined): string | undefined {
  return header?.startsWith('Bearer ') === true ? header.slice(7) : undefined;
}

function equals(given: unknown, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(typeof given === 'string' ? given : ''), digest(token)) && given === token;
}

/**
 * Why a request is not answered; `undefined` where it is. `host` and `origin` as the request's headers have them: a page that was loaded from
 * elsewhere, or by a name that was made to lead here (DNS rebinding), is none of ours.
 */
export function foreignReason(
  host: string | undefined,
  origin: string | undefined,
  place: MonitorPlace,
): string | undefined {
  if (host === undefined) return 'The request names no host.';
  // A name may end with the dot of the root, and has no case.
  const name = host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
  if (isLoopback(place.host) && !isLoopback(name)) return `This monitor answers to localhost, not to ${shown(name)}.`;
  if (origin === undefined) return undefined;
  const own = `${place.tls === undefined ? 'http' : 'https'}://${host}`;
  return origin === own ? undefined : `A page of ${shown(origin)} may not use this monitor.`;
}

/**
 * Why a viewer, which shows and never asks for anything, gets no stream; `undefined` where it does. Viewers have pages of their own: whoever
 * gave them a token trusts them, and without one those that this machine serves or has on its disk are let in.
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
  // On this machine's own address everybody has a right, whatever they show as a token.
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

/** Text of strangers, short and harmless. */
function shown(text: string): string {
  return text.replace(/[^\w.:/[\]-]/g, '?').slice(0, 64);
}

/** What a page of ours may load and be put into: nothing of others. `scripts`: those that stand in it, as ` 'sha256-…'`. */
export function pageHeaders(scripts: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': `default-src 'none'; script-src 'self'${scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
    // A page's own form says where it comes from, which a stop is asked for.
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'no-store',
  };
}
