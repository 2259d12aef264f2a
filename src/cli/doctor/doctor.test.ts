import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ReinError } from '../../model/index.ts';
import { type DoctorCheck, exitCodeOf, jsonOf, type NamedFinding, runChecks, tableOf } from './check.ts';
import { cores, diskFinding, portFree, writable } from './machine.ts';
import { packageChecks, tryModule } from './packages.ts';
import { inputDevices } from './run-doctor.ts';

const ok: NamedFinding = { name: 'node', status: 'ok', detail: 'version 20' };
const warn: NamedFinding = { name: 'cores', status: 'warn', detail: 'one core', remedy: 'add one' };
const fail: NamedFinding = { name: 'disk', status: 'fail', detail: 'full', remedy: 'empty it' };

describe('the report', () => {
  it('is a table with remedies and a last line', () => {
    expect(tableOf([ok, warn, fail]).split('\n')).toEqual([
      'ok    node   version 20',
      'warn  cores  one core',
      '             → add one',
      'fail  disk   full',
      '             → empty it',
      '',
      '1 failed: Rein will not run here.',
      '',
    ]);
    expect(tableOf([ok, warn])).toMatch(/\nReady, with 1 warning\.\n$/);
    expect(tableOf([ok])).toMatch(/\nReady\.\n$/);
  });

  it('is the same as JSON', () => {
    expect(JSON.parse(jsonOf([ok, fail]))).toEqual({
      ok: false,
      checks: [
        { name: 'node', status: 'ok', detail: 'version 20', remedy: null },
        { name: 'disk', status: 'fail', detail: 'full', remedy: 'empty it' },
      ],
    });
  });

  it('fails only where something essential failed', () => {
    expect(exitCodeOf([ok, warn])).toBe(0);
    expect(exitCodeOf([ok, warn, fail])).toBe(1);
  });

  it('takes a check that throws for a finding', async () => {
    const check = (whenBroken: 'warn' | 'fail', error: unknown): DoctorCheck => ({
      name: 'x',
      whenBroken,
      run: () => Promise.reject(error),
    });
    const findings = await runChecks([
      check('warn', new ReinError('environment', 'no udevadm', { remedy: 'install udev' })),
      check('fail', new Error('first line\nsecond line')),
      check('fail', 'text'),
    ]);
    expect(findings).toEqual([
      { name: 'x', status: 'warn', detail: 'no udevadm', remedy: 'install udev' },
      { name: 'x', status: 'fail', detail: 'first line', remedy: undefined },
      { name: 'x', status: 'fail', detail: 'text', remedy: undefined },
    ]);
  });
});

describe('the checks', () => {
  it('sees a port that another program uses', async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as { port: number };
    expect(await portFree(port)).toMatchObject({
      status: 'warn',
      detail: `port ${port} on 127.0.0.1 cannot be used (EADDRINUSE)`,
    });
    await new Promise((done) => server.close(done));
    expect(await portFree(port)).toMatchObject({ status: 'ok' });
  });

  it('sees a folder that cannot be written, also where it does not exist yet', () => {
    expect(writable(join(tmpdir(), 'none', 'deeper'))).toMatchObject({ status: 'ok' });
    expect(writable('/proc/none')).toMatchObject({ status: 'fail' });
  });

  it('judges disk and cores', () => {
    expect(diskFinding(5000)).toEqual({ status: 'ok', detail: '4.9 GiB free' });
    expect(diskFinding(500).status).toBe('warn');
    expect(diskFinding(5)).toMatchObject({ status: 'fail', detail: '5 MiB free; a run may need 1024 MiB' });
    expect(cores(1).status).toBe('warn');
    expect(cores(2).status).toBe('ok');
  });

  it('survives a package that is missing, throws, crashes or hangs', async () => {
    expect(await tryModule("console.log('first'); console.log('version 1')")).toEqual({
      status: 'ok',
      detail: 'version 1',
    });
    expect(await tryModule("await import('no-such-package')")).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining("Cannot find package 'no-such-package'"),
    });
    expect(await tryModule("throw new TypeError('broken')")).toMatchObject({
      detail: 'it does not load: TypeError: broken',
    });
    expect(await tryModule('process.exit(7)')).toMatchObject({ detail: 'it does not load: it ended with code 7' });
    expect(await tryModule('process.abort()')).toMatchObject({ detail: 'it does not load: it was ended by SIGABRT' });
    expect(await tryModule('setInterval(() => {}, 1000)', 500)).toMatchObject({
      detail: 'it does not load: it was ended by SIGKILL',
    });
  });

  it.each(packageChecks.map((check) => [check.name, check] as const))(
    'finds %s, which npm ci installed',
    async (_name, check) => {
      expect(await check.run()).toMatchObject({ status: 'ok', detail: expect.stringMatching(/\S/) });
    },
  );
});

describe('the input devices', () => {
  const pad = { kind: 'gamepad', path: '/dev/input/js0', name: 'Pad', pad: 'xbox', isReadable: true } as const;

  it('are listed by the name to write down, or none is missed', () => {
    expect(inputDevices([])).toMatchObject({ status: 'ok' });
    expect(inputDevices([pad])).toEqual({ status: 'ok', detail: 'Pad (gamepad, pad xbox) at /dev/input/js0' });
  });

  it('that may not be read come with the rule that allows it', () => {
    const found = inputDevices([{ ...pad, isReadable: false }]);
    expect(found).toMatchObject({
      status: 'warn',
      remedy: expect.stringMatching(/^sudo chown \$USER \/dev\/input\/js0 /),
    });
    expect(found.detail).toContain('not readable');
    const keyboard = { kind: 'keyboard', path: '/dev/input/event3', name: 'Keys', isReadable: false } as const;
    expect(inputDevices([keyboard]).status).toBe('ok');
  });

  it('are given to people at the machine one by one: a rule for all input would let any program read passwords', () => {
    const usb = { vendor: '046d', product: 'c216' };
    const mouse = { kind: 'spacemouse', path: '/dev/hidraw3', name: 'Mouse', isReadable: false } as const;
    const { remedy } = inputDevices([
      { ...pad, isReadable: false, usb },
      { ...mouse, usb: { vendor: '256f', product: 'c635' } },
    ]);
    expect(remedy).toContain('SUBSYSTEM=="input", ATTRS{id/vendor}=="046d", ATTRS{id/product}=="c216", TAG+="uaccess"');
    expect(remedy).toContain('KERNEL=="hidraw*", ATTRS{idVendor}=="256f", ATTRS{idProduct}=="c635", TAG+="uaccess"');
    expect(remedy).toContain('sudo chown $USER /dev/input/js0 /dev/hidraw3');
    expect(remedy).not.toMatch(/usermod|"input", TAG/);
  });
});
