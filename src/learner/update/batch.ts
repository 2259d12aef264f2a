/**
 * Batches of RLPD (Ball et al., https://arxiv.org/abs/2302.02948): half demonstrations and interventions, half
 * online transitions, in every slice of an update-to-data ratio.
 */
import type { Rng } from '../../model/index.ts';
import type { Replay } from '../replay/replay.ts';
import type { BatchColumns, RowRange, RowReading, TransitionRing } from '../replay/ring.ts';

/** Numbers of rows of a batch by source. */
export interface BatchSplit {
  readonly demonstrations: number;
  readonly online: number;
}

/**
 * Splits `batchSize` rows between the sources. A buffer with too few online rows gives each of them once and the rest
 * is filled from demonstrations, so that the policy does not overfit the first few transitions; a fraction of 0 excludes
 * demonstrations even then.
 */
export function splitBatch(
  batchSize: number,
  demoFraction: number,
  online: number,
  demonstrations: number,
): BatchSplit {
  if (demonstrations === 0 || online === 0) {
    return demonstrations === 0 ? { demonstrations: 0, online: batchSize } : { demonstrations: batchSize, online: 0 };
  }
  if (demoFraction === 0) return { demonstrations: 0, online: batchSize };
  const fromOnline = Math.min(batchSize - Math.round(batchSize * demoFraction), online);
  return { demonstrations: batchSize - fromOnline, online: fromOnline };
}

/**
 * Draws one batch from the rows visible at `visibleCount`: demonstrations in the first rows, online transitions after them.
 * `reading`: number of steps that a row adds up; absent: one. Returns the split. Throws `RangeError` if nothing is visible.
 */
export function drawBatch(
  batch: BatchColumns,
  replay: Replay,
  visibleCount: number,
  demoFraction: number,
  rng: Rng,
  reading?: RowReading,
): BatchSplit {
  const { online, demonstrations } = replay.visible(visibleCount);
  const size = batch.reward.length;
  const available = { online: online.to - online.from, demonstrations: demonstrations.to - demonstrations.from };
  if (available.online + available.demonstrations === 0) throw new RangeError('there are no transitions to learn from');
  const split = splitBatch(size, demoFraction, available.online, available.demonstrations);
  draw(batch, 0, split.demonstrations, replay.demonstrations, demonstrations, rng, reading);
  draw(batch, split.demonstrations, size, replay.online, online, rng, reading);
  return split;
}

/** Fills slots [from, to): every row once if as many are needed as there are, otherwise sampled with replacement. */
function draw(
  batch: BatchColumns,
  from: number,
  to: number,
  ring: TransitionRing,
  range: RowRange,
  rng: Rng,
  reading: RowReading | undefined,
): void {
  const available = range.to - range.from;
  const isEach = available === to - from;
  for (let slot = from; slot < to; slot++) {
    const index = range.from + (isEach ? slot - from : rng.int(available));
    ring.copyRow(ring.drawn(index, range, rng), batch, slot, reading, range);
  }
}

/** Writes `size` different numbers below `count` to `out` at `offset`; all subsets are equally likely. */
export function drawSubset(out: BigInt64Array, offset: number, size: number, count: number, rng: Rng): void {
  // First steps of a Fisher-Yates shuffle.
  const pool = Array.from({ length: count }, (_, i) => i);
  for (let i = 0; i < size; i++) {
    const j = i + rng.int(count - i);
    [pool[i], pool[j]] = [pool[j]!, pool[i]!];
    out[offset + i] = BigInt(pool[i]!);
  }
}
