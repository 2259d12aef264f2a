/** How long the newest command may move the robot. */
import type { ActionCommand } from '../../core/index.ts';

/** No sender may ask for a longer lease; the first command may come this late after the leave to move was given, s. */
const LEASE_MAX_S = 0.5;

/** Watches one node's commands. Tick-safe. */
export class CommandLease {
  #endS = Number.NEGATIVE_INFINITY;

  /** Leave to move begins at `nowS`, without a command yet. */
  grant(nowS: number): void {
    this.#endS = nowS + LEASE_MAX_S;
  }

  /** A command has arrived: it is valid from its issue, not from its arrival, and never beyond the longest lease. */
  renew(command: ActionCommand, nowS: number): void {
    this.#endS = Math.min(command.issuedAtS, nowS) + Math.min(command.leaseS, LEASE_MAX_S);
  }

  /** True from the first tick after the lease's end, and where a broken command gave it no end. */
  isOver(nowS: number): boolean {
    return !(nowS <= this.#endS);
  }
}
