/**
 * Marks the keys on which robot and learner have to agree, because another value changes the meaning of numbers: set where the key is
 * described. Keys for drawing, display, training, evaluation or connection have no mark.
 */
import { z } from 'zod';

const MARKS = z.registry<{ readonly isAgreed: boolean }>();

/** Marks a key on which both have to agree, with all its content. */
export function agreed<S extends z.ZodType>(key: S): S {
  MARKS.add(key as z.ZodType, { isAgreed: true });
  return key;
}

/** Marks a key within an agreed one that may differ. */
export function mayDiffer<S extends z.ZodType>(key: S): S {
  MARKS.add(key as z.ZodType, { isAgreed: false });
  return key;
}

/**
 * Returns the parts of `value`, described by `schema`, that have to agree: each number, word and list by its dotted key after
 * `prefix`. Named list entries are keyed by their names.
 */
export function agreedOf(schema: z.ZodType, value: object, prefix: string): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(value)) {
    const described = partOf(schema, key);
    if (described !== undefined && isAgreed(described) === true) flatten(`${prefix}.${key}`, part, described, out);
  }
  return out;
}

function flatten(key: string, value: unknown, schema: z.ZodType | undefined, out: Record<string, unknown>): void {
  if (value === undefined || (schema !== undefined && isAgreed(schema) === false)) return;
  if (isNamedList(value)) for (const part of value) flatten(`${key}.${part.name}`, part, elementOf(schema), out);
  else if (typeof value !== 'object' || value === null || Array.isArray(value)) out[key] = value;
  else for (const [name, part] of Object.entries(value)) flatten(`${key}.${name}`, part, partOf(schema, name), out);
}

function isNamedList(value: unknown): value is readonly { readonly name: string }[] {
  return Array.isArray(value) && value.length > 0 && value.every((part) => typeof part?.name === 'string');
}

/** Mark of a key, or of the schema inside its default or optional wrapper; `undefined` without one. */
function isAgreed(schema: z.ZodType): boolean | undefined {
  const mark = MARKS.get(schema)?.isAgreed;
  const inner = innerOf(schema);
  return mark !== undefined || inner === undefined ? mark : isAgreed(inner);
}

function innerOf(schema: z.ZodType): z.ZodType | undefined {
  const isAround = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  return isAround ? (schema.unwrap() as z.ZodType) : undefined;
}

function partOf(schema: z.ZodType | undefined, key: string): z.ZodType | undefined {
  const inner = schema && innerOf(schema);
  if (inner !== undefined) return partOf(inner, key);
  return schema instanceof z.ZodObject ? (schema.shape[key] as z.ZodType | undefined) : undefined;
}

function elementOf(schema: z.ZodType | undefined): z.ZodType | undefined {
  const inner = schema && innerOf(schema);
  if (inner !== undefined) return elementOf(inner);
  return schema instanceof z.ZodArray ? (schema.element as z.ZodType) : undefined;
}
