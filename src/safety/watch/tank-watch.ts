/** Detects a nearly empty energy tank (row 42), with hysteresis between empty and recovered. */
import type { RobotModel } from '../../model/index.ts';
import { TANK_EMPTY } from '../fault-table/flags.ts';
import { EMPTY_SHARE, WELL_SHARE } from '../tank/energy-tank.ts';

/** Row 42. Inactive for a robot without a tank. Tick-safe after construction. */
export class TankWatch {
  readonly #emptyJ: number;
  readonly #wellJ: number;
  #isEmpty = false;

  constructor({ tank }: RobotModel) {
    const roomJ = tank === undefined ? 0 : tank.maxJ - tank.minJ;
    const floorJ = tank === undefined ? Number.NEGATIVE_INFINITY : tank.minJ;
    this.#emptyJ = floorJ + EMPTY_SHARE * roomJ;
    this.#wellJ = floorJ + WELL_SHARE * roomJ;
  }

  /** Checks the tank's content `energyJ`; NaN changes nothing. */
  check(energyJ: number): number {
    if (energyJ <= this.#emptyJ) this.#isEmpty = true;
    else if (energyJ >= this.#wellJ) this.#isEmpty = false;
    return this.#isEmpty ? TANK_EMPTY : 0;
  }
}
