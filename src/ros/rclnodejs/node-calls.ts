/** Servers and clients of services and actions on rclnodejs: values are fitted to their definitions, and no error escapes. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ReinError } from '../../model/index.ts';
import type { FaultReporter } from '../port/fault-reporter.ts';
import type { ActionHandler, ActionOutcome, RosActionClient, RosClient } from '../port/ros-port.ts';
import type { Binding, BindingGoal, BindingGoalHandle, BindingNode, BindingType } from './binding.ts';
import { remedyFor } from './environment.ts';
import { interfacePackages } from './installation.ts';
import { findPackage, machineProbe } from './probe.ts';
import type { Shapes } from './shape.ts';

/** Numbers of rclnodejs for a server's response to a goal or cancel request. */
const REJECT = 1;
const ACCEPT = 2;
/** Numbers of `action_msgs/msg/GoalStatus`. */
const OUTCOMES: Readonly<Record<number, ActionOutcome<unknown>['status']>> = {
  4: 'succeeded',
  5: 'canceled',
  6: 'aborted',
};

/** Parts of the port that servers and clients need. */
export interface ActionHost {
  readonly binding: Binding;
  readonly node: BindingNode;
  readonly shapes: Shapes;
  readonly faults: FaultReporter;
  /** Registers work to finish before the node is destroyed; it is awaited, but not for long. */
  readonly beforeClose: (finish: () => Promise<void>) => void;
}

/** A service or action: its type, its name as given, and the name shown by ROS. */
export interface Names {
  readonly type: string;
  readonly given: string;
  readonly full: string;
}

export function serveNodeAction<G, F, R>(
  host: ActionHost,
  { type: typeName, given, full: name }: Names,
  handler: ActionHandler<G, F, R>,
): void {
  const { binding, node, faults } = host;
  const type = binding.require(typeName);
  let running: AbortController | undefined;
  let ended: Promise<void> = Promise.resolve();
  host.beforeClose(() => {
    running?.abort();
    return ended;
  });

  const admit = (goal: object): number => {
    if (running !== undefined) return refuse('another goal is running');
    const asked = faults.run(name, () => ({ refusal: handler.admit(goal as G) }));
    if (asked === undefined) return REJECT;
    return asked.refusal === undefined ? ACCEPT : refuse(asked.refusal);
  };
  const refuse = (why: string): number => {
    faults.run(name, () => {
      if (handler.refused === undefined) node.getLogger().warn(`${name} refuses a goal: ${why}`);
      else handler.refused(why);
    });
    return REJECT;
  };
  const execute = async (goal: BindingGoal): Promise<object> => {
    const cancel = new AbortController();
    running = cancel;
    try {
      return await runGoal(host, type, name, handler, goal, cancel.signal);
    } finally {
      running = undefined;
    }
  };
  const onCancel = (): number => {
    // Deferred: only then is the goal in the state from which it can become canceled.
    const controller = running;
    setImmediate(() => controller?.abort());
    return ACCEPT;
  };
  const server = new binding.ActionServer(node, typeName, given, execute, admit, undefined, onCancel, {
    enableTypedArray: false,
  });
  // rclnodejs does not await these promises; a rejection would end the process.
  const executeGoal = server._executeGoal.bind(server);
  server._executeGoal = (...args) => {
    ended = faults.runAsync(name, () => executeGoal(...args)).then(() => {});
    return ended;
  };
  const executeCancel = server._executeCancelRequest.bind(server);
  server._executeCancelRequest = async (...args) => void (await faults.runAsync(name, () => executeCancel(...args)));
}

/** Runs one goal to its end, and returns the result in the addon's shape. */
async function runGoal<G, F, R>(
  { shapes, faults }: ActionHost,
  type: BindingType,
  name: string,
  handler: ActionHandler<G, F, R>,
  goal: BindingGoal,
  signal: AbortSignal,
): Promise<object> {
  let isOver = false;
  const feedback = (value: F): void => {
    const fitted = shapes.fit(type.Feedback, value, `${name}'s feedback`);
    // rclnodejs publishes none for a goal that is being canceled, and logs a warning.
    if (!isOver && !goal.isCancelRequested) goal.publishFeedback(fitted);
  };
  const request = goal.request.toPlainObject(false) as G;
  const done = await faults.runAsync(name, async () => {
    const outcome = await handler.execute(request, feedback, signal);
    return { status: outcome.status, result: shapes.fit(type.Result, outcome.result, `${name}'s result`) };
  });
  isOver = true;
  const { status, result } = done?.value ?? { status: 'aborted', result: {} };
  if (status === 'succeeded') goal.succeed();
  else if (status === 'canceled' && goal.isCancelRequested) goal.canceled();
  else {
    if (status === 'canceled')
      faults.report('callback', name, 'a goal ended as canceled without a cancel request; it counts as aborted');
    goal.abort();
  }
  return result;
}

export function nodeActionClient<G, F, R>(
  host: ActionHost,
  { type: typeName, given, full: name }: Names,
): RosActionClient<G, F, R> {
  const { binding, node, shapes, faults } = host;
  const type = binding.require(typeName);
  const client = new binding.ActionClient(node, typeName, given, { enableTypedArray: false });
  return {
    get isReady() {
      return client.isActionServerAvailable();
    },
    async send(goal, { timeoutMs, onFeedback, signal }) {
      const request = shapes.fit(type.Goal, goal, `${name}'s goal`);
      const silence = new Silence(timeoutMs, name);
      const heard = (feedback: object): void => {
        silence.heard();
        if (onFeedback !== undefined) faults.run(name, () => onFeedback(feedback as F));
      };
      try {
        const handle = await silence.orOver(client.sendGoal(request, heard));
        if (!handle.isAccepted()) throw new ReinError('link', `${name} refuses the goal`);
        silence.heard();
        return await resultOf<R>(handle, silence, signal, faults, name);
      } finally {
        silence.end();
      }
    },
  };
}

async function resultOf<R>(
  handle: BindingGoalHandle,
  silence: Silence,
  signal: AbortSignal | undefined,
  faults: FaultReporter,
  name: string,
): Promise<ActionOutcome<R>> {
  const cancel = (): void => void faults.runAsync(name, () => handle.cancelGoal());
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel);
  try {
    const result = (await silence.orOver(handle.getResult())) as R;
    return { status: OUTCOMES[handle.status] ?? 'aborted', result };
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

/** Rejects a pending call after a period of silence. */
class Silence {
  readonly #timeoutMs: number;
  readonly #name: string;
  readonly #over: Promise<never>;
  #fail: (error: Error) => void = () => {};
  #timer: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number, name: string) {
    this.#timeoutMs = timeoutMs;
    this.#name = name;
    this.#over = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.#over.catch(() => {});
    this.heard();
  }

  heard(): void {
    clearTimeout(this.#timer);
    const message = `the action ${this.#name} is silent for ${this.#timeoutMs} ms`;
    this.#timer = setTimeout(() => this.#fail(new ReinError('link', message)), this.#timeoutMs);
  }

  orOver<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#over]);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

type Host = Pick<ActionHost, 'binding' | 'node' | 'shapes' | 'faults'>;

/** Numeric arrays as plain arrays: they may be kept, and are the same as in the memory adapter. */
const PLAIN = { enableTypedArray: false };

/** Handler of a service, and the answer if it fails. */
export interface ServiceEnd<Q, A> {
  readonly handler: (request: Q) => A | Promise<A>;
  readonly whenFailed: ((message: string) => A) | undefined;
}

export function serveNodeService<Q, A>(
  { binding, node, shapes, faults }: Host,
  { type: typeName, given, full: name }: Names,
  { handler, whenFailed }: ServiceEnd<Q, A>,
  isRunning: () => boolean,
): void {
  const type = binding.require(typeName);
  node.createService(typeName, given, { ...PLAIN }, (request, response) => {
    const send = (answer: A): void => {
      const fitted = shapes.fit(type.Response, answer, `the answer of ${name}`);
      if (isRunning()) response.send(fitted);
    };
    const fallback = whenFailed === undefined ? undefined : (message: string): void => send(whenFailed(message));
    void faults.answer(name, async () => send(await handler(request as Q)), fallback);
  });
}

export function nodeClient<Q, A>(
  { binding, node, shapes }: Host,
  { type: typeName, given, full: name }: Names,
  isRunning: () => boolean,
): RosClient<Q, A> {
  const type = binding.require(typeName);
  const client = node.createClient(typeName, given, { ...PLAIN });
  return {
    get isReady() {
      return isRunning() && client.isServiceServerAvailable();
    },
    async call(request, timeoutMs) {
      const fitted = shapes.fit(type.Request, request, `the request to ${name}`);
      if (!isRunning()) throw new ReinError('link', `the service ${name} is asked by a node that does not run`);
      try {
        return (await client.sendRequestAsync(fitted, { timeout: timeoutMs })) as A;
      } catch (cause) {
        throw new ReinError('link', `the service ${name} did not answer within ${timeoutMs} ms`, { cause });
      }
    },
  };
}

/**
 * Checks in files that rclnodejs has the messages of a service or action, because requesting a missing one triggers its
 * generation. Throws `ReinError('environment', …)` if those of `name` (`std_srvs/srv/Trigger`) are missing.
 */
export function mustBeGenerated(name: string): void {
  const [pkg, kind, type] = name.split('/');
  const folder = findPackage();
  if (!pkg || !kind || !type || !/^\w+\/(msg|srv|action)\/\w+$/.test(name))
    throw new ReinError('environment', `"${name}" is no name of a ROS message, service or action`);
  if (folder !== undefined && existsSync(join(folder, 'generated', pkg, `${pkg}__${kind}__${type}.js`))) return;
  throw new ReinError('environment', `rclnodejs has no messages for ${name}`, {
    remedy: remedyFor(pkg, process.env['ROS_DISTRO'] ?? '', interfacePackages(machineProbe()).has(pkg)),
  });
}
