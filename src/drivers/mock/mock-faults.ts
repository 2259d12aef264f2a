/** When the mock driver fails: as told, or by chance from a seed, so that every failure can be replayed. */
import { Rng } from '../../core/index.ts';

/**
 * `absent`: `open` fails. `lost`, `late`: `read` says so and measures nothing. `frozen`: `read` says ok but the
 * numbers stay. `nan`, `jump` (by 2π): the first joint's position is wrong. `rejected`: `write` refuses.
 */
export const MOCK_FAULTS = ['absent', 'lost', 'late', 'frozen', 'nan', 'jump', 'rejected'] as const;
export type MockFault = (typeof MOCK_FAULTS)[number];

export interface FaultPlan {
  readonly seed: number;
  /** Chance of each fault per call, [0, 1]. Faults left out never happen by chance. */
  readonly ratio: Readonly<Partial<Record<MockFault, number>>>;
}

export class MockFaults {
  readonly #rng: Rng;
  readonly #ratio: Readonly<Partial<Record<MockFault, number>>>;
  readonly #left: Record<MockFault, number> = { absent: 0, lost: 0, late: 0, frozen: 0, nan: 0, jump: 0, rejected: 0 };

  constructor(plan: FaultPlan = { seed: 0, ratio: {} }) {
    this.#rng = new Rng(plan.seed);
    this.#ratio = plan.ratio;
  }

  inject(fault: MockFault, ticks: number): void {
    this.#left[fault] = ticks;
  }

  /** Whether `fault` happens in this call. Tick-safe. */
  take(fault: MockFault): boolean {
    if (this.#left[fault] > 0) {
      this.#left[fault]--;
      return true;
    }
    const ratio = this.#ratio[fault];
    return ratio !== undefined && this.#rng.uniform() < ratio;
  }
}
