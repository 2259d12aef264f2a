/** Whether a key that lets the arm move says so of what was announced, and not of anything before or after. */

/** Nobody has read what was announced sooner, s. A key that was held down all the while does not count either. */
const READING_S = 1;

export class Consent {
  #fromS = Number.POSITIVE_INFINITY;

  /** It was announced, at `nowS`, what will move. */
  announced(nowS: number): void {
    this.#fromS = nowS + READING_S;
  }

  /** Nothing will move any more. */
  end(): void {
    this.#fromS = Number.POSITIVE_INFINITY;
  }

  /** The key came at `nowS`: whether it counts. */
  takes(nowS: number): boolean {
    if (nowS >= this.#fromS) return true;
    if (Number.isFinite(this.#fromS)) this.#fromS = nowS + READING_S;
    return false;
  }
}
