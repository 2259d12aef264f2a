/** Rows 44 to 53: cameras, vehicles, load, ends, the simulator, and what joint torques show of the surroundings. */
import type { FaultRow } from './fault-row.ts';
import { OVERLOADED, OVERRUN, SERVO_RESIDUAL, TORQUE_RESIDUAL } from './flags.ts';

export const SURROUNDINGS: readonly FaultRow[] = [
  {
    ...{ row: 44, fault: 'A camera is late or frozen', applies: true },
    promise: 'Older than its freshness, or the same picture 5 times: the policy does not act, the robot holds.',
    source: 'ours',
    numbers: { samePictures: 5 },
    signs: [
      {
        ...{ seenBy: 'node', name: 'observationLost', action: 'hold', clears: 'byItself' },
        message: 'A camera is late, or has shown the same picture five times; the policy does not act.',
        remedy: 'Look at the camera.',
      },
    ],
  },
  {
    ...{ row: 45, fault: 'The battery is low', applies: false },
    promise: 'Reported, then slower, then category 1; 2 s of hysteresis.',
    source: "PX4's ladder",
    needs: 'a robot that measures its battery',
  },
  {
    ...{ row: 46, fault: 'A radio-controlled car loses its signal', applies: false },
    promise: 'Neutral within 100 ms by us, within 200 ms by its firmware.',
    source: "speed controllers' fail-safe",
    needs: 'a speed controller and its board, and their driver',
  },
  {
    ...{ row: 47, fault: 'A person or obstacle is near a vehicle', applies: false },
    promise: 'Zones that stop and slow; a source older than 0.5 s counts as blocked.',
    source: "Nav2's collision monitor",
    needs: 'a range sensor that the guard itself reads',
  },
  {
    ...{ row: 48, fault: 'The machine is overloaded', applies: true },
    promise: '5 ticks a period late within 1 s: half the highest speed. 20: category 2.',
    source: "ros2_control's execution-time errors; numbers ours",
    numbers: { slowAfter: 5, stopAfter: 20, windowS: 1, speedRatio: 0.5 },
    signs: [
      {
        ...{ seenBy: 'guard', name: 'overrun', bit: OVERRUN, action: 'slow', clears: 'byItself' },
        mayMove: 'anybody',
        message: 'The machine does not keep up: the robot moves at most half as fast.',
        remedy: 'See what else runs there, and whether it is throttled by heat.',
      },
      {
        ...{ seenBy: 'guard', name: 'overloaded', bit: OVERLOADED, action: 'cat2', clears: 'acknowledged' },
        mayMove: 'nobody',
        message: 'Twenty ticks within a second came a period late.',
        remedy: 'Take load off the machine, then acknowledge.',
      },
    ],
  },
  {
    ...{ row: 49, fault: 'Ctrl+C, SIGTERM, the end of a launch', applies: true },
    promise: 'Braked, then the exit policy, within 3 s; a second Ctrl+C ends at once.',
    source: 'arms that drop (lerobot#1056, #4610)',
    numbers: { withinS: 3 },
    signs: [],
  },
  {
    ...{ row: 50, fault: 'No solution is found, or the solver is wrong', applies: true },
    promise: 'The verified brake step is executed in the same tick, and counted; no solution is trusted unverified.',
    source: 'relaxations of OSCBF; the verified brake is ours',
    numbers: { withinTicks: 1, violations: 0 },
    signs: [],
  },
  {
    ...{ row: 51, fault: 'Putting the scene back hangs', applies: true },
    promise: 'After 30 s the episode is given up, the robot holds, and a person is asked.',
    source: 'ours',
    numbers: { afterS: 30 },
    signs: [
      {
        ...{ seenBy: 'node', name: 'resetHangs', action: 'hold', clears: 'byItself' },
        message: 'The scene was not put back within 30 s; the robot holds.',
        remedy: 'Look at what keeps it, put the scene back by hand, then go on.',
      },
    ],
  },
  {
    ...{ row: 52, fault: 'The simulator starts again by itself, or swallows a NaN', applies: true },
    promise: 'Its time must rise and its warnings stay 0; else it is as good as lost (row 10), within 10 steps.',
    source: 'MuJoCo silently replaces NaN controls and resets on NaN states',
    numbers: { withinSteps: 10 },
    signs: [],
  },
  {
    ...{ row: 53, fault: 'The learner has newer weights, and they do not arrive', applies: true },
    promise:
      'The newest version stands in every heartbeat of the learner. Weights that do not come for 5 s get a new connection; after 15 s it is reported. The robot goes on with what it has.',
    source: 'a robot that ran on old weights without a word; numbers ours',
    numbers: { reportedAfterS: 15 },
    signs: [
      {
        ...{ seenBy: 'node', name: 'weightsStale', action: 'warn', clears: 'byItself' },
        message: 'The learner has newer weights, and they do not arrive; the robot goes on with old ones.',
        remedy: "Look at the line to the learner's second port, where it publishes weights.",
      },
    ],
  },
  {
    ...{ row: 54, fault: "A joint's torque is not what the robot's file explains", applies: true },
    promise:
      'Beyond the identified limits of `torqueObserver` in 3 measurements running, touched at any link, loaded, or with another servo: category 1.',
    source: 'momentum observer (De Luca and Mattone 2003; Haddadin et al. 2017); limits from `rein safety identify`',
    numbers: { samples: 3 },
    signs: [
      {
        ...{ seenBy: 'guard', name: 'torqueResidual', bit: TORQUE_RESIDUAL, action: 'cat1', clears: 'acknowledged' },
        mayMove: 'nobody',
        message:
          'Something pushes the arm or weighs on it that its tool sensor does not feel and its file does not know.',
        remedy: 'See what touches a link, and whether the load is the identified one. Free it, then acknowledge.',
      },
      {
        ...{ seenBy: 'guard', name: 'servoResidual', bit: SERVO_RESIDUAL, action: 'cat1', clears: 'acknowledged' },
        mayMove: 'nobody',
        message: "A servo's torque is not what its stiffness, damping and limit in the robot's file give.",
        remedy: 'Run rein safety identify: gains were changed, or the torque is measured wrongly. Then acknowledge.',
      },
    ],
  },
];
