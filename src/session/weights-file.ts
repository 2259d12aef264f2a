/** Saves weights as a self-contained policy file. */

import { type RunSetup, taskActionOf } from '../config/setup.ts';
import type { PolicyWeights } from '../model/index.ts';
import { bakeModel, ENCODER_PLACE, inlineModel } from '../onnx/index.ts';
import { savePolicyFile, statedAction } from '../policy/index.ts';
import { encoderFor } from './encoder-file.ts';

/** Writes `policy.onnx` and its manifest into `folder`; returns the path of the former. Throws `ReinError` if it cannot. */
export function saveWeights(setup: RunSetup, source: PolicyWeights, folder: string): Promise<string> {
  const { config, observationSize, actionSize, schemaHash } = setup;
  const { runId, version, parent, trainingStep, updates, createdAt } = source.manifest;
  const names = { robot: config.robot.name, task: config.task.name };
  const action = statedAction(taskActionOf(setup));
  // The run is named in the manifest alone: one policy is one file, byte for byte, whichever run learned it.
  const metadata = { schemaHash, version: String(version), ...names, action };
  const policy = bakeModel(source.graph, tensorsOf(source), metadata);
  const { encoder } = encoderFor(setup);
  const onnx = encoder === undefined ? policy : inlineModel(policy, ENCODER_PLACE, encoder);
  return savePolicyFile(folder, onnx, {
    runId,
    version,
    parent,
    trainingStep,
    updates,
    createdAt,
    schemaHash,
    observationSize,
    actionSize,
    ...names,
  });
}

function tensorsOf({ manifest, weights }: PolicyWeights): Parameters<typeof bakeModel>[1] {
  let offset = 0;
  return manifest.shapes.map(({ name, shape }) => {
    const from = offset;
    offset += shape.reduce((product, size) => product * size, 1);
    return { name, shape, data: weights.subarray(from, offset) };
  });
}
