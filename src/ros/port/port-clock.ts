/** ROS time of a port: the wall's, or what `/clock` says. */
import { Clock } from '../messages/definitions.ts';
import { nanosecondsOf } from '../messages/time.ts';
import type { FaultReporter } from './fault-reporter.ts';
import { SENSOR_QOS } from './qos.ts';
import type { RosClock, RosPort } from './ros-port.ts';

export class PortClock implements RosClock {
  readonly isSimulated: boolean;
  readonly #faults: FaultReporter;
  readonly #listeners = new Set<(byNs: bigint) => void>();
  #simulatedNs = 0n;

  constructor(isSimulated: boolean, faults: FaultReporter) {
    this.isSimulated = isSimulated;
    this.#faults = faults;
  }

  nowNs(): bigint {
    return this.isSimulated ? this.#simulatedNs : BigInt(Date.now()) * 1_000_000n;
  }

  onJumpBack(listener: (byNs: bigint) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Listens to `/clock` through `port`. */
  follow(port: Pick<RosPort, 'subscribe'>): void {
    port.subscribe(Clock, '/clock', SENSOR_QOS, ({ clock }) => this.set(nanosecondsOf(clock)));
  }

  /** Takes the time of `/clock`, ns. */
  set(nowNs: bigint): void {
    const backNs = this.#simulatedNs - nowNs;
    this.#simulatedNs = nowNs;
    if (backNs <= 0n) return;
    this.#faults.report('timeJump', '/clock', `ROS time went back by ${Number(backNs) / 1e9} s`);
    for (const listener of this.#listeners) this.#faults.run('/clock', () => listener(backNs));
  }
}
