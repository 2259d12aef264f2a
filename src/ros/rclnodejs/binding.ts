/**
 * Types of the part of rclnodejs that the adapter uses: its own types exist only where ROS is sourced, and without them
 * every message would silently be `any`.
 */
import { ReinError } from '../../model/index.ts';
import { rosEnvironment } from './environment.ts';

/** Module `rclnodejs`. */
export interface Binding {
  readonly Context: new () => BindingContext;
  readonly NodeOptions: new (
    startParameterServices: boolean,
    parameterOverrides: readonly BindingParameter[],
    declaresFromOverrides: boolean,
    startTypeDescriptionService: boolean,
    enableRosout: boolean,
  ) => object;
  readonly Parameter: new (name: string, type: number, value?: unknown) => BindingParameter;
  readonly ParameterDescriptor: new (
    name: string,
    type: number,
    description: string,
    isReadOnly: boolean,
  ) => BindingDescriptor;
  readonly QoS: new (history: number, depth: number, reliability: number, durability: number) => object;
  readonly ActionServer: new (
    node: BindingNode,
    type: string,
    name: string,
    execute: (goal: BindingGoal) => Promise<unknown>,
    goal: (goal: object) => number,
    accepted: undefined,
    cancel: () => number,
    options: { readonly enableTypedArray: boolean },
  ) => BindingActionServer;
  readonly ActionClient: new (
    node: BindingNode,
    type: string,
    name: string,
    options: { readonly enableTypedArray: boolean },
  ) => BindingActionClient;
  readonly Node: new (name: string, namespace: string, context: BindingContext, options: object) => BindingNode;
  readonly lifecycle: {
    readonly LifecycleNode: new (
      name: string,
      namespace: string,
      context: BindingContext,
      options: object,
    ) => BindingLifecycleNode;
    readonly CallbackReturnCode: { readonly SUCCESS: number; readonly FAILURE: number; readonly ERROR: number };
  };
  init(context: BindingContext, argv: readonly string[]): Promise<void>;
  require(name: string): BindingType;
  shutdown(context: BindingContext): void;
  removeSignalHandlers(): void;
}

export type BindingContext = object;

/** Generated class: of a message, or of a service or action with the classes of its parts. */
export interface BindingType {
  readonly ROSMessageDef?: MessageDefinition;
  readonly Request?: BindingType;
  readonly Response?: BindingType;
  readonly Goal?: BindingType;
  readonly Feedback?: BindingType;
  readonly Result?: BindingType;
}

/** Self-description of a generated class. */
export interface MessageDefinition {
  readonly fields: readonly {
    readonly name: string;
    readonly type: {
      readonly isArray: boolean;
      readonly arraySize: number | null;
      readonly isFixedSizeArray: boolean | null;
      readonly isUpperBound: boolean;
      readonly pkgName: string | null;
      readonly type: string;
      readonly isPrimitiveType: boolean;
    };
  }[];
}

export interface BindingNode {
  name(): string;
  namespace(): string;
  spin(timeoutMs: number): void;
  stop(): void;
  /** Called by native code with ready handles; replaced, so that nothing escapes from it. */
  execute(handles: unknown): void;
  getLogger(): { warn(message: string): void };
  createPublisher(type: string, topic: string, options: object): BindingPublisher;
  createSubscription(
    type: string,
    topic: string,
    options: object,
    callback: (bytes: Buffer) => void,
  ): BindingSubscription;
  createService(
    type: string,
    name: string,
    options: object,
    callback: (request: object, response: { send(answer: object): void }) => void,
  ): object;
  createClient(type: string, name: string, options: object): BindingClient;
  declareParameters(
    parameters: readonly BindingParameter[],
    descriptors: readonly BindingDescriptor[],
    ignoreOverrides: boolean,
  ): unknown;
  setParametersAtomically(parameters: readonly BindingParameter[]): SetResult;
  getPublishersInfoByTopic(topic: string): readonly BindingEndpoint[];
  getSubscriptionsInfoByTopic(topic: string): readonly BindingEndpoint[];
  getNodeNamesAndNamespaces(): readonly { readonly name: string; readonly namespace: string }[];
}

export interface BindingLifecycleNode extends BindingNode {
  readonly currentState: { readonly id: number };
  registerOnConfigure(callback: () => number): void;
  registerOnActivate(callback: () => number): void;
  registerOnDeactivate(callback: () => number): void;
  registerOnCleanup(callback: () => number): void;
  registerOnShutdown(callback: () => number): void;
  registerOnError(callback: () => number): void;
  configure(): unknown;
  activate(): unknown;
  deactivate(): unknown;
  cleanup(): unknown;
  shutdown(): unknown;
  /** Answers `change_state`; replaced, because it throws for a transition that is not possible. */
  _onChangeState(
    request: { readonly transition: { readonly id: number; readonly label: string } },
    response: { readonly template: object; send(answer: object): void },
  ): void;
}

export interface SetResult {
  readonly successful: boolean;
  readonly reason: string | null;
}

export interface BindingParameter {
  readonly name: string;
  readonly type: number;
  toParameterValueMessage(): Readonly<Record<string, unknown>>;
}

export interface BindingDescriptor {
  additionalConstraints: string;
  /** Replaced: the original omits the range. */
  toMessage(): object;
}

export interface BindingPublisher {
  readonly topic: string;
  readonly subscriptionCount: number;
  publish(bytes: Buffer): void;
}

export interface BindingSubscription {
  readonly topic: string;
  readonly publisherCount: number;
}

export interface BindingClient {
  isServiceServerAvailable(): boolean;
  sendRequestAsync(request: object, options: { readonly timeout: number }): Promise<object>;
}

export interface BindingEndpoint {
  readonly node_name: string;
  readonly node_namespace: string;
  readonly topic_type: string;
  readonly qos_profile: { readonly reliability: number; readonly durability: number; readonly depth: number };
}

export interface BindingGoal {
  readonly request: { toPlainObject(isTyped: boolean): object };
  readonly isCancelRequested: boolean;
  publishFeedback(feedback: object): void;
  succeed(): void;
  abort(): void;
  canceled(): void;
}

export interface BindingActionServer {
  _executeGoal(...args: unknown[]): Promise<void>;
  _executeCancelRequest(...args: unknown[]): Promise<void>;
}

export interface BindingActionClient {
  isActionServerAvailable(): boolean;
  sendGoal(goal: object, onFeedback: (feedback: object) => void): Promise<BindingGoalHandle>;
}

export interface BindingGoalHandle {
  readonly status: number;
  isAccepted(): boolean;
  cancelGoal(): Promise<unknown>;
  getResult(): Promise<object>;
}

/** In a variable, so that neither compiler nor bundler resolves the package where it is absent. */
const PACKAGE: string = 'rclnodejs';

let loaded: Promise<Binding> | undefined;

/** Loads rclnodejs, once. Rejects with `ReinError('environment', …)` without trying if loading would do harm. */
export function loadBinding(): Promise<Binding> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<Binding> {
  const { problem } = rosEnvironment();
  if (problem !== undefined) throw problem;
  try {
    const module = (await import(PACKAGE)) as { readonly default: Binding };
    // Its SIGINT listener only shuts the contexts down; the process's owner decides the order of its end.
    module.default.removeSignalHandlers();
    return module.default;
  } catch (cause) {
    throw new ReinError('environment', `rclnodejs cannot be loaded: ${String((cause as Error).message)}`, {
      remedy: 'run npm run ros:install',
      cause,
    });
  }
}
