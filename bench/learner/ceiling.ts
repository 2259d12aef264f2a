/** Speed at which the same runtime multiplies matrices, with nothing else to do. */

import { Graph } from '../../src/learner/engine/graph.ts';
import { matmul } from '../../src/learner/engine/linear.ts';
import type { SessionOptions } from '../../src/learner/engine/session.ts';
import { Bindings, Session } from '../../src/learner/index.ts';
import { Rng } from '../../src/model/index.ts';

const SIZE = 256;
/** Products per block: some 10 ms on one core. */
const PRODUCTS = 40;

/** Description of the method, for display beside the figure. */
export const CEILING_METHOD =
  'a chain of 40 float32 matrix products 256 by 256 by 256 in the same runtime with the same threads, before and after every round of calls; a round is held against the faster of its two';

/** Chain of products that is run repeatedly. */
export class Ceiling {
  readonly #session: Session;
  readonly #inputs: Bindings = new Bindings();
  readonly #outputs: Bindings = new Bindings();

  private constructor(session: Session) {
    this.#session = session;
    const data = new Float32Array(SIZE * SIZE);
    new Rng(3).fillNormal(data);
    // Preserves the magnitude of the values through the chain: numbers near zero or infinity would be slower.
    for (let i = 0; i < data.length; i++) data[i] = data[i]! / Math.sqrt(SIZE);
    this.#inputs.set('x', data.slice(), [SIZE, SIZE]);
    this.#inputs.set('weight', data, [SIZE, SIZE]);
    this.#inputs.set('count', BigInt64Array.of(BigInt(PRODUCTS)), []);
    this.#outputs.set('y', new Float32Array(SIZE * SIZE), [SIZE, SIZE]);
  }

  static async create(options: SessionOptions): Promise<Ceiling> {
    const g = new Graph('gemm');
    const weight = g.input('weight', [SIZE, SIZE]);
    const { carried } = g.loop(g.input('count', [], 'int64'), [g.input('x', [SIZE, SIZE])], (_, __, [x]) => ({
      carried: [matmul(x!, weight)],
      stacked: [],
    }));
    g.output('y', carried[0]!);
    const ceiling = new Ceiling(await Session.create(g.serialize(), options));
    await ceiling.gflops();
    return ceiling;
  }

  /** Runs one block; resolves to its rate, 10⁹ operations per second. */
  async gflops(): Promise<number> {
    const startMs = performance.now();
    await this.#session.run([this.#inputs], [this.#outputs]);
    return (2 * SIZE ** 3 * PRODUCTS) / ((performance.now() - startMs) * 1e6);
  }

  async close(): Promise<void> {
    await this.#session.close();
  }
}
