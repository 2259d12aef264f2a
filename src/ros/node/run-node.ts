/**
 * Supervisor of a ROS node: resolves the node's configuration, checks that ROS can be used, then starts guard and node
 * side by side and determines the order in which they end. It loads no ROS, so that nothing in ROS can end it.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ResolvedConfig } from '../../config/index.ts';
import { endsWith, isRunning, makeFolder, refuseDebugger } from '../../host/index.ts';
import { asObject, describeError } from '../../model/index.ts';
import { openNamedMonitor } from '../../monitor/web.ts';
import { type PacketMessage, type PersonMessage, packetIn } from '../../session/person-request.ts';
import {
  askedSpeedMode,
  GUARD_LOG,
  guardConfigOf,
  guardStopMs,
  prepareRun,
  RobotProcesses,
  type SpeedMode,
  speedModeLine,
} from '../../session/supervision.ts';
import { parametersHelp } from '../parameters/declared.ts';
import { rosEnvironment } from '../rclnodejs/environment.ts';
import { asParameters, configOf, NODE_PARAMETERS, type NodeRequest, nodeRequest, rosArgumentsOf } from './settings.ts';
import { NODE_TOPICS } from './topics.ts';

const SUPERVISION = {
  nodeStarts: 'besideGuard',
  /** A node that dies more often than this is not restarted. */
  maxNodeRestarts: 5,
  /** The whole shutdown takes a second at most: the arm brakes meanwhile. */
  nodeStopLimitMs: 600,
} as const;
const GUARD_STOP_MS = 3000;
/** Interface packages beyond the usual ones. */
const INTERFACES: readonly string[] = ['rein'];

/** Messages of the node to its supervisor: the run that its learner trains, and packets for the monitor. */
export type NodeChildMessage = { readonly kind: 'joined'; readonly runId: string } | PacketMessage;

/** Run named in a message of the node; `undefined` for any other message: third-party modules run in the node. */
export function joinedIn(message: unknown): string | undefined {
  const { kind, runId } = asObject(message) ?? {};
  return kind === 'joined' && typeof runId === 'string' ? runId : undefined;
}

/** Start arguments of the node's process, as JSON in its first argument, besides those of its supervisor. */
export interface NodeStart {
  /** `--ros-args …` as passed to the supervisor: `nodeRequest` parses them again. */
  readonly argv: readonly string[];
  /** `config.yaml` of the run. */
  readonly configFile: string;
  readonly folder: string;
  /** The learner's run, or the folder's without a learner. */
  readonly runId: string;
  /** `runId` is that of the learner, which answered an earlier start of this node. */
  readonly hasJoined: boolean;
  /** Socket of the guard. */
  readonly socketPath: string;
  /** Earlier deaths of this node; after the first it comes up configured, never active. */
  readonly restart: number;
  /** A node of this name died without a word shortly before; the graph may show it for a while. */
  readonly hasStaleNode: boolean;
  /** The supervisor serves a monitor. */
  readonly isWatched: boolean;
}

/** Runs until asked to end. Resolves to the exit code; never rejects. */
export async function runNode(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(nodeHelp());
    return 0;
  }
  try {
    const request = nodeRequest(argv);
    const config = configOf(request);
    const { problem } = rosEnvironment(INTERFACES);
    if (problem !== undefined) throw problem;
    return await supervise(request, config, argv);
  } catch (error) {
    process.stderr.write(asParameters(describeError(error, 'rein node')));
    return 1;
  }
}

/** Lines shown to the user before anything is started. */
function firstLines({ robot, isTaskGiven }: NodeRequest, config: ResolvedConfig, speedMode: SpeedMode): string[] {
  const slow = speedModeLine(config.robot, speedMode, 'speed_mode:=full');
  const isTaskUnnamed = robot !== '' && !isTaskGiven;
  return [
    ...(slow === undefined ? [] : [slow]),
    ...(isTaskUnnamed ? [`No task was given: ${config.task.name}; task:= names another.`] : []),
  ];
}

/** Runs until the processes have ended, by a signal or by the end of the parent process. */
function runToEnd(processes: RobotProcesses, print: (line: string) => void): Promise<number> {
  const releases = [
    processes.supervisor.forwardSignals(),
    endsWith(() => {
      print('The process that started this node has ended; the node ends too.');
      processes.supervisor.stop();
    }),
  ];
  return processes.run().finally(() => releases.forEach((release) => void release()));
}

async function supervise(request: NodeRequest, config: ResolvedConfig, argv: readonly string[]): Promise<number> {
  refuseDebugger();
  const { fullName } = request.identity;
  const { learner, policy, out } = request;
  const speedMode = askedSpeedMode(request, config.task);
  const print = (line: string): void => void process.stderr.write(`rein node: ${fullName}: ${line}\n`);
  for (const line of firstLines(request, config, speedMode)) print(line);
  const monitor = await openNamedMonitor(
    { ...request, guests: 'watch' },
    { print, stream: process.stderr, tokenOption: 'monitor_token:=FILE' },
  );
  const prepared = await prepareRun({ config, learner, policy, out, asksLearner: 'byItself' });
  const { path: folder, configFile, runId } = prepared.folder;
  const rosArguments = rosArgumentsOf(request);
  let joined: string | undefined;
  const mark = leaveMark(fullName, process.env['ROS_DOMAIN_ID'] ?? '0');
  try {
    const processes = new RobotProcesses({
      guardLog: join(folder, GUARD_LOG),
      robot: config.robot,
      lock: prepared.lock,
      guard: (socketPath) =>
        guardConfigOf(config, prepared.signalNames, { socketPath, authority: 'node', rosArguments, speedMode }),
      node: (socketPath, restart) => {
        const run = { folder, configFile, runId: joined ?? runId, hasJoined: joined !== undefined };
        const isWatched = monitor !== undefined;
        const start: NodeStart = { argv, ...run, socketPath, restart, hasStaleNode: mark.hasStaleNode, isWatched };
        const modulePath = fileURLToPath(new URL('./node-process.js', import.meta.url));
        return { modulePath, args: [JSON.stringify(start)] };
      },
      comesUp: 'inactive',
      supervision: { ...SUPERVISION, stopLimitMs: guardStopMs(config.robot, GUARD_STOP_MS) },
      print,
      onNodeMessage: (message) => {
        const packet = packetIn(message);
        if (packet !== undefined) monitor?.packet(packet);
        joined = joinedIn(message) ?? joined;
      },
    });
    monitor?.asks((request) => {
      const message: PersonMessage = { kind: 'person', request };
      processes.supervisor.sendToNode(message);
    });
    return await runToEnd(processes, print);
  } finally {
    mark.clear();
    prepared.lock.release();
    await monitor?.close();
  }
}

/**
 * Mark of a node of the same name that died without a word: ROS shows it in the graph for some seconds more, and it
 * must not keep its successor from starting. A file with the process id, per user, ROS domain and name.
 */
export interface NodeMark {
  /** The predecessor left its mark and is not alive. */
  readonly hasStaleNode: boolean;
  /** Removes the mark, at an orderly end. */
  clear(): void;
}

/** Leaves the mark of this process. If it cannot be written, no node counts as stale. */
export function leaveMark(fullName: string, domain: string, folder: string = markFolder()): NodeMark {
  const path = join(folder, `${domain}${fullName.replaceAll('/', '-')}.pid`);
  try {
    makeFolder(folder, 0o700);
    const before = pidIn(path);
    const isAlive = before !== undefined && before !== process.pid && isRunning(before);
    // A living node of the same name keeps its mark: it is not stale, and ROS shows both.
    if (isAlive) return { hasStaleNode: false, clear: () => undefined };
    writeFileSync(path, String(process.pid));
    return { hasStaleNode: before !== undefined, clear: () => rmSync(path, { force: true }) };
  } catch {
    return { hasStaleNode: false, clear: () => undefined };
  }
}

function markFolder(): string {
  return join(tmpdir(), `rein-nodes-${process.getuid?.() ?? 0}`);
}

function pidIn(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined; // there was none
  }
}

const TOPICS = [...NODE_TOPICS.map(({ name }) => name), '/diagnostics'].join(' ');

const INTRODUCTION = `The node of one robot: a lifecycle node that runs a policy, lets people take over, and learns.

Usage:
  ros2 run rein node [--ros-args -p NAME:=VALUE … -r FROM:=TO …]
  ros2 launch rein robot.launch.py task:=insert learner:=tcp://127.0.0.1:7350 operator:=scripted autostart:=true

First steps:
  ros2 run rein node --ros-args -p task:=insert -p policy:=runs/a1/policy.onnx
  ros2 lifecycle set /rein configure          opens the robot; nothing moves
  ros2 lifecycle set /rein activate           permits motion; the robot holds still
  ros2 service call /rein/start_episode std_srvs/srv/Trigger     one episode
  ros2 service call /rein/resume std_srvs/srv/Trigger            episode after episode
  ros2 service call /rein/stop std_srvs/srv/Trigger              brakes and holds, until ~/reset

Publishes   ${TOPICS}
Subscribes  joy or ~/teleop (by operator), ~/success, ~/failure
Serves a page for browsers, too (parameter monitor), from which people take over, start and stop:
Services    ~/stop ~/reset ~/resume ~/start_episode ~/mark ~/save_policy ~/rollback_policy
Actions     ~/run_episode ~/evaluate

The motors belong to a second process, the guard, which brakes and holds when this one dies. A node that died comes back
configured and inactive. Ctrl+C brakes, holds and ends within a second.

Every number and word of the configuration is a parameter too, for example settings.task.maxSteps
(ros2 param list; docs/config.md). Fixed once the node runs, unless it says otherwise.

Parameters:
`;

/** Help text. */
export function nodeHelp(): string {
  return INTRODUCTION + parametersHelp(NODE_PARAMETERS);
}
