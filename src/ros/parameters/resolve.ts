/**
 * Which values hold for a node: as rclpy decides it. Node names and patterns count in the order in which each first
 * appears; within one the last value wins; among those that match, the later one wins. (rclpy of Humble has one quirk that
 * is not copied: a value that changes its type under the same name keeps the earlier one.)
 */
import type { GivenValue } from './scalars.ts';

/** A value for the nodes that `nodes` matches: `/**`, `rein`, `/arm1/*`. */
export interface ParameterRule {
  readonly nodes: string;
  readonly name: string;
  readonly given: GivenValue;
}

/** The given values of the node `fullName` (`/arm1/rein`) by name. */
export function resolveParameters(rules: readonly ParameterRule[], fullName: string): ReadonlyMap<string, GivenValue> {
  const byNodes = new Map<string, Map<string, GivenValue>>();
  for (const { nodes, name, given } of rules) {
    const values = byNodes.get(nodes) ?? new Map<string, GivenValue>();
    values.set(name, given);
    byNodes.set(nodes, values);
  }
  const resolved = new Map<string, GivenValue>();
  for (const [nodes, values] of byNodes) {
    if (!patternOf(nodes).test(fullName)) continue;
    for (const [name, given] of values) resolved.set(name, given);
  }
  return resolved;
}

/** `/*` stands for one part of a name, `/**` for any number of them, also none. */
function patternOf(nodes: string): RegExp {
  const absolute = nodes.startsWith('/') ? nodes : `/${nodes}`;
  return new RegExp(`^${absolute.replaceAll('/*', '(/\\w+)')}$`);
}
