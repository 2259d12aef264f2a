/** ROS time of a memory port: the wall's, or what `/clock` says. */
import type { FaultDesk, RosClock } from '../port/index.ts';

export class MemoryClock implements RosClock {
  readonly isSimulated: boolean;
  readonly #desk: FaultDesk;
  readonly #listeners = new Set<(byNs: bigint) => void>();
  #simulatedNs = 0n;

  constructor(isSimulated: boolean, desk: FaultDesk) {
    this.isSimulated = isSimulated;
    this.#desk = desk;
  }

  nowNs(): bigint {
    return this.isSimulated ? this.#simulatedNs : BigInt(Date.now()) * 1_000_000n;
  }

  onJumpBack(listener: (byNs: bigint) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** What `/clock` says now. */
  set(nowNs: bigint): void {
    const backNs = this.#simulatedNs - nowNs;
    this.#simulatedNs = nowNs;
    if (backNs <= 0n) return;
    this.#desk.report('timeJump', '/clock', `ROS time went back by ${Number(backNs) / 1e9} s`);
    for (const listener of this.#listeners) this.#desk.run('/clock', () => listener(backNs));
  }
}
