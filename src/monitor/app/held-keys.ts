/**
 * Which keys are down. A key is a place on the keyboard (`KeyboardEvent.code`), whatever the layout and the modifiers make it print: it is let go
 * of where it was pressed. Imports nothing that a browser has, so that it is tried without one.
 */

/** What is read of a `KeyboardEvent`. */
export type KeyPress = Pick<KeyboardEvent, 'code' | 'key' | 'repeat' | 'ctrlKey' | 'altKey' | 'metaKey'>;

/** A key that had repeated, and does not any more, was let go of out of sight, ms. Slow repeats come every 100 ms. */
const REPEAT_LOST_MS = 350;

/** With these a letter is a shortcut, and not a motion that begins. */
const isShortcut = ({ ctrlKey, altKey, metaKey }: KeyPress): boolean => ctrlKey || altKey || metaKey;

/** Pure but for its memory; time is an argument, ms. */
export class HeldKeys {
  readonly #held = new Set<string>();
  /** Keyboards repeat the key that was pressed last; `undefined` before it has. */
  #repeating: { readonly code: string; atMs: number } | undefined;

  has(code: string): boolean {
    return this.#held.has(code);
  }

  /** A key that `isMotion` goes down, or repeats. True where it moves the robot. */
  down(press: KeyPress, isMotion: boolean, nowMs: number): boolean {
    // macOS tells of no key that is let go of while this one is down.
    if (press.key === 'Meta' || press.metaKey) this.release();
    if (press.repeat) {
      if (this.#held.has(press.code)) this.#repeating = { code: press.code, atMs: nowMs };
      // What was released here stays so, until it is pressed anew.
      return this.#held.has(press.code);
    }
    this.#repeating = undefined;
    if (!isMotion || isShortcut(press)) return false;
    this.#held.add(press.code);
    return true;
  }

  up(press: KeyPress): void {
    this.#repeating = undefined;
    if (press.key === 'Meta') this.release();
    else this.#held.delete(press.code);
  }

  /** Before what is held is used: lets go of a key that has ceased to repeat. */
  check(nowMs: number): void {
    const last = this.#repeating;
    if (last === undefined || nowMs - last.atMs < REPEAT_LOST_MS) return;
    this.#held.delete(last.code);
    this.#repeating = undefined;
  }

  release(): void {
    this.#held.clear();
    this.#repeating = undefined;
  }
}
