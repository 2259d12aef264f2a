/** Offers the port's parameters through rclnodejs's services: with the port's checks and messages, and with the ranges that it omits. */
import { type ParameterStore, USE_SIM_TIME } from '../parameters/declared.ts';
import { constraintsOf, fieldValue, valueOfWire, wireDescriptor, wireType } from '../parameters/wire.ts';
import type { FaultReporter } from '../port/fault-reporter.ts';
import type { ParameterDeclaration, ParameterValue } from '../port/ros-port.ts';
import type { Binding, BindingDescriptor, BindingNode, BindingParameter, SetResult } from './binding.ts';

/** Declares everything in `store` on `node`, and rejects changes that it refuses. */
export function showParameters(
  binding: Binding,
  node: BindingNode,
  store: ParameterStore,
  faults: FaultReporter,
): void {
  // Every rclnodejs node declares this one itself.
  const own = [...store.declarations.values()].filter(({ name }) => name !== USE_SIM_TIME.name);
  node.declareParameters(
    own.map((declaration) => bindingParameter(binding, declaration, store.get(declaration.name))),
    own.map((declaration) => descriptorOf(binding, declaration)),
    true,
  );
  const setNatively = node.setParametersAtomically.bind(node);
  node.setParametersAtomically = (parameters) => {
    const set = faults.run('parameters', () => setAll(binding, store, parameters, setNatively));
    return set ?? { successful: false, reason: 'the check of the parameters failed' };
  };
}

/** Parameter in the addon's form. */
export function bindingParameter(
  binding: Binding,
  { name, type }: ParameterDeclaration,
  value: ParameterValue,
): BindingParameter {
  return new binding.Parameter(name, wireType(type), fieldValue(type, value));
}

function descriptorOf(binding: Binding, declaration: ParameterDeclaration): BindingDescriptor {
  const { name, type, description, isReadOnly } = declaration;
  const descriptor = new binding.ParameterDescriptor(name, wireType(type), description, isReadOnly ?? false);
  descriptor.additionalConstraints = constraintsOf(declaration);
  descriptor.toMessage = () => wireDescriptor(declaration);
  return descriptor;
}

function setAll(
  binding: Binding,
  store: ParameterStore,
  parameters: readonly BindingParameter[],
  setNatively: (parameters: readonly BindingParameter[]) => SetResult,
): SetResult {
  const accepted: { readonly declaration: ParameterDeclaration; readonly value: ParameterValue }[] = [];
  for (const parameter of parameters) {
    const value = valueOfWire(parameter.toParameterValueMessage());
    const reason = store.refusal(parameter.name, value);
    if (reason !== undefined) return { successful: false, reason };
    const declaration = store.declarations.get(parameter.name);
    if (declaration !== undefined && value !== undefined) accepted.push({ declaration, value });
  }
  const result = setNatively(accepted.map(({ declaration, value }) => bindingParameter(binding, declaration, value)));
  if (!result.successful) return result;
  for (const { declaration, value } of accepted) store.accept(declaration.name, value);
  // The service copies the reason into a message, which does not allow undefined.
  return { successful: true, reason: '' };
}
