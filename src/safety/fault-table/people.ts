/** Rows 18 to 25: operators, clocks, stops, and processes that die. */
import type { FaultRow } from './fault-row.ts';
import { EMERGENCY_STOP, TICK_STALLED } from './flags.ts';

export const PEOPLE: readonly FaultRow[] = [
  {
    row: 18,
    fault: 'The operator drops out while in control',
    promise:
      'Lease of 100 ms for a device at the robot, up to 150 ms over ROS 2 (`teleop_lease`), 250 ms for a page (1.5 s in `rein sim`); then the robot stops and stays: the policy never goes on by itself.',
    source: 'twist_mux and PX4 wait 500 ms; a firmware in the field 125 ms',
    numbers: { leaseS: 0.1, leaseMaxS: 0.15 },
    signs: [
      {
        seenBy: 'node',
        name: 'teleopLost',
        action: 'cat2',
        clears: 'acknowledged',
        message:
          'The operator was in control and has not been heard for the lease (100 ms; up to 150 ms over ROS 2; 250 ms for a page, 1.5 s in rein sim).',
        remedy:
          'Bring the device back. The policy goes on only when a person says so: c at the terminal, Start at the page, ~/reset and ~/resume over ROS.',
      },
    ],
  },
  {
    row: 19,
    fault: 'Commands wait in a queue and are replayed',
    promise:
      'The newest wins, nothing waits, and the lease runs from the sending: 0 commands past their lease are executed.',
    source: 'replays seen in the field (stretch_web_teleop#3, romi#94)',
    numbers: { executedStale: 0 },
    signs: [
      {
        seenBy: 'node',
        name: 'teleopStale',
        action: 'warn',
        clears: 'byItself',
        message: 'A command of the operator was older than its lease, or came twice; it was not executed.',
        remedy: 'Stamp commands when they are sent, send only new ones, and set the clocks of both machines.',
      },
    ],
  },
  {
    row: 20,
    fault: 'A stick is stuck, drifts, or repeats',
    promise: 'Needs the enabling switch and the middle first; 5 s of the same motion count as nobody holding it.',
    source: 'dead-man practice; the 5 s are ours',
    numbers: { sameForS: 5 },
    signs: [
      {
        seenBy: 'node',
        name: 'teleopStuck',
        action: 'hold',
        clears: 'byItself',
        message: 'The operator asked for the same motion for 5 s; it counts as a stuck stick.',
        remedy: 'Let the stick go to its middle, then move on.',
      },
    ],
  },
  {
    row: 21,
    fault: 'Two operators, or two nodes, at once',
    promise:
      'One holds the lease, taking over is explicit and reported to both, and anybody may stop. One node at a guard.',
    source: "twist_mux's priorities",
    numbers: { holders: 1 },
    signs: [],
  },
  {
    row: 22,
    fault: 'The wall clock jumps',
    promise:
      'A jump of ±1 day changes no duration: all run on the monotonic clock. ROS time that jumps is told; one that goes back cuts the episode.',
    source: 'ros2_control takes it for an overrun; ours is monotonic',
    numbers: { jumpS: 86_400 },
    signs: [
      {
        seenBy: 'node',
        name: 'timeJump',
        action: 'hold',
        clears: 'byItself',
        message: 'ROS time jumped; back, the episode was cut. Durations are monotonic and did not change.',
        remedy: 'Nothing, if a simulation or a recording was set to another time.',
      },
    ],
  },
  {
    row: 23,
    fault: 'The emergency stop is pressed',
    promise:
      'Seen in the tick that reads it: torque off at once, latched. Cutting the power is the affair of hardware.',
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
    fault: 'The tick is held up',
    promise:
      'More than 3 periods: fault when it goes on, and it brakes from where the robot is measured; a person lets it go on, but where the robot is simulated. Silent for 100 ms: whoever can only stop, stops the robot.',
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
        remedy: 'Find what holds up the machine, then acknowledge.',
      },
    ],
  },
  {
    row: 25,
    fault: 'A process is killed',
    promise:
      'Guard: a stop is sent within 50 ms of its death. Whatever is started again stands until a person acts, in simulation too.',
    source: 'supervisors and drive watchdogs; the 50 ms are ours',
    numbers: { stopWithinS: 0.05 },
    signs: [
      {
        seenBy: 'supervisor',
        name: 'guardLost',
        action: 'cat1',
        clears: 'acknowledged',
        message: 'A process died. The robot brakes; whoever is left stops it.',
        remedy: 'Look at the robot, then start or acknowledge.',
      },
    ],
  },
];
