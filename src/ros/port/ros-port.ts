/**
 * ROS 2 as used by Rein. Two adapters pass the same contract suite (`tests/contract/ros-port.contract.ts`): `rclnodejs`
 * for real ROS 2, and a test adapter with an in-process graph.
 *
 * Life of a port: create, register everything (topics, services, actions, parameters, lifecycle), `start`, `close`.
 * Registering after `start` throws: on the real adapter it blocks, possibly for ever.
 *
 * The port wraps every callback: its errors go to `onFault` and no further.
 */
import type { ActionType, MessageType, ServiceType } from '../messages/message-type.ts';
import type { QosProfile } from './qos.ts';

/** Options of a port. */
export interface RosPortOptions {
  /** Node name unless remapped by `__node:=`. */
  readonly nodeName: string;
  /** Namespace unless remapped by `__ns:=`; `/` by default. */
  readonly namespace?: string;
  /** The process's arguments, including `--ros-args …`: remaps, parameters. Default none. */
  readonly argv?: readonly string[];
  /** A lifecycle node, with its services and transition events. Default `plain`. */
  readonly kind?: 'plain' | 'lifecycle';
  /**
   * Called for faults: errors of a callback, of the graph (QoS), malformed messages; once per cause and second at most.
   * The listener must not throw. Nothing that reaches it has moved the robot.
   */
  readonly onFault: (fault: RosFault) => void;
}

/** Creates a port, not started yet: `openRosPort` for real ROS 2. */
export type RosPortFactory = (options: RosPortOptions) => Promise<RosPort>;

/** Fault of the ROS interface. */
export interface RosFault {
  /** `refused`: an impossible request was refused with a message; it had no other effect. */
  readonly kind: 'callback' | 'malformed' | 'qosMismatch' | 'duplicateNode' | 'timeJump' | 'graph' | 'refused';
  /** Topic, service, action, parameter or transition in which it happened. */
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
   * Before `start`. A handler that throws or rejects is a fault; the caller gets the answer that `whenFailed` makes of
   * the message, or times out without `whenFailed`.
   */
  serve<Q, A>(
    type: ServiceType<Q, A>,
    name: string,
    handler: (request: Q) => A | Promise<A>,
    whenFailed?: (message: string) => A,
  ): void;
  /** Before `start`. */
  client<Q, A>(type: ServiceType<Q, A>, name: string): RosClient<Q, A>;
  /** Before `start`. ROS does not remap the name of an action, only its topics and services, one by one. */
  serveAction<G, F, R>(type: ActionType<G, F, R>, name: string, server: ActionHandler<G, F, R>): void;
  /** Before `start`. */
  actionClient<G, F, R>(type: ActionType<G, F, R>, name: string): RosActionClient<G, F, R>;
  /**
   * Before `start`, at most once. Declares all, with the values given by arguments and files (resolved as in rclpy).
   * Throws `ReinError('config', …)` for a given value of the wrong type or out of range, or of an undeclared name.
   */
  declareParameters(declarations: readonly ParameterDeclaration[], onSet?: ParameterListener): ParameterSet;
  /** Before `start`, at most once, and only for `kind: 'lifecycle'`. */
  onLifecycle(hooks: LifecycleHooks): void;
  /** Takes a transition without an external request, e.g. after a restart. Resolves to the state reached. */
  transition(transition: LifecycleTransition): Promise<LifecycleState>;
  /** `undefined` for plain nodes. */
  readonly lifecycleState: LifecycleState | undefined;
  /** Present publishers or subscribers of `topic` (remapped), from the graph; own ones included. */
  endpoints(topic: string, side: 'publishers' | 'subscribers'): readonly RosEndpoint[];
  /** Fully qualified names of all nodes in the graph; own name included, duplicates listed repeatedly. */
  nodeNames(): readonly string[];
  /** Graph faults (QoS, types, duplicate names) as long as they last; each was reported to `onFault` when it began. */
  readonly graphFaults: readonly RosFault[];
  /** Begins to receive. */
  start(): void;
  /** Stops receiving and releases everything; within 1 s. Idempotent. */
  close(): Promise<void>;
}

/** ROS time: wall time, or `/clock` under `use_sim_time`. */
export interface RosClock {
  readonly isSimulated: boolean;
  /** Nanoseconds of ROS time; 0n under `use_sim_time` before the first `/clock`. */
  nowNs(): bigint;
  /** Calls `listener` when simulated time jumps, with the step, ns; negative: backwards. Returns a function that removes it. */
  onJump(listener: (byNs: bigint) => void): () => void;
}

export interface RosPublisher<T> {
  /** Remapped and expanded. */
  readonly topic: string;
  /**
   * Encodes and sends. A message that does not fit the type is refused with `ReinError('message', …)`, and nothing is
   * sent. The caller keeps ownership of the message. Not for the tick thread.
   */
  publish(message: T): void;
  readonly subscriberCount: number;
}

/** `message` is reused by the next one: copy what you keep. `receivedAtS`: the machine's monotonic clock, s. */
export type MessageListener<T> = (message: T, receivedAtS: number) => void;

export interface RosSubscription {
  readonly topic: string;
  readonly publisherCount: number;
  /** Messages delivered, and refused as malformed, since `start`. */
  readonly counters: { readonly received: number; readonly malformed: number };
}

export interface RosClient<Q, A> {
  readonly isReady: boolean;
  /** Rejects with `ReinError('link', …)` if there is no answer within `timeoutMs`. */
  call(request: Q, timeoutMs: number): Promise<A>;
}

export interface ActionHandler<G, F, R> {
  /** Refuses a goal with a reason; `undefined` accepts it. One goal runs at a time: others are refused before this. */
  admit(goal: G): string | undefined;
  /** Called with the reason of a refusal, which ROS does not carry to the caller. Default: it is logged. */
  refused?(message: string): void;
  /** Runs the goal. `signal` is aborted by a cancel request. Resolving with `canceled` requires an aborted signal. */
  execute(goal: G, feedback: (feedback: F) => void, signal: AbortSignal): Promise<ActionOutcome<R>>;
}

export interface ActionOutcome<R> {
  readonly status: 'succeeded' | 'aborted' | 'canceled';
  readonly result: R;
}

export interface RosActionClient<G, F, R> {
  readonly isReady: boolean;
  /**
   * Rejects with `ReinError('link', …)` if the goal is refused or the server is silent for `timeoutMs`. ROS does not
   * order the last feedback and the result: feedback after the result is dropped.
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

/** Parameter as shown by ROS tools. */
export interface ParameterDeclaration {
  readonly name: string;
  readonly type: ParameterType;
  readonly default: ParameterValue;
  /** Description for users, with the unit. */
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
 * Hooks return `success` to proceed, `failure` to stay in the state, `error` to go to error processing. Synchronous, as
 * in ROS; slow work is started here and reported by diagnostics. A hook that throws is an `error`.
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
