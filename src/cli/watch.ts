/** `rein watch`: shows the monitor of a remote robot on this machine, through ssh. */
import { type Configured, option, optionsOf, text, wholeNumber } from '../schema/index.ts';
import { defineCommand, EXIT_CODES } from './command.ts';

const port = wholeNumber(1, 65_535);

const options = optionsOf({
  robot: option(
    text().regex(/^[A-Za-z0-9_][\w.@:%-]*$/, 'It must be an ssh destination, e.g. pi@robot.local.'),
    '<user@robot>',
    "ssh destination of the robot's computer",
  ),
  port: option(port.default(7400), '--port <n>', "the monitor's port there, as the run prints it"),
  localPort: option(
    port.optional(),
    '--local-port <n>',
    'port on this machine (default: the same, or the next that is free)',
  ),
});

export type WatchOptions = Configured<typeof options>;

const HELP = `
What happens:
  ssh leads a port of this machine to the monitor of a run on the robot's computer, which listens there for that
  computer only; the address for your browser is printed. Nothing is installed or opened to the network. Ctrl+C ends
  the tunnel; the run goes on, and a robot that you were driving holds. Users with ssh access may watch and stop. To
  operate, give the page the token that the robot's terminal shows (#token=…), or that of the run's --monitor-token; a
  simulation by rein sim needs none. Another port or key of ssh goes into ~/.ssh/config.

Examples:
  $ rein watch pi@robot.local                  then open the address that is printed
  $ rein watch pi@robot.local --port 7401      the run printed another port
${EXIT_CODES}`;

export const watchCommand = defineCommand({
  name: 'watch',
  description: "see and steer a robot elsewhere in this laptop's browser, through ssh",
  help: HELP,
  options,
});
