/** Tells a camera that shows the same picture for ever from one that sees (row 44). */

/** Identical pictures in a row after which it counts as frozen. */
const FROZEN_COUNT = 5;
/** Bytes that are looked at, spread over the picture: noise is everywhere. */
const LOOKED_AT = 65_536;

export class FrozenImage {
  #last = -1;
  #same = 0;

  get isFrozen(): boolean {
    return this.#same >= FROZEN_COUNT - 1;
  }

  /** Looks at the bytes of the next picture. */
  see(bytes: Uint8Array): void {
    const sum = hashOf(bytes);
    this.#same = sum === this.#last ? this.#same + 1 : 0;
    this.#last = sum;
  }
}

/** FNV-1a of every so-manieth byte, and of the length. */
function hashOf(bytes: Uint8Array): number {
  const stride = Math.max(1, Math.ceil(bytes.length / LOOKED_AT));
  let hash = 0x811c9dc5 ^ bytes.length;
  for (let i = 0; i < bytes.length; i += stride) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  return hash >>> 0;
}
