/** Weights as a policy file that stands alone. */
import { buildPolicyFile } from '../learner/index.ts';
import { type PolicyWeights, savePolicyFile } from '../policy/index.ts';
import type { RunSetup } from './setup.ts';

/** Writes `policy.onnx` and its manifest into `folder`; gives the path of the former. Throws `ReinError` where it cannot. */
export function saveWeights(setup: RunSetup, { manifest, weights }: PolicyWeights, folder: string): Promise<string> {
  const { config, observationSize, parts, actionSize, schemaHash } = setup;
  const { runId, version, parent, trainingStep, updates, createdAt } = manifest;
  const names = { robot: config.robot.name, task: config.task.name };
  const metadata = { schemaHash, runId, version: String(version), ...names };
  const onnx = buildPolicyFile({ observationSize, parts, actionSize, config: config.learner }, weights, metadata);
  return savePolicyFile(folder, onnx, {
    ...{ runId, version, parent, trainingStep, updates, createdAt },
    ...{ schemaHash, observationSize, actionSize, ...names },
  });
}
