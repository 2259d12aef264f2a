/** `rein doctor`: what of this machine works, and what to do about the rest. */
import { type Configured, oneOf, option, optionsOf } from '../schema/index.ts';
import { defineCommand } from './command.ts';

const options = optionsOf({
  format: option(oneOf('table', 'json').default('table'), '--json', 'print the result as JSON', { given: 'json' }),
});

export type DoctorOptions = Configured<typeof options>;

const HELP = `
What happens:
  Each thing that Rein needs is tried: packages are loaded in processes of their own, ports bound and freed, a file
  written and removed. Nothing moves, and no serial port is opened.
    ok    works
    warn  something is missing that only some uses need; the line says which
    fail  Rein will not run

Examples:
  $ rein doctor
  $ rein doctor --json      for a script or a bug report

Exit codes:
  0  nothing failed
  1  something essential failed
  2  the command line was not understood`;

export const doctorCommand = defineCommand({
  name: 'doctor',
  description: 'check this machine: packages, rights, ports, disk, serial ports, ROS',
  help: HELP,
  options,
});
