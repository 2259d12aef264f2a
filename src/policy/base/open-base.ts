/** Opens a base policy's file and tries it, so that what does not fit is said before anything moves. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { allFinite, type ObservationSpec, observationParts, ReinError, Rng } from '../../core/index.ts';
import { actionDifference, hasNoiseAlways, PlainSession, type TaskAction, type TensorPort } from '../onnx/index.ts';
import { sha256Hex } from '../weights.ts';
import { type BasePolicy, type Feed, fillFeeds, OnnxBase } from './base-policy.ts';
import { inputPlaces } from './input-map.ts';

/** What an input of a base policy's graph gets. */
export interface BasePolicyInput {
  readonly name: string;
  /** Fields of the observation, in this order. Absent: all of it. */
  readonly fields?: readonly string[] | undefined;
  /** It gets draws from N(0, 1) instead. */
  readonly noise: boolean;
}

export interface BasePolicyOptions extends TaskAction {
  /** Path of the ONNX file. */
  readonly file: string;
  readonly sha256?: string | undefined;
  readonly inputs?: readonly BasePolicyInput[] | undefined;
  readonly output?: string | undefined;
  /** H, where somebody says it. */
  readonly chunk?: number | undefined;
  readonly executeSteps?: number | undefined;
  /** The task's, whose `once` ends with the base's action. */
  readonly observation: ObservationSpec;
}

/** Random observations that it is tried on, besides zeros. */
const TRIALS = 8;
const TRIAL_SEED = 20_260_103;

/**
 * Opens and tries it. Throws `ReinError` ('config') where the file is missing, is another one, or does not fit the task: in
 * its sizes, or in the step and the action map that it says it was made for.
 */
export async function openBasePolicy(options: BasePolicyOptions): Promise<BasePolicy> {
  const name = basename(options.file);
  const bytes = await readBytes(options.file);
  const digest = sha256Hex(bytes);
  if (options.sha256 !== undefined && options.sha256 !== digest) {
    throw unfit(
      `${name} has the SHA-256 ${digest}, where basePolicy.sha256 is ${options.sha256}`,
      'Take the file that is meant, or write its SHA-256.',
    );
  }
  const difference = actionDifference(bytes, options);
  if (difference !== undefined) throw unfit(`${name} ${difference.clause}`, difference.remedy);
  const session = await PlainSession.open(options.file).catch((error: unknown) => {
    throw unfit(
      `${name} cannot be run: ${firstLine(error)}`,
      'Export it again with standard ONNX operators, as one file or with its data beside it.',
    );
  });
  try {
    return await prepare(name, session, bytes, options);
  } catch (error) {
    await session.close();
    throw error;
  }
}

async function prepare(
  name: string,
  session: PlainSession,
  bytes: Uint8Array,
  options: BasePolicyOptions,
): Promise<BasePolicy> {
  const actionSize = options.action.dimensions.length;
  const noise = hasNoiseAlways(bytes, actionSize) ? 'drawn noise' : 'no noise';
  const feeds = feedAll(name, session, options, noise);
  const output = outputOf(name, session.outputs, options.output);
  session.fetch(output);
  const chunk = await tryOut(name, session, feeds, options);
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
  const isBeforeTanh = output === 'mean' && session.outputs.some((port) => port.name === 'log_std');
  return new OnnxBase({ name, session, feeds, isBeforeTanh, actionSize, chunk, executeSteps });
}

/** Gives every input its memory. */
function feedAll(
  name: string,
  session: PlainSession,
  options: BasePolicyOptions,
  ownNoise: 'drawn noise' | 'no noise',
): Feed[] {
  const wanted = options.inputs;
  const names = session.inputs.map((port) => port.name).join(', ');
  const missing = wanted?.find((input) => !session.inputs.some((port) => port.name === input.name));
  if (missing !== undefined) {
    throw unfit(
      `${name} has no input "${missing.name}", which basePolicy.inputs names; it has ${names}`,
      'Name the inputs that it has.',
    );
  }
  const isOnly = session.inputs.filter((port) => port.name !== 'noise').length === 1;
  return session.inputs.map((port) => {
    const said = wanted?.find((input) => input.name === port.name);
    const isNoise = said === undefined ? port.name === 'noise' : said.noise;
    if (said === undefined && !isNoise && (wanted !== undefined || !isOnly)) {
      throw unfit(
        `${name} takes ${names}, and nothing says what "${port.name}" gets`,
        'Say it under basePolicy.inputs, one entry for each input.',
      );
    }
    if (!port.isFloat32) {
      throw unfit(
        `${name} takes an input "${port.name}" that is not float32, where observations are`,
        'Export it with float32 inputs.',
      );
    }
    const from = isNoise
      ? said?.noise === true
        ? 'drawn noise'
        : ownNoise
      : placesFor(name, port, options, said?.fields);
    const { shape, size } = shapeFor(name, port, typeof from === 'string' ? undefined : from.length);
    const data = new Float32Array(size);
    session.feed(port.name, data, shape);
    return { data, from };
  });
}

function placesFor(
  name: string,
  port: TensorPort,
  { observation }: BasePolicyOptions,
  fields: readonly string[] | undefined,
): Int32Array {
  const known = knownProduct(port);
  const isOpen = openSizes(port) > 0;
  const places = inputPlaces(observation, fields, isOpen ? undefined : known, known);
  if (typeof places !== 'string') return places;
  throw unfit(
    `${name} takes "${port.name}" as [${port.shape.join(', ')}], but ${places}`,
    'Say under basePolicy.inputs which fields it gets, or give the task the observation that it was trained on.',
  );
}

/** The shape that an input is fed with: a batch of one, and an open size as large as what it gets makes it. */
function shapeFor(name: string, port: TensorPort, size: number | undefined): { shape: number[]; size: number } {
  const known = knownProduct(port);
  const isBatched = typeof port.shape[0] === 'string' || port.shape[0] === 1;
  if ((port.shape.length > 1 && !isBatched) || openSizes(port) > 1 || (openSizes(port) > 0 && size === undefined)) {
    throw unfit(
      `${name} takes "${port.name}" as [${port.shape.join(', ')}], where one observation at a time is given`,
      'Export it for a batch of one, with all other sizes fixed.',
    );
  }
  const shape = port.shape.map((dim, i) => {
    if (typeof dim === 'number') return dim;
    return i === 0 && port.shape.length > 1 ? 1 : (size ?? known) / known;
  });
  return { shape, size: shape.reduce((product, dim) => product * dim, 1) };
}

/** Product of the sizes that the file says. */
function knownProduct({ shape }: TensorPort): number {
  return shape.reduce<number>((product, dim) => (typeof dim === 'number' ? product * dim : product), 1);
}

/** How many sizes it leaves open, the batch's aside. */
function openSizes({ shape }: TensorPort): number {
  return shape.filter((dim, i) => typeof dim === 'string' && (i > 0 || shape.length === 1)).length;
}

function outputOf(name: string, outputs: readonly TensorPort[], wanted: string | undefined): string {
  const names = outputs.map((port) => port.name);
  const isGaussian = names.includes('mean') && names.includes('log_std');
  const found = wanted ?? ['action', ...(isGaussian ? ['mean'] : [])].find((known) => names.includes(known));
  const chosen = found ?? (names.length === 1 ? names[0] : undefined);
  if (chosen !== undefined && names.includes(chosen)) return chosen;
  const what =
    wanted === undefined
      ? 'and nothing says which of them is the action'
      : `and not "${wanted}", which basePolicy.output names`;
  throw unfit(`${name} gives ${names.join(', ')}, ${what}`, 'Name one of them as basePolicy.output.');
}

/** Runs it on random observations. Gives H, how many actions come at once. */
async function tryOut(
  name: string,
  session: PlainSession,
  feeds: readonly Feed[],
  { observation, action }: BasePolicyOptions,
): Promise<number> {
  const actionSize = action.dimensions.length;
  const state = new Float32Array(observationParts(observation).stateSize);
  const rng = new Rng(TRIAL_SEED);
  let chunk = 0;
  for (let i = 0; i <= TRIALS; i++) {
    fillFeeds(feeds, state, rng);
    const { shape, data } = await session.run().catch((error: unknown) => {
      throw unfit(`${name} cannot be run: ${firstLine(error)}`, 'Export it again with the sizes of this task.');
    });
    const [batch, steps, size] = shape.length === 2 ? [shape[0], 1, shape[1]] : shape;
    if (shape.length > 3 || batch !== 1 || steps === undefined || steps < 1 || size !== actionSize) {
      throw unfit(
        `${name} gives actions as [${shape.join(', ')}], where this task needs [1, ${actionSize}] or a chunk [1, H, ${actionSize}]`,
        "Take a base policy with this task's actions, or export its output so.",
      );
    }
    if (!allFinite(data)) {
      throw unfit(
        `${name} gives an action that is not finite for ${i === 0 ? 'an observation of zeros' : 'a random observation'}, where actions are from −1 to 1`,
        'Take another checkpoint of it.',
      );
    }
    chunk = steps;
    rng.fillNormal(state);
  }
  return chunk;
}

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const why = isMissing ? 'there is no such file' : (error as Error).message;
    throw unfit(`${file} cannot be read: ${why}`, "Correct basePolicy.file, which is relative to the task's file.");
  }
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const line = (text.split('\n')[0] ?? '').replace(/^Load model from .* failed:/, '');
  return line.trim().replace(/\.+$/, '');
}

function unfit(sentence: string, remedy: string): ReinError {
  return new ReinError('config', `The base policy ${sentence}.`, { remedy });
}
