/** Checks a tree against a schema, and describes each problem in words. */
import type { z } from 'zod';
import { didYouMean } from '../../model/index.ts';
import { allowedText, exampleText, type JsonSchema, jsonSchemaOf, keysOf, schemaAt } from '../../schema/index.ts';
import type { Place, Problem } from '../text/place.ts';
import { shown } from '../text/shown.ts';
import { keyPlaceOf, nodeAt, placeOf, plainOf, type TreeNode, type TreePath, valuePlaceOf } from '../text/tree.ts';
import { sameInOtherUnit, withoutUnit } from '../text/unit-hints.ts';

/** A checked value, or its problems. */
export type Checked<T> =
  | { readonly value: T; readonly problems: readonly [] }
  | { readonly value: undefined; readonly problems: readonly Problem[] };

/** Returns the value of `tree` with defaults filled in, or one problem for each violation of `schema`. */
export function check<T>(tree: TreeNode, schema: z.ZodType<T>): Checked<T> {
  const parsed = schema.safeParse(plainOf(tree));
  if (parsed.success) return { value: parsed.data, problems: [] };
  const root = jsonSchemaOf(schema);
  const written = plainOf(tree);
  const problems = parsed.error.issues.flatMap((issue) => problemsOf(issue, tree, root, written));
  return { value: undefined, problems: oneAPlace(problems) };
}

/** Formats `path` in the usual notation: `joints[2].axis`. */
export function pathText(path: TreePath): string {
  return path.map((step, i) => (typeof step === 'number' ? `[${step}]` : `${i === 0 ? '' : '.'}${step}`)).join('');
}

function subjectOf(path: TreePath): string {
  return path.length === 0 ? 'this' : pathText(path);
}

/** The first problem of each position: a value that is wrong in two ways is reported once. */
export function oneAPlace(problems: readonly Problem[]): readonly Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ place, message }) => {
    // Missing keys of one map share a position.
    const id = `${place.file}:${place.line}:${place.column}:${message.endsWith('missing') || place.line === 0 ? message : ''}`;
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

function problemsOf(issue: z.core.$ZodIssue, tree: TreeNode, root: JsonSchema, written: unknown): Problem[] {
  const path = issue.path.filter((step): step is string | number => typeof step !== 'symbol');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      place: keyPlaceOf(tree, [...path, key]) ?? placeOf(tree, path),
      message: unknownKey(key, path, schemaAt(root, path, written)),
    }));
  }
  // Message written by the schema itself.
  if (issue.code === 'custom')
    return [{ place: valuePlaceOf(tree, path), message: `${subjectOf(path)} ${issue.message}` }];
  const place = placeOf(tree, path);
  const schema = schemaAt(root, path, written);
  if (nodeAt(tree, path) === undefined) return [missing(path, schema, place)];
  return [{ place, message: wrongValue(path, nodeAt(tree, path), schema) }];
}

function unknownKey(key: string, path: TreePath, schema: JsonSchema | undefined): string {
  const allowed = keysOf(schema);
  const where = path.length === 0 ? 'here' : `in ${pathText(path)}`;
  const other = sameInOtherUnit(key, allowed);
  if (other !== undefined)
    return `unknown key "${shown(key)}" ${where}, this value is given in ${other.unit}${ofSlide(key, other)}: write "${other.key}"`;
  return `unknown key "${shown(key)}" ${where}${guessThenAll(key, allowed)}`;
}

/** Joint keys carry the units of revolute joints; for a prismatic joint they hold metres and newtons. */
function ofSlide(key: string, { unit }: { readonly unit: string }): string {
  if (/MPerS2?$|M$/.test(key) && unit.startsWith('rad'))
    return `, of a joint that slides in ${unit.replace('rad', 'm')}`;
  return /N$/.test(key) && unit === 'N·m' ? ', of a joint that slides in N' : '';
}

/** The guess comes first: the list of allowed keys may be long. */
export function guessThenAll(key: string, allowed: readonly string[]): string {
  const guess = didYouMean(key, allowed);
  return `${guess}${guess === '' ? ', allowed are' : ' Allowed are'} ${allowed.join(', ')}`;
}

function missing(path: TreePath, schema: JsonSchema | undefined, place: Place): Problem {
  const what = schema === undefined ? '' : ` (${allowedText(schema)})`;
  return { place, message: `the key "${pathText(path)}"${what} is missing` };
}

function wrongValue(path: TreePath, node: TreeNode | undefined, schema: JsonSchema | undefined): string {
  const subject = subjectOf(path);
  if (schema === undefined || node === undefined) return `${subject} is not allowed here`;
  const allowed = `${allowedText(schema)}${exampleText(schema, node.kind === 'scalar' ? node.source : '')}`;
  if (node.kind !== 'scalar')
    return `${subject} is ${node.kind === 'list' ? listKind(node.items.length, schema) : 'a group of keys'}, it must be ${allowed}`;
  const value = node.source === '' || node.value === null ? 'empty' : shown(node.source);
  if (typeof node.value === 'string' && (schema.type === 'number' || schema.type === 'integer')) {
    const plain = withoutUnit(node.value, schema.unit ?? '1');
    if (plain !== undefined)
      return `${subject} is "${shown(node.value)}", it must be ${allowed} without its unit: write ${plain}`;
  }
  if (typeof node.value === 'string' && schema.enum !== undefined) {
    return `${subject} is "${shown(node.value)}", it must be ${allowed}${didYouMean(node.value, schema.enum)}`;
  }
  if (typeof node.value === 'string' && typeof schema.const === 'string') {
    return `${subject} is "${shown(node.value)}", it must be ${allowed}${didYouMean(node.value, [schema.const])}`;
  }
  return `${subject} is ${value}, it must be ${allowed}`;
}

function listKind(length: number, schema: JsonSchema): string {
  return schema.type === 'array' ? `a list of ${length}` : 'a list';
}
