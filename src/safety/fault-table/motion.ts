/** Rows 35 to 43: motion, limits, contact and energy. */
import type { FaultRow } from './fault-row.ts';
import { CONTACT_FORCE, LIMIT_BROKEN, STALLED, TANK_EMPTY, TORQUE_CAP, TRACKING_ERROR } from './flags.ts';

export const MOTION: readonly FaultRow[] = [
  {
    row: 35,
    fault: 'A command beyond the position limit of a joint',
    promise: 'Joint brake bound: the reference stops before the limit, 0 violations.',
    source: "libfranka's velocity limit by the distance to the joint limit; exact in discrete time is ours",
    numbers: { violations: 0 },
    signs: [],
  },
  {
    row: 36,
    fault: 'A command beyond the velocity, acceleration or jerk limit',
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
        remedy: 'This is a defect in the software or in the robot description: report it. Then acknowledge.',
      },
    ],
  },
  {
    row: 37,
    fault: 'A torque or current beyond its limit',
    promise:
      "The servos' torque caps are written at start and read back: a different value is category 1. A joint at 0.9 of its torque or more that has not moved for 100 ms although commanded, or one that its driver reports as stalled, is category 1. If a driver caps its servos below that (so101: 0.6 to 0.8 of their stall torque), 0.9 of the cap for 500 ms is category 1, and so is a stall that the driver detects itself (`driver.stall`).",
    source: 'torque caps of servo makers; numbers ours',
    numbers: { capShare: 0.9, afterS: 0.1, shownWithinTicks: 1 },
    signs: [
      {
        seenBy: 'guard',
        name: 'stalled',
        bit: STALLED,
        action: 'cat1',
        clears: 'acknowledged',
        mayMove: 'nobody',
        message: 'A joint is at its torque limit and does not move.',
        remedy:
          'Remove what blocks it, or check whether its encoder is frozen; let the servo cool down. Then acknowledge.',
      },
      {
        seenBy: 'guard',
        name: 'torqueCap',
        bit: TORQUE_CAP,
        action: 'cat1',
        clears: 'acknowledged',
        mayMove: 'nobody',
        message: "A servo's torque cap is not the value that was written.",
        remedy: 'Restart the robot, which writes the caps again; replace a servo that does not keep its cap.',
      },
    ],
  },
  {
    row: 38,
    fault: 'A command out of the workspace, or into a keep-out box',
    promise:
      'Tool point, listed points and capsules stay within their bounds along the whole brake path: 0 violations.',
    source: 'HIL-SERL clips the tool; the brake path is ours',
    numbers: { violations: 0 },
    signs: [],
  },
  {
    row: 39,
    fault: 'A command that would cause a self-collision',
    promise: 'The same shield keeps the listed pairs `clearanceM` apart (5 mm): 0 violations.',
    source: 'MoveIt Servo slows from 10 mm',
    numbers: { clearanceM: 0.005, violations: 0 },
    signs: [],
  },
  {
    row: 40,
    fault: 'The arm is near a singularity',
    promise:
      'Damping increases as manipulability falls: every joint stays within its velocity limit, at the cost of tool motion. It is not scaled by condition number (MoveIt Servo: slow from 17, stop at 30).',
    source: 'Nakamura and Hanafusa 1986',
    numbers: { violations: 0 },
    signs: [],
  },
  {
    row: 41,
    fault: 'The contact force at the tool is too high',
    promise:
      "Beyond the robot's `contact` limits on any axis in 2 consecutive measurements: category 1. Power is limited by the energy tank (80 W at most).",
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
        message: 'Force or torque at the tool exceeded the contact limits in two consecutive measurements.',
        remedy: 'Check what the tool touches, free it, then acknowledge.',
      },
    ],
  },
  {
    row: 42,
    fault: 'The energy tank is empty',
    promise:
      'Motion that would add energy is scaled to 0, motion that removes energy continues; cleared at 10 % of the tank. If nothing moves under a policy for 2 s meanwhile, its episode is cut with this as the reason, and on a real robot the operator is asked before the next.',
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
        message: 'The energy tank is empty: motion that adds energy to the robot is blocked.',
        remedy:
          'Check what the robot pushes against. While the robot stands and follows no command, `topUpW` of its file refills the tank; taking torque off refills it at once: support an arm that has no brakes.',
      },
    ],
  },
  {
    row: 43,
    fault: 'The robot does not follow its reference',
    promise:
      'More than 0.2 rad, or 30 mm at the tool, for 100 ms: category 1. A link measured nearer to a keep-out box or another link than half of `clearanceM`: half the maximum speed; contact in 2 consecutive readings: category 1. A robot that is not measured at rest within 1 s of its stop, and moved by more than 0.01 rad or 10 mm in it, is reported.',
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
          'A joint was more than 0.2 rad, or the tool 30 mm, off its reference for 100 ms, or a link touches another link or a keep-out box.',
        remedy: 'Check what blocks or pushes the robot, and whether its controller follows. Then acknowledge.',
      },
    ],
  },
];
