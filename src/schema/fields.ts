/** Shorthands for schema fields: every field has a unit and a sentence, for errors and for the reference page. */
import { z } from 'zod';
import type { PluginKind } from '../host/index.ts';

/** Output type of a schema with its defaults filled in, read-only like configurations. */
export type Configured<S extends z.ZodType> = DeepReadonly<z.output<S>>;

type DeepReadonly<T> = T extends readonly unknown[] | object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

/** Range of a number. `above` and `below` are exclusive. */
export interface NumberRange {
  readonly min?: number;
  readonly max?: number;
  readonly above?: number;
  readonly below?: number;
}

/** A finite number in `unit` ('1' if dimensionless). */
export function num(unit: string, range: NumberRange, description: string): z.ZodNumber {
  return bounded(z.number(), range).meta({ unit, description });
}

/** An integer in `unit`, e.g. `steps`. */
export function whole(unit: string, range: NumberRange, description: string): z.ZodNumber {
  return bounded(z.number().int(), range).meta({ unit, description });
}

/** Three numbers: x, y, z in `unit`. */
export function triple(unit: string, description: string): z.ZodTuple<[z.ZodNumber, z.ZodNumber, z.ZodNumber], null> {
  return z.tuple([z.number(), z.number(), z.number()]).meta({ unit, description });
}

/** An axis-aligned box. */
export function box(
  description: string,
): z.ZodObject<{ minM: ReturnType<typeof triple>; maxM: ReturnType<typeof triple> }, z.core.$strict> {
  const corners = { minM: triple('m', 'Lowest corner.'), maxM: triple('m', 'Highest corner.') };
  return z.strictObject(corners).meta({ description });
}

/** A short name: letters, digits, `-` and `_`. */
export function name(description: string): z.ZodString {
  return z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/)
    .meta({ description });
}

/** Name of a file in `config/`, or a path ending in `.yaml`. */
export function reference(description: string): z.ZodString {
  return z.string().min(1).max(4096).meta({ description });
}

/** An optional group: each of its keys has a default, or may be absent. */
export function group<S extends z.ZodRawShape>(
  description: string,
  shape: S,
): z.ZodPrefault<z.ZodObject<S, z.core.$strict>> {
  return z
    .strictObject(shape)
    .meta({ description })
    .prefault({} as z.core.input<z.ZodObject<S, z.core.$strict>>);
}

/** Keys by which a file names a plugin of `kind`: a module's path, or an installed package. */
export const pluginKeys = (
  kind: PluginKind,
): { module: z.ZodString; options: z.ZodOptional<z.ZodRecord<z.ZodString, z.ZodUnknown>> } => ({
  module: z
    .string()
    .min(1)
    .max(4096)
    .meta({
      description: `The ${kind}: path of a module, relative to this file and beginning with \`./\` or \`../\`, or the name of an installed package that declares itself one (\`rein plugins\`). It is code, and runs with all rights of its process.`,
    }),
  options: z
    .record(z.string(), z.unknown())
    .meta({ description: 'What the module is given; it checks this itself.' })
    .optional(),
});

/** A group that names a plugin of `kind`. */
export function pluginGroup(
  kind: PluginKind,
  description: string,
): z.ZodObject<ReturnType<typeof pluginKeys>, z.core.$strict> {
  return z.strictObject(pluginKeys(kind)).meta({ description });
}

function bounded(field: z.ZodNumber, range: NumberRange): z.ZodNumber {
  let result = field;
  if (range.min !== undefined) result = result.min(range.min);
  if (range.max !== undefined) result = result.max(range.max);
  if (range.above !== undefined) result = result.gt(range.above);
  if (range.below !== undefined) result = result.lt(range.below);
  return result;
}
