/** Checks given values against what is declared, with one sentence for what does not fit. */
import { ReinError } from '../../core/index.ts';
import type { ParameterDeclaration, ParameterValue } from '../port/ros-port.ts';
import type { GivenValue } from './scalars.ts';

const KINDS: Readonly<Record<ParameterDeclaration['type'], string>> = {
  bool: 'true or false',
  integer: 'a whole number',
  double: 'a number',
  string: 'a word',
  bool_array: 'a list of true and false',
  integer_array: 'a list of whole numbers',
  double_array: 'a list of numbers',
  string_array: 'a list of words',
};

/** Why `value` does not fit `declaration`, as a sentence that names the parameter; `undefined` where it fits. */
export function unfit(declaration: ParameterDeclaration, value: ParameterValue): string | undefined {
  const { name, type, range, choices } = declaration;
  if (!hasType(type, value)) return `${name} is ${shownValue(value)}, it must be ${allowed(declaration)}`;
  const numbers = (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'number');
  if (numbers.some((item) => Number.isNaN(item))) return `${name} is not a number, it must be ${allowed(declaration)}`;
  if (range !== undefined && numbers.some((item) => item < range.min || item > range.max))
    return `${name} is ${shownValue(value)}, it must be ${allowed(declaration)}`;
  if (choices !== undefined && typeof value === 'string' && !choices.includes(value))
    return `${name} is "${value}", it must be ${allowed(declaration)}`;
  return undefined;
}

/**
 * The values that hold: given ones over defaults. Throws `ReinError('config')` with a line for each value that does not
 * fit, and for each name that nobody declared.
 */
export function applyGiven(
  declarations: readonly ParameterDeclaration[],
  given: ReadonlyMap<string, GivenValue>,
): ReadonlyMap<string, ParameterValue> {
  const problems: string[] = [];
  const values = new Map<string, ParameterValue>();
  const known = new Set([...declarations.map((declaration) => declaration.name), ...OF_EVERY_NODE]);
  for (const declaration of declarations) {
    const value = given.get(declaration.name);
    if (value === undefined) values.set(declaration.name, declaration.default);
    else {
      const fitted = fit(declaration, value);
      if (typeof fitted === 'object' && 'problem' in fitted) problems.push(fitted.problem);
      else values.set(declaration.name, fitted.value);
    }
  }
  for (const [name, { from }] of given) {
    if (!known.has(name)) problems.push(`${from}${name}: there is no parameter "${name}"${nearest(name, known)}`);
  }
  if (problems.length > 0) {
    throw new ReinError('config', problems.join('\n'), { remedy: 'ros2 param list shows the parameters of a node' });
  }
  return values;
}

/** Parameters that every node has without declaring them. */
const OF_EVERY_NODE: readonly string[] = ['use_sim_time', 'start_type_description_service'];

function fit(
  declaration: ParameterDeclaration,
  given: GivenValue,
): { readonly value: ParameterValue } | { readonly problem: string } {
  const value = given.type === 'empty_array' && declaration.type.endsWith('_array') ? [] : given.value;
  const problem = unfit(declaration, value);
  return problem === undefined ? { value } : { problem: `${given.from}${problem}` };
}

/** A whole number is also a number, so that `rate:=40` does what it says. */
function hasType(type: ParameterDeclaration['type'], value: ParameterValue): boolean {
  if (type.endsWith('_array')) {
    return Array.isArray(value) && value.every((item) => isScalar(type.slice(0, -'_array'.length), item));
  }
  return isScalar(type, value);
}

function isScalar(type: string, value: unknown): boolean {
  if (type === 'bool') return typeof value === 'boolean';
  if (type === 'string') return typeof value === 'string';
  return typeof value === 'number' && (type === 'double' || Number.isSafeInteger(value));
}

function allowed({ type, range, choices }: ParameterDeclaration): string {
  if (choices !== undefined) return choices.map((word) => `"${word}"`).join(' or ');
  if (range === undefined) return KINDS[type];
  if (range.min === -Infinity) return `${KINDS[type]} ≤ ${range.max}`;
  if (range.max === Infinity) return `${KINDS[type]} ≥ ${range.min}`;
  return `${KINDS[type]} from ${range.min} to ${range.max}`;
}

function shownValue(value: ParameterValue): string {
  const text = JSON.stringify(value, (_, item) =>
    typeof item === 'number' && !Number.isFinite(item) ? `${item}` : item,
  );
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function nearest(name: string, known: ReadonlySet<string>): string {
  const same = (a: string): string => a.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const found = [...known].find((other) => same(other) === same(name) || same(other).endsWith(same(name)));
  return found === undefined ? '' : `, did you mean "${found}"?`;
}
