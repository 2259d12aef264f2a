/** What the programs that speak ROS for the guard are told: the node's namespace, and its remaps of topics and services. */
import type { NodeSettings } from './settings.ts';

const SCHEMES: Readonly<Record<string, string>> = { topic: 'rostopic://', service: 'rosservice://' };

/** `--ros-args …`; the programs have names of their own. */
export function rosArgumentsOf({ arguments: args, identity }: NodeSettings): readonly string[] {
  const remaps = args.remaps.filter(({ kind }) => kind !== 'nodeName' && kind !== 'namespace');
  return [
    ...['--ros-args', '-r', `__ns:=${identity.namespace}`],
    ...remaps.flatMap(({ kind, from, to }) => ['-r', `${SCHEMES[kind] ?? ''}${from}:=${to}`]),
  ];
}
