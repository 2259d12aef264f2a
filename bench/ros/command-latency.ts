/**
 * Latency from the issue of a command by a node to the reception of the first resulting set-point by a subscriber of the
 * controller's topic: node → guard → tick → safety chain → bridge → DDS → subscriber. The arm stands still before each
 * command, so the first number that differs is the answer.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { connectGuardLink, createActionCommand, type GuardLink } from '../../src/guard/index.ts';
import { ReinError, Rng, SystemClock } from '../../src/model/index.ts';
import { Float64MultiArray } from '../../src/ros/messages/definitions.ts';
import { SENSOR_QOS } from '../../src/ros/port/qos.ts';
import type { RosPort } from '../../src/ros/port/ros-port.ts';
import { openRosPort } from '../../src/ros/rclnodejs/rclnodejs-port.ts';
import { getMoving } from '../runtime/bench-node.ts';
import { Children } from './children.ts';
import { startGuardOnRos } from './guard-on-ros.ts';
import { cpuPercent, processTree } from './processes.ts';
import { type Quantiles, quantilesOf } from './samples.ts';

export interface CommandLatencyResult {
  /** Control rate of the guard. */
  readonly controlHz: number;
  /** Issue to reception, ms. On average half a period of it is waiting for the tick. */
  readonly latencyMs: Quantiles;
  /** Commands without a set-point within a second. */
  readonly lost: number;
  /** Share of one core by process. */
  readonly cpuPercent: Readonly<Record<string, number>>;
}

const CONTROLLER_TOPIC = 'forward_position_controller/commands';
const CONNECT_MS = 10_000;
const LEASE_S = 1;
const STEADY_MESSAGES = 5;
/** Solving for the same pose again moves a set-point by less, the first tick of a command by ten times more. */
const STILL_RAD = 2e-5;
const LIMIT_S = 1;
const POLL_MS = 1;
/** Maximum time to wait for a standing arm. */
const STAND_S = 20;
/** Size of a command, in units of the action. */
const SIZE = 0.3;

/** Measures `trials` commands with a guard of `controlHz` and an arm of 100 readings a second. */
export async function measureCommandLatency(controlHz: number, trials: number): Promise<CommandLatencyResult> {
  const children = new Children();
  let port: RosPort | undefined;
  let link: GuardLink | undefined;
  try {
    const guard = await startGuardOnRos({ controlHz, simHz: 100 }, children);
    port = await openRosPort({ nodeName: 'rein_bench_controller', onFault: () => undefined });
    const listener = new SetPoints(port);
    port.start();
    link = await connectGuardLink(guard.socketPath, { timeoutMs: CONNECT_MS });
    return { controlHz, ...(await new Trials(link, listener).run(trials)) };
  } finally {
    await link?.close();
    await port?.close();
    await children.end();
  }
}

/** Set-points as a controller receives them: time of the last change, and number of equal ones since then. */
class SetPoints {
  unchanged = 0;
  changedAtS = 0;
  readonly #last: Float64Array = new Float64Array(16);

  constructor(port: RosPort) {
    port.subscribe(Float64MultiArray, CONTROLLER_TOPIC, SENSOR_QOS, ({ data }, receivedAtS) => {
      const isSame = data.every((value, i) => Math.abs(value - this.#last[i]!) < STILL_RAD);
      this.#last.set(data);
      this.unchanged = isSame ? this.unchanged + 1 : 0;
      if (!isSame) this.changedAtS = receivedAtS;
    });
  }
}

class Trials {
  readonly #link: GuardLink;
  readonly #heard: SetPoints;
  readonly #clock = new SystemClock();
  readonly #command: ReturnType<typeof createActionCommand>;
  readonly #rng = new Rng(1);

  constructor(link: GuardLink, heard: SetPoints) {
    this.#link = link;
    this.#heard = heard;
    this.#command = createActionCommand(link.shape.actions);
    this.#command.decider = 'policy';
    this.#command.leaseS = LEASE_S;
  }

  async run(trials: number): Promise<Omit<CommandLatencyResult, 'controlHz'>> {
    const latenciesMs: number[] = [];
    let lost = 0;
    const before = processTree(process.pid);
    const startS = this.#clock.nowS();
    for (let i = 0; i < trials; i++) {
      await this.#stand();
      // Uniformly distributed over the tick.
      await delay(this.#rng.uniformIn(0, 20));
      const issuedAtS = this.#send(i % 2 === 0 ? SIZE : -SIZE);
      const tookMs = await this.#answer(issuedAtS);
      if (tookMs === undefined) lost++;
      else latenciesMs.push(tookMs);
    }
    const elapsedS = this.#clock.nowS() - startS;
    return {
      latencyMs: quantilesOf(latenciesMs),
      lost,
      cpuPercent: cpuPercent(before, processTree(process.pid), elapsedS),
    };
  }

  /** Waits until the set-point stands still under a command without motion. */
  async #stand(): Promise<void> {
    this.#heard.unchanged = 0;
    const limitS = this.#clock.nowS() + STAND_S;
    for (let spent = 0; this.#heard.unchanged < STEADY_MESSAGES; spent++) {
      if (this.#clock.nowS() > limitS) {
        throw new ReinError('driver', `The arm of the measurement does not come to stand: ${this.#link.latest.state}.`);
      }
      if (spent % 20 === 0) {
        await getMoving(this.#link);
        this.#send(0);
      }
      await delay(5);
    }
    this.#send(0);
    await this.#link.advance(1);
  }

  #send(up: number): number {
    this.#command.seq++;
    this.#command.action.fill(0);
    this.#command.action[2] = up;
    this.#command.issuedAtS = this.#clock.nowS();
    this.#link.send(this.#command);
    return this.#command.issuedAtS;
  }

  async #answer(issuedAtS: number): Promise<number | undefined> {
    while (this.#clock.nowS() - issuedAtS < LIMIT_S) {
      if (this.#heard.changedAtS > issuedAtS) return (this.#heard.changedAtS - issuedAtS) * 1e3;
      await delay(POLL_MS);
    }
    return undefined;
  }
}
