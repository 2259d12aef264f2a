/** Declared parameters: checks, storage, the one that every node has, and their `--help` text. */
import { ReinError } from '../../model/index.ts';
import type {
  ParameterDeclaration,
  ParameterListener,
  ParameterSet,
  ParameterType,
  ParameterValue,
} from '../port/ros-port.ts';
import type { GivenValue } from './scalars.ts';

type Words = Omit<ParameterDeclaration, 'name' | 'type' | 'default'>;

/** Declares a parameter, read-only at run time unless `words` override it. */
export function parameter(
  name: string,
  type: ParameterType,
  value: ParameterValue,
  words: Words,
): ParameterDeclaration {
  return { name, type, default: value, isReadOnly: true, ...words };
}

const KINDS: Readonly<Record<ParameterType, string>> = {
  bool: 'true or false',
  integer: 'a whole number',
  double: 'a number',
  string: 'a word',
  bool_array: 'a list of true and false',
  integer_array: 'a list of whole numbers',
  double_array: 'a list of numbers',
  string_array: 'a list of words',
};

/** Reason why `value` does not fit `declaration`, naming the parameter; `undefined` if it fits. */
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
 * Values in effect: given ones over defaults. Throws `ReinError('config')` with a line for each value that does not
 * fit, and for each undeclared name.
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

/** Integers are accepted for doubles, so that `rate:=40` works. */
function hasType(type: ParameterType, value: ParameterValue): boolean {
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

/** Declared parameters of one node: values, and one set of checks for every way to change them. */
export class ParameterStore implements ParameterSet {
  readonly declarations: ReadonlyMap<string, ParameterDeclaration>;
  readonly #values: Map<string, ParameterValue>;
  readonly #onSet: ParameterListener | undefined;

  /** Throws `ReinError('config', …)` for given values that do not fit. */
  constructor(
    declarations: readonly ParameterDeclaration[],
    given: ReadonlyMap<string, GivenValue>,
    onSet?: ParameterListener,
  ) {
    this.declarations = new Map(declarations.map((declaration) => [declaration.name, declaration]));
    this.#values = new Map(applyGiven(declarations, given));
    this.#onSet = onSet;
  }

  get(name: string): ParameterValue {
    const value = this.#values.get(name);
    if (value === undefined) throw new Error(`the parameter "${name}" is not declared`);
    return value;
  }

  /** Reason why `name` may not become `value`; `undefined` if it may. Asks the listener last. */
  refusal(name: string, value: ParameterValue | undefined): string | undefined {
    const declaration = this.declarations.get(name);
    if (declaration === undefined) return `there is no parameter "${name}"`;
    if (declaration.isReadOnly) return `${name} is fixed once the node runs; give it at the start`;
    if (value === undefined) return `${name} cannot be undeclared`;
    return unfit(declaration, value) ?? this.#onSet?.(name, value);
  }

  /** Stores a value that `refusal` has passed. */
  accept(name: string, value: ParameterValue): void {
    this.#values.set(name, value);
  }
}

/**
 * Parameter that every node has. Fixed at the start: to follow another clock later, the binding would have to subscribe
 * while it spins.
 */
export const USE_SIM_TIME: ParameterDeclaration = parameter('use_sim_time', 'bool', false, {
  description: 'Take ROS time from /clock instead of this computer.',
});

/** True if given as true. Throws `ReinError('config', …)` for anything but true and false. */
export function usesSimTime(given: ReadonlyMap<string, GivenValue>): boolean {
  const value = given.get(USE_SIM_TIME.name);
  if (value === undefined) return false;
  if (typeof value.value !== 'boolean')
    throw new ReinError(
      'config',
      `${value.from}use_sim_time is ${JSON.stringify(value.value)}, it must be true or false`,
    );
  return value.value;
}

const WIDTH = 96;

/** Help text: an indented block per parameter with name, type, default and range, then its description. */
export function parametersHelp(declarations: readonly ParameterDeclaration[]): string {
  return declarations.map(describe).join('');
}

function describe(parameter: ParameterDeclaration): string {
  const { name, type, description, range, choices } = parameter;
  const value = parameter.default === '' ? 'empty' : String(parameter.default);
  const limits = range === undefined ? '' : `, ${range.min} to ${range.max}`;
  const words = choices === undefined ? '' : ` One of: ${choices.filter((choice) => choice !== '').join(', ')}.`;
  const change = parameter.isReadOnly === false ? ' May be changed at run time.' : '';
  const lines = wrap(`${description}${words}${change}`);
  return `  ${name} (${type}, ${value}${limits})\n${lines.map((line) => `      ${line}\n`).join('')}`;
}

function wrap(text: string): string[] {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const last = lines.length - 1;
    if (lines[last] === '') lines[last] = word;
    else if (lines[last]!.length + 1 + word.length <= WIDTH) lines[last] += ` ${word}`;
    else lines.push(word);
  }
  return lines;
}
