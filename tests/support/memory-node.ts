/** The node on a ROS graph inside this process, over a mock arm; and a second node that talks to it. */
import { setImmediate as turn } from 'node:timers/promises';
import { SystemClock } from '../../src/model/index.ts';
import type { ActionType, MessageType, ServiceType } from '../../src/ros/messages/message-type.ts';
import { RobotNode, type RobotNodeOptions } from '../../src/ros/node/robot-node.ts';
import { type QosProfile, STATE_QOS } from '../../src/ros/port/qos.ts';
import type { RosActionClient, RosClient, RosFault, RosPort, RosPublisher } from '../../src/ros/port/ros-port.ts';
import { openSession, type SessionEvent, WatchedRun } from '../../src/session/index.ts';
import type { SessionOptions } from '../../src/session/open-session.ts';
import { SILENT_OBSERVER } from '../../src/session/supervision.ts';
import { MemoryGraph } from './ros-memory/memory-graph.ts';
import { memoryPorts } from './ros-memory/memory-port.ts';
import { TestRobot } from './session.ts';

export interface NodeChoices {
  readonly argv?: readonly string[];
  readonly node?: Partial<RobotNodeOptions>;
  readonly session?: Partial<SessionOptions>;
  readonly hasPolicy?: boolean;
}

/** Everything that was heard, newest last. */
type Heard<T> = T[];

export class MemoryNode {
  readonly robot: TestRobot;
  readonly graph: MemoryGraph = new MemoryGraph();
  readonly events: SessionEvent[] = [];
  readonly faults: RosFault[] = [];
  isShutDown = false;
  /** Opens the session; a test may put another in its place. */
  open: RobotNodeOptions['openSession'] = () => Promise.reject(new Error('the node was not made'));
  #port: RosPort | undefined;
  #peer: RosPort | undefined;
  #node: RobotNode | undefined;

  constructor(robot: TestRobot = new TestRobot()) {
    this.robot = robot;
  }

  get port(): RosPort {
    if (this.#port === undefined) throw new Error('the node was not made');
    return this.#port;
  }

  get peer(): RosPort {
    if (this.#peer === undefined) throw new Error('the node was not made');
    return this.#peer;
  }

  get node(): RobotNode {
    if (this.#node === undefined) throw new Error('the node was not made');
    return this.#node;
  }

  /** Makes both nodes; register clients and subscriptions of the peer, then `start`. */
  async make(choices: NodeChoices = {}): Promise<this> {
    const policy = choices.hasPolicy === false ? undefined : await this.robot.policyFile();
    const ports = memoryPorts(this.graph);
    const { argv = [] } = choices;
    this.#port = await ports({
      nodeName: 'rein',
      kind: 'lifecycle',
      argv,
      onFault: (fault) => {
        this.faults.push(fault);
        this.#node?.rosFault(fault);
      },
    });
    this.#peer = await ports({ nodeName: 'peer', onFault: (fault) => void this.faults.push(fault) });
    this.open = async (operators, listener, watcher) => {
      const run = { setup: this.robot.setup, folder: this.robot.folder, runId: 'run-a' };
      const watched = new WatchedRun({ ...run, command: 'ros', watcher, trace: 'off', observer: SILENT_OBSERVER });
      const session = await openSession({
        ...run,
        robotId: 'robot1',
        guard: await this.robot.connect(),
        clock: this.robot.clock,
        afterStop: 'wait',
        policy,
        operators: [...operators, ...watched.operators],
        listener,
        observer: watched.observer,
        ...choices.session,
      });
      watched.attach(session);
      return session;
    };
    this.#node = new RobotNode({
      port: this.#port,
      setup: this.robot.setup,
      folder: this.robot.folder,
      robotId: 'robot1',
      operator: 'none',
      pad: 'xbox',
      teleopLeaseS: 0.1,
      jointStatesHz: 0,
      clock: new SystemClock(),
      discoveryS: 0,
      openSession: (operators, listener, watcher) => this.open(operators, listener, watcher),
      onShutdown: () => {
        this.isShutDown = true;
      },
      onEvent: (event) => void this.events.push(event),
      ...choices.node,
    });
    return this;
  }

  client<Q, A>(type: ServiceType<Q, A>, name: string): RosClient<Q, A> {
    return this.peer.client(type, name);
  }

  actionClient<G, F, R>(type: ActionType<G, F, R>, name: string): RosActionClient<G, F, R> {
    return this.peer.actionClient(type, name);
  }

  publisher<T>(type: MessageType<T>, topic: string, qos: QosProfile = STATE_QOS): RosPublisher<T> {
    return this.peer.advertise(type, topic, qos);
  }

  /** Copies of all messages on `topic`. */
  hear<T>(type: MessageType<T>, topic: string, qos: QosProfile = { ...STATE_QOS, depth: 100 }): Heard<T> {
    const heard: Heard<T> = [];
    this.peer.subscribe(type, topic, qos, (message) => void heard.push(structuredClone(message)));
    return heard;
  }

  /** Starts both, and waits until the session is open. */
  async start(): Promise<void> {
    this.node.start();
    this.port.start();
    this.node.listens();
    this.peer.start();
    await this.node.opened();
  }

  /** Starts and takes the lifecycle to `active`. */
  async activate(): Promise<void> {
    await this.start();
    await this.port.transition('configure');
    await this.port.transition('activate');
  }

  async close(): Promise<void> {
    await this.#node?.close();
    await this.#port?.close();
    await this.#peer?.close();
    await this.robot.close();
  }
}

/**
 * Waits for `condition`; says `what` did not happen after 20 s. Asks once a turn of the event loop: a robot in lock-step time
 * waits for nobody, and a timer on a busy machine would sleep through what lasts for a moment.
 */
export async function soon(condition: () => boolean, what: string): Promise<void> {
  const limitMs = performance.now() + 60_000;
  while (!condition()) {
    if (performance.now() > limitMs) throw new Error(`${what} did not happen within 60 s`);
    await turn();
  }
}
