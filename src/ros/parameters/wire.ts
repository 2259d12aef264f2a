/** Parameters as `rcl_interfaces` carries them in its services. */
import type { ParameterDeclaration, ParameterValue } from '../port/ros-port.ts';

type Type = ParameterDeclaration['type'];

/** Numbers of `rcl_interfaces/msg/ParameterType`, and the field that holds each. */
const TYPES: Readonly<Record<Type, { readonly id: number; readonly field: string }>> = {
  bool: { id: 1, field: 'bool_value' },
  integer: { id: 2, field: 'integer_value' },
  double: { id: 3, field: 'double_value' },
  string: { id: 4, field: 'string_value' },
  bool_array: { id: 6, field: 'bool_array_value' },
  integer_array: { id: 7, field: 'integer_array_value' },
  double_array: { id: 8, field: 'double_array_value' },
  string_array: { id: 9, field: 'string_array_value' },
};

const NOT_SET = 0;

export type WireValue = Readonly<Record<string, unknown>>;

/** The number of a type. */
export function wireType(type: Type): number {
  return TYPES[type].id;
}

/** `rcl_interfaces/msg/ParameterValue`; of no type where there is no value. */
export function wireValue(type: Type, value: ParameterValue | undefined): WireValue {
  const wire: Record<string, unknown> = {
    type: value === undefined ? NOT_SET : TYPES[type].id,
    bool_value: false,
    integer_value: 0n,
    double_value: 0,
    string_value: '',
    byte_array_value: [],
    bool_array_value: [],
    integer_array_value: [],
    double_array_value: [],
    string_array_value: [],
  };
  if (value === undefined) return wire;
  if (type === 'integer') wire[TYPES[type].field] = BigInt(value as number);
  else if (type === 'integer_array') wire[TYPES[type].field] = (value as readonly number[]).map(BigInt);
  else wire[TYPES[type].field] = Array.isArray(value) ? [...value] : value;
  return wire;
}

/** The value in it; `undefined` where it is of no type that Rein knows. */
export function valueOfWire(wire: WireValue): ParameterValue | undefined {
  const type = Object.values(TYPES).find(({ id }) => id === Number(wire['type']));
  if (type === undefined) return undefined;
  const value = wire[type.field];
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
    type: TYPES[type].id,
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
