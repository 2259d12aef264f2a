/** Counts the bytes that a safety chain leaves on the heap; a process of its own, for its flags and its quiet. */
import { once } from 'node:events';
import { ChainLoad } from './chain-load.ts';
import type { GarbageAnswer, GarbageRequest } from './safety-bench.ts';

/** Of each: strokes take every way through the chain, and what is compiled before that is compiled anew. */
const WARM_TICKS = 60_000;
const MOST_ROUNDS = 10;
const SEED = 11;
/**
 * What the engine itself may put on the heap in up to 100 000 ticks: feedback of its compiler, and numbers of code that runs
 * so seldom that it is interpreted still. A boxed number (16 bytes) in one tick of a hundred is found in 100 000 ticks, in one of twenty in 20 000.
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

// The least of some rounds: what a tick leaves, it leaves in every round; what compiling anew leaves, it does once.
let bytes = Number.POSITIVE_INFINITY;
/** What measuring leaves, a few hundred bytes: never so much that it could hide something. */
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

/** By how much the heap grows in `ticks` ticks from `from` on; without the chain, what measuring itself leaves. */
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
