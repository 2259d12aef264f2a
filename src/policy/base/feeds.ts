/** Inputs of a base policy's graph. */
import { type ObservationSpec, ReinError } from '../../model/index.ts';
import { type TensorPort, type Tensors, tensorOn } from '../onnx/inference.ts';
import type { BasePolicyConfig } from '../options.ts';
import type { Feed } from './base-policy.ts';
import { inputPlaces } from './input-map.ts';

/** Options that determine the layout of the inputs. */
export interface FeedOptions extends Pick<BasePolicyConfig, 'inputs'> {
  /** Observation of the task, whose `once` ends with the base's action. */
  readonly observation: ObservationSpec;
}

/** Allocates the buffer of each of `ports`: its source, and the tensors that the runtime reads. */
export function feedAll(
  name: string,
  ports: readonly TensorPort[],
  options: FeedOptions,
  ownNoise: 'drawn noise' | 'no noise',
): { readonly feeds: readonly Feed[]; readonly inputs: Tensors } {
  const wanted = options.inputs;
  const names = ports.map((port) => port.name).join(', ');
  const missing = wanted?.find((input) => !ports.some((port) => port.name === input.name));
  if (missing !== undefined) {
    throw unfit(
      `${name} has no input "${missing.name}", which basePolicy.inputs names; it has ${names}`,
      'Name the inputs that it has.',
    );
  }
  const isOnly = ports.filter((port) => port.name !== 'noise').length === 1;
  const inputs: Record<string, Tensors[string]> = {};
  const feeds = ports.map((port): Feed => {
    const said = wanted?.find((input) => input.name === port.name);
    const isNoise = said === undefined ? port.name === 'noise' : said.noise;
    if (said === undefined && !isNoise && (wanted !== undefined || !isOnly)) {
      throw unfit(
        `${name} takes ${names}, and it is not specified what "${port.name}" gets`,
        'Specify it under basePolicy.inputs, one entry for each input.',
      );
    }
    if (port.type !== 'float32') {
      throw unfit(
        `${name} takes "${port.name}" as ${port.type}, where observations are float32`,
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
    inputs[port.name] = tensorOn(data, shape);
    return { data, from };
  });
  return { feeds, inputs };
}

function placesFor(
  name: string,
  port: TensorPort,
  { observation }: FeedOptions,
  fields: readonly string[] | undefined,
): Int32Array {
  const known = knownProduct(port);
  const isOpen = openSizes(port) > 0;
  const places = inputPlaces(observation, fields, isOpen ? undefined : known, known);
  if (typeof places !== 'string') return places;
  throw unfit(
    `${name} takes "${port.name}" as [${port.shape.join(', ')}], but ${places}`,
    'Specify under basePolicy.inputs which fields it gets, or give the task the observation that it was trained on.',
  );
}

/** Shape of the fed tensor: a batch of one; an open size follows from the number of values fed. */
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

/** Product of the fixed sizes. */
function knownProduct({ shape }: TensorPort): number {
  return shape.reduce<number>((product, dim) => (typeof dim === 'number' ? product * dim : product), 1);
}

/** Number of open sizes, not counting the batch. */
function openSizes({ shape }: TensorPort): number {
  return shape.filter((dim, i) => typeof dim === 'string' && (i > 0 || shape.length === 1)).length;
}

/** Error for a base policy that does not fit. `message` begins with the file's name and has no full stop. */
export function unfit(message: string, remedy: string): ReinError {
  return new ReinError('config', `The base policy ${message}.`, { remedy });
}
