export { applyGiven, unfit } from './declared.ts';
export { expandName, type NodeIdentity, nodeIdentity, resolveName } from './names.ts';
export { ParameterStore } from './parameter-store.ts';
export type { RemapRule } from './remap-rule.ts';
export { type ParameterRule, resolveParameters } from './resolve.ts';
export { parseRosArgs, type RosArguments } from './ros-args.ts';
export type { GivenValue } from './scalars.ts';
export { USE_SIM_TIME, usesSimTime } from './sim-time.ts';
export { constraintsOf, valueOfWire, type WireValue, wireDescriptor, wireType, wireValue } from './wire.ts';
