import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { LiveRun, until } from '../support/live-run.ts';

/** Stands for ssh: forwards as `-L` says on this very machine, or fails as ssh does. */
const FAKE_SSH = `#!node
const net = require('node:net');
const { argv } = process;
if (argv.at(-1) === 'pi@nowhere') { console.error('ssh: Could not resolve hostname nowhere'); process.exit(255); }
if (argv.at(-2) !== '--' || argv.at(-1) !== 'pi@robot' || !argv.includes('ExitOnForwardFailure=yes')) process.exit(64);
const [host, port, toHost, toPort] = argv[argv.indexOf('-L') + 1].split(':');
net.createServer((near) => {
  const far = net.connect(Number(toPort), toHost);
  for (const socket of [near, far]) socket.on('error', () => {});
  far.on('error', () => { console.error('channel 2: open failed: connect failed: Connection refused'); near.destroy(); });
  near.pipe(far);
  far.pipe(near);
}).listen(Number(port), host);
`;

let run: LiveRun;
const { PATH } = process.env;

beforeEach(() => {
  run = new LiveRun(mkdtempSync(join(tmpdir(), 'rein-watch-')));
  mkdirSync(join(run.folder, 'bin'));
  writeFileSync(join(run.folder, 'bin', 'ssh'), FAKE_SSH.replace(/^#!.*\n/, `#!${process.execPath}\n`));
  chmodSync(join(run.folder, 'bin', 'ssh'), 0o755);
  process.env['PATH'] = `${join(run.folder, 'bin')}${delimiter}${PATH}`;
});
afterEach(async () => {
  process.env['PATH'] = PATH;
  await run.end();
  rmSync(run.folder, { recursive: true, force: true });
});

describe('rein watch', () => {
  it('leads to the monitor of a robot elsewhere, beside one that runs here, until Ctrl+C', async () => {
    const monitor = createServer((_, answer) => answer.end('the monitor'));
    await new Promise<void>((resolve) => monitor.listen(0, '127.0.0.1', resolve));
    const { port } = monitor.address() as AddressInfo;
    const watching = run.start('watch', 'pi@robot', '--port', String(port));
    await until(() => /monitor: \S+/.test(watching.said()), 'the address');
    const address = /monitor: (\S+)/.exec(watching.said())![1]!;
    expect(address).not.toContain(`:${port}/`);
    expect(await (await fetch(address)).text()).toBe('the monitor');
    watching.child.kill('SIGINT');
    expect(await watching.exit).toBe(130);
    monitor.closeAllConnections();
    monitor.close();
  });

  it('says once that nobody listens there yet, and leads there once somebody does', async () => {
    const monitor = createServer((_, answer) => answer.end('the monitor'));
    const [port, localPort] = [await freePort(), await freePort()];
    const watching = run.start('watch', 'pi@robot', '--port', String(port), '--local-port', String(localPort));
    await until(() => watching.said().includes('No monitor answers on pi@robot'), 'the warning');
    monitor.listen(port, '127.0.0.1');
    await until(() => /monitor: \S+/.test(watching.said()), 'the address');
    expect(watching.said().match(/No monitor answers/g)).toHaveLength(1);
    expect(watching.said()).not.toContain('channel 2');
    watching.child.kill('SIGINT');
    expect(await watching.exit).toBe(130);
    monitor.closeAllConnections();
    monitor.close();
  });

  it('says why there is no way', async () => {
    const watching = run.start('watch', 'pi@nowhere');
    expect(await watching.exit).not.toBe(0);
    expect(watching.said()).toContain('Could not resolve hostname nowhere');
    expect(watching.said()).toContain('The ssh tunnel to pi@nowhere has ended (ssh: exit code 255).');
  });
});
