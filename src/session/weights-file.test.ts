import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { arm6Setup } from '../../tests/support/arm6.ts';
import { weightsOf } from '../../tests/support/policy-fixture.ts';
import { loadPolicyFile } from '../policy/index.ts';
import { saveWeights } from './weights-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'rein-weights-'));
afterAll(() => rmSync(folder, { recursive: true }));

it("a run's policy says how long its steps are and how far its actions go, so that another task can refuse it", async () => {
  const setup = arm6Setup();
  const { observationSize, actionSize, schemaHash, task, config } = setup;
  const path = await saveWeights(setup, weightsOf(1, 0.01, { schemaHash }, { observationSize, actionSize }), folder);
  const load = (policyHz: number, scale: number) => {
    const dimensions = task.action.dimensions.map((each) => ({ ...each, scale: scale * each.scale }));
    const taskAction = { action: { ...task.action, dimensions }, policyHz };
    return loadPolicyFile(path, { observationSize, actionSize, schemaHash, taskAction });
  };
  const { policyHz } = config.task;
  await (await load(policyHz, 1)).close();
  await expect(load(2 * policyHz, 1)).rejects.toThrow(`was made for ${policyHz} steps a second`);
  await expect(load(policyHz, 2)).rejects.toThrow(`has ${task.action.dimensions[0]!.name} of up to`);
});
