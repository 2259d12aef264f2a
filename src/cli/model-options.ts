/** Options of commands that read a robot's MJCF or URDF: fixed joints, package folders, and limits that no file contains. */
import { collect, option, pathOption, positiveNumber, recordOption, text } from '../schema/index.ts';

export const modelOptions = {
  limits: pathOption('--limits <file>', 'limits of the model: our YAML, or a ROS joint_limits.yaml'),
  velocityMaxRadPerS: option(
    positiveNumber(100).optional(),
    '--speed <rad/s>',
    'speed limit of joints for which no file gives one (m/s for a sliding joint)',
  ),
  accelMaxRadPerS2: option(
    positiveNumber(1000).optional(),
    '--accel <rad/s2>',
    'acceleration limit of joints for which no file gives one (default: computed)',
  ),
  torqueMaxNm: option(
    positiveNumber(10_000).optional(),
    '--torque <N.m>',
    'torque limit of joints for which no file gives one (N for a sliding joint)',
  ),
  payloadMaxKg: option(
    positiveNumber(1000).optional(),
    '--payload <kg>',
    'heaviest load of the tool (default: the value in a file)',
  ),
  fixed: option(
    text().array().default([]),
    '--fixed <joint>',
    'a joint that stands still or follows another, such as a finger; may be repeated',
    { read: collect },
  ),
  packages: recordOption(
    '--package <name=folder>',
    'where package://name of a URDF is, or name in an absolute path; may be repeated',
    /^([\w.-]+)=(.+)$/s,
    'It must be NAME=FOLDER.',
  ),
};
