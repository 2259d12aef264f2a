/**
 * ROS 2 as Rein uses it. Two adapters pass the same contract suite
 * (`tests/contract/ros-port.contract.ts`): `rclnodejs`, the real one, and that of the tests, a graph inside this process.
 *
 * The order of a port's life: create, register everything (topics, services, actions, parameters, lifecycle), `start`,
 * `close`. Registering after `start` throws: with the real one it blocks, and may block for ever.
 *
 * Every callback is wrapped by the port: what it throws goes to `onFault` and never further.
 */
import type { ActionType, MessageType, ServiceType } from '../messages/message-type.ts';
import type { QosProfile } from './qos.ts';

/** Options of a port. */
export interface RosPortOptions {
  /** Node name where no `__node:=` remaps it. */
  readonly nodeName: string;
  /** Namespace where no `__ns:=` remaps it; `/` by default. */
  readonly namespace?: string;
  /** The process's arguments with `--ros-args …` and all: remaps, parameters. Default none. */
  readonly argv?: readonly string[];
  /** A lifecycle node, with its services and transition events. Default `plain`. */
  readonly kind?: 'plain' | 'lifecycle';
  /**
   * Faults: thrown by a callback, of the graph (QoS), of malformed messages; reported once per cause and second at
   * most. The listener must not throw. Nothing that reaches it has moved the robot.
   */
  readonly onFault: (fault: RosFault) => void;
}

/** Makes a port, not started yet: `openRosPort` for the real ROS 2. */
export type RosPortFactory = (options: RosPortOptions) => Promise<RosPort>;

/** Something that went wrong at the border to ROS. */
export interface RosFault {
  /** `refused`: somebody asked for what is not possible, was told so, and nothing else happened. */
  readonly kind: 'callback' | 'malformed' | 'qosMismatch' | 'duplicateNode' | 'timeJump' | 'graph' | 'refused';
  /** Topic, service, action, parameter or transition that it happened in. */
  readonly where: string;
  /** One message that names both sides. */
  readonly message: string;
}

export interface RosPort {
  /** Fully qualified, remaps applied: `/arm1/rein`. */
  readonly fullName: string;
  readonly namespace: string;
  readonly nodeName: string;
  readonly clock: RosClock;

  /** Before `start`. `topic` may be relative (`joint_states`), private (`~/state`) or absolute; remaps apply. */
  advertise<T>(type: MessageType<T>, topic: string, qos: QosProfile): RosPublisher<T>;
  /** Before `start`. */
  subscribe<T>(type: MessageType<T>, topic: string, qos: QosProfile, listener: MessageListener<T>): RosSubscription;
  /**
   * Before `start`. A handler that throws, or rejects, answers nothing wrong: it is a fault, and the caller gets what
   * `whenFailed` makes of a message, or times out where there is no `whenFailed`.
   */
  serve<Q, A>(
    type: ServiceType<Q, A>,
    name: string,
    handler: (request: Q) => A | Promise<A>,
    whenFailed?: (message: string) => A,
  ): void;
  /** Before `start`. */
  client<Q, A>(type: ServiceType<Q, A>, name: string): RosClient<Q, A>;
  /** Before `start`. ROS does not remap the name of an action, only the topics and services below it, one by one. */
  serveAction<G, F, R>(type: ActionType<G, F, R>, name: string, server: ActionHandler<G, F, R>): void;
  /** Before `start`. */
  actionClient<G, F, R>(type: ActionType<G, F, R>, name: string): RosActionClient<G, F, R>;
  /**
   * Before `start`, at most once. Declares all, with the values that arguments and files give (resolved as rclpy does).
   * Throws `ReinError('config', …)` for a given value of the wrong type, out of range, or of a name that nobody declared.
   */
  declareParameters(declarations: readonly ParameterDeclaration[], onSet?: ParameterListener): ParameterSet;
  /** Before `start`, at most once, and only for `kind: 'lifecycle'`. */
  onLifecycle(hooks: LifecycleHooks): void;
  /** Takes a transition by itself, e.g. to `errorProcessing`'s end or after a restart. Resolves with the state reached. */
  transition(transition: LifecycleTransition): Promise<LifecycleState>;
  /** `undefined` for plain nodes. */
  readonly lifecycleState: LifecycleState | undefined;
  /** Publishers or subscribers of `topic` now (remapped), from the graph; own ends included. */
  endpoints(topic: string, side: 'publishers' | 'subscribers'): readonly RosEndpoint[];
  /** Fully qualified names of all nodes that the graph shows; own name included, doubles as often as they are there. */
  nodeNames(): readonly string[];
  /** Faults of the graph (QoS, types, doubled names) as long as they last; `onFault` heard of each when it began. */
  readonly graphFaults: readonly RosFault[];
  /** Begins to receive. */
  start(): void;
  /** Stops receiving and gives everything back; within 1 s. Idempotent. */
  close(): Promise<void>;
}

/** ROS time: the wall's, or `/clock` under `use_sim_time`. */
export interface RosClock {
  readonly isSimulated: boolean;
  /** Nanoseconds of ROS time; 0n under `use_sim_time` before the first `/clock`. */
  nowNs(): bigint;
  /** Called when simulated time jumps, with how far, ns; below 0 back. The result takes the listener off. */
  onJump(listener: (byNs: bigint) => void): () => void;
}

export interface RosPublisher<T> {
  /** Remapped and expanded. */
  readonly topic: string;
  /**
   * Encodes and sends. What does not fit the type is refused with `ReinError('message', …)` and nothing is sent. The
   * message stays the caller's. Not for the tick thread.
   */
  publish(message: T): void;
  readonly subscriberCount: number;
}

/**
 * `message` is reused by the next one: copy what you keep. `receivedAtS`: the machine's monotonic clock, s.
 */
export type MessageListener<T> = (message: T, receivedAtS: number) => void;

export interface RosSubscription {
  readonly topic: string;
  readonly publisherCount: number;
  /** Messages delivered, and refused as malformed, since `start`. */
  readonly counters: { readonly received: number; readonly malformed: number };
}

export interface RosClient<Q, A> {
  readonly isReady: boolean;
  /** Rejects with `ReinError('link', …)` when nobody answers within `timeoutMs`. */
  call(request: Q, timeoutMs: number): Promise<A>;
}

export interface ActionHandler<G, F, R> {
  /** Refuses a goal with a reason; `undefined` accepts it. One goal runs at a time: others are refused before this. */
  admit(goal: G): string | undefined;
  /** Told why a goal was refused: ROS does not carry it to the caller. Without it the reason goes to the log. */
  refused?(message: string): void;
  /** Runs it. `signal` is aborted by a cancel request. Resolving with `canceled` needs an aborted signal. */
  execute(goal: G, feedback: (feedback: F) => void, signal: AbortSignal): Promise<ActionOutcome<R>>;
}

export interface ActionOutcome<R> {
  readonly status: 'succeeded' | 'aborted' | 'canceled';
  readonly result: R;
}

export interface RosActionClient<G, F, R> {
  readonly isReady: boolean;
  /**
   * Rejects with `ReinError('link', …)` when the goal is refused or the server is silent for `timeoutMs`. ROS orders nothing
   * between the last feedback and the result: one that comes after it is not told.
   */
  send(
    goal: G,
    options: { readonly timeoutMs: number; readonly onFeedback?: (feedback: F) => void; readonly signal?: AbortSignal },
  ): Promise<ActionOutcome<R>>;
}

export type ParameterType =
  | 'bool'
  | 'integer'
  | 'double'
  | 'string'
  | 'bool_array'
  | 'integer_array'
  | 'double_array'
  | 'string_array';
export type ParameterValue = boolean | number | string | readonly boolean[] | readonly number[] | readonly string[];

/** One parameter as ROS tools show it. */
export interface ParameterDeclaration {
  readonly name: string;
  readonly type: ParameterType;
  readonly default: ParameterValue;
  /** With the unit, for people. */
  readonly description: string;
  /** Closed range for numbers; both ends finite or ±Infinity. */
  readonly range?: { readonly min: number; readonly max: number };
  /** Further text for `additional_constraints`, e.g. the allowed words. */
  readonly constraints?: string;
  readonly choices?: readonly string[];
  /** May not change after declaration. */
  readonly isReadOnly?: boolean;
}

/** Refuses a change with a reason, or accepts it with `undefined`. */
export type ParameterListener = (name: string, value: ParameterValue) => string | undefined;

export interface ParameterSet {
  get(name: string): ParameterValue;
}

export type LifecycleState = 'unconfigured' | 'inactive' | 'active' | 'finalized' | 'errorProcessing';
export type LifecycleTransition = 'configure' | 'activate' | 'deactivate' | 'cleanup' | 'shutdown';

/**
 * Each says how it went: `success` goes on, `failure` stays where it was, `error` goes to error processing. Synchronous, as
 * ROS has them; slow work is begun here and reported by diagnostics. A hook that throws is an `error`.
 */
export interface LifecycleHooks {
  configure(): LifecycleResult;
  activate(): LifecycleResult;
  deactivate(): LifecycleResult;
  cleanup(): LifecycleResult;
  shutdown(): LifecycleResult;
  /** `success` leads to `unconfigured`, anything else to `finalized`. */
  error(): LifecycleResult;
}
export type LifecycleResult = 'success' | 'failure' | 'error';

export interface RosEndpoint {
  /** Fully qualified node name. */
  readonly node: string;
  readonly typeName: string;
  readonly qos: QosProfile;
}
