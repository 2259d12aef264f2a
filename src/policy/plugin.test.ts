import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { arm6Setup } from '../../tests/support/arm6.ts';
import { openPluginPolicy } from './plugin.ts';

const folder = mkdtempSync(join(tmpdir(), 'rein-policy-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  ['in order', 'close() { globalThis.closedPolicies = (globalThis.closedPolicies ?? 0) + 1; }', 1],
  ['not even that', "close() { throw new Error('stuck'); }", undefined],
])('a policy that is opened and then refused is closed first: %s', async (_, close, closed) => {
  const module = join(folder, `${closed}.mjs`);
  const policy = `{ observationSize: 1, actionSize: 1, version: 1, decide() {}, ${close} }`;
  writeFileSync(
    module,
    `export default { name: 'x', rein: { kind: 'policy', contract: 1 }, open: async () => (${policy}) };`,
  );
  const global = globalThis as { closedPolicies?: number | undefined };
  global.closedPolicies = undefined;
  const { task, config } = arm6Setup();
  const context = { observation: task.observation, action: task.action, policyHz: config.task.policyHz };
  await expect(openPluginPolicy({ module }, context)).rejects.toThrow('its observationSize is 1');
  expect(global.closedPolicies).toBe(closed);
});
