/** The thread of `EngineThread`: a `LocalEngine` that answers messages, one after the other. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { messageOf, packError, ReinError } from '../../core/index.ts';
import { loadAlgorithm } from '../options/algorithms.ts';
import type { PhaseName } from '../update/algorithm.ts';
import type { InputArrays } from '../update/update-inputs.ts';
import { LocalEngine } from './local-engine.ts';
import type { EngineAnswer, EngineRequest, EngineStart } from './training-engine.ts';

/** Where a phase reads its inputs, and where the agent writes them. */
interface PhaseInputs {
  readonly own: InputArrays;
  readonly shared: readonly InputArrays[];
}

if (parentPort !== null) {
  const { spec, hasRobot } = workerData as EngineStart;
  serve(parentPort, new LocalEngine(await loadAlgorithm(spec.config), spec, hasRobot));
}

function serve(port: MessagePort, engine: LocalEngine): void {
  const phases = new Map<PhaseName, PhaseInputs>();
  port.on('message', (request: EngineRequest) => {
    answer(engine, phases, request).then(
      (reply) => {
        port.postMessage(reply);
        if (request.kind === 'close') port.close();
      },
      (error: unknown) => port.postMessage(failed(error)),
    );
  });
}

async function answer(
  engine: LocalEngine,
  phases: Map<PhaseName, PhaseInputs>,
  request: EngineRequest,
): Promise<EngineAnswer> {
  switch (request.kind) {
    case 'open': {
      const { sets } = await engine.open(request.phase, request.updates);
      phases.set(request.phase, { own: sets[0]!, shared: request.sets });
      return { kind: 'done' };
    }
    case 'run': {
      const { own, shared } = phases.get(request.phase)!;
      // The runtime takes no shared memory: a copy, below a hundredth of the call that follows.
      for (const [name, values] of Object.entries(shared[request.set]!))
        (own[name] as Float32Array).set(values as Float32Array);
      return { kind: 'report', report: await engine.run(request.phase) };
    }
    case 'shut':
      await engine.shut(request.phase);
      return { kind: 'done' };
    case 'read':
      return { kind: 'numbers', numbers: await engine.read(request.part) };
    case 'write':
      await engine.write(request.values, request.part);
      return { kind: 'done' };
    case 'values':
      return { kind: 'numbers', numbers: await engine.criticValues(request.observations, request.actions) };
    case 'close':
      await engine.close();
      return { kind: 'done' };
  }
}

/** A `RangeError` is the caller's mistake; of all else people read one message. */
function failed(error: unknown): EngineAnswer {
  const isKnown = error instanceof ReinError || error instanceof RangeError;
  return { kind: 'failed', error: packError(isKnown ? error : new ReinError('policy', messageOf(error))) };
}
