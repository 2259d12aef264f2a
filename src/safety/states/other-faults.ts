/**
 * Faults that are seen outside the guard: by the node, by the processes that speak ROS, at the start. The same table as
 * `faults.ts`, without flags in frames: who sees one acts on it, through the guard where the robot has to stop.
 */
import type { StopAction } from '../faults.ts';

export interface OtherFault {
  /** Row in the fault table. */
  readonly row: number;
  /** Name of the event that tells it. */
  readonly name: string;
  readonly seenBy: 'node' | 'bridge' | 'stopper' | 'supervisor' | 'configuration';
  readonly action: StopAction | 'hold' | 'refuse';
  /** When it goes away. */
  readonly clears: 'byItself' | 'acknowledged';
  readonly sentence: string;
  readonly remedy: string;
}

export const OTHER_FAULTS: readonly OtherFault[] = [
  {
    ...{ row: 2, name: 'observationLost', seenBy: 'node', action: 'hold', clears: 'byItself' },
    sentence:
      'An observation that comes by topic is older than its freshness, or has not come yet; the policy does not act.',
    remedy: 'See whether somebody publishes it: ros2 topic hz.',
  },
  {
    ...{ row: 7, name: 'weightsRefused', seenBy: 'node', action: 'warn', clears: 'byItself' },
    sentence: 'New weights were damaged, of another robot or gave no usable action; the old ones go on.',
    remedy: 'Look at the learner.',
  },
  {
    ...{ row: 10, name: 'jointStatesLost', seenBy: 'bridge', action: 'cat1', clears: 'acknowledged' },
    sentence: 'Measurements no longer come over their topic, or the process that reads them has died.',
    remedy: "Look at the robot's controllers and at the bridge, then acknowledge.",
  },
  {
    ...{ row: 11, name: 'malformed', seenBy: 'node', action: 'warn', clears: 'byItself' },
    sentence: 'A message could not be read; it changed nothing.',
    remedy: 'Look at who publishes it.',
  },
  {
    ...{ row: 18, name: 'teleopLost', seenBy: 'node', action: 'cat2', clears: 'acknowledged' },
    sentence: 'The operator was in control and has not been heard for the lease (100 ms; at most 150 ms).',
    remedy: 'Bring the device back, then reset; the policy goes on only after an explicit resume.',
  },
  {
    ...{ row: 19, name: 'teleopStale', seenBy: 'node', action: 'warn', clears: 'byItself' },
    sentence: 'A command of the operator was older than its lease, or came twice; it was not executed.',
    remedy: 'Stamp commands when they are sent, send only new ones, and set the clocks of both machines.',
  },
  {
    ...{ row: 20, name: 'teleopStuck', seenBy: 'node', action: 'hold', clears: 'byItself' },
    sentence: 'The operator asked for the same motion for 5 s; it counts as a stuck stick.',
    remedy: 'Let the stick go to its middle, then move on.',
  },
  {
    ...{ row: 22, name: 'timeJump', seenBy: 'node', action: 'hold', clears: 'byItself' },
    sentence: 'ROS time went back; the episode was cut. Durations are monotonic and did not change.',
    remedy: 'Nothing, if simulated time was reset.',
  },
  {
    ...{ row: 25, name: 'guardLost', seenBy: 'supervisor', action: 'cat1', clears: 'acknowledged' },
    sentence: 'A process died. The robot brakes; whoever is left stops it.',
    remedy: 'Look at the robot, then start or acknowledge.',
  },
  {
    ...{ row: 29, name: 'duplicateNode', seenBy: 'node', action: 'refuse', clears: 'byItself' },
    sentence: 'Another node of the same name is there; this one does not move the robot.',
    remedy: 'Give one of them another name or namespace.',
  },
  {
    ...{ row: 33, name: 'configuration', seenBy: 'configuration', action: 'refuse', clears: 'byItself' },
    sentence:
      'A parameter or a file holds an unknown key, a wrong type or unit, or a value out of range; nothing starts.',
    remedy: 'The message names the place, what is allowed, and the nearest word.',
  },
  {
    ...{ row: 33, name: 'qosMismatch', seenBy: 'node', action: 'warn', clears: 'byItself' },
    sentence: 'Both ends of a topic are there, and their quality of service does not fit: nothing comes through.',
    remedy: 'Give both ends a fitting quality of service.',
  },
  {
    ...{ row: 44, name: 'observationLost', seenBy: 'node', action: 'hold', clears: 'byItself' },
    sentence: 'A camera is late, or has shown the same picture five times; the policy does not act.',
    remedy: 'Look at the camera.',
  },
];
