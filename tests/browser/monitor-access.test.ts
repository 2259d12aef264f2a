/** Who gets at the monitor of `rein run`, by the command line: nobody from the network without TLS and a token, which stays where it was put. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { savePolicy } from '../../bench/policy/steady-policy.ts';
import type * as Named from '../../src/monitor/web/named-monitor.ts';
import { kindOf } from '../../src/rows/telemetry.ts';
import { noBrowserBecause, openBrowser } from '../support/browser.ts';
import { selfSigned } from '../support/certificate.ts';
import { childOf, LiveRun } from '../support/live-run.ts';
import { until } from '../support/until.ts';

const token = '89abcdef0123456789abcdef';
const viewToken = 'fedcba9876543210fedcba98';
let run: LiveRun;

beforeEach(() => {
  run = new LiveRun(mkdtempSync(join(tmpdir(), 'rein-monitor-access-')));
});
afterEach(async () => {
  await run.end();
  rmSync(run.folder, { recursive: true, force: true });
});

function written(name: string, text: string): string {
  const path = join(run.folder, name);
  writeFileSync(path, text);
  return path;
}

it('is refused in a sentence where it would be open to the network', async () => {
  const { cert, key } = selfSigned();
  const tls = ['--monitor-cert', written('cert.pem', cert), '--monitor-key', written('key.pem', key)];
  const cases = [
    [[], 'a token and TLS'],
    [['--monitor-token', written('token', token)], 'TLS'],
    [tls, 'a token'],
  ] as const;
  const refusals = cases.map(async ([given, missing]) => {
    const robot = run.start('run', '--monitor', '0.0.0.0', ...given);
    expect([await robot.exit, robot.said()]).toEqual([
      1,
      expect.stringContaining(`The monitor would be open to the network at 0.0.0.0 without ${missing}.`),
    ]);
  });
  await Promise.all(refusals);
  expect(readdirSync(run.folder).sort()).toEqual(['cert.pem', 'key.pem', 'quick.yaml', 'token']);
});

it('is served over TLS to who shows the token, which no file, no line and no process has', {
  timeout: 90_000,
}, async () => {
  const { cert, key } = selfSigned();
  const tokenFile = written('token', `${token}\n${viewToken}\n`);
  const policy = await savePolicy(join(run.folder, 'good'));
  const robot = run.start(
    ...['run', '--policy', policy, '--config', run.mockConfig(), '--out', 'robot', '--start', 'now'],
    ...['--monitor', '0.0.0.0:0', '--monitor-token', tokenFile],
    ...['--monitor-cert', written('cert.pem', cert), '--monitor-key', written('key.pem', key)],
  );
  const [, address] = await until(() => /monitor: (https:\S+)/.exec(robot.said()) ?? undefined, 'the address', 60_000);
  const statusOf = (path: string, headers = {}): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      request(new URL(path, address), { ca: cert, headers }, (answer) => resolve(answer.resume().statusCode))
        .on('error', reject)
        .end();
    });
  for (const path of ['api/runs', 'api/files/metrics', 'api/scene', 'metrics']) {
    expect([path, await statusOf(path)]).toEqual([path, 401]);
    expect([path, await statusOf(path, { authorization: `Bearer ${token.slice(1)}` })]).toEqual([path, 401]);
  }
  for (const given of [token, viewToken])
    expect(await statusOf('metrics', { authorization: `Bearer ${given}` })).toBe(200);

  const open = (path: string, protocols: string[] = []): WebSocket =>
    new WebSocket(`${address!.replace(/^http/, 'ws')}${path}`, protocols, { ca: cert });
  const said = async (hello: object): Promise<{ frames: number; code: number }> => {
    const heard = { frames: 0, code: 0 };
    const page = open('stream');
    page.on('open', () => page.send(JSON.stringify({ kind: 'hello', ...hello })));
    page.on('message', (data: Buffer) => {
      if (kindOf(new Uint8Array(data)) === 'frame') heard.frames++;
    });
    page.on('close', (code) => {
      heard.code = code;
    });
    await until(() => heard.frames > 5 || heard.code !== 0, 'frames, or the end', 30_000);
    page.terminate();
    return heard;
  };
  expect((await said({ token })).frames).toBeGreaterThan(5);
  for (const given of [{}, { token: token.slice(1) }]) expect(await said(given)).toEqual({ frames: 0, code: 1008 });

  const viewerOf = (given: string): Promise<string> =>
    new Promise((resolve) => {
      const viewer = open(`foxglove?token=${given}`, ['foxglove.sdk.v1']);
      viewer.on('unexpected-response', (_, answer) => answer.on('data', (text) => resolve(String(text))));
      viewer.on('open', () => {
        viewer.terminate();
        resolve('served');
      });
    });
  expect(await viewerOf(viewToken)).toBe('served');
  expect(await viewerOf(token)).toContain('give the one that only watches');

  if (noBrowserBecause === undefined) {
    const browser = await openBrowser();
    const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
    await page.goto(`${address}#token=${token.slice(1)}`);
    await page.waitForSelector('#state[data-state="refused"]');
    await page.click('#stop');
    await page.getByRole('alert').filter({ hasText: 'access to the monitor is denied' }).waitFor();
    await page.goto(`${address}#token=${viewToken}`);
    await page.reload();
    await page.waitForSelector('#take-over:disabled');
    await page.waitForSelector('#state[data-state="active.policy"]');
    await browser.close();
  }

  const processes = [robot.child.pid!, childOf(robot.child, 'guard-process'), childOf(robot.child, 'node-process')];
  for (const pid of processes) {
    for (const file of ['cmdline', 'environ'])
      expect(readFileSync(`/proc/${pid}/${file}`, 'utf8')).not.toMatch(new RegExp(`${token}|${viewToken}`));
  }
  // Modules of others are not told where it lies.
  expect(readFileSync(`/proc/${processes[2]}/cmdline`, 'utf8')).not.toContain('"monitor');
  robot.child.kill('SIGINT');
  expect(await robot.exit).toBe(130);
  expect(robot.said()).not.toMatch(new RegExp(`${token}|${viewToken}`));
  const files = readdirSync(run.folder, { recursive: true, encoding: 'utf8' }).map((name) => join(run.folder, name));
  const holders = files.filter(
    (file) => statSync(file).isFile() && /89abcdef0123|fedcba987654/.test(readFileSync(file, 'latin1')),
  );
  expect(files.length).toBeGreaterThan(10);
  expect(holders).toEqual([tokenFile]);
});

it('says tokens of its own at a terminal only: one that operates, and one for Foxglove that only watches', async () => {
  const { openNamedMonitor } = (await import(
    new URL('../../dist/monitor/web/named-monitor.js', import.meta.url).href
  )) as typeof Named;
  const said = async (isTTY: boolean): Promise<string> => {
    const lines: string[] = [];
    const monitor = (await openNamedMonitor(
      { monitor: '127.0.0.1:0', guests: 'watch' },
      { print: (line) => lines.push(line), stream: { isTTY }, tokenOption: '--monitor-token FILE' },
    ))!;
    monitor.asks(() => undefined);
    await monitor.close();
    return lines.join('\n');
  };
  const [, operates, watches] =
    /^monitor: \S+#token=(\w{32})\nmonitor, for Foxglove \(only watches\): ws:\S+\/foxglove\?token=(\w{32})$/.exec(
      await said(true),
    ) ?? [];
  expect(operates).toBeDefined();
  expect(watches).not.toBe(operates);
  expect(await said(false)).toMatch(/^monitor: http:\S+\/ \(to watch and to stop;.*\)$/);
});
