/** A client of a service in memory: request and answer are copies, and both take a turn of the event loop. */
import { ReinError } from '../../../src/model/index.ts';
import type { RosClient } from '../../../src/ros/port/ros-port.ts';
import { turn } from './memory-actions.ts';
import type { MemoryGraph } from './memory-graph.ts';

export function memoryClient<Q, A>(graph: MemoryGraph, name: string, typeName: string): RosClient<Q, A> {
  return {
    get isReady() {
      return graph.server(name, typeName) !== undefined;
    },
    async call(request, timeoutMs) {
      const copy = structuredClone(request);
      let timer: NodeJS.Timeout | undefined;
      const silence = new Promise<never>((_, reject) => {
        const error = new ReinError('link', `the service ${name} did not answer within ${timeoutMs} ms`);
        timer = setTimeout(() => reject(error), timeoutMs);
      });
      try {
        return (await Promise.race([answerOf(graph, name, typeName, copy), silence])) as A;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

async function answerOf(graph: MemoryGraph, name: string, typeName: string, request: unknown): Promise<unknown> {
  await turn();
  const done = (await graph.server(name, typeName)?.handle(request)) as { readonly value: unknown } | undefined;
  // No server, or one that failed: the caller hears nothing, as with the real one.
  if (done === undefined) return new Promise(() => {});
  await turn();
  return structuredClone(done.value);
}
