/** ROS time of a port: wall time, or that of `/clock`. */
import { Clock } from '../messages/definitions.ts';
import { nanosecondsOf } from '../messages/time.ts';
import type { FaultReporter } from './fault-reporter.ts';
import { SENSOR_QOS } from './qos.ts';
import type { RosClock, RosPort } from './ros-port.ts';

/**
 * A forward step below this, or below this multiple of the elapsed time, is no jump: simulations run faster than real
 * time, and the publisher of `/clock` may pause for a while.
 */
const JUMP_NS = 1_000_000_000n;
const JUMP_RATIO = 10;

export class PortClock implements RosClock {
  readonly isSimulated: boolean;
  readonly #faults: FaultReporter;
  readonly #listeners = new Set<(byNs: bigint) => void>();
  #simulatedNs = 0n;
  #heardAtS = 0;

  constructor(isSimulated: boolean, faults: FaultReporter) {
    this.isSimulated = isSimulated;
    this.#faults = faults;
  }

  nowNs(): bigint {
    return this.isSimulated ? this.#simulatedNs : BigInt(Date.now()) * 1_000_000n;
  }

  onJump(listener: (byNs: bigint) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Subscribes to `/clock` through `port`. */
  follow(port: Pick<RosPort, 'subscribe'>): void {
    port.subscribe(Clock, '/clock', SENSOR_QOS, ({ clock }, atS) => this.set(nanosecondsOf(clock), atS));
  }

  /** Takes the time of `/clock`, ns, received at `heardAtS` of the machine's clock. */
  set(nowNs: bigint, heardAtS: number): void {
    const isFirst = this.#simulatedNs === 0n;
    const byNs = nowNs - this.#simulatedNs;
    const passedNs = (heardAtS - this.#heardAtS) * 1e9;
    this.#simulatedNs = nowNs;
    this.#heardAtS = heardAtS;
    const isAhead = !isFirst && byNs > JUMP_NS && Number(byNs) > JUMP_RATIO * passedNs;
    if (byNs >= 0n && !isAhead) return;
    this.#faults.report('timeJump', '/clock', jumpText(byNs));
    for (const listener of this.#listeners) this.#faults.run('/clock', () => listener(byNs));
  }
}

/** Description of a jump of ROS time, without a full stop. */
export function jumpText(byNs: bigint): string {
  const seconds = Number((Math.abs(Number(byNs)) / 1e9).toFixed(3));
  return byNs < 0n ? `ROS time went back by ${seconds} s` : `ROS time jumped ahead by ${seconds} s`;
}
