/** Both ends of a service on rclnodejs. */
import { ReinError } from '../../core/index.ts';
import type { RosClient } from '../port/ros-port.ts';
import type { ActionHost, Names } from './node-actions.ts';

type Host = Pick<ActionHost, 'binding' | 'node' | 'shapes' | 'desk'>;

/** Numeric arrays as plain arrays: what comes in may be kept, and is the same as in memory. */
const PLAIN = { enableTypedArray: false };

/** Whoever answers, and what the caller gets where that fails. */
export interface ServiceEnd<Q, A> {
  readonly handler: (request: Q) => A | Promise<A>;
  readonly whenFailed: ((sentence: string) => A) | undefined;
}

export function serveNodeService<Q, A>(
  { binding, node, shapes, desk }: Host,
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
    const fallback = whenFailed === undefined ? undefined : (sentence: string): void => send(whenFailed(sentence));
    void desk.answer(name, async () => send(await handler(request as Q)), fallback);
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
