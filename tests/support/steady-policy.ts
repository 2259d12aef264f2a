/** A policy file that hardly moves the arm, for runs whose processes are looked at and not their skill. */
import { join } from 'node:path';
import { writeMlpGraph } from '../../bench/policy/mlp-graph.ts';
import { createSetup, resolveConfig } from '../../src/config/index.ts';
import { savePolicyFile } from '../../src/policy/index.ts';

/** Writes a policy of `insert` on arm6 below `folder`. Returns its path. */
export async function saveSteadyPolicy(folder: string): Promise<string> {
  const { observationSize, actionSize, schemaHash } = createSetup(resolveConfig({ task: 'insert', seed: 0 }));
  const sizes = { observationSize, hiddenSizes: [8], actionSize };
  const { graph } = writeMlpGraph({ ...sizes, parameters: 'baked', valueAt: () => 1e-3 });
  return savePolicyFile(join(folder, 'good'), graph, {
    runId: 'elsewhere',
    version: 7,
    parent: null,
    trainingStep: 0,
    updates: 0,
    schemaHash,
    observationSize,
    actionSize,
    robot: 'arm6',
    task: 'insert',
    createdAt: '2026-01-02T03:04:05.000Z',
  });
}
