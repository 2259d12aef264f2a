/** Maps the numbers of an observation to an input of a base policy's network. */
import {
  BASE_ACTION,
  frameSize,
  type ObservationField,
  type ObservationSpec,
  observationParts,
} from '../../model/index.ts';

/**
 * Indices into the observation's state, in the order in which an input of `size` numbers receives them: all of the state, its
 * frames, or its newest frame, whichever has that size; if `fields` is given, of those only. `size` undefined (left open by the
 * network): the first of these whose size is a multiple of `multipleOf`. A string is the reason why none fits, in words that
 * follow "but".
 */
export function inputPlaces(
  spec: ObservationSpec,
  fields: readonly string[] | undefined,
  size: number | undefined,
  multipleOf = 1,
): Int32Array | string {
  const known = [...spec.fields, ...(spec.once ?? [])].map(({ name }) => name).filter((name) => name !== BASE_ACTION);
  const unknown = fields?.find((name) => !known.includes(name));
  if (unknown !== undefined) return `the observation has no "${unknown}", it has ${known.join(', ')}`;
  const choices = fields === undefined ? wholeChoices(spec) : fieldChoices(spec, fields);
  const chosen = choices.find(({ places }) =>
    size === undefined ? places.length % multipleOf === 0 : places.length === size,
  );
  if (chosen !== undefined) return Int32Array.from(chosen.places);
  const offered = choices.map(({ what, places }) => `${places.length} (${what})`).join(' or ');
  return `the task's observation gives ${offered}`;
}

interface Choice {
  readonly what: string;
  readonly places: readonly number[];
}

function wholeChoices(spec: ObservationSpec): Choice[] {
  const { stateSize } = observationParts(spec);
  const size = frameSize(spec);
  const all = size * spec.frames;
  return distinct([
    { what: 'all of it', places: range(0, stateSize) },
    { what: `its ${spec.frames} frames`, places: range(0, all) },
    { what: 'its newest frame', places: range(all - size, all) },
  ]);
}

function fieldChoices(spec: ObservationSpec, fields: readonly string[]): Choice[] {
  const size = frameSize(spec);
  const inFrame = (frame: number): number[] => placesOf(spec.fields, fields, frame * size);
  const once = placesOf(spec.once ?? [], fields, size * spec.frames);
  const frames = range(0, spec.frames);
  const what = `${fields.join(', ')}, in`;
  // Fields of one frame keep the requested order, including the fields that occur once.
  const newest = fields.flatMap((name) => [
    ...placesOf(spec.fields, [name], (spec.frames - 1) * size),
    ...placesOf(spec.once ?? [], [name], size * spec.frames),
  ]);
  return distinct([
    { what: `${what} the newest step`, places: newest },
    { what: `${what} all ${spec.frames} steps`, places: [...frames.flatMap(inFrame), ...once] },
  ]);
}

/** Indices of the fields in `names`, in the order of `names`, for a `layout` that begins at `from`. */
function placesOf(layout: readonly ObservationField[], names: readonly string[], from: number): number[] {
  return names.flatMap((name) => {
    const index = layout.findIndex((field) => field.name === name);
    const field = layout[index];
    if (field === undefined) return [];
    const start = from + layout.slice(0, index).reduce((sum, before) => sum + before.size, 0);
    return range(start, start + field.size);
  });
}

function distinct(choices: readonly Choice[]): Choice[] {
  return choices.filter((choice, i) => choices.findIndex((c) => c.places.length === choice.places.length) === i);
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i);
}
