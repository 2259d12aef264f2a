/** Rows 10 to 17: faulty measurements, and a robot outside its permitted start region. */
import type { FaultRow } from './fault-row.ts';
import {
  DRIVER_LOST,
  ENCODER_JUMP,
  FROZEN_READING,
  LETTING_DOWN,
  READING_NOT_FINITE,
  SERVO_FAULT,
  SERVO_RESET,
  START_FAR,
  START_OUTSIDE,
} from './flags.ts';

export const MEASURING: readonly FaultRow[] = [
  {
    row: 10,
    fault: 'The robot does not answer any more',
    promise:
      'Three missed answers in a row (ROS: or 50 ms without a sign of life): category 1, latched. It brakes blind: the verified brake path is sent to its end and its servos get three times damping/stiffness, 1 s at most, to follow it; or three readings in a row show rest. Then torque goes off: at once where the robot holds itself without it, else as a ramp of `exitRampS`. Behind ROS commands end with the brake, and the controller gets a stop. A device that was silent or has started anew gets no goal before a person acts. A Feetech servo holds its last goal, or nothing where it has started anew: a goal would turn its torque on. A Dynamixel does the same, and stops where it is after 0.2 s without any request. The others of the arm brake; the caps of all go down together, answered or not, and torque off is written to all. A VESC gets neither speed nor steering, and lets go by its own timeout.',
    source: 'ros2_control stops on a read error; three is ours',
    numbers: { missedAnswers: 3, silenceS: 0.05 },
    signs: [
      {
        seenBy: 'guard',
        name: 'driverLost',
        bit: DRIVER_LOST,
        action: 'cat1',
        clears: 'acknowledged',
        mayMove: 'nobody',
        message: 'The robot does not answer.',
        remedy: 'Check cable and power. Support an arm that would fall, whose torque goes off then; acknowledge.',
      },
      {
        seenBy: 'guard',
        name: 'lettingDown',
        bit: LETTING_DOWN,
        action: 'warn',
        clears: 'byItself',
        mayMove: 'anybody',
        message: 'The arm does not hold itself without torque, and its torque is going off.',
        remedy: 'Support the arm now, or keep away from under it; `exitRampS` of its file says how long it takes.',
      },
      {
        seenBy: 'bridge',
        name: 'jointStatesLost',
        action: 'cat1',
        clears: 'acknowledged',
        message: 'Measurements no longer come over their topic, or the process that reads them has died.',
        remedy: "Look at the robot's controllers and at the bridge, then acknowledge.",
      },
    ],
  },
  {
    row: 11,
    fault: 'Garbage, partial or merged frames in a stream',
    promise: 'The next whole frame is read (within 2 frames); 0 wrong frames are accepted.',
    source: 'checksum and resynchronisation, as serial protocols do',
    numbers: { resyncWithinFrames: 2, acceptedWrong: 0 },
    signs: [
      {
        seenBy: 'node',
        name: 'malformed',
        action: 'warn',
        clears: 'byItself',
        message: 'A message could not be read; it changed nothing.',
        remedy: 'Look at who publishes it.',
      },
    ],
  },
  {
    row: 12,
    fault: 'The reply to another or a late request',
    promise:
      'A reply counts only with the id and the length of the request in its slot; others are dropped and counted, in `busCounters` of every frame, and what they say is taken from nobody.',
    source: 'protocols with ids',
    numbers: { acceptedForeign: 0 },
    signs: [],
  },
  {
    row: 13,
    fault: 'A servo reports overload, heat or voltage',
    promise:
      'Shown within 100 ms; category 1; back only after it has cooled down, by an operator. A servo that has started anew by itself, as after a dip of its supply, is one too: shown with its first answer (Feetech), or with what else is read of one servo a tick (heat, supply, torque, cap), within 0.24 s of six at 50 Hz. It gets no goal before a person acts (row 10).',
    source: 'firmware of servos latches them',
    numbers: { shownS: 0.1, readInTurnS: 0.24 },
    signs: [
      {
        seenBy: 'guard',
        name: 'servoFault',
        bit: SERVO_FAULT,
        action: 'cat1',
        clears: 'acknowledged',
        mayMove: 'nobody',
        message: 'A servo reports overload, heat, voltage or an error of its own.',
        remedy:
          'Do what its notice says of the cause: heat wants cooling, an overload less load, a wrong supply another one. Then acknowledge.',
      },
      {
        seenBy: 'guard',
        name: 'servoReset',
        bit: SERVO_RESET,
        action: 'cat1',
        clears: 'acknowledged',
        mayMove: 'nobody',
        message: 'A servo has started anew by itself: its torque is off, and its limits are those of the factory.',
        remedy: 'Look at plugs and supply for a dip of the voltage, and support the arm; then acknowledge.',
      },
    ],
  },
  {
    row: 14,
    fault: 'A sensor is frozen',
    promise:
      'Asked to move at 5 % of its highest speed and unchanged, but for a count more or less, for 100 ms (wheels: 500 ms): category 1. Coarse encoders: from ten times their noise on, which a servo that lags by damping / stiffness would have followed; with `dryFrictionNm` in the file, from one and a half times the way on that friction takes to turn round. With the torque of its cap it is stalled (row 37); where the torque has risen as the servo pushes, it is held by something, and well: for as long as others that move the tool are held too, for half a second where it pushes alone, as a servo does whose own encoder has frozen. Well is also a joint beside the tool that presses, within its torque. A joint that stood is given its time to begin, and one at its cap is asked for nothing by a reference that comes back to where it pulls less.',
    source: 'freshness diagnostics of ros2_control; numbers ours',
    numbers: { afterS: 0.1, speedShare: 0.05, wheelsAfterS: 0.5, heldS: 0.5 },
    signs: [
      {
        seenBy: 'guard',
        name: 'frozenReading',
        bit: FROZEN_READING,
        action: 'cat1',
        clears: 'acknowledged',
        mayMove: 'nobody',
        message: 'A joint was asked to move and its reading did not change for 100 ms (a base: 500 ms).',
        remedy:
          'See whether the joint moves: if not, its controller refuses; if so, its sensor is frozen. Then acknowledge.',
      },
    ],
  },
  {
    row: 15,
    fault: 'An encoder jumps, or wraps at 2π',
    promise: 'More than 1.5 × v_max × dt + 0.005 rad in one reading: held for one reading, the second is category 1.',
    source: 'a robot that drove 13 rad into its stop (IsaacTeleop#739); numbers ours',
    numbers: { speedRatio: 1.5, slackRad: 0.005, readings: 2 },
    signs: [
      {
        seenBy: 'guard',
        name: 'readingNotFinite',
        bit: READING_NOT_FINITE,
        action: 'cat1',
        clears: 'acknowledged',
        mayMove: 'nobody',
        message: 'A measured joint angle is NaN or infinite.',
        remedy: 'Check the driver and the calibration, then acknowledge.',
      },
      {
        seenBy: 'guard',
        name: 'encoderJump',
        bit: ENCODER_JUMP,
        action: 'cat1',
        clears: 'acknowledged',
        mayMove: 'nobody',
        message: 'A measured joint angle jumped farther than the joint can move, twice.',
        remedy: 'Check the encoder, its wrap-around and the calibration, then acknowledge.',
      },
    ],
  },
  {
    row: 16,
    fault: 'The robot starts outside its limits',
    promise:
      'No policy may move it. A person who holds the enabling switch moves it inwards only, at most at 0.1 rad/s. An arm whose weight its servos hold gets no torque there: hands move it.',
    source: 'libfranka refuses such a start pose; the recovery is ours',
    numbers: { recoveryRadPerS: 0.1 },
    signs: [
      {
        seenBy: 'guard',
        name: 'startOutside',
        bit: START_OUTSIDE,
        action: 'slow',
        clears: 'acknowledged',
        mayMove: 'human',
        message: 'The arm stands outside its joint limits or its workspace.',
        remedy:
          'Move it inside by hand with the torque off, or slowly with an enabling switch; then stop and acknowledge.',
      },
    ],
  },
  {
    row: 17,
    fault: 'The first target is far from where the robot stands',
    promise: 'More than 0.1 rad or 20 mm: refused, and reported.',
    source: "libfranka's start_pose_invalid; numbers ours",
    numbers: { nearRad: 0.1, nearM: 0.02 },
    signs: [
      {
        seenBy: 'guard',
        name: 'startFar',
        bit: START_FAR,
        action: 'warn',
        clears: 'byItself',
        mayMove: 'anybody',
        message: 'The first target is more than 0.1 rad or 20 mm from the measured pose; refused.',
        remedy: 'Start nearer to where the arm stands, or with smaller actions.',
      },
    ],
  },
];
