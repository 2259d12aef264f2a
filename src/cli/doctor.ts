/** `rein doctor`: checks this machine, with a remedy for each problem. */
import { type Configured, oneOf, option, optionsOf, pathOption, text } from '../schema/index.ts';
import { defineCommand } from './command.ts';

const options = optionsOf({
  robot: option(text().optional(), '--robot <file>', 'also check the servos, or the VESC, of this robot'),
  port: pathOption('--port <path>', 'also check the servos, or the VESC, at this serial port'),
  format: option(oneOf('table', 'json').default('table'), '--json', 'print the result as JSON', { given: 'json' }),
});

export type DoctorOptions = Configured<typeof options>;

const HELP = `
What happens:
  Each thing that Rein needs is tried: packages are loaded in processes of their own, ports bound and freed, a file
  written and removed. Nothing moves, and without --robot or --port no serial port is opened. Each port is listed with
  its adapter, the process that has it open, and the permission of this user.
  With --robot or --port the servos of a bus are looked for, at every speed of their family until they answer, and
  asked for model, firmware, voltage, temperature, errors, torque and position: nothing is written to them, and their
  torque stays as it is. A VESC is asked for board, firmware, uuid, fault, voltage and temperature, and sent one command
  to coast, which shows whether its firmware stops the motor by itself. --robot compares what is there with the
  robot's file and its calibration, and the last line says what to do next.
    ok    works
    warn  something is missing that only some uses need; the line says which
    fail  Rein will not run

Examples:
  $ rein doctor
  $ rein doctor --json      for a script or a bug report
  $ rein doctor --port /dev/ttyACM0
  $ rein doctor --robot so101

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
