/** One suite for both kinds of relay. */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RelayConfig, relayOf } from './relay.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-relay-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Board {
  readonly config: RelayConfig;
  /** Data received since the last call. */
  readonly told: () => string;
  readonly close: () => void;
}

function fileBoard(): Board {
  const path = join(folder, 'value');
  writeFileSync(path, '0\n');
  const config = { kind: 'file', path, closed: '1', open: '0' } as const;
  return { config, told: () => readFileSync(path, 'utf8').trim(), close: () => undefined };
}

/** A named pipe accepts bytes like a serial port. */
function serialBoard(): Board {
  const path = join(folder, 'port');
  execFileSync('mkfifo', [path]);
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const config = { kind: 'serial', path, closed: 'a00101a2', open: 'a00100a1' } as const;
  const told = (): string => {
    const bytes = Buffer.alloc(64);
    return bytes.subarray(0, readSync(fd, bytes)).toString('hex');
  };
  return { config, told, close: () => closeSync(fd) };
}

describe.each([
  ['a line whose value is a file', fileBoard],
  ['a board at a serial port', serialBoard],
])('%s', (_, board) => {
  it('is told to close and to open in its own words', () => {
    const { config, told, close } = board();
    const relay = relayOf(config);
    expect(relay.set('closed')).toBe(true);
    expect(told()).toBe(config.closed);
    expect(relay.set('open')).toBe(true);
    expect(told()).toBe(config.open);
    close();
  });

  it('that is not there did not take it, and nothing is made in its place', () => {
    const { config, close } = board();
    close();
    const relay = relayOf({ ...config, path: join(folder, 'gone') });
    expect(relay.set('closed')).toBe(false);
    expect(relay.set('open')).toBe(false);
  });
});

it('a line that keeps its value did not take it', () => {
  const { config } = fileBoard();
  expect(relayOf({ ...config, path: '/dev/null' }).set('closed')).toBe(false);
});

it('a regular file closes again after a longer word was in it', () => {
  const { config, told } = fileBoard();
  const relay = relayOf({ ...config, closed: 'on', open: 'off' });
  for (const [state, word] of [
    ['closed', 'on'],
    ['open', 'off'],
    ['closed', 'on'],
  ] as const) {
    expect(relay.set(state)).toBe(true);
    expect(told()).toBe(word);
  }
});
