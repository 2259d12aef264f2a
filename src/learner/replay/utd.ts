/** The contract between acting and learning: how many critic updates each online transition pays for. */

/** Updates are numbered from 1, online transitions are counted. */
export class UpdateContract {
  readonly utd: number;
  readonly warmupSteps: number;

  /** `utd` G ≥ 1 critic updates per transition, after the first `warmupSteps` N₀. */
  constructor(utd: number, warmupSteps: number) {
    this.utd = utd;
    this.warmupSteps = warmupSteps;
  }

  /** The most updates that `accepted` = N online transitions allow: G·(N − N₀). */
  updatesAllowed(accepted: number): number {
    return this.utd * Math.max(0, accepted - this.warmupSteps);
  }

  /** How many online transitions update number `update` learns from, exactly: N₀ + ⌈update/G⌉. */
  visibleTo(update: number): number {
    return this.warmupSteps + Math.ceil(update / this.utd);
  }
}
