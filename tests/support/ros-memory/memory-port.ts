/** A port onto a graph in this process: the same contract as the real one, without ROS. */
import { ReinError } from '../../../src/model/index.ts';
import type { ActionType, MessageType, ServiceType } from '../../../src/ros/messages/message-type.ts';
import { ParameterStore, USE_SIM_TIME, usesSimTime } from '../../../src/ros/parameters/declared.ts';
import { expandName, type NodeIdentity, nodeIdentity, resolveName } from '../../../src/ros/parameters/names.ts';
import { parseRosArgs, type RosArguments, resolveParameters } from '../../../src/ros/parameters/ros-args.ts';
import { FaultReporter } from '../../../src/ros/port/fault-reporter.ts';
import { GraphWatch, type OwnEnd } from '../../../src/ros/port/graph-watch.ts';
import { PortClock } from '../../../src/ros/port/port-clock.ts';
import type { QosProfile } from '../../../src/ros/port/qos.ts';
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
} from '../../../src/ros/port/ros-port.ts';
import { TopicReader, TopicWriter } from '../../../src/ros/port/topic-ends.ts';
import { LifecycleMachine } from './lifecycle-machine.ts';
import { lifecycleServices } from './lifecycle-services.ts';
import { Mailbox } from './mailbox.ts';
import { goalTaker, memoryActionClient, turn } from './memory-actions.ts';
import type { MemoryGraph, ReaderEnd, WriterEnd } from './memory-graph.ts';
import { memoryClient } from './memory-services.ts';
import { parameterServices } from './parameter-services.ts';

/** Ports onto `graph`. */
export function memoryPorts(graph: MemoryGraph): RosPortFactory {
  return async (options) => new MemoryPort(options, graph);
}

class MemoryPort implements RosPort {
  readonly #graph: MemoryGraph;
  readonly #faults: FaultReporter;
  readonly #args: RosArguments;
  readonly #node: NodeIdentity;
  readonly #clock: PortClock;
  readonly #machine: LifecycleMachine | undefined;
  readonly #ends: OwnEnd[] = [];
  readonly #mailboxes: Mailbox[] = [];
  readonly #leave: (() => void)[] = [];
  readonly #watch: GraphWatch;
  #phase: 'registering' | 'running' | 'closed' = 'registering';
  #hasParameters = false;

  constructor(options: RosPortOptions, graph: MemoryGraph) {
    this.#graph = graph;
    this.#faults = new FaultReporter(options.onFault);
    this.#args = parseRosArgs(options.argv ?? []);
    this.#node = nodeIdentity(options.nodeName, options.namespace ?? '/', this.#args.remaps);
    const isSimulated = usesSimTime(this.#given());
    this.#clock = new PortClock(isSimulated, this.#faults);
    this.#leave.push(graph.join(this.fullName));
    this.#watch = new GraphWatch(
      {
        fullName: this.fullName,
        endpoints: (topic, side) => graph.endpoints(topic, side),
        nodeNames: () => graph.nodeNames(),
      },
      this.#ends,
      this.#faults,
    );
    if (isSimulated) this.#clock.follow(this);
    if (options.kind === 'lifecycle') {
      this.#machine = new LifecycleMachine(this.#faults);
      for (const { name, type, handler } of lifecycleServices(this.#machine, this.#faults))
        this.serve(type, name, handler);
    }
  }

  get fullName(): string {
    return this.#node.fullName;
  }
  get namespace(): string {
    return this.#node.namespace;
  }
  get nodeName(): string {
    return this.#node.nodeName;
  }
  get clock(): PortClock {
    return this.#clock;
  }

  advertise<T>(type: MessageType<T>, topic: string, qos: QosProfile): RosPublisher<T> {
    const name = this.#register(topic, 'topic');
    const end: WriterEnd = { node: this.fullName, topic: name, typeName: type.name, qos, kept: [] };
    this.#ends.push({ topic: name, side: 'publishers', typeName: type.name, qos });
    this.#leave.push(this.#graph.addWriter(end));
    const writer = new TopicWriter(type);
    const graph = this.#graph;
    return {
      topic: name,
      publish: (message) => {
        const bytes = writer.encode(message);
        if (this.#phase !== 'closed') graph.send(end, bytes);
      },
      get subscriberCount() {
        return graph.matched(end);
      },
    };
  }

  subscribe<T>(type: MessageType<T>, topic: string, qos: QosProfile, listener: MessageListener<T>): RosSubscription {
    const name = this.#register(topic, 'topic');
    const reader = new TopicReader(type, name, listener, this.#faults);
    const mailbox = new Mailbox(qos.depth, (bytes) => reader.take(bytes));
    this.#mailboxes.push(mailbox);
    const end: ReaderEnd = {
      node: this.fullName,
      topic: name,
      typeName: type.name,
      qos,
      receive: (bytes) => mailbox.put(bytes),
    };
    this.#ends.push({ topic: name, side: 'subscribers', typeName: type.name, qos });
    this.#leave.push(this.#graph.addReader(end));
    const graph = this.#graph;
    return {
      topic: name,
      counters: reader.counters,
      get publisherCount() {
        return graph.matched(end);
      },
    };
  }

  serve<Q, A>(
    type: ServiceType<Q, A>,
    name: string,
    handler: (request: Q) => A | Promise<A>,
    whenFailed?: (message: string) => A,
  ): void {
    const full = this.#register(name, 'service');
    const handle = (request: unknown): unknown => this.#faults.answer(full, () => handler(request as Q), whenFailed);
    this.#leave.push(
      this.#graph.addServer(full, { typeName: type.name, isRunning: () => this.#phase === 'running', handle }),
    );
  }

  client<Q, A>(type: ServiceType<Q, A>, name: string): RosClient<Q, A> {
    return memoryClient(this.#graph, this.#register(name, 'service'), type.name);
  }

  serveAction<G, F, R>(type: ActionType<G, F, R>, name: string, server: ActionHandler<G, F, R>): void {
    const full = this.#register(name, 'action');
    const handle = goalTaker(full, server, this.#faults);
    this.#leave.push(
      this.#graph.addServer(`action ${full}`, {
        typeName: type.name,
        isRunning: () => this.#phase === 'running',
        handle,
      }),
    );
  }

  actionClient<G, F, R>(type: ActionType<G, F, R>, name: string): RosActionClient<G, F, R> {
    return memoryActionClient(this.#graph, this.#register(name, 'action'), type.name, this.#faults);
  }

  declareParameters(declarations: readonly ParameterDeclaration[], onSet?: ParameterListener): ParameterSet {
    this.#mustRegister('parameters');
    if (this.#hasParameters) throw new Error('parameters are declared once');
    const store = new ParameterStore([...declarations, USE_SIM_TIME], this.#given(), onSet);
    this.#hasParameters = true;
    for (const { name, type, handler } of parameterServices(store, this.#faults)) this.serve(type, name, handler);
    return store;
  }

  onLifecycle(hooks: LifecycleHooks): void {
    this.#mustRegister('lifecycle hooks');
    if (this.#machine === undefined) throw new Error(`${this.fullName} is no lifecycle node`);
    this.#machine.hooks = hooks;
  }

  async transition(transition: LifecycleTransition): Promise<LifecycleState> {
    if (this.#machine === undefined) throw new Error(`${this.fullName} is no lifecycle node`);
    await turn();
    this.#machine.take(transition);
    return this.#machine.state;
  }

  get lifecycleState(): LifecycleState | undefined {
    return this.#machine?.state;
  }

  endpoints(topic: string, side: 'publishers' | 'subscribers'): readonly RosEndpoint[] {
    return this.#graph.endpoints(resolveName(topic, 'topic', this.#node, this.#args.remaps), side);
  }

  nodeNames(): readonly string[] {
    return this.#graph.nodeNames();
  }

  get graphFaults(): readonly RosFault[] {
    return this.#watch.standing;
  }

  start(): void {
    if (this.#phase !== 'registering') throw new Error(`${this.fullName} was started before`);
    this.#phase = 'running';
    for (const mailbox of this.#mailboxes) mailbox.open();
    this.#watch.start();
  }

  async close(): Promise<void> {
    if (this.#phase === 'closed') return;
    this.#phase = 'closed';
    this.#watch.stop();
    for (const mailbox of this.#mailboxes) mailbox.shut();
    for (const leave of this.#leave.splice(0)) leave();
    await turn();
  }

  #given(): ReturnType<typeof resolveParameters> {
    return resolveParameters(this.#args.parameters, this.#node.fullName);
  }

  #register(name: string, kind: 'topic' | 'service' | 'action'): string {
    this.#mustRegister(name);
    // ROS remaps the topics and services below an action one by one, not the action.
    return kind === 'action' ? expandName(name, this.#node) : resolveName(name, kind, this.#node, this.#args.remaps);
  }

  #mustRegister(what: string): void {
    if (this.#phase === 'registering') return;
    throw new ReinError('environment', `${what} cannot be registered any more, ${this.fullName} runs already`);
  }
}
