/** `rein emulate`: emulates an arm's servos, or a car's VESC, at a serial port without hardware. */
import {
  type Configured,
  collect,
  configOption,
  listOf,
  oneOf,
  option,
  optionsOf,
  pathOption,
  positiveNumber,
  seconds,
  seedOption,
  taskOption,
  text,
  wholeNumber,
} from '../schema/index.ts';
import { defineCommand } from './command.ts';

/** Default robot in `config/robots/` to emulate, by the kind of its driver. */
export const EMULATED_ROBOTS = { feetech: 'so101', dynamixel: 'koch', vesc: 'race-car-vesc' };

type Kind = keyof typeof EMULATED_ROBOTS;
const kinds = Object.keys(EMULATED_ROBOTS) as [Kind, ...Kind[]];
const robots = Object.values(EMULATED_ROBOTS);

const options = optionsOf({
  kind: option(oneOf(...kinds), '<kind>', `family of the devices: ${kinds.join(', ')}`),
  robot: option(
    text().optional(),
    '--robot <file>',
    'name of a file in config/robots/, or a path ending in .yaml; its joints and its model',
    { defaultText: `${robots.join(', ')}, by the kind, or the robot of --task` },
  ),
  link: pathOption('--link <path>', 'symbolic link to the port; its last part has the serial number in it'),
  serial: option(
    text()
      .regex(/^[A-Za-z0-9]+$/, 'It must be letters and digits.')
      .default('EMU0001'),
    '--serial <text>',
    'serial number of the adapter, for the link that is made without --link',
  ),
  baud: option(wholeNumber(9600, 4_500_000).optional(), '--baud <n>', 'bits a second on the line', {
    defaultText: "that of the robot's file, else of a new device",
  }),
  latencyMs: option(
    positiveNumber(100).optional(),
    '--latency <ms>',
    'latency timer of the adapter, as on USB (default: none, each byte as it arrives)',
  ),
  supplyV: option(
    positiveNumber(60).optional(),
    '--supply <V>',
    'voltage of the supply (default: what servos are rated for)',
  ),
  firmware: option(
    text().optional(),
    '--firmware <version>',
    'firmware version that the devices report, e.g. 3.43, 53, 6.02; for Dynamixels also the control table',
    { defaultText: 'a supported one' },
  ),
  task: taskOption(text().optional(), 'no objects beside the arm'),
  config: configOption(),
  fault: option(
    listOf(text()).default([]),
    '--fault <name=value>',
    'fault from the start on, e.g. drop=0.01, drop=0.01,requests, dead=3, shift=2,0.3; may be given several times',
    { read: collect },
  ),
  durationS: option(seconds().optional(), '--duration <seconds>', 'stop after this time (default: at Ctrl+C)'),
  seed: seedOption(),
  format: option(oneOf('text', 'json').default('text'), '--json', 'print each event as one line of JSON', {
    given: 'json',
  }),
});

export type EmulateOptions = Configured<typeof options>;

const HELP = `
What happens:
  A port appears that speaks, byte for byte and at the speed of the line, as servos or VESC would. Behind servos
  the robot's own model is simulated, in real time. A hand holds it at home until its servos pull; without torque it falls
  then, and hold brings it back. Behind a VESC the car's own model stands on an endless floor: turn 0.5 turns its wheels by hand.
  Whatever opens a serial port can use it, Rein's own commands or third-party programs. A program cannot tell it
  from a real cable, but nothing can break.
  --task puts the scene of a task beside the arm; servos under driver.signals of the robot's file measure it.
  Servos are mounted as the robot's calibration says; without one each joint's 0 is the middle of its servo's turn.

  Whatever goes wrong on a real bus can be made to happen: type a line while it runs, or send it to standard input.
  help lists them all; state shows every device, statistics what the line has carried, quit ends it.
    drop 0.01      one byte of a hundred is lost        unplug, plug   the cable
    dead 3         servo 3 answers no more              brown-out      the supply
    overload 2     it answers, and hardly pulls         heal 3         it is well again
  Faults of the line hit replies: each request arrives. drop, flip and garbage hit requests instead if that word
  follows, e.g. drop 0.01 requests.
  The same faults on the same bytes follow from the same --seed.

Examples:
  $ rein emulate feetech                                    an SO-101 at a link that the first line shows
  $ rein emulate feetech --link /tmp/usb-Emulated_so101_EMU0001-if00
  $ rein emulate feetech --latency 1 --fault flip=0.001     over USB, with a bad cable
  $ echo 'dead 3' | rein emulate feetech --duration 10 --json

Exit codes:
  0  --duration is over, or quit was typed
  1  it could not be done; the line that begins with "rein:" says why
  2  the command line was not understood
  130  Ctrl+C ended it`;

export const emulateCommand = defineCommand({
  name: 'emulate',
  description: 'bus servos, or a VESC, at a serial port without hardware, with the faults of real ones',
  help: HELP,
  options,
  endsInOrder: true,
});
