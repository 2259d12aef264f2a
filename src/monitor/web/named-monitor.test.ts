import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { monitorPlace, openToOthers } from './monitor.ts';
import { qrCode } from './named-monitor.ts';

const ADDRESS = `https://192.168.10.112:7400/#token=${'0123456789abcdef'.repeat(3)}`;

/** True for each dark module, from half blocks in which a drawn half is light. */
function modulesOf(code: string): boolean[][] {
  return code.split('\n').flatMap((line) => {
    const cells = [...stripVTControlCharacters(line)];
    return [cells.map((cell) => cell === '▄' || cell === ' '), cells.map((cell) => cell === '▀' || cell === ' ')];
  });
}

describe('a monitor that is asked for', () => {
  it('is refused in one sentence where its certificate is none', () => {
    const none = fileURLToPath(import.meta.url);
    const tls = { monitorCert: none, monitorKey: none };
    expect(() => monitorPlace({ monitor: '7400', ...tls })).toThrow('are no certificate with its key');
    expect(() => monitorPlace({ monitor: '7400', monitorCert: none })).toThrow('needs both');
  });

  it.each(['nonsense:99999', '99999', 'http://robot', ':', 'a b'])('is nowhere at %s', (monitor) => {
    expect(() => monitorPlace({ monitor })).toThrow('is no address');
  });
});

describe('the secrets of a monitor', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rein-monitor-secrets-'));
  const file = join(folder, 'token');
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([
    [0o600, undefined],
    [0o400, undefined],
    [0o644, 'mode 644'],
    [0o660, 'mode 660'],
    [0o602, 'mode 602'],
  ])('of mode %o: %s', (mode, said) => {
    writeFileSync(file, 'a'.repeat(24));
    chmodSync(file, mode);
    if (said === undefined) expect(openToOthers(file)).toBeUndefined();
    else expect(openToOthers(file)).toContain(said);
    // The suggested remedy works.
    const [, cure] = /→ chmod (\d+) /.exec(openToOthers(file) ?? '') ?? [];
    if (cure !== undefined) chmodSync(file, Number.parseInt(cure, 8));
    expect(openToOthers(file)).toBeUndefined();
  });

  it('are refused by what is amiss with them', () => {
    writeFileSync(file, '\n');
    expect(() => monitorPlace({ monitorToken: file })).toThrow('is empty');
  });

  it.each(['off', 'none'])('are not asked for by --monitor %s, which is no host', (monitor) => {
    expect(monitorPlace({ monitor })).toBeUndefined();
  });
});

describe('who may do what', () => {
  it('is for guests of this machine to watch, whether a token was made or is given', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rein-named-monitor-'));
    const [token, viewToken] = ['a'.repeat(24), 'b'.repeat(24)];
    const given = join(folder, 'token');
    writeFileSync(given, `${token}\n${viewToken}\n`);
    const made = monitorPlace({ guests: 'watch' });
    expect(made).toMatchObject({ guests: 'watch', token: expect.any(String), viewToken: expect.any(String) });
    expect(made?.token).not.toBe(made?.viewToken);
    expect(monitorPlace({ guests: 'watch', monitorToken: given })).toMatchObject({ guests: 'watch', token, viewToken });
    expect(monitorPlace({ monitorToken: given })?.guests).toBeUndefined();
    rmSync(folder, { recursive: true });
  });
});

describe('a QR code in the terminal', () => {
  it('fits a usual terminal with a light margin, in colours of its own', async () => {
    const code = await qrCode(ADDRESS, 80);
    const lines = code.split('\n');
    expect(lines.length).toBeLessThanOrEqual(23);
    for (const line of lines) {
      expect(line.startsWith('\x1b[97;40m')).toBe(true);
      expect(stripVTControlCharacters(line)).toMatch(/^[█▀▄ ]{20,79}$/);
    }
    const modules = modulesOf(code);
    for (const row of [modules[0], modules[1]]) expect(row).not.toContain(true);
    // A finder pattern in the corner: seven dark modules, then a light one (ISO/IEC 18004, 6.3.3).
    expect(modules[2]!.slice(0, 11)).toEqual([...[0, 0], ...[1, 1, 1, 1, 1, 1, 1], 0, modules[2]![10]].map(Boolean));
  });

  it('says so where the terminal is too narrow, and not what it would have shown', async () => {
    expect(await qrCode(ADDRESS, 30)).toMatch(/^A QR code of that address needs \d+ columns\.$/);
  });
});
