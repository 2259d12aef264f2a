/** Tells a camera that shows the same picture for ever from one that sees (row 44). */
import { crc32c } from '../../core/index.ts';

/** Identical pictures in a row after which it counts as frozen. */
const FROZEN_COUNT = 5;

export class FrozenImage {
  #last = -1;
  #same = 0;

  get isFrozen(): boolean {
    return this.#same >= FROZEN_COUNT - 1;
  }

  /** Looks at the bytes of the next picture. */
  see(bytes: Uint8Array): void {
    const sum = crc32c(bytes);
    this.#same = sum === this.#last ? this.#same + 1 : 0;
    this.#last = sum;
  }
}
