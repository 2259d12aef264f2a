/** How a graph is loaded: on which processor, with how many threads. */

import type { Provider } from '../options/learner-config.ts';

export interface SessionOptions {
  /** Threads of one operation on the CPU, ≥ 1; 1 where left out. */
  readonly threads?: number;
  /** Whether waiting threads hold their cores: faster by a fifth on cores that nobody else uses, half as fast on others. */
  readonly spinning?: boolean;
  /** Where the graph runs; `cpu` where left out. */
  readonly provider?: Provider;
  /** Called with one message when `provider` is not to be had and the CPU is used; a process warning where left out. */
  readonly onFallback?: (sentence: string) => void;
}

/** The runtime's own options: `InferenceSession.SessionOptions` of onnxruntime. Values of `extra` are strings. */
export interface RuntimeOptions {
  readonly executionProviders: Provider[];
  readonly graphOptimizationLevel: 'all';
  readonly intraOpNumThreads: number;
  readonly interOpNumThreads: 1;
  readonly executionMode: 'sequential';
  readonly logSeverityLevel: 3 | 4;
  readonly extra: { readonly session: { readonly intra_op: { readonly allow_spinning: '0' | '1' } } };
}

/** Fills in what is left out. */
export function runtimeOptions({ threads = 1, spinning = false, provider = 'cpu' }: SessionOptions): RuntimeOptions {
  return {
    executionProviders: [provider],
    graphOptimizationLevel: 'all',
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    logSeverityLevel: provider === 'cpu' ? 3 : 4,
    extra: { session: { intra_op: { allow_spinning: spinning ? '1' : '0' } } },
  };
}

/** Loads with `open` on the provider that is asked for, or else on the CPU, and says so. Errors of the CPU are thrown. */
export async function openWithFallback<T>(
  options: SessionOptions,
  open: (runtime: RuntimeOptions) => Promise<T>,
): Promise<{ session: T; provider: Provider }> {
  const { provider = 'cpu', onFallback = (sentence) => process.emitWarning(sentence) } = options;
  if (provider !== 'cpu') {
    try {
      return { session: await open(runtimeOptions(options)), provider };
    } catch (error) {
      onFallback(fallbackSentence(provider, error));
    }
  }
  return { session: await open(runtimeOptions({ ...options, provider: 'cpu' })), provider: 'cpu' };
}

function fallbackSentence(provider: Provider, error: unknown): string {
  const said = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]!.trim();
  const needs = { cpu: '', cuda: 'CUDA 12 and cuDNN 9', webgpu: 'a graphics driver with Vulkan, Metal or Direct3D 12' };
  return `The learner was to compute with "${provider}", which cannot be used here (${said}); it uses the CPU. "${provider}" needs ${needs[provider]}.`;
}
