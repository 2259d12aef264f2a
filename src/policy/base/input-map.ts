/** Which numbers of an observation an input of a base policy's network gets. */
import {
  BASE_ACTION,
  frameSize,
  type ObservationField,
  type ObservationSpec,
  observationParts,
} from '../../core/index.ts';

/**
 * Places in the observation's state, in the order in which an input of `size` numbers gets them: all of the state, its
 * frames, or its newest frame, whichever has that size; of `fields` only, where they are given. `size` undefined: the
 * network leaves it open, and the first of these is taken that is a multiple of `multipleOf`. A text says why there is
 * none, in words that follow "but".
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
  // Fields of one frame keep the order in which they were asked for, those that stand once among them.
  const newest = fields.flatMap((name) => [
    ...placesOf(spec.fields, [name], (spec.frames - 1) * size),
    ...placesOf(spec.once ?? [], [name], size * spec.frames),
  ]);
  return distinct([
    { what: `${what} the newest step`, places: newest },
    { what: `${what} all ${spec.frames} steps`, places: [...frames.flatMap(inFrame), ...once] },
  ]);
}

/** The places of the fields called `names`, in the order of `names`, where `layout` begins at `from`. */
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
