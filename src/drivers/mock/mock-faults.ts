/** When the mock driver fails: as set, or by chance from a seed, so that every failure can be replayed. */
import { HARDWARE, type HardwareFault, Rng } from '../../core/index.ts';

/**
 * `absent`: `open` fails. `lost`, `late`: `read` says so and measures nothing. `frozen`: `read` says ok but the
 * numbers stay. `nan`, `jump` (by 2π): the first joint's position is wrong. `rejected`: `write` refuses. `pushed`: the joints are
 * pushed away, by 0.02 rad more with every read. `contact`: the tool feels 200 N. `emergencyStop`: the button is pressed. `slow`: `read`
 * takes a little more than two control periods of real time. `foreignReply`: another servo answers first, which its bus drops and
 * counts. What `HARDWARE` names: the hardware says so. `mirrored`: the first joint turns the other way; `swapped`: the first two
 * obey for each other; `scaled`: the first goes half as far; `stuck`: the first does not move; `shifted`: its zero is 1 rad off;
 * `wrapped`: its reading jumps by 2π 0.01 rad beyond where torque came on; `distanceSilent`:
 * nothing new is heard of the distance of a person.
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
  /** Chance of each fault per call, [0, 1]. Faults left out never happen by chance. */
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

  /** Makes `fault` happen for `ticks` calls, `afterTicks` reads from now. The last request counts. */
  schedule(fault: MockFault, afterTicks: number, ticks: number): void {
    this.#scheduled = fault;
    this.#waitTicks = afterTicks;
    this.#scheduledTicks = ticks;
  }

  /** A read begins. Tick-safe. */
  tick(): void {
    if (this.#scheduled === undefined || this.#waitTicks-- > 0) return;
    this.inject(this.#scheduled, this.#scheduledTicks);
    this.#scheduled = undefined;
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
