/** Rows 35 to 43: motion, limits, contact and energy. */
import type { FaultRow } from './fault-row.ts';
import { CONTACT_FORCE, LIMIT_BROKEN, STALLED, TANK_EMPTY, TORQUE_CAP, TRACKING_ERROR } from './flags.ts';

export const MOTION: readonly FaultRow[] = [
  {
    row: 35,
    fault: 'A command beyond the position of a joint',
    promise: 'The joint brake bound: the reference stops before the limit, 0 violations.',
    source: "libfranka's velocity limit by the distance to the joint limit; exact in discrete time is ours",
    numbers: { violations: 0 },
    signs: [],
  },
  {
    row: 36,
    fault: 'A command beyond velocity, acceleration or jerk',
    promise: 'Velocity and acceleration: 0 violations. Jerk is limited while a command is followed; braking is exempt.',
    source: 'libfranka, ros2_control',
    numbers: { violations: 0 },
    signs: [
      {
        seenBy: 'guard',
        name: 'limitBroken',
        bit: LIMIT_BROKEN,
        action: 'cat1',
        clears: 'acknowledged',
        mayMove: 'nobody',
        message: 'The independent check found a reference outside the limits.',
        remedy: 'This is a defect of the software or of the robot description: report it. Then acknowledge.',
      },
    ],
  },
  {
    row: 37,
    fault: 'A torque or current beyond its limit',
    promise:
      "The servos' torque caps are written at the start and read back: another value is category 1. A joint with at least 0.9 of its torque that has not moved for 100 ms although it was asked to, or one that its driver calls stalled, is category 1. Where a driver caps its servos below that (so101: 0.6 to 0.8 of their stall torque), 0.9 of the cap for 500 ms is category 1, and so is what it calls stalled itself (`driver.stall`).",
    source: "the caps of servos' makers; numbers ours",
    numbers: { capShare: 0.9, afterS: 0.1, shownWithinTicks: 1 },
    signs: [
      {
        seenBy: 'guard',
        name: 'stalled',
        bit: STALLED,
        action: 'cat1',
        clears: 'acknowledged',
        mayMove: 'nobody',
        message: 'A joint gives all the torque it may and does not move.',
        remedy:
          'Take away what blocks it, or see whether its encoder is frozen; let the servo cool down. Then acknowledge.',
      },
      {
        seenBy: 'guard',
        name: 'torqueCap',
        bit: TORQUE_CAP,
        action: 'cat1',
        clears: 'acknowledged',
        mayMove: 'nobody',
        message: "A servo's torque cap is not what was written.",
        remedy: 'Start the robot again, which writes the caps again; a servo that keeps none is to be replaced.',
      },
    ],
  },
  {
    row: 38,
    fault: 'A command out of the workspace, or into a keep-out box',
    promise: 'Tool point, listed points and capsules stay where they may be along the whole brake path: 0 violations.',
    source: 'HIL-SERL clips the tool; the brake path is ours',
    numbers: { violations: 0 },
    signs: [],
  },
  {
    row: 39,
    fault: 'A command that would make the robot hit itself',
    promise: 'The same shield keeps the listed pairs `clearanceM` apart (5 mm): 0 violations.',
    source: 'MoveIt Servo slows from 10 mm',
    numbers: { clearanceM: 0.005, violations: 0 },
    signs: [],
  },
  {
    row: 40,
    fault: 'The arm is near a singular pose',
    promise:
      'Damping grows as manipulability falls: every joint stays within its velocity, and what is lost is motion of the tool. It is not scaled by condition number (MoveIt Servo: slow from 17, stop at 30).',
    source: 'Nakamura and Hanafusa 1986',
    numbers: { violations: 0 },
    signs: [],
  },
  {
    row: 41,
    fault: 'The tool presses or is pressed too hard',
    promise:
      "Beyond the robot's `contact` limits on any axis in 2 measurements running: category 1. Power is the energy tank's affair (80 W at most).",
    source: 'libfranka reflexes, 20 to 100 N; ISO/TS 15066, 80 W',
    numbers: { samples: 2 },
    signs: [
      {
        seenBy: 'guard',
        name: 'contactForce',
        bit: CONTACT_FORCE,
        action: 'cat1',
        clears: 'acknowledged',
        mayMove: 'nobody',
        message: 'The tool felt more force or torque than the robot may press with, in two measurements running.',
        remedy: 'Look at what the tool touches, free it, then acknowledge.',
      },
    ],
  },
  {
    row: 42,
    fault: 'The energy tank is empty',
    promise:
      'Motion that would put energy in is scaled to 0, motion that takes some out goes on; well again at 10 % of the tank. A policy under which nothing has moved for 2 s meanwhile loses its episode: it is cut, with this as its reason, and on a real robot a person is asked before the next.',
    source: 'energy tanks (Califano et al. 2022)',
    numbers: { emptyShare: 0.02, wellShare: 0.1, idleS: 2 },
    signs: [
      {
        seenBy: 'guard',
        name: 'tankEmpty',
        bit: TANK_EMPTY,
        action: 'warn',
        clears: 'byItself',
        mayMove: 'anybody',
        message: 'The energy tank is empty: nothing that puts energy into the robot is done any more.',
        remedy:
          'Look at what the robot pushes against. Standing with nobody followed fills the tank by the `topUpW` of its file; taking torque off fills it at once: support an arm that has no brakes.',
      },
    ],
  },
  {
    row: 43,
    fault: 'The robot is not where it is asked to be',
    promise:
      'More than 0.2 rad, or 30 mm at the tool, for 100 ms: category 1. A link measured nearer to a keep-out box or another link than half of `clearanceM`: half the highest speed; touching it in 2 readings running: category 1. A robot that is not seen at rest within 1 s of its stop, and went more than 0.01 rad or 10 mm in it, is told.',
    source: 'libfranka; numbers ours',
    numbers: { errorRad: 0.2, errorM: 0.03, afterS: 0.1, nearShare: 0.5, nearSpeedRatio: 0.5, touchReadings: 2 },
    signs: [
      {
        seenBy: 'guard',
        name: 'trackingError',
        bit: TRACKING_ERROR,
        action: 'cat1',
        clears: 'acknowledged',
        mayMove: 'nobody',
        message:
          'A joint was more than 0.2 rad, or the tool 30 mm, from where it was asked to be for 100 ms, or a link touches what it keeps clear of.',
        remedy: 'Look for what blocks or pushes the robot, and whether its controller follows. Then acknowledge.',
      },
    ],
  },
];
