/** What a policy and its worker thread tell each other. Plain data; arrays are copied. */
import type { PolicyWeights } from '../../core/index.ts';
import type { PolicyNoise } from '../policy.ts';
import type { OnnxPolicyOptions, SwapReport } from './onnx-policy.ts';

/** To the worker. Every request but `close` is answered once, with the same `id`. */
export type WorkerRequest =
  | {
      readonly id: number;
      readonly kind: 'decide';
      readonly observation: Float32Array;
      /** Seed of the noise of this decision, which the caller drew. */
      readonly seed: number;
      readonly purpose: PolicyNoise['purpose'];
    }
  | { readonly id: number; readonly kind: 'swap'; readonly weights: PolicyWeights }
  | { readonly id: number; readonly kind: 'adopt'; readonly graph: Uint8Array; readonly version: number }
  | { readonly id: number; readonly kind: 'rollback' }
  | { readonly id: number; readonly kind: 'close' };

/** From the worker. `failed` carries the parts of a `ReinError`, which does not survive the way. */
export type WorkerAnswer =
  | { readonly id: number; readonly kind: 'decided'; readonly action: Float32Array }
  | { readonly id: number; readonly kind: 'swapped'; readonly report: SwapReport }
  | { readonly id: number; readonly kind: 'rolledBack'; readonly version: number; readonly run: number }
  | { readonly id: number; readonly kind: 'failed'; readonly message: string; readonly remedy: string | undefined };

/** What the worker is started with. */
export type WorkerStart = OnnxPolicyOptions;
