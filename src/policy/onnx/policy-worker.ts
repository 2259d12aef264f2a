/**
 * The worker thread of `WorkerPolicy`: an `OnnxPolicy` that answers messages. It ends by the message `close`, never by
 * being terminated: that would abort the whole process during an inference.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { ReinError, type Result, Rng } from '../../core/index.ts';
import { OnnxPolicy } from './onnx-policy.ts';
import type { WorkerAnswer, WorkerRequest, WorkerStart } from './worker-messages.ts';

if (parentPort !== null) serve(parentPort, new OnnxPolicy(workerData as WorkerStart));

function serve(port: MessagePort, policy: OnnxPolicy): void {
  port.on('message', (request: WorkerRequest) => {
    if (request.kind === 'close') {
      void policy.close().then(() => port.close());
      return;
    }
    answer(policy, request).then(
      (reply) => port.postMessage(reply),
      (error: unknown) => port.postMessage(failed(request.id, error)),
    );
  });
}

async function answer(policy: OnnxPolicy, request: Exclude<WorkerRequest, { kind: 'close' }>): Promise<WorkerAnswer> {
  const { id } = request;
  switch (request.kind) {
    case 'decide': {
      const { observation, seed, purpose } = request;
      const action = new Float32Array(policy.actionSize);
      await policy.decide(observation, { rng: new Rng(seed), purpose }, action);
      return { id, kind: 'decided', action };
    }
    case 'swap':
      return { id, kind: 'swapped', report: unwrap(await policy.swap(request.weights)) };
    case 'adopt':
      return { id, kind: 'swapped', report: unwrap(await policy.adopt(request.graph, request.version)) };
    case 'rollback':
      return { id, kind: 'rolledBack', version: unwrap(policy.rollback()), run: policy.run };
  }
}

function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw result.error;
  return result.value;
}

function failed(id: number, error: unknown): WorkerAnswer {
  const message = error instanceof Error ? error.message : String(error);
  return { id, kind: 'failed', message, remedy: error instanceof ReinError ? error.remedy : undefined };
}
