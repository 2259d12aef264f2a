/**
 * The operator's seat: which of the pages that are open may move the robot. One at a time; who has it keeps it while their page is
 * heard of and they do something now and then; a tab that was forgotten keeps it from nobody. A robot that loses its operator holds by the lease of their commands, which is shorter.
 */

/** A page that was heard of so long ago is gone, s: ten of the messages that it sends while it has the seat. */
export const SEAT_LEASE_S = 1;

/** A holder who has done nothing for so long may be relieved, s. The robot stands then: what is not asked for moves nothing. */
export const IDLE_S = 60;

interface Holder {
  readonly client: number;
  readonly name: string;
  heardAtS: number;
  actedAtS: number;
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

  /** Gives it to `client` where it is free, theirs, or of somebody who does nothing; `by`: who has it else, or had it until now. */
  take(client: number, name: string, nowS: number): { readonly isTaken: boolean; readonly by: string } {
    const holder = this.holder(nowS);
    const isOther = holder !== undefined && holder.client !== client;
    const idleS = isOther ? nowS - this.#holder!.actedAtS : 0;
    if (isOther && idleS < IDLE_S) return { isTaken: false, by: holder.name };
    this.#holder = { client, name, heardAtS: nowS, actedAtS: nowS };
    return { isTaken: true, by: isOther ? holder.name : name };
  }

  /** `client` was heard of: that keeps the seat where it is theirs, and gives it to nobody. `acts`: their person does something. */
  hear(client: number, nowS: number, how: 'acts' | 'is there' = 'acts'): void {
    if (!this.isHeldBy(client, nowS)) return;
    this.#holder!.heardAtS = nowS;
    if (how === 'acts') this.#holder!.actedAtS = nowS;
  }

  /** `client` gives it up, or is gone. */
  leave(client: number): void {
    if (this.#holder?.client === client) this.#holder = undefined;
  }
}
