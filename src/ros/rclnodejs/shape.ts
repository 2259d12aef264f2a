/**
 * Fits plain objects to a service's or action's definition before they reach the addon, where a string in an array of
 * numbers would end the process. The result is new: no views, no foreign arrays, every field of its exact type.
 */
import { ReinError } from '../../model/index.ts';
import type { Binding, BindingType, MessageDefinition } from './binding.ts';

type Field = MessageDefinition['fields'][number];

/** Bits, and signedness. */
const WHOLE: Readonly<Record<string, readonly [bits: number, isSigned: boolean]>> = {
  int8: [8, true],
  uint8: [8, false],
  byte: [8, false],
  char: [8, false],
  int16: [16, true],
  uint16: [16, false],
  int32: [32, true],
  uint32: [32, false],
  int64: [64, true],
  uint64: [64, false],
};

/** Definitions by class, and nested ones by name. */
export class Shapes {
  readonly #binding: Binding;
  readonly #byName = new Map<string, MessageDefinition>();

  constructor(binding: Binding) {
    this.#binding = binding;
  }

  /** Copy of `value` that fits `type`; missing fields are left to their defaults. Throws `ReinError('message', …)`. */
  fit(type: BindingType | undefined, value: unknown, name: string): object {
    const definition = type?.ROSMessageDef;
    if (definition === undefined) throw new ReinError('environment', `rclnodejs does not know the parts of ${name}`);
    return this.#object(definition, value, name);
  }

  #object(definition: MessageDefinition, value: unknown, at: string): object {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || ArrayBuffer.isView(value))
      throw misfit(at, value, 'a group of fields');
    const known = new Set(definition.fields.map((field) => field.name));
    const given = value as Readonly<Record<string, unknown>>;
    for (const key of Object.keys(given)) {
      if (!known.has(key)) throw new ReinError('message', `${at} has no field "${key}"`);
    }
    const out: Record<string, unknown> = {};
    for (const field of definition.fields) {
      const own = given[field.name];
      if (own !== undefined) out[field.name] = this.#field(field, own, `${at}.${field.name}`);
    }
    return out;
  }

  #field({ type }: Field, value: unknown, at: string): unknown {
    if (!type.isArray) return this.#single(type, value, at);
    const isView = ArrayBuffer.isView(value) && !(value instanceof DataView);
    if (!Array.isArray(value) && !isView) throw misfit(at, value, 'a list');
    const items = Array.from(value as ArrayLike<unknown>, (item, i) => this.#single(type, item, `${at}[${i}]`));
    const size = type.arraySize;
    if (size !== null && (type.isUpperBound ? items.length > size : items.length !== size))
      throw misfit(at, `a list of ${items.length}`, `${type.isUpperBound ? 'at most ' : ''}${size} values`);
    return items;
  }

  #single(type: Field['type'], value: unknown, at: string): unknown {
    if (!type.isPrimitiveType) return this.#object(this.#nested(type), value, at);
    const { type: kind } = type;
    if (kind === 'bool') return typeof value === 'boolean' ? value : fail(at, value, 'true or false');
    if (kind === 'string' || kind === 'wstring') return text(value, at);
    if (kind === 'float32' || kind === 'float64')
      return typeof value === 'number' ? value : fail(at, value, 'a number');
    const range = WHOLE[kind];
    if (range === undefined) throw new ReinError('message', `${at} is of the type ${kind}, which is not known here`);
    return whole(range, value, at);
  }

  #nested({ pkgName, type }: Field['type']): MessageDefinition {
    const name = `${pkgName}/msg/${type}`;
    const known = this.#byName.get(name) ?? this.#binding.require(name).ROSMessageDef;
    if (known === undefined) throw new ReinError('environment', `rclnodejs does not know ${name}`);
    this.#byName.set(name, known);
    return known;
  }
}

function text(value: unknown, at: string): string {
  if (typeof value !== 'string') throw misfit(at, value, 'a text');
  if (value.includes('\0')) throw new ReinError('message', `${at} holds a zero, where every text of ROS ends`);
  return value;
}

function whole([bits, isSigned]: readonly [number, boolean], value: unknown, at: string): number | bigint {
  const what = `a whole number of ${bits} bits${isSigned ? '' : ' ≥ 0'}`;
  if (typeof value !== 'bigint' && !Number.isSafeInteger(value)) throw misfit(at, value, what);
  const exact = BigInt(value as number | bigint);
  if (exact !== (isSigned ? BigInt.asIntN(bits, exact) : BigInt.asUintN(bits, exact))) throw misfit(at, value, what);
  return bits === 64 ? exact : Number(exact);
}

function fail(at: string, value: unknown, what: string): never {
  throw misfit(at, value, what);
}

function misfit(at: string, value: unknown, what: string): ReinError {
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : describe(value);
  return new ReinError('message', `${at} is ${shown}, it must be ${what}`);
}

function describe(value: unknown): string {
  if (value instanceof DataView) return 'a view of bytes';
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'a group of fields';
  return String(value);
}
