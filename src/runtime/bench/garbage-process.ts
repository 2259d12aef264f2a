/** Counts the bytes that a safety chain leaves on the heap; a process of its own, for its flags and its quiet. */
import { once } from 'node:events';
import { ChainLoad } from './chain-load.ts';
import type { GarbageAnswer, GarbageRequest } from './safety-bench.ts';

/** Of each: strokes take every way through the chain, and what is compiled before that is compiled anew. */
const WARM_TICKS = 60_000;
const ROUNDS = 3;
const SEED = 11;
/** What the engine itself may put on the heap meanwhile, such as feedback of its compiler: 4 KiB in 100 000 ticks. */
const NOISE_BYTES = 4096;

const { model, load, ticks } = (await once(process, 'message'))[0] as GarbageRequest;
const collect = (globalThis as { gc?: () => void }).gc!;
const total = WARM_TICKS + ROUNDS * ticks;
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

// The least of a few rounds: what a tick leaves, it leaves in every round; what the engine leaves, it does once.
let bytes = Number.POSITIVE_INFINITY;
let noise = Number.POSITIVE_INFINITY;
for (let round = 0; round < ROUNDS; round++) {
  const from = WARM_TICKS + round * ticks;
  noise = Math.min(noise, grown(from, false));
  bytes = Math.min(bytes, grown(from, true));
}
const answer: GarbageAnswer = {
  bytesPerTick: Math.max(0, bytes - noise) / ticks,
  noiseBytesPerTick: NOISE_BYTES / Math.max(ticks, 100_000),
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
