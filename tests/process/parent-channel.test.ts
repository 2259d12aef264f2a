/** The channel between a process and the one that started it: neither is brought down by the other. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'rein-channel-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const host = new URL('../../dist/host/index.js', import.meta.url).href;
const source = fileURLToPath(new URL('../../src/', import.meta.url));

/** A child that is held while its parent goes away, and then sends before it has heard of that. */
function orphan(): ChildProcess {
  const path = join(folder, 'orphan.mjs');
  writeFileSync(
    path,
    `import { existsSync } from 'node:fs';
import { sendToParent } from ${JSON.stringify(host)};
process.on('message', async () => {
  while (!existsSync(process.argv[2]));
  const wasConnected = process.connected;
  for (let i = 0; i < 3; i++) await sendToParent({ kind: 'answer' });
  setTimeout(() => process.exit(wasConnected ? 7 : 8), 50);
});
await sendToParent({ kind: 'ready' });
`,
  );
  return fork(path, [join(folder, 'gone')], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
}

it('a process outlives what it sends to a parent that has just died', async () => {
  const child = orphan();
  const exited = once(child, 'exit');
  await once(child, 'message');
  child.send('go', () => child.disconnect());
  await once(child, 'disconnect');
  writeFileSync(join(folder, 'gone'), '');
  expect(await exited).toEqual([7, null]);
});

it('nothing in the product sends to its parent by itself, which would end the sender where the parent is gone', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!\.test)\.ts$/.test(name),
  );
  const senders = files.filter((name) => /process\.send(\?\.)?\(/.test(readFileSync(join(source, name), 'utf8')));
  // The guardian loads nothing of the door.
  expect(senders.toSorted()).toEqual([
    join('guard', 'guardian', 'guardian-process.ts'),
    join('host', 'parent-channel.ts'),
  ]);
});
