/** Mean and standard deviation of observations, for normalisation. */
import { type ObservationParts, totalObservationSize } from '../../model/index.ts';
import type { Replay } from '../replay/replay.ts';
import type { RowRange, TransitionRing } from '../replay/ring.ts';

/** Maximum number of rows used for the statistics, evenly spaced. */
const SAMPLES = 4096;
/** Smallest standard deviation used as divisor, so that nearly constant values are not amplified. */
const MIN_STD = 0.01;

/**
 * Writes `mean` and `scale` = 1/σ, [O] each, of the rows visible at `visibleCount`; entries of image and base action are left
 * unchanged. Leaves both arrays unchanged if there are no rows.
 */
export function observationStatistics(
  parts: ObservationParts,
  replay: Replay,
  visibleCount: number,
  mean: Float32Array,
  scale: Float32Array,
): void {
  const { online, demonstrations } = replay.visible(visibleCount);
  const rows = [...sampled(replay.online, online), ...sampled(replay.demonstrations, demonstrations)];
  if (rows.length === 0) return;
  for (let i = 0; i < totalObservationSize(parts); i++) {
    if (!isNormalised(parts, i)) continue;
    const average = rows.reduce((sum, row) => sum + row[i]!, 0) / rows.length;
    const variance = rows.reduce((sum, row) => sum + (row[i]! - average) ** 2, 0) / rows.length;
    mean[i] = average;
    scale[i] = 1 / Math.max(Math.sqrt(variance), MIN_STD);
  }
}

/** True for the state and the privileged numbers; pixels and actions already have their range. */
function isNormalised(parts: ObservationParts, index: number): boolean {
  return index < parts.stateSize || index >= totalObservationSize(parts) - (parts.privilegedSize ?? 0);
}

function sampled(ring: TransitionRing, { from, to }: RowRange): Float32Array[] {
  const count = Math.min(to - from, SAMPLES);
  return Array.from({ length: count }, (_, i) => {
    const observation = new Float32Array(ring.observationSize);
    ring.copyObservation(from + Math.floor((i * (to - from)) / count), observation);
    return observation;
  });
}
