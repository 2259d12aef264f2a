/** Which of Rein's and ROS's YAML files one is, and what is said where another was expected. */

import { isOwnLimits, type RawYaml, readRawYaml } from '../../config/index.ts';
import { ReinError } from '../../core/index.ts';

/** `unknown` goes to the reader of what was expected, which says key by key what is wrong. */
export type YamlKind = 'limits' | 'ros' | 'robot' | 'task' | 'learner' | 'unknown';

/** Looks at the names of keys alone. Throws `ReinError` where it is no YAML. */
export function yamlKind(path: string, shownAs: string): YamlKind {
  const root = readRawYaml(path, shownAs);
  const keys = keysOf(root);
  const has = (...names: readonly string[]): boolean => names.some((name) => keys.includes(name));
  if (has('driver')) return 'robot';
  if (has('robot', 'policyHz', 'action', 'maxSteps')) return 'task';
  if (has('algorithm', 'actorHidden', 'criticHidden', 'utd')) return 'learner';
  if (isOwnLimits(keys)) return 'limits';
  if (isRos(root)) return 'ros';
  return 'unknown';
}

/** Throws where a file of `kind` is no robot to be checked. */
export function refuseSubject(kind: YamlKind, shownAs: string): void {
  if (kind === 'ros') {
    throw new ReinError('config', `${shownAs} is a ROS joint_limits.yaml, which names no robot`, {
      remedy: `give the MJCF or URDF, and this file beside it: rein safety check MODEL --limits ${shownAs}`,
    });
  }
  if (kind === 'task' || kind === 'learner') {
    throw new ReinError('config', `${shownAs} is the file of a ${kind}, and a robot is checked`, {
      remedy: "give a robot's name or file, a limits file, or an MJCF or URDF with --limits",
    });
  }
}

/** Throws where a file of `kind` is nothing for `--limits`. */
export function refuseLimits(kind: YamlKind, shownAs: string): void {
  if (kind !== 'robot' && kind !== 'task' && kind !== 'learner') return;
  const remedy = kind === 'robot' ? `; a robot's file is checked alone: rein safety check ${shownAs}` : '';
  throw new ReinError('config', `${shownAs} is the file of a ${kind}, and --limits takes limits of a model`, {
    remedy: `give a limits file or a ROS joint_limits.yaml${remedy}`,
  });
}

/** As `readRosLimits` looks for them: the group `joint_limits` at any depth, or joints with `has_…` at the top. */
function isRos(node: RawYaml): boolean {
  if (node.kind !== 'map') return false;
  return node.entries.some(
    ([key, value]) =>
      key === 'joint_limits' ||
      hasLimitGroup(value) ||
      key === 'ros__parameters' ||
      /^(has|max)_\w+$/.test(key) ||
      isRos(value),
  );
}

/** As in `joint1: { limit: { lower, upper, velocity, effort } }`. */
function hasLimitGroup(node: RawYaml): boolean {
  return node.kind === 'map' && node.entries.some(([key, value]) => key === 'limit' && value.kind === 'map');
}

function keysOf(node: RawYaml): readonly string[] {
  return node.kind === 'map' ? node.entries.map(([key]) => key) : [];
}
