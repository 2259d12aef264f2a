/**
 * Process of the ROS node: one argument with its settings, a channel to the supervisor. rclnodejs runs here, on the
 * main thread. Ends on SIGTERM and when the supervisor is gone; Ctrl+C is handled by the supervisor.
 */
import { once } from 'node:events';
import { loadResolvedConfig } from '../../config/index.ts';
import { createSetup, type RunSetup } from '../../config/setup.ts';
import { isRos } from '../../drivers/index.ts';
import { type Close, endFailed, openParentChannel, type ParentChannel } from '../../host/index.ts';
import { type Clock, SystemClock } from '../../model/index.ts';
import { openSession, type SessionEvent, WatchedRun } from '../../session/index.ts';
import { watcherThrough } from '../../session/person-request.ts';
import type { RunObserver } from '../../session/supervision.ts';
import { subscribeObservations } from '../observations/subscribe.ts';
import type { TopicObservation } from '../observations/topic-observation.ts';
import type { RosPort } from '../port/ros-port.ts';
import { openRosPort } from '../rclnodejs/rclnodejs-port.ts';
import { observationsStatus } from './diagnostics.ts';
import { LearnerRun } from './learner-run.ts';
import { RobotNode, type RobotNodeOptions } from './robot-node.ts';
import type { NodeChildMessage, NodeStart } from './run-node.ts';
import { declarationsOf, JOINT_STATES_RATE, NODE_NAME, type NodeRequest, nodeRequest } from './settings.ts';

/** Longest time for which the graph shows a dead node, s. */
const STALE_S = 25;
/** Time for the last transfer to the learner, ms; the rest waits on disk. */
const DRAIN_MS = 200;
/** Severities of ROS's logging. */
const SEVERITIES = { debug: 10, info: 20, warn: 30, error: 40, fatal: 50 } as const;

main().catch(endFailed);

async function main(): Promise<void> {
  const start = JSON.parse(process.argv[2] ?? '{}') as NodeStart;
  const request = nodeRequest(start.argv);
  const printsFrom = severityOf(request.arguments.logLevels);
  const parent = openParentChannel<NodeChildMessage>();
  const shutdown = new AbortController();
  const ending = AbortSignal.any([parent.ending, shutdown.signal]);
  let node: RobotNode | undefined;
  const port = await openRosPort({
    nodeName: NODE_NAME,
    kind: 'lifecycle',
    argv: start.argv,
    onFault: (fault) => {
      if (node === undefined) process.stderr.write(`rein node: ${fault.where}: ${fault.message}\n`);
      else node.rosFault(fault);
    },
  });
  const setup = createSetup(loadResolvedConfig(start.configFile));
  const observations = await subscribeObservations(port, setup.task.topics ?? []);
  setup.task.attach?.(observations);
  const onShutdown = (): void => shutdown.abort();
  node = createNode({ start, request, setup, port, observations, printsFrom, parent, onShutdown });
  node.start();
  await node.openedOrWaiting();
  port.start();
  node.listens();
  // After a crash the node comes back configured, never active.
  if (start.restart > 0) await port.transition('configure');
  if (!ending.aborted) await once(ending, 'abort');
  await node.close();
  if (SEVERITIES.info >= printsFrom) process.stderr.write(`[INFO] [${port.nodeName}]: Ended.\n`);
  await port.close();
  process.exit(0);
}

interface NodeParts {
  readonly start: NodeStart;
  readonly request: NodeRequest;
  readonly setup: RunSetup;
  readonly port: RosPort;
  readonly observations: readonly TopicObservation[];
  /** Smallest severity that is printed, in ROS's numbers. */
  readonly printsFrom: number;
  readonly parent: ParentChannel<NodeChildMessage>;
  readonly onShutdown: () => void;
}

function createNode(parts: NodeParts): RobotNode {
  const { parent, start, request, setup, port, observations, printsFrom, onShutdown } = parts;
  const { folder } = start;
  const clock = new SystemClock();
  const parameters = port.declareParameters(declarationsOf(setup.config), (name, value) => {
    if (name === JOINT_STATES_RATE) node.setJointStatesHz(value as number);
    return undefined;
  });
  const staleNodes = start.restart + (start.hasStaleNode ? 1 : 0);
  const startedAtS = clock.nowS();
  const isOwnRobot = !isRos(setup.config.robot.driver);
  const run = new LearnerRun({
    setup,
    folder,
    learner: request.learner,
    runId: start.runId,
    hasJoined: start.hasJoined,
    onJoined: (runId) => parent.send({ kind: 'joined', runId }),
    onEvent: (event) => node.event(event),
  });
  const node = new RobotNode({
    ...request,
    port,
    setup,
    folder,
    clock,
    onShutdown,
    jointStatesHz: isOwnRobot ? (parameters.get(JOINT_STATES_RATE) as number) : undefined,
    beforeOpening: (signal, onWait) => run.settle(signal, onWait),
    watcher: start.isWatched ? watcherThrough((message) => void parent.send(message)) : undefined,
    openSession: sessionOpener(parts, run, clock, (line) => node.event(told(line))),
    others: () => [observationsStatus(observations, clock.nowS())],
    staleNodes: () => (clock.nowS() - startedAtS < STALE_S ? staleNodes : 0),
    onEvent: (event) => {
      if (SEVERITIES[event.level] >= printsFrom) print(port.nodeName, event);
    },
  });
  return node;
}

/** Opens sessions; each is watched in place of the previous one. */
function sessionOpener(
  { start, request, setup, observations }: NodeParts,
  run: LearnerRun,
  clock: Clock,
  print: (line: string) => void,
): RobotNodeOptions['openSession'] {
  const { folder, socketPath } = start;
  let unwatch: Close = () => undefined;
  return async (operators, listener, watcher) => {
    unwatch();
    const { runId } = run;
    const observer: RunObserver = { status: () => undefined, print };
    // The trace of a ROS run is recorded by rosbag.
    const names = { setup, runId, folder, command: 'ros' };
    const watched = new WatchedRun({ ...names, observations, watcher, trace: 'off', observer });
    const session = await openSession({
      ...request,
      setup,
      folder,
      runId,
      operators: [...operators, ...watched.operators],
      listener,
      clock,
      observations,
      observer: watched.observer,
      guard: socketPath,
      isScripted: request.operator === 'scripted',
      afterStop: 'wait',
      drainMs: DRAIN_MS,
    });
    unwatch = watched.attach(session);
    return session;
  };
}

function told(message: string): SessionEvent {
  return { level: 'info', name: 'told', row: 0, message, remedy: '' };
}

/** Level given last for all loggers; `info` if none was. */
function severityOf(levels: readonly string[]): number {
  const level = levels.findLast((candidate) => !candidate.includes(':='))?.toLowerCase() ?? 'info';
  return level in SEVERITIES ? SEVERITIES[level as keyof typeof SEVERITIES] : SEVERITIES.info;
}

function print(name: string, { level, message, remedy }: SessionEvent): void {
  const hint = remedy === '' ? '' : ` (${remedy})`;
  process.stderr.write(`[${level.toUpperCase()}] [${name}]: ${message}${hint}\n`);
}
