/** Detects when the energy tank is as good as empty (row 42), with a gap between empty and well again, so that it does not flicker. */
import type { RobotModel } from '../../core/index.ts';
import { TANK_EMPTY } from '../fault-table/flags.ts';
import { EMPTY_SHARE, WELL_SHARE } from '../tank/energy-tank.ts';

/** Row 42. Does nothing for a robot without a tank. Tick-safe after construction. */
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

  /** Judges the tank's content `energyJ`; one that is no number changes nothing. */
  check(energyJ: number): number {
    if (energyJ <= this.#emptyJ) this.#isEmpty = true;
    else if (energyJ >= this.#wellJ) this.#isEmpty = false;
    return this.#isEmpty ? TANK_EMPTY : 0;
  }
}
