/** What the programs that speak ROS for the guard are told: the node's namespace, its clock, its remaps of topics and services. */
import { resolveParameters } from '../parameters/resolve.ts';
import { usesSimTime } from '../parameters/sim-time.ts';
import type { NodeSettings } from './settings.ts';

const SCHEMES: Readonly<Record<string, string>> = { topic: 'rostopic://', service: 'rosservice://' };

/** `--ros-args …`; the programs have names of their own. */
export function rosArgumentsOf({ arguments: args, identity }: NodeSettings): readonly string[] {
  const remaps = args.remaps.filter(
    ({ kind, node }) =>
      kind !== 'nodeName' && kind !== 'namespace' && (node === undefined || node === identity.nodeName),
  );
  // Controllers compare the stamps of commands with their own time.
  const isSimulated = usesSimTime(resolveParameters(args.parameters, identity.fullName));
  return [
    ...['--ros-args', '-r', `__ns:=${identity.namespace}`],
    ...remaps.flatMap(({ kind, from, to }) => ['-r', `${SCHEMES[kind] ?? ''}${from}:=${to}`]),
    ...(isSimulated ? ['-p', 'use_sim_time:=true'] : []),
  ];
}
