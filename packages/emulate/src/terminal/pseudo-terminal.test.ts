import {
  closeSync,
  constants,
  lstatSync,
  mkdtempSync,
  openSync,
  readlinkSync,
  readSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PortLink, PseudoTerminal } from './pseudo-terminal.ts';

describe('a pseudo-terminal', () => {
  it('carries all bytes as they are, both ways, until it is closed', () => {
    const terminal = new PseudoTerminal();
    const host = openSync(terminal.path, constants.O_RDWR | constants.O_NOCTTY);
    // Includes those that a terminal turns into signals, end of file, echoes or other line ends.
    const all = Uint8Array.from({ length: 256 }, (_, i) => i);
    const into = new Uint8Array(512);
    writeSync(host, all);
    expect(readSync(terminal.masterFd, into)).toBe(256);
    expect([...into.subarray(0, 256)]).toEqual([...all]);
    terminal.write(all, 256);
    let got = 0;
    while (got < 256) got += readSync(host, into, got, 512 - got, null);
    expect([...into.subarray(0, 256)]).toEqual([...all]);
    terminal.close();
    terminal.close();
    expect(() => writeSync(host, all)).toThrow();
    closeSync(host);
  });

  it('wakes a reader that has more to read than fits', () => {
    const terminal = new PseudoTerminal();
    const host = openSync(terminal.path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
    expect(() => {
      for (;;) writeSync(host, new Uint8Array(1000));
    }).toThrow(/EAGAIN/);
    terminal.wakeReader();
    terminal.close();
    closeSync(host);
  });

  it('drops what nobody reads, and does not wait', () => {
    const terminal = new PseudoTerminal();
    const some = new Uint8Array(1000);
    for (let i = 0; i < 50; i++) terminal.write(some, 1000);
    expect(terminal.lost).toBeGreaterThan(40_000);
    terminal.close();
  });

  it('wakes who reads it', () => {
    const terminal = new PseudoTerminal();
    terminal.wakeReader();
    expect(readSync(terminal.masterFd, new Uint8Array(8))).toBe(1);
    terminal.close();
  });
});

describe('the link to a port', () => {
  const place = (): string => join(mkdtempSync(join(tmpdir(), 'rein-link-')), 'below', 'usb-A_B_C1-if00');

  it('leads to it, follows it, and is gone at the end', () => {
    const link = new PortLink(place());
    link.pointTo('/dev/pts/1');
    link.pointTo('/dev/pts/2');
    expect(readlinkSync(link.path)).toBe('/dev/pts/2');
    link.remove();
    link.remove();
    expect(lstatSync(link.path, { throwIfNoEntry: false })).toBeUndefined();
  });

  it('replaces the link of an emulator that was killed, but no file, and leaves the link of another alone', () => {
    const path = place();
    const link = new PortLink(path);
    link.pointTo('/dev/pts/1');
    const other = new PortLink(path);
    other.pointTo('/dev/pts/2');
    link.remove();
    expect(readlinkSync(path)).toBe('/dev/pts/2');
    other.remove();
    writeFileSync(path, 'mine');
    expect(() => link.pointTo('/dev/pts/1')).toThrow(/exists and is no symbolic link/);
  });
});
