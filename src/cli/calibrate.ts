/** `rein calibrate`: direction, zero and range of each joint. */
import {
  type Configured,
  collect,
  listOf,
  oneOf,
  option,
  optionsOf,
  path,
  pathOption,
  switchOption,
  text,
} from '../schema/index.ts';
import { defineCommand } from './command.ts';

const options = optionsOf({
  robot: option(text(), '--robot <file>', 'name of a file in config/robots/, or a path ending in .yaml'),
  port: pathOption('--port <path>', "serial port (default: that of the robot's file, else the only one)"),
  joints: option(listOf(text()).default([]), '--joint <name>', 'this joint only; may be given several times', {
    read: collect,
    defaultText: 'all of them',
  }),
  out: pathOption('--out <file>', "where the calibration is written (default: the file that the robot's file names)"),
  from: option(path().optional(), '--from <file>', 'take zeros and ranges from a calibration file of LeRobot'),
  mode: option(oneOf('write', 'check').default('write'), '--check', 'compare file, servos and robot; write nothing', {
    given: 'check',
  }),
  rebind: switchOption(
    '--rebind',
    'the arm is the same and its adapter or socket another: look at its servos, ask, and bind the file to that',
  ),
  acceptFirmware: switchOption('--accept-firmware', 'take servos whose firmware is unknown without asking'),
  storeRanges: switchOption('--store-ranges', 'store each range in its servo too, which then keeps to it by itself'),
});

export type CalibrateOptions = Configured<typeof options>;

const HELP = `
What happens:
  1  The servos that the robot's file names are looked for: id, model, firmware, two with one id.
  2  Torque goes off, after you have the arm in your hands and press Enter. Nothing moves by itself from here to the end.
  3  Joint by joint: put it at its zero, move it the way its angle rises, move it through its whole range. Least, now and
     greatest are shown while you move, in degrees and in the counts of the servo.
  4  What should stand in the servos for good is listed, and written after a yes only.
  5  The file is written, with a checksum, bound to the serial number of the adapter, or, where that has none, to the USB
     socket that it is in. Without it the arm does not drive.
  Every joint is kept when it is done: after Ctrl+C, or a kill, the same command goes on behind it.
  Answers are lines of standard input, so a script can give them.

  --from takes zeros and ranges of an arm that LeRobot has calibrated, and asks for the directions only.
  --check reads, compares and says what does not agree.
  --rebind is for the same arm behind another adapter, or in another socket: ids, models, firmware and offsets of its
  servos have to be those of the file, and you say that it is the arm. Rungs above doctor have to be passed again.

What it writes: --out, and beside it, until all is done, the same with .partial behind its name.

Examples:
  $ rein calibrate --robot my-arm.yaml
  $ rein calibrate --robot my-arm.yaml --joint gripper
  $ rein calibrate --robot my-arm.yaml --check
  $ rein calibrate --robot my-arm.yaml --from ~/.cache/huggingface/lerobot/calibration/robots/so_follower/my_arm.json

Exit codes:
  0  the file is written; with --check: all agrees; with --rebind: it is bound
  1  it could not be done, or something does not agree; the line that begins with "rein:" or "fail" says what
  2  the command line was not understood
  130  Ctrl+C ended it; what was done is kept`;

export const calibrateCommand = defineCommand({
  name: 'calibrate',
  description: "find out each joint's zero, direction and range, with a hand on the arm",
  help: HELP,
  options,
  endsInOrder: true,
});
