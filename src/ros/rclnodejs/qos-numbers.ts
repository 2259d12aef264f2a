/** Quality of service in the numbers of ROS's middleware interface, and back. */
import type { QosProfile } from '../port/qos.ts';
import type { RosEndpoint } from '../port/ros-port.ts';
import type { Binding, BindingEndpoint } from './binding.ts';

const KEEP_LAST = 1;
const RELIABLE = 1;
const BEST_EFFORT = 2;
const TRANSIENT_LOCAL = 1;
const VOLATILE = 2;

export function bindingQos(binding: Binding, { reliability, durability, depth }: QosProfile): object {
  return new binding.QoS(
    KEEP_LAST,
    depth,
    reliability === 'reliable' ? RELIABLE : BEST_EFFORT,
    durability === 'transientLocal' ? TRANSIENT_LOCAL : VOLATILE,
  );
}

/** Until the graph knows whose an end is, it has no name to tell anybody. */
const UNKNOWN = '_NODE_NAME_UNKNOWN_';

export function endpointsOf(ends: readonly BindingEndpoint[]): readonly RosEndpoint[] {
  return ends
    .filter((end) => end.node_name !== UNKNOWN)
    .map(({ node_name, node_namespace, topic_type, qos_profile }) => ({
      node: fullNodeName(node_namespace, node_name),
      typeName: topic_type,
      qos: {
        reliability: qos_profile.reliability === BEST_EFFORT ? 'bestEffort' : 'reliable',
        durability: qos_profile.durability === TRANSIENT_LOCAL ? 'transientLocal' : 'volatile',
        depth: qos_profile.depth,
      },
    }));
}

export function fullNodeName(namespace: string, name: string): string {
  return namespace.endsWith('/') ? `${namespace}${name}` : `${namespace}/${name}`;
}
