/** What a guard needs of ROS where its robot is behind ROS topics: the node's names. */
import type { GuardConfig } from '../../../runtime/guard/index.ts';
import type { NodeSettings } from './settings.ts';

/** The same configuration, with the node's namespace and remaps where the driver wants them. */
export function guardWithRos(config: GuardConfig, { arguments: args, identity }: NodeSettings): GuardConfig {
  const { driver } = config;
  if (driver.name !== 'ros') return config;
  // The programs have names of their own in the node's namespace; topics are remapped as the node's are.
  const remaps = args.remaps.filter(({ kind }) => kind !== 'nodeName' && kind !== 'namespace');
  const rosArguments = [
    '--ros-args',
    ...['-r', `__ns:=${identity.namespace}`],
    ...remaps.flatMap(({ kind, from, to }) => ['-r', `${SCHEMES[kind] ?? ''}${from}:=${to}`]),
  ];
  return { ...config, driver: { ...driver, processes: { ...driver.processes, rosArguments } } };
}

const SCHEMES: Readonly<Record<string, string>> = { topic: 'rostopic://', service: 'rosservice://' };
