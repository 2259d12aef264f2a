/** Opens and tries a base policy's file, so that a misfit is reported before anything moves. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { allFinite, observationParts, Rng, sha256Hex } from '../../model/index.ts';
import { checkModel, explainRejection } from '../../onnx/index.ts';
import { hasNoiseAlways } from '../onnx/head.ts';
import { Inference, type TensorPort, type Tensors } from '../onnx/inference.ts';
import { actionDifference, type TaskAction } from '../onnx/stated-action.ts';
import type { BasePolicyConfig } from '../options.ts';
import { type BasePolicy, clauseOf, type Feed, fillFeeds, OnnxBase } from './base-policy.ts';
import { type FeedOptions, feedAll, unfit } from './feeds.ts';

/** Base policy settings of the task, and the task's own observation and action. */
export interface BasePolicyOptions extends BasePolicyConfig, TaskAction, FeedOptions {}

/** Number of random observations in the trial, besides zeros. */
const TRIALS = 8;
const TRIAL_SEED = 20_260_103;

/**
 * Opens and tries a base policy. Throws `ReinError` ('config') if the file is missing, has another digest, or does not fit
 * the task in its sizes, step duration or action map.
 */
export async function openBasePolicy(options: BasePolicyOptions): Promise<BasePolicy> {
  const name = basename(options.file);
  const bytes = await readBytes(options.file);
  const digest = sha256Hex(bytes);
  if (options.sha256 !== undefined && options.sha256 !== digest) {
    throw unfit(
      `${name} has the SHA-256 ${digest}, where basePolicy.sha256 is ${options.sha256}`,
      'Use the intended file, or set basePolicy.sha256 to that of this one.',
    );
  }
  const difference = actionDifference(bytes, options);
  if (difference !== undefined) throw unfit(`${name} ${difference.clause}`, difference.remedy);
  const called = `The base policy ${name}`;
  const info = checkModel(called, bytes, 'anywhere');
  const inference = await Inference.open(options.file).catch((error: unknown) => {
    const line = clauseOf(error);
    if (info.external !== undefined && /external data/i.test(line)) {
      throw unfit(
        `${name} keeps weights ("${info.external}") in another file, which does not lie beside it`,
        'Copy that file as well, or save both as one file.',
      );
    }
    throw explainRejection(called, error, info);
  });
  try {
    return await prepare(name, inference, bytes, options);
  } catch (error) {
    await inference.close();
    throw error;
  }
}

async function prepare(
  name: string,
  inference: Inference,
  bytes: Uint8Array,
  options: BasePolicyOptions,
): Promise<BasePolicy> {
  const actionSize = options.action.dimensions.length;
  const noise = hasNoiseAlways(bytes, actionSize) ? 'drawn noise' : 'no noise';
  const { feeds, inputs } = feedAll(name, inference.inputs, options, noise);
  const output = outputOf(name, inference.outputs, options.output);
  const outputs = await tryOut(name, (fetches) => inference.run(inputs, fetches), output, feeds, options);
  const { dims, data } = outputs[output]!;
  const chunk = dims.length === 2 ? 1 : dims[1]!;
  const executeSteps = options.executeSteps ?? chunk;
  if (options.chunk !== undefined && options.chunk !== chunk) {
    throw unfit(
      `${name} gives chunks of ${chunk} actions, where basePolicy.chunk is ${options.chunk}`,
      'Correct basePolicy.chunk, or leave it out.',
    );
  }
  if (executeSteps > chunk) {
    throw unfit(
      `${name} gives chunks of ${chunk} actions, where basePolicy.executeSteps is ${executeSteps}`,
      `Write an executeSteps of ${chunk} at most.`,
    );
  }
  const isBeforeTanh = output === 'mean' && inference.outputs.some((port) => port.name === 'log_std');
  const chunkActions = data as Float32Array;
  return new OnnxBase({
    name,
    inference,
    feeds,
    inputs,
    outputs,
    chunkActions,
    isBeforeTanh,
    actionSize,
    executeSteps,
  });
}

function outputOf(name: string, outputs: readonly TensorPort[], wanted: string | undefined): string {
  const chosen = chosenOutput(name, outputs, wanted);
  const { type } = outputs.find((port) => port.name === chosen)!;
  if (type === 'float32') return chosen;
  throw unfit(`${name} gives "${chosen}" as ${type}, where actions are float32`, 'Export it with a float32 output.');
}

function chosenOutput(name: string, outputs: readonly TensorPort[], wanted: string | undefined): string {
  const names = outputs.map((port) => port.name);
  const isGaussian = names.includes('mean') && names.includes('log_std');
  const found = wanted ?? ['action', ...(isGaussian ? ['mean'] : [])].find((known) => names.includes(known));
  const chosen = found ?? (names.length === 1 ? names[0] : undefined);
  if (chosen !== undefined && names.includes(chosen)) return chosen;
  const what =
    wanted === undefined
      ? 'and it is not specified which of them is the action'
      : `and not "${wanted}", which basePolicy.output names`;
  throw unfit(`${name} gives ${names.join(', ')}, ${what}`, 'Name one of them as basePolicy.output.');
}

/**
 * Runs the network on random observations; the first run allocates the output, later runs reuse it. Returns that output:
 * [1, A], or [1, H, A] for chunks of H actions.
 */
async function tryOut(
  name: string,
  run: (fetches: Tensors | readonly string[]) => Promise<Tensors>,
  output: string,
  feeds: readonly Feed[],
  { observation, action }: BasePolicyOptions,
): Promise<Tensors> {
  const actionSize = action.dimensions.length;
  const state = new Float32Array(observationParts(observation).stateSize);
  const rng = new Rng(TRIAL_SEED);
  let outputs: Tensors | undefined;
  for (let i = 0; i <= TRIALS; i++) {
    fillFeeds(feeds, state, rng);
    outputs = await run(outputs ?? [output]).catch((error: unknown) => {
      throw unfit(`${name} cannot be run: ${clauseOf(error)}`, 'Export it again with the sizes of this task.');
    });
    const { dims: shape, data } = outputs[output]!;
    const [batch, steps, size] = shape.length === 2 ? [shape[0], 1, shape[1]] : shape;
    if (shape.length > 3 || batch !== 1 || steps === undefined || steps < 1 || size !== actionSize) {
      throw unfit(
        `${name} gives actions as [${shape.join(', ')}], where this task needs [1, ${actionSize}] or a chunk [1, H, ${actionSize}]`,
        "Take a base policy with this task's actions, or export its output so.",
      );
    }
    if (!allFinite(data as Float32Array)) {
      throw unfit(
        `${name} gives an action that is not finite for ${i === 0 ? 'an observation of zeros' : 'a random observation'}, where actions are from −1 to 1`,
        'Take another checkpoint of it.',
      );
    }
    rng.fillNormal(state);
  }
  return outputs!;
}

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : code === 'EISDIR' ? 'it is a folder' : message;
    throw unfit(`${file} cannot be read: ${why}`, "Correct basePolicy.file, which is relative to the task's file.");
  }
}
