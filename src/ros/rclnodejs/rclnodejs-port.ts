/**
 * Port onto real ROS 2, through rclnodejs. Topics are bytes through Rein's own codec; only services, actions,
 * parameters and lifecycle use typed messages of the binding, fitted to their definitions first. No error of a callback
 * reaches native code, which would end the process.
 */
import { ReinError } from '../../model/index.ts';
import type { ActionType, MessageType, ServiceType } from '../messages/message-type.ts';
import { ParameterStore, USE_SIM_TIME, usesSimTime } from '../parameters/declared.ts';
import { expandName, type NodeIdentity, nodeIdentity, resolveName } from '../parameters/names.ts';
import { parseRosArgs, type RosArguments, resolveParameters } from '../parameters/ros-args.ts';
import { FaultReporter } from '../port/fault-reporter.ts';
import { GraphWatch, type OwnEnd } from '../port/graph-watch.ts';
import { PortClock } from '../port/port-clock.ts';
import type { QosProfile } from '../port/qos.ts';
import type {
  ActionHandler,
  LifecycleHooks,
  LifecycleState,
  LifecycleTransition,
  MessageListener,
  ParameterDeclaration,
  ParameterListener,
  ParameterSet,
  RosActionClient,
  RosClient,
  RosEndpoint,
  RosFault,
  RosPort,
  RosPortFactory,
  RosPortOptions,
  RosPublisher,
  RosSubscription,
} from '../port/ros-port.ts';
import { TopicReader, TopicWriter } from '../port/topic-ends.ts';
import {
  type Binding,
  type BindingContext,
  type BindingEndpoint,
  type BindingLifecycleNode,
  type BindingNode,
  loadBinding,
} from './binding.ts';
import {
  type ActionHost,
  mustBeGenerated,
  type Names,
  nodeActionClient,
  nodeClient,
  serveNodeAction,
  serveNodeService,
} from './node-calls.ts';
import { NodeLifecycle } from './node-lifecycle.ts';
import { bindingParameter, showParameters } from './node-parameters.ts';
import { Shapes } from './shape.ts';

/** Longest wait of the native thread before it checks whether to stop. */
const SPIN_MS = 10;
/** Time for goals to end when the port closes. */
const GOALS_END_MS = 300;

/** Opens a port on real ROS 2. Rejects with `ReinError('environment', …)` if there is none, or it does not match. */
export const openRosPort: RosPortFactory = async (options) => {
  const args = parseRosArgs(options.argv ?? []);
  const binding = await loadBinding();
  const context = new binding.Context();
  await binding.init(context, args.withoutParameters);
  try {
    return new RclnodejsPort(options, args, binding, context);
  } catch (error) {
    binding.shutdown(context);
    throw error;
  }
};

function nodeOptions(binding: Binding, isSimulated: boolean): object {
  // Humble creates the log publisher itself, and warns at each start if rclnodejs creates it again.
  const makesLogPublisher = process.env['ROS_DISTRO'] !== 'humble';
  const overrides = [bindingParameter(binding, USE_SIM_TIME, isSimulated)];
  return new binding.NodeOptions(true, overrides, false, true, makesLogPublisher);
}

/** End of the last port that was closed. */
let closing: Promise<void> = Promise.resolve();

class RclnodejsPort implements RosPort {
  readonly clock: PortClock;
  readonly #binding: Binding;
  readonly #context: BindingContext;
  readonly #node: BindingNode;
  readonly #lifecycle: NodeLifecycle | undefined;
  readonly #identity: NodeIdentity;
  readonly #args: RosArguments;
  readonly #faults: FaultReporter;
  readonly #shapes: Shapes;
  readonly #ends: OwnEnd[] = [];
  readonly #finishes: (() => Promise<void>)[] = [];
  readonly #watch: GraphWatch;
  #phase: 'registering' | 'running' | 'closed' = 'registering';
  #hasParameters = false;
  #closed: Promise<void> | undefined;

  constructor(options: RosPortOptions, args: RosArguments, binding: Binding, context: BindingContext) {
    this.#binding = binding;
    this.#context = context;
    this.#args = args;
    this.#faults = new FaultReporter(options.onFault);
    this.#shapes = new Shapes(binding);
    this.#identity = nodeIdentity(options.nodeName, options.namespace ?? '/', args.remaps);
    const isSimulated = usesSimTime(this.#given());
    const natively = nodeOptions(binding, isSimulated);
    const make = options.kind === 'lifecycle' ? binding.lifecycle.LifecycleNode : binding.Node;
    this.#node = new make(options.nodeName, options.namespace ?? '/', context, natively);
    const execute = this.#node.execute.bind(this.#node);
    this.#node.execute = (handles) => void this.#faults.run(this.fullName, () => execute(handles));
    if (options.kind === 'lifecycle')
      this.#lifecycle = new NodeLifecycle(binding, this.#node as BindingLifecycleNode, this.#faults);
    const native = fullNodeName(this.#node.namespace(), this.#node.name());
    if (native !== this.fullName) throw new Error(`ROS calls the node ${native}, Rein calls it ${this.fullName}`);
    this.clock = new PortClock(isSimulated, this.#faults);
    if (isSimulated) this.clock.follow(this);
    this.#watch = new GraphWatch(
      {
        fullName: this.fullName,
        endpoints: (topic, side) => this.#endpoints(topic, side),
        nodeNames: () => this.nodeNames(),
      },
      this.#ends,
      this.#faults,
    );
  }

  get fullName(): string {
    return this.#identity.fullName;
  }
  get namespace(): string {
    return this.#identity.namespace;
  }
  get nodeName(): string {
    return this.#identity.nodeName;
  }

  advertise<T>(type: MessageType<T>, topic: string, qos: QosProfile): RosPublisher<T> {
    this.#mustRegister(topic);
    mustBeGenerated(type.name);
    const publisher = this.#node.createPublisher(type.name, topic, { qos: bindingQos(this.#binding, qos) });
    this.#ends.push({ topic: publisher.topic, side: 'publishers', typeName: type.name, qos });
    const writer = new TopicWriter(type);
    const isClosed = (): boolean => this.#phase === 'closed';
    return {
      topic: publisher.topic,
      publish: (message) => {
        const bytes = writer.encode(message);
        if (!isClosed()) publisher.publish(bytes);
      },
      get subscriberCount() {
        return isClosed() ? 0 : publisher.subscriptionCount;
      },
    };
  }

  subscribe<T>(type: MessageType<T>, topic: string, qos: QosProfile, listener: MessageListener<T>): RosSubscription {
    this.#mustRegister(topic);
    mustBeGenerated(type.name);
    const name = resolveName(topic, 'topic', this.#identity, this.#args.remaps);
    const reader = new TopicReader(type, name, listener, this.#faults);
    const options = { qos: bindingQos(this.#binding, qos), isRaw: true };
    const subscription = this.#node.createSubscription(type.name, topic, options, (bytes) => {
      if (this.#phase === 'running') reader.take(bytes);
    });
    if (subscription.topic !== name)
      throw new Error(`ROS calls the topic ${subscription.topic}, Rein calls it ${name}`);
    this.#ends.push({ topic: name, side: 'subscribers', typeName: type.name, qos });
    const isClosed = (): boolean => this.#phase === 'closed';
    return {
      topic: name,
      counters: reader.counters,
      get publisherCount() {
        return isClosed() ? 0 : subscription.publisherCount;
      },
    };
  }

  serve<Q, A>(
    type: ServiceType<Q, A>,
    name: string,
    handler: (request: Q) => A | Promise<A>,
    whenFailed?: (message: string) => A,
  ): void {
    const names = this.#named(type.name, name, 'service');
    serveNodeService(this.#host(), names, { handler, whenFailed }, () => this.#phase === 'running');
  }

  client<Q, A>(type: ServiceType<Q, A>, name: string): RosClient<Q, A> {
    const names = this.#named(type.name, name, 'service');
    return nodeClient(this.#host(), names, () => this.#phase === 'running');
  }

  serveAction<G, F, R>(type: ActionType<G, F, R>, name: string, server: ActionHandler<G, F, R>): void {
    serveNodeAction(this.#host(), this.#named(type.name, name, 'action'), server);
  }

  actionClient<G, F, R>(type: ActionType<G, F, R>, name: string): RosActionClient<G, F, R> {
    return nodeActionClient(this.#host(), this.#named(type.name, name, 'action'));
  }

  declareParameters(declarations: readonly ParameterDeclaration[], onSet?: ParameterListener): ParameterSet {
    this.#mustRegister('parameters');
    if (this.#hasParameters) throw new Error('parameters are declared once');
    const store = new ParameterStore([...declarations, USE_SIM_TIME], this.#given(), onSet);
    this.#hasParameters = true;
    showParameters(this.#binding, this.#node, store, this.#faults);
    return store;
  }

  onLifecycle(hooks: LifecycleHooks): void {
    this.#mustRegister('lifecycle hooks');
    if (this.#lifecycle === undefined) throw new Error(`${this.fullName} is no lifecycle node`);
    this.#lifecycle.hooks = hooks;
  }

  async transition(transition: LifecycleTransition): Promise<LifecycleState> {
    if (this.#lifecycle === undefined) throw new Error(`${this.fullName} is no lifecycle node`);
    this.#lifecycle.take(transition);
    return this.#lifecycle.state;
  }

  get lifecycleState(): LifecycleState | undefined {
    return this.#phase === 'closed' ? undefined : this.#lifecycle?.state;
  }

  endpoints(topic: string, side: 'publishers' | 'subscribers'): readonly RosEndpoint[] {
    return this.#endpoints(resolveName(topic, 'topic', this.#identity, this.#args.remaps), side);
  }

  nodeNames(): readonly string[] {
    if (this.#phase === 'closed') return [];
    return this.#node.getNodeNamesAndNamespaces().map(({ name, namespace }) => fullNodeName(namespace, name));
  }

  get graphFaults(): readonly RosFault[] {
    return this.#watch.standing;
  }

  start(): void {
    if (this.#phase !== 'registering') throw new Error(`${this.fullName} was started before`);
    this.#phase = 'running';
    this.#node.spin(SPIN_MS);
    this.#watch.start();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const wasRunning = this.#phase === 'running';
    this.#watch.stop();
    const goals = Promise.all(this.#finishes.map((finish) => finish()));
    await Promise.race([goals, new Promise((resolve) => setTimeout(resolve, GOALS_END_MS))]);
    this.#phase = 'closed';
    // One after the other: a stopping node runs the event loop itself, and a nested one never ends.
    const done = closing.then(async () => {
      // Not from inside one of its own callbacks, for which the native thread would wait.
      await new Promise((resolve) => setImmediate(resolve));
      if (wasRunning) this.#node.stop();
      this.#binding.shutdown(this.#context);
    });
    closing = done.catch(() => {});
    await done;
  }

  #host(): ActionHost {
    return {
      binding: this.#binding,
      node: this.#node,
      shapes: this.#shapes,
      faults: this.#faults,
      beforeClose: (finish) => void this.#finishes.push(finish),
    };
  }

  #named(type: string, given: string, kind: 'service' | 'action'): Names {
    this.#mustRegister(given);
    mustBeGenerated(type);
    const full =
      kind === 'action'
        ? expandName(given, this.#identity)
        : resolveName(given, 'service', this.#identity, this.#args.remaps);
    return { type, given, full };
  }

  #endpoints(topic: string, side: 'publishers' | 'subscribers'): readonly RosEndpoint[] {
    if (this.#phase === 'closed') return [];
    return endpointsOf(
      side === 'publishers'
        ? this.#node.getPublishersInfoByTopic(topic)
        : this.#node.getSubscriptionsInfoByTopic(topic),
    );
  }

  #given(): ReturnType<typeof resolveParameters> {
    return resolveParameters(this.#args.parameters, this.fullName);
  }

  #mustRegister(what: string): void {
    if (this.#phase === 'registering') return;
    throw new ReinError('environment', `${what} cannot be registered any more, ${this.fullName} runs already`);
  }
}

const KEEP_LAST = 1;
const RELIABLE = 1;
const BEST_EFFORT = 2;
const TRANSIENT_LOCAL = 1;
const VOLATILE = 2;

function bindingQos(binding: Binding, { reliability, durability, depth }: QosProfile): object {
  return new binding.QoS(
    KEEP_LAST,
    depth,
    reliability === 'reliable' ? RELIABLE : BEST_EFFORT,
    durability === 'transientLocal' ? TRANSIENT_LOCAL : VOLATILE,
  );
}

/** Node name of an endpoint that the graph has not identified yet, which is not worth reporting. */
const UNKNOWN = '_NODE_NAME_UNKNOWN_';

function endpointsOf(ends: readonly BindingEndpoint[]): readonly RosEndpoint[] {
  return ends
    .filter((end) => end.node_name !== UNKNOWN)
    .map(({ node_name, node_namespace, topic_type, qos_profile }) => ({
      node: fullNodeName(node_namespace, node_name),
      typeName: topic_type,
      qos: {
        reliability: qos_profile.reliability === BEST_EFFORT ? 'bestEffort' : 'reliable',
        durability: qos_profile.durability === TRANSIENT_LOCAL ? 'transientLocal' : 'volatile',
        depth: qos_profile.depth,
      },
    }));
}

function fullNodeName(namespace: string, name: string): string {
  return namespace.endsWith('/') ? `${namespace}${name}` : `${namespace}/${name}`;
}
