/** The policy that a run leaves behind, as a file that stands alone. */
import { buildPolicy } from '../../learner/index.ts';
import { savePolicyFile } from '../../policy/index.ts';
import type { Judged } from './model-selection.ts';
import type { Rig } from './rig.ts';

/** Writes `policy.onnx` and its manifest into the run's folder; gives the path of the former. */
export function keepPolicy({ setup, folder }: Rig, kept: Judged): Promise<string> {
  const { manifest, weights } = kept.bundle;
  const { config, observationSize, actionSize, schemaHash } = setup;
  const { runId, version, parent, trainingStep, updates, createdAt } = manifest;
  const metadata = { schemaHash, runId, version: String(version), robot: config.robot.name, task: config.task.name };
  const onnx = buildPolicy({ ...config.learner, observationSize, actionSize }, weights, metadata);
  return savePolicyFile(folder.path, onnx, {
    runId,
    version,
    parent,
    trainingStep,
    updates,
    schemaHash,
    observationSize,
    actionSize,
    robot: config.robot.name,
    task: config.task.name,
    createdAt,
  });
}
