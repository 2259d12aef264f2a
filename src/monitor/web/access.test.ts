import { describe, expect, it } from 'vitest';
import { checkPlace, foreignReason, type MonitorPlace, rightOf, viewerReason } from './access.ts';

const local: MonitorPlace = { host: '127.0.0.1', port: 7400 };
const token = 'an-operators-token-123456';
const viewToken = 'a-viewers-token-123456789';
const tls = { cert: 'cert', key: 'key' };
const open: MonitorPlace = { host: '0.0.0.0', port: 7400, tls, token, viewToken };

describe('where a monitor may be', () => {
  it.each(['127.0.0.1', '127.0.0.7', 'localhost', '::1'])('is %s without more', (host) => {
    expect(() => checkPlace({ host, port: 0 })).not.toThrow();
  });

  it.each([
    ['nothing', {}, 'without a token and TLS'],
    ['a token', { token }, 'without TLS'],
    ['TLS', { tls }, 'without a token'],
    ['a token that may be guessed', { tls, token: '1234' }, 'shorter than 20'],
    ['a token that no address can carry', { tls, token: 'twenty letters and blanks' }, 'blanks'],
  ])('is nowhere else with %s', (_, given, reason) => {
    for (const host of ['0.0.0.0', '::', '192.168.0.7', 'robot.local', '127.example.org']) {
      expect(() => checkPlace({ host, port: 7400, ...given })).toThrow(reason);
    }
  });

  it('is anywhere with both', () => {
    expect(() => checkPlace(open)).not.toThrow();
  });
});

describe('what a token gives', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    [token.slice(0, -1), undefined],
    [`${token}x`, undefined],
    [token.toUpperCase(), undefined],
    [{}, undefined],
    [token, 'operate'],
    [viewToken, 'watch'],
  ])('is, for %s, %s', (given, right) => {
    expect(rightOf(given, open)).toBe(right);
    expect(rightOf(given, { ...open, host: '127.0.0.1' })).toBe(right);
  });

  it('is all on a machine of our own without one, and nothing elsewhere', () => {
    expect(rightOf(undefined, local)).toBe('operate');
    expect(rightOf(undefined, { ...local, host: '0.0.0.0' })).toBeUndefined();
    // A real robot's monitor lets local guests watch: the policy's process may be one.
    const real: MonitorPlace = { ...local, token: token, guests: 'watch' };
    expect(rightOf(undefined, real)).toBe('watch');
    expect(rightOf(token, real)).toBe('operate');
    // A token of an earlier run is worth no less than none, here and nowhere else.
    for (const stale of ['', token.slice(1)]) {
      expect(rightOf(stale, real)).toBe('watch');
      expect(rightOf(stale, { ...real, guests: undefined })).toBeUndefined();
      expect(rightOf(stale, { ...real, host: '0.0.0.0' })).toBeUndefined();
    }
    expect(rightOf(undefined, { ...real, host: '0.0.0.0' })).toBeUndefined();
  });
});

describe('a request from elsewhere', () => {
  it.each([
    ['a page of ours', '127.0.0.1:7400', 'http://127.0.0.1:7400', local],
    ['a page of ours by name', 'localhost:7400', 'http://localhost:7400', local],
    ['the same with the dot of the root', 'localhost.:7400', 'http://localhost.:7400', local],
    ['the same in capitals, as a person may type it', 'LOCALHOST:7400', undefined, local],
    ['a program', '127.0.0.1:7400', undefined, local],
    ['a page of ours over TLS', 'robot.local:7400', 'https://robot.local:7400', open],
  ])('is answered where it is of %s', (_, host, origin, place) => {
    expect(foreignReason(host, origin, place)).toBeUndefined();
  });

  it.each([
    ['no host', undefined, undefined, local],
    ['another site', '127.0.0.1:7400', 'https://example.org', local],
    ['another port', '127.0.0.1:7400', 'http://127.0.0.1:8080', local],
    ['a file', '127.0.0.1:7400', 'null', local],
    ['a name that was made to lead here', 'evil.example.org:7400', 'http://evil.example.org:7400', local],
    ['another site, over TLS', 'robot.local:7400', 'https://example.org', open],
    ['our name without TLS', 'robot.local:7400', 'http://robot.local:7400', open],
  ])('is refused where it is of %s', (_, host, origin, place) => {
    expect(foreignReason(host, origin, place)).toMatch(/\.$/);
  });
});

describe("a viewer's page of its own", () => {
  const lichtblick = 'https://lichtblick.example.org';
  it.each([
    ['a program', local, undefined, undefined],
    ['a page that this machine serves', local, 'http://localhost:8080', undefined],
    ['a page from its disk', local, 'file://', undefined],
    ['another site with the token', { ...local, viewToken }, lichtblick, viewToken],
    ['another site with the token, over TLS', open, lichtblick, viewToken],
  ])('is served where it is of %s', (_, place, origin, given) => {
    expect(viewerReason('127.0.0.1:7400', origin, given, place)).toBeUndefined();
  });

  it.each([
    ['another site', local, lichtblick, undefined],
    ['another site with any token, where none is wanted', local, lichtblick, 'anything'],
    ['a page that hides where it is from', local, 'null', undefined],
    ['a name that begins as ours', local, 'http://localhost.example.org', undefined],
    ['another site with a wrong token', { ...local, token }, lichtblick, 'anything'],
    ['this machine without the token', { ...local, token }, undefined, undefined],
    ['the network without the token', open, undefined, undefined],
  ])('is refused where it is of %s', (_, place, origin, given) => {
    expect(viewerReason('127.0.0.1:7400', origin, given, place)).toMatch(/\.$/);
  });

  it.each([
    ['this machine', local, undefined],
    ['another site', local, lichtblick],
    ['the network', open, undefined],
  ])('is refused where it is of %s and its address holds the token that operates', (_, place, origin) => {
    expect(viewerReason('127.0.0.1:7400', origin, token, { ...place, token, viewToken })).toMatch(/only watches.*\.$/);
  });

  it('is refused by a name that was made to lead here, whatever it carries', () => {
    expect(viewerReason('evil.example.org:7400', undefined, viewToken, { ...local, viewToken })).toMatch(/\.$/);
  });
});
