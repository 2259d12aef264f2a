/** Parameters as in the services of `rcl_interfaces`. */
import type { ParameterDeclaration, ParameterType, ParameterValue } from '../port/ros-port.ts';

/** Numbers of `rcl_interfaces/msg/ParameterType`; the field of a value is named after its type: `bool_value`. */
const TYPES: Readonly<Record<ParameterType, number>> = {
  bool: 1,
  integer: 2,
  double: 3,
  string: 4,
  bool_array: 6,
  integer_array: 7,
  double_array: 8,
  string_array: 9,
};

export type WireValue = Readonly<Record<string, unknown>>;

/** Number of a type. */
export function wireType(type: ParameterType): number {
  return TYPES[type];
}

/** Content of the field of `type`: integers as bigint, lists as copies. */
export function fieldValue(type: ParameterType, value: ParameterValue): unknown {
  if (type === 'integer') return BigInt(value as number);
  if (type === 'integer_array') return (value as readonly number[]).map(BigInt);
  return Array.isArray(value) ? [...value] : value;
}

/** Value in `wire`; `undefined` if its type is unknown to Rein. */
export function valueOfWire(wire: WireValue): ParameterValue | undefined {
  const type = (Object.keys(TYPES) as ParameterType[]).find((name) => TYPES[name] === Number(wire['type']));
  if (type === undefined) return undefined;
  const value = wire[`${type}_value`];
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value as ParameterValue;
  return Array.from(value as ArrayLike<unknown>, (item) =>
    typeof item === 'bigint' ? Number(item) : item,
  ) as unknown as ParameterValue;
}

/** `rcl_interfaces/msg/ParameterDescriptor`. */
export function wireDescriptor(declaration: ParameterDeclaration): WireValue {
  const { name, type, description, range, isReadOnly } = declaration;
  const isWhole = type.startsWith('integer');
  const ends = range === undefined ? [] : [rangeOf(range, isWhole)];
  return {
    name,
    type: TYPES[type],
    description,
    additional_constraints: constraintsOf(declaration),
    read_only: isReadOnly ?? false,
    dynamic_typing: false,
    floating_point_range: isWhole ? [] : ends,
    integer_range: isWhole ? ends : [],
  };
}

/** Constraints of the declaration, and its choices. */
export function constraintsOf({ constraints, choices }: ParameterDeclaration): string {
  const words = choices === undefined ? [] : [`One of ${choices.map((word) => JSON.stringify(word)).join(', ')}.`];
  return [...(constraints === undefined ? [] : [constraints]), ...words].join(' ');
}

const LARGEST = 2n ** 63n - 1n;

function rangeOf({ min, max }: { readonly min: number; readonly max: number }, isWhole: boolean): WireValue {
  if (!isWhole) return { from_value: min, to_value: max, step: 0 };
  return {
    from_value: min === -Infinity ? -LARGEST - 1n : BigInt(Math.ceil(min)),
    to_value: max === Infinity ? LARGEST : BigInt(Math.floor(max)),
    step: 0n,
  };
}
