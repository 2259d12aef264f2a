/** `rein plugins`: third-party drivers, tasks, policies, operators and algorithms that a configuration could name here. */
import { type Configured, collect, option, optionsOf, path, switchOption } from '../schema/index.ts';
import { defineCommand, EXIT_CODES } from './command.ts';

const options = optionsOf({
  modules: option(
    path().array().default([]),
    '[modules...]',
    'modules by their paths, to be checked instead of what is installed',
    { read: collect },
  ),
  check: switchOption('--check', 'load each and check what it exports'),
  json: switchOption('--json', 'print one JSON object'),
});

export type PluginsOptions = Configured<typeof options>;

const HELP = `
What is listed:
  Packages that are installed in this folder or above it and declare their kind in package.json:
    "rein": { "kind": "driver", "contract": 2 }        driver, task, policy, operator or algorithm
  A configuration names such a package, or the path of a module of one's own, in its YAML file:
    driver: { kind: plugin, module: '@lab/rein-arm', options: { port: /dev/ttyUSB0 } }
    driver: { kind: plugin, module: ./my-arm.js }
  examples/ has one of each kind; CONTRIBUTING.md has the steps.

A module is code with all rights of the process that loads it. Listing loads none; --check loads each in a process of
its own, which has 10 s for it.

Examples:
  $ rein plugins
  $ rein plugins --check --json
  $ rein plugins --check ./my-arm.js     one that is not installed, by its path
${EXIT_CODES}`;

export const pluginsCommand = defineCommand({
  name: 'plugins',
  description: 'list installed third-party drivers, tasks, policies, operators and algorithms',
  help: HELP,
  options,
  misuse: ({ modules, check }) =>
    modules.length > 0 && !check ? 'a module is only looked at with --check' : undefined,
});
