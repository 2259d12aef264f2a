/** What rows are written to, and how they are read. */
import type { Rng } from '../../core/index.ts';

/** A batch as columns of B rows each; filled slot by slot. Columns that are not there are not filled. */
export interface BatchColumns {
  /** [B, O] */
  readonly observation: Float32Array;
  /** [B, O] the observation after the last step that the row spans. */
  readonly nextObservation: Float32Array;
  /** [B, A] executed actions, normalised. */
  readonly action: Float32Array;
  /** [B] Σ γⁱ·rᵢ over the k steps that the row spans: r where that is one. */
  readonly reward: Float32Array;
  /** [B] the costs of the steps, discounted alike: share of their ticks that the filters changed, and energy taken from the tank, J. */
  readonly filterActivity: Float32Array;
  readonly tankDrainJ: Float32Array;
  /** [B] m = 1 − terminated, of the last step. */
  readonly bootstrap: Float32Array;
  /** [B] the same numbers as `filterActivity`: what an environment's step cost beside its reward. */
  readonly cost?: Float32Array;
  /** [B] γᵏ: what the value of the next observation counts, before `bootstrap`. Needs a `RowReading`. */
  readonly discountPower?: Float32Array;
  /** [B] Σ γⁱ, i < k: how often a constant that is added to every reward counts. */
  readonly discountSum?: Float32Array;
  /** [B] V_mc: what the row returned to the end of its episode; `NO_RETURN` where that is not known. */
  readonly monteCarloReturn?: Float32Array;
}

/** How rows are read. */
export interface RowReading {
  /** n ≥ 1: up to so many steps are added up. Fewer where the episode, the segment or what may be seen ends before. */
  readonly steps: number;
  /** γ per step. */
  readonly discount: number;
  /** Draws the frame's variant for s, then for s′, where a ring keeps several; absent: the first. */
  readonly rng?: Rng;
}
