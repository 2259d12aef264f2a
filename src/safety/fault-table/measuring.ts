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
    fault: 'The robot no longer answers',
    promise:
      'Three missed answers in a row (ROS: or 50 ms without a heartbeat): category 1, latched. The robot brakes without measurements: the verified brake path is sent to its end, and the servos get three times damping/stiffness, 1 s at most, to follow it; or three readings in a row show the robot at rest. Then torque goes off: at once if the robot holds itself without torque, otherwise as a ramp of `exitRampS`. Behind ROS, commands end with the brake, and the controller gets a stop. A device that was silent or has restarted gets no goal until an operator acts. A Feetech servo holds its last goal, or nothing if it has restarted: a goal would turn its torque on. A Dynamixel does the same, and stops where it is after 0.2 s without any request. The other devices of the arm brake; the torque caps of all are lowered together, answered or not, and torque off is written to all. A VESC gets neither speed nor steering commands, and releases the motor by its own timeout.',
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
        remedy: 'Check cable and power. Support an arm that would fall, as its torque goes off. Then acknowledge.',
      },
      {
        seenBy: 'guard',
        name: 'lettingDown',
        bit: LETTING_DOWN,
        action: 'warn',
        clears: 'byItself',
        mayMove: 'anybody',
        message: 'The arm does not hold itself without torque, and its torque is ramping down.',
        remedy: 'Support the arm now, or keep clear below it; `exitRampS` of its file is the duration of the ramp.',
      },
      {
        seenBy: 'bridge',
        name: 'jointStatesLost',
        action: 'cat1',
        clears: 'acknowledged',
        message: 'Measurements no longer arrive on their topic, or the ROS bridge, which reads them, has died.',
        remedy: "Check the robot's controllers and the ROS bridge, then acknowledge.",
      },
    ],
  },
  {
    row: 11,
    fault: 'Garbage, partial or merged frames in a stream',
    promise: 'The next intact frame is read (within 2 frames); 0 wrong frames are accepted.',
    source: 'checksum and resynchronisation, as serial protocols do',
    numbers: { resyncWithinFrames: 2, acceptedWrong: 0 },
    signs: [
      {
        seenBy: 'node',
        name: 'malformed',
        action: 'warn',
        clears: 'byItself',
        message: 'A message could not be parsed; it was ignored.',
        remedy: 'Check its publisher.',
      },
    ],
  },
  {
    row: 12,
    fault: 'A reply that belongs to another request, or comes late',
    promise:
      'A reply is accepted only with the id and the length of the request in its slot; others are counted, in `busCounters` of every frame, and discarded with their payload.',
    source: 'protocols with ids',
    numbers: { acceptedForeign: 0 },
    signs: [],
  },
  {
    row: 13,
    fault: 'A servo reports overload, overheating or a voltage error',
    promise:
      'Shown within 100 ms; category 1; enabled again only by an operator, after it has cooled down. A servo that has restarted by itself, as after a voltage dip, is handled alike: shown with its first answer (Feetech), or with the values that are read of one servo per tick (temperature, supply, torque, cap), within 0.24 s for six servos at 50 Hz. It gets no goal until an operator acts (row 10).',
    source: 'servo firmware latches them',
    numbers: { shownS: 0.1, readInTurnS: 0.24 },
    signs: [
      {
        seenBy: 'guard',
        name: 'servoFault',
        bit: SERVO_FAULT,
        action: 'cat1',
        clears: 'acknowledged',
        mayMove: 'nobody',
        message: 'A servo reports overload, overheating, a voltage error or another hardware error.',
        remedy:
          'Remove the cause that its notice names: let a hot servo cool, reduce an overload, replace a wrong supply. Then acknowledge.',
      },
      {
        seenBy: 'guard',
        name: 'servoReset',
        bit: SERVO_RESET,
        action: 'cat1',
        clears: 'acknowledged',
        mayMove: 'nobody',
        message: 'A servo has restarted by itself: its torque is off, and its limits are the factory defaults.',
        remedy: 'Check plugs and supply for a voltage dip, and support the arm; then acknowledge.',
      },
    ],
  },
  {
    row: 14,
    fault: 'A sensor is frozen',
    promise:
      'A joint that is commanded at 5 % of its maximum speed or more, and whose reading does not change by more than one count for 100 ms (wheels: 500 ms): category 1. Coarse encoders: only if the reference has moved by ten times their noise, as far as a servo that lags by damping / stiffness would have followed; with `dryFrictionNm` in the file, by one and a half times the travel that friction absorbs on reversal. At the torque of its cap the joint is stalled instead (row 37). If its torque has risen as the servo pushes, the joint is blocked, and no fault is reported: for half a second if it pushes alone, as a servo with a frozen encoder does, and for as long as other joints that move the tool are blocked too. Nor is one for a joint beside the tool (a gripper) that presses within its torque. A joint at rest is given time to start, and a joint at its cap does not count as commanded while its reference returns to where it pulls less.',
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
        message: 'A joint was commanded to move, and its reading did not change for 100 ms (a base: 500 ms).',
        remedy:
          'Check whether the joint moves: if not, its controller ignores commands; if so, its sensor is frozen. Then acknowledge.',
      },
    ],
  },
  {
    row: 15,
    fault: 'An encoder jumps, or wraps at 2π',
    promise:
      'A change of more than 1.5 × v_max × dt + 0.005 rad in one reading: the previous reading is held once; a second jump is category 1.',
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
      'No policy may move it. An operator who holds the enabling switch may move it inwards only, at 0.1 rad/s at most. An arm whose weight is held by its servos gets no torque there: it is moved by hand.',
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
    fault: 'The first target is far from the measured pose',
    promise: 'More than 0.1 rad or 20 mm: refused and reported.',
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
        remedy: 'Start nearer to the measured pose, or with smaller actions.',
      },
    ],
  },
];
