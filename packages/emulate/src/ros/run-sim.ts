/** Simulator program: opens the port, keeps real time, and shuts down in order. */
import { setTimeout as delay } from 'node:timers/promises';
import { describeError, ReinError, SystemClock } from '../../../../src/model/index.ts';
import {
  parametersHelp,
  parseRosArgs,
  type RosFault,
  type RosPort,
  type RosPortFactory,
} from '../../../../src/ros/program.ts';
import { SIM_PARAMETERS } from './parameters.ts';
import { keepPace } from './sim-time.ts';
import { Simulator } from './simulator.ts';

export interface SimProgram {
  /** Arguments without node and script. */
  readonly argv: readonly string[];
  readonly ports: RosPortFactory;
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Requests shutdown. */
  readonly signal: AbortSignal;
  /** Time for discovery of other nodes after the start, ms. Default 1000. */
  readonly discoveryMs?: number;
}

const MISUSE = 2;
/** DDS discovers other nodes within this time. */
const DISCOVERY_MS = 1000;
const LOOK_MS = 1000;

/** Runs until shutdown is requested. Resolves to the exit code; never rejects. */
export async function runSim(program: SimProgram): Promise<number> {
  const { argv, out, error } = program;
  if (argv.includes('--help') || argv.includes('-h')) {
    out(simHelp());
    return 0;
  }
  try {
    const { rest } = parseRosArgs(argv);
    if (rest.length > 0) {
      error(`rein sim: "${rest[0]}" is not understood.\n  → parameters follow --ros-args; --help names them\n`);
      return MISUSE;
    }
    await simulate(program);
    return 0;
  } catch (caught) {
    error(describeError(caught, 'rein sim'));
    return 1;
  }
}

async function simulate({ argv, ports, error, signal, discoveryMs = DISCOVERY_MS }: SimProgram): Promise<void> {
  const say = (text: string): void => error(`rein sim: ${text}\n`);
  const onFault = (fault: RosFault): void => say(`${fault.where}: ${fault.message}`);
  const port = await ports({ nodeName: 'rein_sim', argv, onFault });
  try {
    const clock = new SystemClock();
    const simulator = await Simulator.open({ port, clock, say });
    try {
      port.start();
      await delay(discoveryMs, undefined, { signal }).catch(() => undefined);
      refuseBeside(simulator.otherRobot());
      say(`${simulator.title}, as ${port.fullName}: simulated, nothing real moves. Ctrl+C ends it.`);
      const watch = watchOthers(simulator, say);
      const pace = keepPace(simulator.periodS, clock, (deadlineS) => simulator.tick(deadlineS));
      await aborted(signal);
      pace.stop();
      clearInterval(watch);
      if (pace.lostPeriods > 0) say(`the machine was too slow: ${pace.lostPeriods} periods were left out`);
    } finally {
      await simulator.close();
    }
  } finally {
    await closeQuietly(port);
  }
}

/** Refuses to run beside another robot: clients would confuse their measurements, and the robot would obey commands for this one. */
function refuseBeside(other: string | undefined): void {
  if (other === undefined) return;
  throw new ReinError('environment', `${other}: a simulation beside it would be taken for it.`, {
    remedy: 'Start both, simulation and node, in another namespace: namespace:=sim.',
  });
}

/** Reports a robot that comes later. Falling silent instead would leave it alone with commands meant for the simulation. */
function watchOthers(simulator: Simulator, say: (text: string) => void): NodeJS.Timeout {
  let isTold = false;
  return setInterval(() => {
    const other = simulator.otherRobot();
    if (other !== undefined && !isTold) say(`${other}, too: stop one of the two, or use another namespace`);
    isTold = other !== undefined;
  }, LOOK_MS);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function closeQuietly(port: RosPort): Promise<void> {
  // The error that kept the simulator from starting matters more than one during shutdown.
  await port.close().catch(() => undefined);
}

const INTRODUCTION = `A simulated robot behind the topics of plain ROS controllers, for trying everything without hardware.

Usage:
  ros2 run rein sim [--ros-args -p NAME:=VALUE … -r FROM:=TO …]
  ros2 launch rein sim.launch.py controller:=joint_trajectory

Examples:
  ros2 run rein sim                                                  the arm of the task "insert"
  ros2 run rein sim --ros-args -p controller:=velocity -p rate:=500  velocities in, 500 readings a second out
  ros2 run rein sim --ros-args -p controller:=differential           a base with two driven wheels
  ros2 topic pub -1 /rein_sim/inject std_msgs/msg/String "data: 'jump elbow 0.5'"

An arm listens to joint_trajectory_controller/joint_trajectory, forward_{position,velocity,effort}_controller/commands
and target_pose. One of the five controllers is active; controller_manager/switch_controller changes that. It publishes
joint_states, wrench (tared, base frame) and insertion_depth, and offers reset_scene.
A base listens to cmd_vel (and ackermann_cmd), and publishes odom and ground_truth.
Faults for tests, off until asked for on the topic ~/inject: silence, freeze, jump JOINT RAD, lose JOINT, nan JOINT,
refuse, clock_back S, clear.

Parameters:
`;

/** Returns the whole help text. */
function simHelp(): string {
  return INTRODUCTION + parametersHelp(SIM_PARAMETERS);
}
