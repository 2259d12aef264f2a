/** Counts the bytes that a safety chain leaves on the heap; its own process, for its flags and to be undisturbed. */
import { once } from 'node:events';
import { ChainLoad } from './chain-load.ts';
import type { GarbageAnswer, GarbageRequest } from './safety-bench.ts';

/** Warm-up ticks of each load: strokes take every path through the chain, and code compiled before that is compiled again. */
const WARM_TICKS = 60_000;
const MOST_ROUNDS = 10;
const SEED = 11;
/**
 * Bytes that the engine itself may put on the heap in up to 100 000 ticks: feedback of its compiler, and numbers of code that is
 * so rare that it is still interpreted. A boxed number (16 bytes) in one tick of a hundred is found in 100 000 ticks, in one of twenty
 * in 20 000.
 */
const NOISE_BYTES = 16_384;

const { model, load, ticks } = (await once(process, 'message'))[0] as GarbageRequest;
const collect = (globalThis as { gc?: () => void }).gc!;
const total = WARM_TICKS + MOST_ROUNDS * ticks;
const noiseBytesPerTick = NOISE_BYTES / Math.min(ticks, 100_000);
const run = new ChainLoad({ model, load, ticks: total, seed: SEED });
const idle = new ChainLoad({ model, load, ticks: total, seed: SEED });
const strokes = new ChainLoad({ model, load: 'adversarial', ticks: WARM_TICKS, seed: SEED + 1 });
for (let k = 0; k < WARM_TICKS; k++) {
  strokes.prepare(k);
  strokes.apply(k);
}
for (let k = 0; k < WARM_TICKS; k++) {
  run.prepare(k);
  run.apply(k);
  idle.prepare(k);
}

// Minimum over some rounds: garbage of a tick occurs in every round, that of recompilation once.
let bytes = Number.POSITIVE_INFINITY;
/** Bytes left by the measurement itself, a few hundred: never enough to hide anything. */
let noise = 1024;
for (let round = 0; round < MOST_ROUNDS && !(bytes - noise <= noiseBytesPerTick * ticks); round++) {
  const from = WARM_TICKS + round * ticks;
  noise = Math.min(noise, grown(from, false));
  bytes = Math.min(bytes, grown(from, true));
}
const answer: GarbageAnswer = {
  bytesPerTick: Math.max(0, bytes - noise) / ticks,
  noiseBytesPerTick,
};
process.send!(answer);

/** Growth of the heap in `ticks` ticks from `from` on; without the chain, that of the measurement itself. */
function grown(from: number, withChain: boolean): number {
  collect();
  const before = process.memoryUsage().heapUsed;
  if (withChain) {
    for (let k = from; k < from + ticks; k++) {
      run.prepare(k);
      run.apply(k);
    }
  } else for (let k = from; k < from + ticks; k++) idle.prepare(k);
  return process.memoryUsage().heapUsed - before;
}
