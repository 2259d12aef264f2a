/** `rein plugins`: drivers, tasks, policies, operators and algorithms of others that a configuration could name here. */
import { Command } from 'commander';
import type { CommandBodies } from './bodies.ts';
import { EXIT_CODES } from './options.ts';

const HELP = `
What is listed:
  Packages that are installed in this folder or above it and say in their package.json what they are:
    "rein": { "kind": "driver", "contract": 1 }        driver, task, policy, operator or algorithm
  A configuration names such a package, or the path of a module of one's own, in its YAML file:
    driver: { kind: plugin, module: '@lab/rein-arm', options: { port: /dev/ttyUSB0 } }
    driver: { kind: plugin, module: ./my-arm.js }
  examples/ has one of each kind; CONTRIBUTING.md has the steps.

A module is code with all rights of the process that loads it. Listing loads none; --check does.

Examples:
  $ rein plugins
  $ rein plugins --check --json
${EXIT_CODES}`;

export function createPluginsCommand(bodies: CommandBodies, finish: (code: number) => void): Command {
  return new Command('plugins')
    .description('list installed drivers, tasks, policies, operators and algorithms of others')
    .option('--check', 'load each and check what it exports')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async ({ check, json }: { check?: boolean; json?: boolean }) => {
      finish(await bodies.plugins({ check: check === true, json: json === true }));
    });
}
