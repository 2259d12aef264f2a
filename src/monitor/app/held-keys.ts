/**
 * Keys that are down. A key is a position on the keyboard (`KeyboardEvent.code`), independent of what layout and
 * modifiers make it print: it is released at the position at which it was pressed. Imports no browser API, so that it
 * can be tested without one.
 */

/** Fields used of a `KeyboardEvent`. */
export type KeyPress = Pick<KeyboardEvent, 'code' | 'key' | 'repeat' | 'ctrlKey' | 'altKey' | 'metaKey'>;

/** A key whose repeats have ceased for this long was released unnoticed, ms. Slow repeats come every 100 ms. */
const REPEAT_LOST_MS = 350;

/** With these modifiers a letter is a shortcut, not the start of a motion. */
const isShortcut = ({ ctrlKey, altKey, metaKey }: KeyPress): boolean => ctrlKey || altKey || metaKey;

/** Pure except for its state; time is an argument, ms. */
export class HeldKeys {
  readonly #held = new Set<string>();
  /** Keyboards repeat the key pressed last; `undefined` before its first repeat. */
  #repeating: { readonly code: string; atMs: number } | undefined;

  has(code: string): boolean {
    return this.#held.has(code);
  }

  /** Handles a key that is pressed or repeats; `isMotion`: it is a motion key. Returns true if it moves the robot. */
  down(press: KeyPress, isMotion: boolean, nowMs: number): boolean {
    // macOS reports no release of other keys while this one is down.
    if (press.key === 'Meta' || press.metaKey) this.release();
    if (press.repeat) {
      if (this.#held.has(press.code)) this.#repeating = { code: press.code, atMs: nowMs };
      // A key released here stays released until pressed anew.
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

  /** Call before use of the held keys: releases a key that has ceased to repeat. */
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
