/** The services by which tools read and set a node's parameters. */
import type { ServiceType } from '../../../src/ros/messages/message-type.ts';
import type { ParameterStore } from '../../../src/ros/parameters/declared.ts';
import { fieldValue, valueOfWire, type WireValue, wireDescriptor, wireType } from '../../../src/ros/parameters/wire.ts';
import type { FaultReporter } from '../../../src/ros/port/fault-reporter.ts';
import type { ParameterType, ParameterValue } from '../../../src/ros/port/ros-port.ts';

/** A service that a port offers by itself. */
export interface OwnService {
  readonly name: string;
  readonly type: ServiceType<unknown, unknown>;
  readonly handler: (request: unknown) => unknown;
}

interface WireParameter {
  readonly name: string;
  readonly value: WireValue;
}

interface SetResult {
  readonly successful: boolean;
  readonly reason: string;
}

export function parameterServices(store: ParameterStore, faults: FaultReporter): readonly OwnService[] {
  const own = <Q>(kind: string, name: string, handler: (request: Q) => unknown): OwnService => ({
    name: `~/${name}`,
    type: { name: `rcl_interfaces/srv/${kind}` },
    handler: handler as (request: unknown) => unknown,
  });
  const declarationOf = (name: string) => store.declarations.get(name);
  const set = (parameters: readonly WireParameter[]): SetResult => setAll(store, parameters, faults);
  return [
    own<{ parameters: WireParameter[] }>('SetParameters', 'set_parameters', ({ parameters }) => ({
      results: parameters.map((parameter) => set([parameter])),
    })),
    own<{ parameters: WireParameter[] }>('SetParametersAtomically', 'set_parameters_atomically', ({ parameters }) => ({
      result: set(parameters),
    })),
    own<{ names: string[] }>('GetParameters', 'get_parameters', ({ names }) => ({
      values: names.map((name) => {
        const declaration = declarationOf(name);
        return wireValue(declaration?.type ?? 'bool', declaration === undefined ? undefined : store.get(name));
      }),
    })),
    own<{ names: string[] }>('GetParameterTypes', 'get_parameter_types', ({ names }) => ({
      types: names.map((name) => wireType(declarationOf(name)?.type ?? 'bool')),
    })),
    own<{ names: string[] }>('DescribeParameters', 'describe_parameters', ({ names }) => ({
      descriptors: names.flatMap((name) => declarationOf(name) ?? []).map(wireDescriptor),
    })),
    own('ListParameters', 'list_parameters', () => ({
      result: { names: [...store.declarations.keys()], prefixes: [] },
    })),
  ];
}

/** All or none. */
function setAll(store: ParameterStore, parameters: readonly WireParameter[], faults: FaultReporter): SetResult {
  for (const { name, value } of parameters) {
    const asked = faults.run(`parameter ${name}`, () => ({ reason: store.refusal(name, valueOfWire(value)) }));
    if (asked === undefined) return { successful: false, reason: `${name} was not set: its check failed` };
    if (asked.reason !== undefined) return { successful: false, reason: asked.reason };
  }
  for (const { name, value } of parameters) {
    const accepted = valueOfWire(value);
    if (accepted !== undefined) store.accept(name, accepted);
  }
  return { successful: true, reason: '' };
}

/** `rcl_interfaces/msg/ParameterValue`; of no type where there is no value. */
function wireValue(type: ParameterType, value: ParameterValue | undefined): WireValue {
  return {
    type: value === undefined ? 0 : wireType(type),
    bool_value: false,
    integer_value: 0n,
    double_value: 0,
    string_value: '',
    byte_array_value: [],
    bool_array_value: [],
    integer_array_value: [],
    double_array_value: [],
    string_array_value: [],
    ...(value === undefined ? {} : { [`${type}_value`]: fieldValue(type, value) }),
  };
}
