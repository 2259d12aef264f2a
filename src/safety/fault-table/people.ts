/** Rows 18 to 25: operators, clocks, stops, and processes that die. */
import type { FaultRow } from './fault-row.ts';
import { EMERGENCY_STOP, TICK_STALLED } from './flags.ts';

export const PEOPLE: readonly FaultRow[] = [
  {
    row: 18,
    fault: 'Operator commands stop while the operator is in control',
    promise:
      'Lease of 100 ms for a device at the robot, up to 150 ms over ROS 2 (`teleop_lease`), 250 ms for a web page (1.5 s in `rein sim`); then the robot stops and holds: the policy never resumes by itself.',
    source: 'twist_mux and PX4 wait 500 ms; a firmware in the field 125 ms',
    numbers: { leaseS: 0.1, leaseMaxS: 0.15 },
    signs: [
      {
        seenBy: 'node',
        name: 'teleopLost',
        action: 'cat2',
        clears: 'acknowledged',
        message:
          'The operator was in control, and no command has arrived for the lease (100 ms; up to 150 ms over ROS 2; 250 ms for a web page, 1.5 s in rein sim).',
        remedy:
          'Reconnect the device. The policy resumes only on request of the operator: c at the terminal, Start on the page, ~/reset and ~/resume over ROS.',
      },
    ],
  },
  {
    row: 19,
    fault: 'Commands are queued and replayed',
    promise:
      'The newest command wins, none is queued, and the lease starts when a command is sent: 0 commands past their lease are executed.',
    source: 'replays seen in the field (stretch_web_teleop#3, romi#94)',
    numbers: { executedStale: 0 },
    signs: [
      {
        seenBy: 'node',
        name: 'teleopStale',
        action: 'warn',
        clears: 'byItself',
        message: 'An operator command was older than its lease, or arrived twice; it was not executed.',
        remedy: 'Stamp commands when they are sent, send only new ones, and synchronise the clocks of both computers.',
      },
    ],
  },
  {
    row: 20,
    fault: 'A stick is stuck, drifts, or repeats',
    promise:
      'Motion needs the enabling switch, and the stick at its centre first; 5 s of the same motion count as a stuck stick.',
    source: 'dead-man practice; the 5 s are ours',
    numbers: { sameForS: 5 },
    signs: [
      {
        seenBy: 'node',
        name: 'teleopStuck',
        action: 'hold',
        clears: 'byItself',
        message: 'The operator device commanded the same motion for 5 s; it counts as a stuck stick.',
        remedy: 'Return the stick to its centre, then continue.',
      },
    ],
  },
  {
    row: 21,
    fault: 'Two operators, or two nodes, at once',
    promise:
      'One operator holds the lease; a takeover is explicit and reported to both, and every client may stop the robot. One node per guard.',
    source: "twist_mux's priorities",
    numbers: { holders: 1 },
    signs: [],
  },
  {
    row: 22,
    fault: 'The wall clock jumps',
    promise:
      'A jump of ±1 day changes no duration: all use the monotonic clock. A jump of ROS time is reported; a jump back cuts the episode.',
    source: 'ros2_control treats it as an overrun; ours is monotonic',
    numbers: { jumpS: 86_400 },
    signs: [
      {
        seenBy: 'node',
        name: 'timeJump',
        action: 'hold',
        clears: 'byItself',
        message: 'ROS time jumped; if it jumped back, the episode was cut. Durations are monotonic and did not change.',
        remedy: 'None if a simulation or a recording was set to another time.',
      },
    ],
  },
  {
    row: 23,
    fault: 'The emergency stop is pressed',
    promise: 'Handled in the tick that reads it: torque off at once, latched. Cutting the power is left to hardware.',
    source: 'IEC 60204-1, category 0',
    numbers: { withinTicks: 1 },
    signs: [
      {
        seenBy: 'guard',
        name: 'emergencyStop',
        bit: EMERGENCY_STOP,
        action: 'cat0',
        clears: 'acknowledged',
        mayMove: 'nobody',
        message: 'The emergency stop is pressed.',
        remedy: 'Make the cell safe, release the button, then acknowledge.',
      },
    ],
  },
  {
    row: 24,
    fault: 'The control tick stalls',
    promise:
      'More than 3 periods: fault when the tick resumes, and the robot brakes from its measured pose; an operator must acknowledge, unless the robot is simulated. No heartbeat for 100 ms: the guardian (or ROS stopper) stops the robot.',
    source: 'overrun counters of ros2_control; numbers ours',
    numbers: { periods: 3, silenceS: 0.1 },
    signs: [
      {
        seenBy: 'guard',
        name: 'tickStalled',
        bit: TICK_STALLED,
        action: 'cat2',
        clears: 'acknowledged',
        mayMove: 'nobody',
        message: 'More than three control periods passed without a tick.',
        remedy: 'Find what delays the computer, then acknowledge.',
      },
    ],
  },
  {
    row: 25,
    fault: 'A process is killed',
    promise:
      'Guard: a stop is sent within 50 ms of its death. After a restart the robot does not move until an operator acts, in simulation too.',
    source: 'supervisors and drive watchdogs; the 50 ms are ours',
    numbers: { stopWithinS: 0.05 },
    signs: [
      {
        seenBy: 'supervisor',
        name: 'guardLost',
        action: 'cat1',
        clears: 'acknowledged',
        message: 'A process died. The robot brakes; a remaining process stops it.',
        remedy: 'Check the robot, then start or acknowledge.',
      },
    ],
  },
];
