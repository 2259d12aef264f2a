/** What an agent and the thread of its engine tell each other. */
import type { InputArrays } from '../program/program-inputs.ts';
import type { LearnerSpec } from '../program/spec.ts';
import type { CallReport, PhaseName } from './training-engine.ts';

/** What the thread is started with. */
export interface EngineStart {
  readonly spec: LearnerSpec;
  readonly hasRobot: boolean;
}

/** What the agent asks for. Requests are answered in their order, one answer each. */
export type EngineRequest =
  /** `sets`: the same inputs twice, in shared memory. */
  | {
      readonly kind: 'open';
      readonly phase: PhaseName;
      readonly updates: number;
      readonly sets: readonly InputArrays[];
    }
  | { readonly kind: 'run'; readonly phase: PhaseName; readonly set: number }
  | { readonly kind: 'shut'; readonly phase: PhaseName }
  | { readonly kind: 'read'; readonly part: string | undefined }
  | { readonly kind: 'write'; readonly values: Float32Array; readonly part: string | undefined }
  | { readonly kind: 'values'; readonly observations: Float32Array; readonly actions: Float32Array }
  /** The thread ends by itself after it: it must not be terminated during a call, which would abort the process. */
  | { readonly kind: 'close' };

/** What comes back. `isMistake`: of the caller, who gets a `RangeError`. */
export type EngineAnswer =
  | { readonly kind: 'done' }
  | { readonly kind: 'report'; readonly report: CallReport }
  | { readonly kind: 'numbers'; readonly numbers: Float32Array }
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly remedy: string | undefined;
      readonly isMistake: boolean;
    };
