/**
 * Faults on the ROS side, the reaction to them, and where they are shown: the section of docs/faults.md for robots behind ROS 2.
 * A test compares rows and events with the fault table.
 */
import { markdownTable } from '../../src/model/portable.ts';

export interface RosFault {
  readonly happens: string;
  /** Rows of the fault table, in words if it depends; – for none. */
  readonly rows: string;
  readonly robot: string;
  /** `name` of `rein/msg/Event`. */
  readonly event: string;
  readonly diagnostic: string;
  readonly back: string;
}

export const ROS_FAULTS: readonly RosFault[] = [
  {
    happens: '`joint_states` or `odom` falls silent, comes too rarely, or repeats the same stamp',
    rows: '10',
    robot: 'three ticks without anything younger than `freshnessMs`: cat1',
    event: '`driverLost`, and a sentence with the topic',
    diagnostic: 'robot driver',
    back: 'when it comes again, `~/reset`',
  },
  {
    happens: 'a learner that is not there, in a folder (`out:=`) that has its weights from an earlier start',
    rows: '–',
    robot: 'goes on with the newest of them',
    event: '`learnerAway`',
    diagnostic: 'learner link: WARN',
    back: 'by itself: the learner is joined when it answers',
  },
  {
    happens:
      'a learner that is not there in any other folder, trains another robot or task, or speaks another version of the protocol',
    rows: '–',
    robot: 'nothing is opened: it is not enabled, and services answer with the sentence',
    event: '`learnerAwaited`, `learnerRefused`',
    diagnostic: 'learner link: WARN, ERROR',
    back: 'by itself, when a fitting one answers; it is asked every 2 s',
  },
  {
    happens: 'a joint is missing in `joint_states`, from the start',
    rows: '10',
    robot: 'is not enabled',
    event: '`guardNotice` with the names that there are',
    diagnostic: 'robot driver',
    back: 'correct `driver.jointStates.names`',
  },
  {
    happens: 'readings do not change under command; a controller that refuses or ignores what it is sent',
    rows: '14',
    robot: 'after 100 ms (a base: 500 ms): cat1',
    event: '`frozenReading`',
    diagnostic: 'robot driver',
    back: 'look at the controller, `~/reset`',
  },
  {
    happens: 'a reading is NaN',
    rows: '15',
    robot: 'cat1',
    event: '`readingNotFinite`',
    diagnostic: 'robot driver',
    back: '`~/reset`',
  },
  {
    happens: 'a reading jumps farther than the joint can move',
    rows: '15',
    robot: 'the first is held, the second: cat1',
    event: '`encoderJump`',
    diagnostic: 'robot driver',
    back: 'check the encoder, `~/reset`',
  },
  {
    happens: 'an arm does not follow: blocked, pushed, taken by another controller',
    rows: '43',
    robot:
      'a joint more than 0.2 rad off, or one that slides, or the tool, more than 30 mm, for 100 ms: cat1 (bases are not watched for this)',
    event: '`trackingError`',
    diagnostic: 'robot driver',
    back: '`~/reset`',
  },
  {
    happens: 'another controller gets the joints while the robot is enabled (needs `driver.controllerManager`)',
    rows: '10',
    robot:
      'the controller manager is asked once a second: no command from then on, cat1. Before, an arm that it moves stops Rein by row 43',
    event: '`driverLost`, and a `guardNotice` with who holds which joints',
    diagnostic: 'robot driver',
    back: 'give the joints back, or list the other under `deactivate`; `~/reset`',
  },
  {
    happens:
      'two publish the same joints, in different places: a `joint_state_publisher` that was forgotten, a simulation beside the robot',
    rows: '29, then 10',
    robot:
      'three times to and fro within 2 s, and two publishers in the graph: cat1, held at the last command; it is not enabled as long as that lasts',
    event: '`guardNotice` with the nodes, `driverLost`',
    diagnostic: 'ROS, robot driver',
    back: 'stop the one that is not the robot, `~/reset`',
  },
  {
    happens:
      'a forward controller takes its numbers for other joints, or in another order, than the robot file has them',
    rows: '–',
    robot: 'is not activated and not enabled: the service answers with both orders',
    event: '–',
    diagnostic: '–',
    back: "the controller's parameter `joints`, or a trajectory controller",
  },
  {
    happens: 'the arm stands outside its joint limits or its workspace, or where two of its links are too near',
    rows: '16',
    robot: '`~/reset` enables it, and it holds where it is; no policy moves it, and no episode begins',
    event: '`startOutside`',
    diagnostic: 'guard',
    back: "`~/stop`, move it inside by hand or with the robot's own controls, `~/reset`",
  },
  {
    happens: 'a driver reports a pressed emergency stop',
    rows: '23',
    robot:
      "cat0: torque off in the tick that reads it. Behind ROS nothing reports one: the robot's own stop shows as row 10, 14 or 43",
    event: '`emergencyStop`',
    diagnostic: 'guard',
    back: 'release the button, `~/reset`',
  },
  {
    happens:
      "the tool feels more than the robot's `contact` allows, in two measurements running (needs `driver.wrench`)",
    rows: '41',
    robot: 'cat1',
    event: '`contactForce`',
    diagnostic: 'guard',
    back: 'free the tool, `~/reset`',
  },
  {
    happens: 'the energy tank is empty: the commands have put more into the arm than `tank` allows',
    rows: '42',
    robot: 'what would put more in is scaled to 0; what takes some out goes on',
    event: '`tankEmpty`',
    diagnostic: 'guard: WARN',
    back: 'by itself, at 10 % of the tank',
  },
  {
    happens: 'the machine is overloaded: ticks come a period late',
    rows: '48',
    robot: '5 within 1 s: at most half as fast; 20: cat2',
    event: '`overrun`, `overloaded`',
    diagnostic: 'guard',
    back: '`overrun` by itself; take load off the machine, `~/reset`',
  },
  {
    happens: 'a controller is not active, or the command topic has no subscriber',
    rows: '–',
    robot: 'is not enabled: the service answers with the sentence',
    event: '–',
    diagnostic: '–',
    back: 'activate it, ask again',
  },
  {
    happens: 'QoS of two ends does not fit',
    rows: '33; 10 where it silences the joints',
    robot: 'nothing comes through; silent joints keep the robot from being enabled',
    event: '`qosMismatch` or `guardNotice`, with both ends',
    diagnostic: 'ROS',
    back: 'change one end',
  },
  {
    happens: '`kill -9` of `rein_bridge`, or a crash in it',
    rows: '10, 25',
    robot: 'the stopper publishes the stop at once; cat1',
    event: '`driverLost`, `guardNotice`',
    diagnostic: 'robot driver',
    back: 'it is started again in standby; `~/reset`',
  },
  {
    happens: '`kill -9` of `rein_stopper`',
    rows: '25',
    robot:
      'goes on; cannot be enabled until the stopper is back. Where that takes longer than a second, brakes and holds',
    event: '`guardNotice`, twice: gone, and back',
    diagnostic: '–',
    back: 'by itself; where it braked, `~/reset`',
  },
  {
    happens: "`kill -9` of the node's ROS process",
    rows: '2, then 3',
    robot: 'the lease ends: brakes and holds; latched after a second',
    event: '– (the node is dead); reported when it is back',
    diagnostic: '–',
    back: 'the supervisor starts it again, configured and inactive: activate, `~/reset`',
  },
  {
    happens: '`kill -9` of the guard',
    rows: '25',
    robot: 'the stopper stops the robot; the node ends with code 1',
    event: '`guardLost`',
    diagnostic: 'guard: STALE',
    back: 'launch again',
  },
  {
    happens: '`kill -9` of the supervisor',
    rows: '25',
    robot: 'guard and node end; the stopper stops the robot',
    event: '–',
    diagnostic: '–',
    back: 'launch again',
  },
  {
    happens: "the guard's tick is frozen",
    rows: '24',
    robot: 'the stopper stops the robot after 100 ms',
    event: '`tickStalled`',
    diagnostic: 'guard',
    back: 'find what holds up the machine, `~/reset`',
  },
  {
    happens: "the joystick's node is killed while its person is in control",
    rows: '18',
    robot: 'cat2 after the lease, **and stays**: the policy never takes over by itself',
    event: '`teleopLost`',
    diagnostic: 'teleop',
    back: 'bring it back, `~/reset`, then `~/resume`',
  },
  {
    happens: 'twists that are old, repeated, or stamped in the future',
    rows: '19',
    robot: 'they are not executed',
    event: '`teleopStale`',
    diagnostic: 'teleop',
    back: 'set both clocks',
  },
  {
    happens: 'a stick that asks for the same for 5 s',
    rows: '20',
    robot: 'holds',
    event: '`teleopStuck`',
    diagnostic: 'teleop',
    back: 'let go, move on',
  },
  {
    happens: 'an observation topic is old or was never there',
    rows: '2; 44 for pictures',
    robot: 'no episode begins; one that goes on is cut, and the robot holds',
    event: '`observationLost`',
    diagnostic: 'observations',
    back: 'by itself',
  },
  {
    happens: '`/clock` goes back',
    rows: '22',
    robot: 'the episode is truncated; durations do not change',
    event: '`timeJump`',
    diagnostic: 'ROS',
    back: 'by itself',
  },
  {
    happens: 'a second node of the same name',
    rows: '29',
    robot: '`configure` fails; a second guard is not enabled',
    event: '`duplicateNode`',
    diagnostic: 'ROS',
    back: 'another name or namespace',
  },
  {
    happens:
      "a message that cannot be read; a joystick's that does not fit the `pad`; a twist that is not finite or has no stamp",
    rows: '11',
    robot: 'is dropped and counted',
    event: '`malformed`, once a second at most',
    diagnostic: 'ROS; teleop',
    back: 'check its publisher',
  },
  {
    happens: 'a lifecycle transition is requested that is not possible now',
    rows: '–',
    robot: 'nothing: the answer is `success: false`, and the current activity continues',
    event: '`refused`',
    diagnostic: 'ROS: WARN',
    back: '`ros2 lifecycle get`, then one that is possible',
  },
  {
    happens: 'our own callback throws',
    rows: '–',
    robot: 'stops',
    event: '`callback`',
    diagnostic: 'ROS: ERROR',
    back: 'a defect: report it, `~/reset`',
  },
  {
    happens: 'a parameter that is unknown, of the wrong type or out of range',
    rows: '33',
    robot: 'nothing starts; exit code 1 and one sentence',
    event: '–',
    diagnostic: '–',
    back: 'as the sentence says',
  },
  {
    happens: 'no ROS sourced, or another than rclnodejs was built for',
    rows: '–',
    robot: 'nothing starts; exit code 1 and one sentence',
    event: '–',
    diagnostic: '–',
    back: '`npm run ros:doctor`',
  },
];

const HEAD = `
## Over ROS 2

Numbers are those of the table above. Each is reported three times: as \`rein/msg/Event\` on \`~/events\` (its \`name\` and \`row\`), in
\`/diagnostics\` (the part named below, ERROR for a stop and WARN for less), and, where the guard stopped, in \`~/safety_state\`
(\`fault_rows\`, also for late subscribers). Behind ROS **cat1** means: it brakes along the verified path;
at the end of that commands end (controllers of speeds get zero there, those of torques are commanded until rest), and once the joints are measured
at rest, or after a second, the controller gets a stop, whatever \`exitRampS\` says; deactivated where \`deactivateOnStop\` asks for it. A robot that
moves on after its stop is reported (\`guardNotice\`, row 43). After cat1 and cat2 nothing moves before \`~/reset\`, and then only when it is asked for.

`;

const TAIL = `
Try them with \`sim\`: [the first hour with ROS 2](ros2.md#4-break-things-10-minutes). A busy machine alone can trip row 10 of a robot behind ROS: its
measurements come late, though the robot is well. Then raise \`driver.freshnessMs\` in the robot's file, only as far as the arm may move blind. A
controller manager that refuses to switch, a network that is gone and a robot's own protective stop look like row 10, 14 or 43.
`;

/** The section, in Markdown. */
export function rosFaults(): string {
  const heads = ['what happens', 'no.', 'the robot', 'event', 'diagnostic', 'back to work'];
  const rows = ROS_FAULTS.map(({ happens, rows, robot, event, diagnostic, back }) => {
    return [happens, rows, robot, event, diagnostic, back];
  });
  return [HEAD, markdownTable(heads, rows), TAIL].join('');
}
