/** Policy files of `insert` with a constant action, for runs that examine processes and not skill. */
import { join } from 'node:path';
import { resolveConfig } from '../../src/config/index.ts';
import { createSetup, type RunSetup } from '../../src/config/setup.ts';
import { savePolicyFile } from '../../src/policy/index.ts';
import { writeMlpGraph } from './mlp-graph.ts';

export interface SteadyPolicy {
  /** Setup with the policy's sizes; absent: that of `insert` on arm6. */
  readonly setup?: Pick<RunSetup, 'observationSize' | 'actionSize' | 'schemaHash'>;
  readonly robot?: string;
  readonly version?: number;
  readonly schemaHash?: string;
  /** Value of each parameter of its network: 1e-3 hardly moves the arm. */
  readonly valueAt?: (i: number) => number;
}

/** Writes a policy into `path`. Resolves to the path of its file. */
export async function savePolicy(path: string, policy: SteadyPolicy = {}): Promise<string> {
  const { setup = createSetup(resolveConfig({ task: 'insert', seed: 0 })), robot = 'arm6', version = 7 } = policy;
  const { observationSize, actionSize } = setup;
  const sizes = { observationSize, hiddenSizes: [8], actionSize };
  const { graph } = writeMlpGraph({ ...sizes, parameters: 'baked', valueAt: policy.valueAt ?? (() => 1e-3) });
  return savePolicyFile(path, graph, {
    runId: 'elsewhere',
    version,
    parent: null,
    trainingStep: 0,
    updates: 0,
    schemaHash: policy.schemaHash ?? setup.schemaHash,
    observationSize,
    actionSize,
    robot,
    task: 'insert',
    createdAt: '2026-01-02T03:04:05.000Z',
  });
}

/** Writes a policy of `insert` on arm6 below `folder`. Resolves to its path. */
export function saveSteadyPolicy(folder: string): Promise<string> {
  return savePolicy(join(folder, 'good'));
}
