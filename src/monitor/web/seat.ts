/**
 * Operator's seat: the one page that may move the robot. Its holder keeps it while the page sends messages and its
 * operator acts now and then; a forgotten tab blocks no other page. A robot that loses its operator holds by the lease
 * of their commands, which is shorter.
 */

/** Silence after which a page counts as gone, s: ten of the messages that it sends while it has the seat. */
export const SEAT_LEASE_S = 1;

/** Inactivity after which a holder may be relieved, s. The robot stands still then: without a request there is no motion. */
export const IDLE_S = 60;

interface Holder {
  readonly client: number;
  readonly name: string;
  heardAtS: number;
  actedAtS: number;
}

/** Pure except for its state; time is an argument. */
export class Seat {
  #holder: Holder | undefined;

  /** Holder at `nowS`; `undefined` if the seat is free. */
  holder(nowS: number): { readonly client: number; readonly name: string } | undefined {
    // A clock that jumps back extends no lease.
    const sinceS = this.#holder === undefined ? 0 : Math.abs(nowS - this.#holder.heardAtS);
    return sinceS > SEAT_LEASE_S ? undefined : this.#holder;
  }

  isHeldBy(client: number, nowS: number): boolean {
    return this.holder(nowS)?.client === client;
  }

  /**
   * Gives the seat to `client` if it is free, theirs, or its holder is idle; `by`: present holder if refused, otherwise
   * the previous one.
   */
  take(client: number, name: string, nowS: number): { readonly isTaken: boolean; readonly by: string } {
    const holder = this.holder(nowS);
    const isOther = holder !== undefined && holder.client !== client;
    const idleS = isOther ? nowS - this.#holder!.actedAtS : 0;
    if (isOther && idleS < IDLE_S) return { isTaken: false, by: holder.name };
    this.#holder = { client, name, heardAtS: nowS, actedAtS: nowS };
    return { isTaken: true, by: isOther ? holder.name : name };
  }

  /** Records a message of `client`, which extends its hold, if any. `acts`: its operator does something. */
  hear(client: number, nowS: number, how: 'acts' | 'is there' = 'acts'): void {
    if (!this.isHeldBy(client, nowS)) return;
    this.#holder!.heardAtS = nowS;
    if (how === 'acts') this.#holder!.actedAtS = nowS;
  }

  /** Frees the seat if `client` holds it. */
  leave(client: number): void {
    if (this.#holder?.client === client) this.#holder = undefined;
  }
}
