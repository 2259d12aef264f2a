import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { StreamWatcher } from '../../../tests/support/browser.ts';
import { until } from '../../../tests/support/until.ts';
import { encodeJson } from '../../rows/index.ts';
import { ACCESS_LOG, AccessLog } from './access-log.ts';
import { MonitorServer } from './server.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-access-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const linesIn = (): Record<string, unknown>[] =>
  readFileSync(join(folder, ACCESS_LOG), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

it('has who stopped and who was refused, with address and time, from before the run was there', async () => {
  const server = new MonitorServer({
    place: { host: '127.0.0.1', port: 0, token: 'a'.repeat(24) },
    pages: folder,
    onRequest: () => undefined,
  });
  const address = `http://127.0.0.1:${await server.listen()}/`;
  const stranger = new StreamWatcher(address, { token: 'wrong' });
  const ann = new StreamWatcher(address, { token: 'a'.repeat(24), name: 'Ann' });
  await until(() => ann.all('operators').length > 0, 'a page that is let in');
  server.publish(encodeJson('run', { runId: 'r', folder, task: {} }));
  ann.ask({ kind: 'stop' });
  await fetch(new URL('/api/stop', address), {
    method: 'POST',
    headers: { authorization: `Bearer ${'a'.repeat(24)}` },
  });
  await until(() => ann.all('operators').at(-1)?.['stops'] === 1, 'the answer');
  for (const page of [stranger, ann]) page.close();
  await server.close();
  const lines = linesIn();
  expect(lines).toContainEqual(expect.objectContaining({ what: 'refused', from: '127.0.0.1', why: 'Wrong token.' }));
  expect(lines).toContainEqual(expect.objectContaining({ what: 'stop', from: '127.0.0.1', by: 'Ann' }));
  for (const { at } of lines) expect(Math.abs(Date.parse(String(at)) - Date.now())).toBeLessThan(60_000);
});

it('keeps a line of a stop beside a flood of refusals, is bounded, and never throws where there is no disk', async () => {
  let nowMs = 0;
  const log = new AccessLog(() => new Date(nowMs));
  log.openIn(folder);
  for (let i = 0; i < 5000; i++) log.add({ what: 'refused', from: '10.0.0.1', why: 'x'.repeat(200) });
  log.add({ what: 'stop', from: '10.0.0.2', by: 'Ann' });
  await log.settled();
  expect(linesIn().at(-1)).toMatchObject({ what: 'stop', by: 'Ann', leftOut: 4950 });
  for (let i = 0; i < 20_000; i++) {
    nowMs += 1000;
    if (i % 10 === 0) log.add({ what: 'refused', from: '10.0.0.1', why: 'x'.repeat(2000) });
  }
  await log.settled();
  expect(statSync(join(folder, ACCESS_LOG)).size).toBeLessThanOrEqual(1e6);
  log.openIn(join(folder, 'none'));
  log.add({ what: 'stop', from: undefined });
  await log.settled();
});

it('keeps the newest 200 lines until the run says where it is, and counts the others', async () => {
  let nowMs = 0;
  const log = new AccessLog(() => new Date(nowMs));
  for (let i = 0; i < 1000; i++) {
    nowMs += 1000;
    log.add({ what: 'refused', from: `n${i}` });
  }
  log.openIn(folder);
  await log.settled();
  const lines = linesIn();
  expect(lines).toHaveLength(200);
  expect(lines[0]).toMatchObject({ from: 'n800', leftOut: 800 });
  expect(lines.at(-1)).toMatchObject({ from: 'n999' });
});
