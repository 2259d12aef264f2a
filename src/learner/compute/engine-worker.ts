/** Worker thread of `EngineThread`: an engine whose methods are called by messages, one after the other. */
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf, type PackedError, packError, ReinError } from '../../model/index.ts';
import { loadAlgorithm } from '../options/algorithms.ts';
import type { PhaseName } from '../update/algorithm.ts';
import type { LearnerSpec } from '../update/spec.ts';
import type { InputArrays } from '../update/update-inputs.ts';
import { LocalEngine } from './local-engine.ts';
import type { CallReport } from './training-engine.ts';

/** Start data of the thread. */
export interface EngineStart {
  readonly spec: LearnerSpec;
  readonly hasRobot: boolean;
}

/** Methods that can be called. After `close` the thread ends by itself: terminating it during a call would abort the process. */
export type EngineVerb = 'openShared' | 'run' | 'shut' | 'read' | 'write' | 'criticValues' | 'close';

/** Requests are answered in order, one answer each. */
export interface EngineRequest {
  readonly verb: EngineVerb;
  readonly args: unknown[];
}

export type EngineAnswer = { readonly value: unknown } | { readonly error: PackedError | Error };

/** Inputs that a phase reads, and the shared copies that the agent writes. */
interface PhaseInputs {
  readonly own: InputArrays;
  readonly shared: readonly InputArrays[];
}

/** A `LocalEngine` whose inputs are written by another thread. */
export class SharedEngine extends LocalEngine {
  readonly #phases = new Map<PhaseName, PhaseInputs>();

  /** Like `open`; `shared`: sets of the same inputs in shared memory, one for each call that may be filled ahead. */
  async openShared(phase: PhaseName, updates: number, shared: readonly InputArrays[]): Promise<void> {
    const { sets } = await this.open(phase, updates);
    this.#phases.set(phase, { own: sets[0]!, shared });
  }

  override run(phase: PhaseName, set: number): Promise<CallReport> {
    const { own, shared } = this.#phases.get(phase)!;
    // The runtime does not accept shared memory: copy, which takes less than a hundredth of the call.
    for (const [name, values] of Object.entries(shared[set]!)) {
      (own[name] as Float32Array).set(values as Float32Array);
    }
    return super.run(phase);
  }
}

if (parentPort !== null) {
  const port = parentPort;
  const { spec, hasRobot } = workerData as EngineStart;
  const engine = new SharedEngine(await loadAlgorithm(spec.config), spec, hasRobot);
  port.on('message', async (request: EngineRequest) => {
    const answer = await answerTo(engine, request);
    port.postMessage(answer);
    if (request.verb === 'close' && 'value' in answer) port.close();
  });
}

async function answerTo(engine: SharedEngine, { verb, args }: EngineRequest): Promise<EngineAnswer> {
  try {
    const call = engine[verb] as (...args: unknown[]) => Promise<unknown>;
    return { value: await call.apply(engine, args) };
  } catch (error) {
    // A `RangeError` is the caller's mistake; all other errors become one readable message.
    const isKnown = error instanceof ReinError || error instanceof RangeError;
    return { error: packError(isKnown ? error : new ReinError('policy', messageOf(error))) };
  }
}
