/** The code of `docs/add-a-driver.md`, "From version 1 to 2": what was is refused with a link to that page, what is keeps the contract. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createDriver } from '../../src/drivers/index.ts';
import { ur5eLike } from '../support/robot-models.ts';
import { describeDriver } from './driver.contract.ts';

const page = readFileSync(new URL('../../docs/add-a-driver.md', import.meta.url), 'utf8');
const section = page.slice(page.indexOf('### From version 1 to 2\n'));
const [before, after] = [...section.matchAll(/^```js\n(.*?)^```/gms)].map((match) => match[1]!);
const rein = new URL('../../dist/index.js', import.meta.url).href;

const folder = mkdtempSync(join(tmpdir(), 'rein-driver-versions-'));
afterAll(() => rmSync(folder, { recursive: true }));

function specOf(name: string, text: string) {
  const module = join(folder, name);
  writeFileSync(module, text.replace("'rein'", JSON.stringify(rein)));
  return { name: 'plugin', options: { signalNames: [], module } };
}

describe('a driver of version 1', () => {
  const link = expect.stringContaining('docs/add-a-driver.md#from-version-1-to-2');

  it('is refused by what its package or module says, with a link to what changed', async () => {
    const marked = before!
      .replace("import { defineDriver } from 'rein';", '')
      .replace('defineDriver({', "({ rein: { kind: 'driver', contract: 1 },");
    await expect(createDriver(specOf('marked.mjs', marked), { model: ur5eLike })).rejects.toMatchObject({
      kind: 'config',
      message: link,
    });
  });

  it('is refused by what it lacks where it was made with the newer package, with the same link', async () => {
    await expect(createDriver(specOf('before.mjs', before!), { model: ur5eLike })).rejects.toMatchObject({
      message: 'The driver my arm cannot be used: it has no function called torque.',
      remedy: link,
    });
  });
});

describeDriver('migrated', async () => ({
  driver: await createDriver(specOf('after.mjs', after!), { model: ur5eLike }),
  model: ur5eLike,
}));
