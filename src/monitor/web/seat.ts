/**
 * The operator's seat: which of the pages that are open may move the robot. One at a time; who has it keeps it while their page is
 * heard of, and nobody takes it from them. A robot that loses its operator holds by the lease of their commands, which is shorter.
 */

/** A page that was heard of so long ago is gone, s: ten of the messages that it sends while it has the seat. */
export const SEAT_LEASE_S = 1;

interface Holder {
  readonly client: number;
  readonly name: string;
  heardAtS: number;
}

/** Pure but for its memory; time is an argument. */
export class Seat {
  #holder: Holder | undefined;

  /** Whose it is at `nowS`; `undefined` where it is free. */
  holder(nowS: number): { readonly client: number; readonly name: string } | undefined {
    // A clock that jumps back makes nobody's lease longer.
    const sinceS = this.#holder === undefined ? 0 : Math.abs(nowS - this.#holder.heardAtS);
    return sinceS > SEAT_LEASE_S ? undefined : this.#holder;
  }

  isHeldBy(client: number, nowS: number): boolean {
    return this.holder(nowS)?.client === client;
  }

  /** Gives it to `client` where it is free, or theirs. Else says whose it is. */
  take(client: number, name: string, nowS: number): { readonly isTaken: boolean; readonly by: string } {
    const holder = this.holder(nowS);
    if (holder !== undefined && holder.client !== client) return { isTaken: false, by: holder.name };
    this.#holder = { client, name, heardAtS: nowS };
    return { isTaken: true, by: name };
  }

  /** `client` was heard of: that keeps the seat where it is theirs, and gives it to nobody. */
  hear(client: number, nowS: number): void {
    if (this.isHeldBy(client, nowS)) this.#holder!.heardAtS = nowS;
  }

  /** `client` gives it up, or is gone. */
  leave(client: number): void {
    if (this.#holder?.client === client) this.#holder = undefined;
  }
}
