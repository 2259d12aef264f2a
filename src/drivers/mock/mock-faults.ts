/** Fault injection of the mock driver: on request, or at random from a seed, so that every failure can be replayed. */
import { Rng } from '../../model/index.ts';
import { HARDWARE, type HardwareFault } from '../../rows/index.ts';

/**
 * - `absent`: `open` fails. `lost`, `late`: `read` returns this and measures nothing. `rejected`: `write` refuses.
 * - `frozen`: `read` returns ok but the numbers stay. `nan`, `jump` (by 2π): the first joint's position is wrong.
 * - `pushed`: the joints are pushed away, by 0.02 rad more with every read. `contact`: the tool measures 200 N.
 * - `emergencyStop`: the button is pressed. `slow`: `read` takes a little more than two control periods of real time.
 * - `foreignReply`: another servo answers first; its bus drops and counts that. Names in `HARDWARE`: reported by the
 *   hardware.
 * - First joint: `mirrored`, turns the other way; `scaled`, moves half as far; `stuck`, does not move; `shifted`, zero
 *   is 1 rad off; `wrapped`, reading jumps by 2π at 0.01 rad from where torque came on. `swapped`: the first two joints
 *   obey each other's references.
 * - `distanceSilent`: the distance of people is no longer updated.
 */
export const MOCK_FAULTS = [
  'absent',
  'lost',
  'late',
  'frozen',
  'nan',
  'jump',
  'rejected',
  'pushed',
  'contact',
  'emergencyStop',
  'slow',
  'foreignReply',
  'mirrored',
  'swapped',
  'scaled',
  'stuck',
  'shifted',
  'wrapped',
  'distanceSilent',
  ...(Object.keys(HARDWARE) as readonly HardwareFault[]),
] as const;
export type MockFault = (typeof MOCK_FAULTS)[number];

export interface FaultPlan {
  readonly seed: number;
  /** Probability of each fault per call, [0, 1]. Omitted faults never happen at random. */
  readonly ratio: Readonly<Partial<Record<MockFault, number>>>;
}

export class MockFaults {
  readonly #rng: Rng;
  readonly #ratio: Readonly<Partial<Record<MockFault, number>>>;
  readonly #left = Object.fromEntries(MOCK_FAULTS.map((fault) => [fault, 0])) as Record<MockFault, number>;
  #scheduled: MockFault | undefined;
  #scheduledTicks = 0;
  #waitTicks = 0;

  constructor(plan: FaultPlan = { seed: 0, ratio: {} }) {
    this.#rng = new Rng(plan.seed);
    this.#ratio = plan.ratio;
  }

  inject(fault: MockFault, ticks: number): void {
    this.#left[fault] = ticks;
  }

  /** Makes `fault` happen for `ticks` calls, `afterTicks` reads from now. Replaces an earlier request. */
  schedule(fault: MockFault, afterTicks: number, ticks: number): void {
    this.#scheduled = fault;
    this.#waitTicks = afterTicks;
    this.#scheduledTicks = ticks;
  }

  /** Called at the start of each read. Tick-safe. */
  tick(): void {
    if (this.#scheduled === undefined || this.#waitTicks-- > 0) return;
    this.inject(this.#scheduled, this.#scheduledTicks);
    this.#scheduled = undefined;
  }

  /** Returns true if `fault` happens in this call. Tick-safe. */
  take(fault: MockFault): boolean {
    if (this.#left[fault] > 0) {
      this.#left[fault]--;
      return true;
    }
    const ratio = this.#ratio[fault];
    return ratio !== undefined && this.#rng.uniform() < ratio;
  }
}
