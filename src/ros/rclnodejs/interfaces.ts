/** Whether rclnodejs has a service's or action's messages: looked up in files, because asking for a missing one makes it generate. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ReinError } from '../../core/index.ts';
import { remedyFor } from './environment.ts';
import { interfacePackages } from './installation.ts';
import { findPackage, machineProbe } from './probe.ts';

/** Throws `ReinError('environment', …)` where the messages of `name` (`std_srvs/srv/Trigger`) are missing. */
export function mustBeGenerated(name: string): void {
  const [pkg, kind, type] = name.split('/');
  const folder = findPackage();
  if (!pkg || !kind || !type || !/^\w+\/(msg|srv|action)\/\w+$/.test(name))
    throw new ReinError('environment', `"${name}" is no name of a ROS message, service or action`);
  if (folder !== undefined && existsSync(join(folder, 'generated', pkg, `${pkg}__${kind}__${type}.js`))) return;
  throw new ReinError('environment', `rclnodejs has no messages for ${name}`, {
    remedy: remedyFor(pkg, process.env['ROS_DISTRO'] ?? '', interfacePackages(machineProbe()).has(pkg)),
  });
}
