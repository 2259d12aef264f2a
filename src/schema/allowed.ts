/** Values that a schema allows, read from zod's JSON Schema of it: one source for errors, reference page and editors. */
import { z } from 'zod';

/** The part of JSON Schema that Rein's schemas use, with the extension `unit`. */
export interface JsonSchema {
  readonly $schema?: string;
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly unit?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: JsonSchema | false;
  readonly prefixItems?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  /** A group of one of several kinds; each has a key with a single allowed word. */
  readonly oneOf?: readonly JsonSchema[];
}

/** The JSON Schema (draft 2020-12) of a file's content. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input' }) as JsonSchema;
}

/**
 * Schema of the value at `path`; `undefined` if nothing is allowed. Items inherit the unit of their list. `value`, the content of
 * the root, selects among a group's kinds.
 */
export function schemaAt(
  root: JsonSchema,
  path: readonly (string | number)[],
  value?: unknown,
): JsonSchema | undefined {
  let schema: JsonSchema | undefined = kindOf(root, value);
  let at = value;
  for (const step of path) {
    if (schema === undefined) return undefined;
    const parent: JsonSchema = kindOf(schema, at);
    at = (at as Record<string | number, unknown> | null | undefined)?.[step];
    schema = typeof step === 'number' ? itemSchema(parent, step) : (parent.properties?.[step] ?? anyKey(parent));
    if (schema !== undefined && schema.unit === undefined && parent.unit !== undefined)
      schema = { ...schema, unit: parent.unit };
  }
  return schema === undefined ? undefined : kindOf(schema, at);
}

/** For a group of several kinds, the kind of `value`; for an unknown kind, the common part: the word that selects it. */
function kindOf(schema: JsonSchema, value: unknown): JsonSchema {
  const { oneOf } = schema;
  if (oneOf === undefined) return schema;
  const said = (value ?? {}) as Record<string, unknown>;
  const words = oneOf.map((kind) =>
    Object.entries(kind.properties ?? {}).filter(([, { const: word }]) => word !== undefined),
  );
  const found = oneOf.find((_, i) => words[i]!.every(([key, { const: word }]) => said[key] === word));
  if (found !== undefined) return found;
  const [key] = words[0]?.[0] ?? [];
  if (key === undefined) return schema;
  const all = words.flatMap((of) => of.filter(([name]) => name === key).map(([, { const: word }]) => String(word)));
  const kind: JsonSchema = { ...(oneOf[0]?.properties?.[key] ?? {}), enum: all };
  const { const: _, ...plain } = kind;
  return { type: 'object', properties: { [key]: plain }, required: [key] };
}

/** Schema of the entries of a group with user-chosen keys. */
function anyKey({ additionalProperties }: JsonSchema): JsonSchema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

function itemSchema(list: JsonSchema, index: number): JsonSchema | undefined {
  if (list.prefixItems !== undefined) return list.prefixItems[index];
  return list.items === false ? undefined : list.items;
}

/** Keys of the map that `schema` describes; none for other values. */
export function keysOf(schema: JsonSchema | undefined): readonly string[] {
  return Object.keys(schema?.properties ?? {});
}

/** Allowed values in words: `a number > 0 and ≤ 0.2 (m)`, `"m" or "rad"`, `true or false`. */
export function allowedText(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((word) => JSON.stringify(word)).join(' or ');
  if (schema.type === 'boolean') return 'true or false';
  if (schema.type === 'number' || schema.type === 'integer') return numberText(schema);
  if (schema.type === 'array') return listText(schema);
  if (schema.type === 'object') return 'a group of keys';
  return 'a word';
}

/** Range of a number: `> 0 and ≤ 0.2`, or an empty string. */
export function rangeText(schema: JsonSchema): string {
  const parts: string[] = [];
  if (schema.exclusiveMinimum !== undefined) parts.push(`> ${schema.exclusiveMinimum}`);
  if (isBound(schema.minimum)) parts.push(`≥ ${schema.minimum}`);
  if (schema.exclusiveMaximum !== undefined) parts.push(`< ${schema.exclusiveMaximum}`);
  if (isBound(schema.maximum)) parts.push(`≤ ${schema.maximum}`);
  return parts.join(' and ');
}

/** The unit in parentheses; empty for dimensionless numbers. */
export function unitText(schema: JsonSchema): string {
  return schema.unit === undefined || schema.unit === '1' || schema.unit === 'unit' ? '' : ` (${schema.unit})`;
}

function numberText(schema: JsonSchema): string {
  const kind = schema.type === 'integer' ? 'a whole number' : 'a number';
  const range = rangeText(schema);
  return `${kind}${range === '' ? '' : ` ${range}`}${unitText(schema)}`;
}

function listText(schema: JsonSchema): string {
  const { minItems: least, maxItems: most } = schema;
  const item = schema.prefixItems?.[0] ?? (schema.items === false ? undefined : schema.items);
  const what =
    item?.type === 'object' || item?.oneOf !== undefined ? 'entries' : item?.type === 'string' ? 'words' : 'numbers';
  const count = least === most ? `${least}` : `${least ?? 0} to ${most ?? 'any number of'}`;
  return `a list of ${count} ${what}${unitText(schema)}`;
}

/** `, such as { kind: gamepad }` if one of several kinds, or a list of these, is written as the bare word `written`; else empty. */
export function exampleText(schema: JsonSchema, written: string): string {
  const isList = schema.type === 'array';
  const item = isList ? itemSchema(schema, 0) : schema;
  if (item === undefined || (isList && item.oneOf === undefined)) return '';
  const { required: [key, ...others] = [], properties } = kindOf(item, undefined);
  const words = key === undefined || others.length > 0 ? undefined : properties?.[key]?.enum;
  const word = words?.find((each) => each === written) ?? (isList ? words?.[0] : undefined);
  if (word === undefined) return '';
  return isList ? `, such as [{ ${key}: ${word} }]` : `, such as { ${key}: ${word} }`;
}

/** Describes the first error of `value` under `schema`: `utd must be a whole number ≥ 1, got 0.5`; `undefined` if it is valid. */
export function refusalOf(schema: z.ZodType, value: unknown): string | undefined {
  const issue = schema.safeParse(value).error?.issues[0];
  if (issue === undefined) return undefined;
  const path = issue.path.filter((step): step is string | number => typeof step !== 'symbol');
  if (issue.code === 'unrecognized_keys') return `${[...path, issue.keys[0]].join('.')} is not known`;
  const allowed = schemaAt(jsonSchemaOf(schema), path, value);
  const got = path.reduce<unknown>((at, step) => (at as Record<string | number, unknown> | undefined)?.[step], value);
  const must = allowed === undefined ? issue.message : `must be ${allowedText(allowed)}`;
  return `${path.length === 0 ? 'it' : path.join('.')} ${must}, got ${typeof got === 'number' ? got : JSON.stringify(got)}`;
}

/** zod writes the largest safe integer for an integer without a bound. */
function isBound(bound: number | undefined): boolean {
  return bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
}
