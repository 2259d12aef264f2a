/** Actions in memory: one goal at a time, feedback, cancel. Everything that passes between the two ends is a copy. */
import { ReinError } from '../../../src/model/index.ts';
import type { FaultReporter } from '../../../src/ros/port/fault-reporter.ts';
import type { ActionHandler, ActionOutcome, RosActionClient } from '../../../src/ros/port/ros-port.ts';
import type { MemoryGraph } from './memory-graph.ts';

/** What a client hands to a server. */
interface GoalRequest {
  readonly goal: unknown;
  readonly feedback: (feedback: unknown) => void;
  readonly signal: AbortSignal;
}

/** The server's half: the function that takes goals. Resolves with the outcome, or `undefined` where the goal is refused. */
export function goalTaker<G, F, R>(
  name: string,
  server: ActionHandler<G, F, R>,
  faults: FaultReporter,
): (request: unknown) => Promise<ActionOutcome<R> | { readonly refusal: string }> {
  let isBusy = false;
  const refuse = (refusal: string): { readonly refusal: string } => {
    faults.run(name, () => server.refused?.(refusal));
    return { refusal };
  };
  return async (given) => {
    const request = given as GoalRequest;
    if (isBusy) return refuse('another goal is running');
    const admitted = faults.run(name, () => ({ refusal: server.admit(request.goal as G) }));
    if (admitted === undefined) return { refusal: 'the server failed while it looked at the goal' };
    if (admitted.refusal !== undefined) return refuse(admitted.refusal);
    isBusy = true;
    try {
      const feedback = (value: F): void => request.feedback(structuredClone(value));
      const done = await faults.runAsync(name, () => server.execute(request.goal as G, feedback, request.signal));
      const outcome = done?.value ?? { status: 'aborted' as const, result: undefined as R };
      if (outcome.status !== 'canceled' || request.signal.aborted) return structuredClone(outcome);
      faults.report('callback', name, 'a goal ended as canceled without a cancel request; it counts as aborted');
      return structuredClone({ ...outcome, status: 'aborted' as const });
    } finally {
      isBusy = false;
    }
  };
}

/** The client's half. */
export function memoryActionClient<G, F, R>(
  graph: MemoryGraph,
  name: string,
  typeName: string,
  faults: FaultReporter,
): RosActionClient<G, F, R> {
  return {
    get isReady() {
      return graph.server(`action ${name}`, typeName) !== undefined;
    },
    async send(goal, { timeoutMs, onFeedback, signal }) {
      const server = graph.server(`action ${name}`, typeName);
      if (server === undefined) throw new ReinError('link', `no server offers the action ${name}`);
      const cancel = new AbortController();
      const silence = quietFor(timeoutMs, name);
      const onAbort = (): void => void setImmediate(() => cancel.abort());
      if (signal?.aborted) onAbort();
      signal?.addEventListener('abort', onAbort);
      const feedback = (value: unknown): void => {
        setImmediate(() => {
          silence.heard();
          if (onFeedback !== undefined) faults.run(name, () => onFeedback(value as F));
        });
      };
      try {
        const request: GoalRequest = { goal: structuredClone(goal), feedback, signal: cancel.signal };
        const answer = (await Promise.race([turn().then(() => server.handle(request)), silence.over])) as
          | ActionOutcome<R>
          | { readonly refusal: string };
        if ('refusal' in answer) throw new ReinError('link', `${name} refuses the goal: ${answer.refusal}`);
        // Feedback that is still under way comes first.
        await turn();
        return answer;
      } finally {
        silence.end();
        signal?.removeEventListener('abort', onAbort);
      }
    },
  };
}

/** Rejects when nothing is heard for `timeoutMs`. */
function quietFor(timeoutMs: number, name: string): { over: Promise<never>; heard(): void; end(): void } {
  let timer: NodeJS.Timeout;
  let fail: (error: Error) => void = () => {};
  const over = new Promise<never>((_, reject) => {
    fail = reject;
  });
  over.catch(() => {});
  const heard = (): void => {
    clearTimeout(timer);
    timer = setTimeout(
      () => fail(new ReinError('link', `the action ${name} is silent for ${timeoutMs} ms`)),
      timeoutMs,
    );
  };
  heard();
  return { over, heard, end: () => clearTimeout(timer) };
}

/** Whatever goes through the graph arrives in a later turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
