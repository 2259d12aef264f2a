/** A guard over a mock arm on lock-step time, with a hand on everything that can go wrong with it. */

import { MockDriver } from '../../src/drivers/index.ts';
import type { FaultPlan } from '../../src/drivers/mock/mock-faults.ts';
import type { MockDriverOptions } from '../../src/drivers/mock/options.ts';
import { createActionCommand, lockStepGuard } from '../../src/guard/index.ts';
import type { MemoryGuardLink } from '../../src/guard/link/memory-link.ts';
import { LockStepClock, type RobotModel } from '../../src/model/index.ts';
import type { Decider } from '../../src/rows/index.ts';
import { faultsOf } from '../../src/safety/index.ts';
import { jointSpec } from './adversary.ts';
import { ur5eLike } from './robot-models.ts';

export interface RigOptions {
  readonly model?: RobotModel;
  readonly startRad?: readonly number[];
  readonly faults?: FaultPlan;
  /** Further options of the mock. */
  readonly mock?: MockDriverOptions;
  /** Largest step of a joint action, rad. Default 0.02. */
  readonly scale?: number;
}

export class FaultRig {
  readonly model: RobotModel;
  readonly clock: LockStepClock;
  readonly driver: MockDriver;
  readonly link: MemoryGuardLink;
  /** Ticks that came late, as the scheduler would count them. */
  readonly timing: { overruns: number; lateS: number } = { overruns: 0, lateS: 0 };
  readonly #command: ReturnType<typeof createActionCommand>;

  private constructor(options: RigOptions) {
    const model = options.model ?? ur5eLike;
    const joints = model.joints.length;
    const { startRad, faults } = options;
    this.model = model;
    this.clock = new LockStepClock(1 / model.controlHz);
    this.driver = new MockDriver(model, {
      ...(startRad ? { startRad } : {}),
      ...(faults ? { faults } : {}),
      ...options.mock,
    });
    const { clock, driver, timing } = this;
    const action = jointSpec(model, options.scale ?? 0.02);
    this.link = lockStepGuard({
      nodeIs: 'person',
      driver,
      facts: driver.facts,
      model,
      action,
      policyPeriodS: 0.1,
      clock,
      timing,
    });
    this.#command = createActionCommand(joints);
    this.#command.leaseS = 0.2;
  }

  static async open(options: RigOptions = {}): Promise<FaultRig> {
    const rig = new FaultRig(options);
    await rig.driver.open();
    return rig;
  }

  /** Enabled and activated, and nothing sent yet. */
  static async active(options: RigOptions = {}): Promise<FaultRig> {
    const rig = await FaultRig.open(options);
    await rig.link.advance(1);
    await rig.link.request({ kind: 'enable' });
    await rig.link.request({ kind: 'activate' });
    return rig;
  }

  /** Sends a command for all joints. */
  push(
    value: number,
    more: { readonly decider?: Decider; readonly version?: number; readonly leaseS?: number } = {},
  ): void {
    const command = this.#command;
    command.seq++;
    command.decider = more.decider ?? 'policy';
    command.policyVersion = more.version ?? command.policyVersion;
    command.leaseS = more.leaseS ?? command.leaseS;
    command.issuedAtS = this.clock.nowS();
    command.action.fill(value);
    this.link.send(command);
  }

  /** Rows of the faults that are there or not acknowledged. */
  get rows(): readonly number[] {
    return [...new Set(faultsOf(this.link.latest.faultFlags).map(({ row }) => row))];
  }

  /** Ticks until `condition` holds. Rejects where it does not within `most`. */
  async ticksUntil(condition: () => boolean, most = 400): Promise<number> {
    for (let ticks = 1; ticks <= most; ticks++) {
      await this.link.advance(1);
      if (condition()) return ticks;
    }
    throw new Error(`it did not come within ${most} ticks: ${this.link.latest.state}, ${this.link.latest.faultFlags}`);
  }

  /** The largest velocity of a joint of the reference in the next tick, as a share of its highest. */
  async speedShare(): Promise<number> {
    const before = Float64Array.from(this.link.latest.referenceRad);
    await this.link.advance(1);
    const { controlHz, joints } = this.model;
    const speeds = joints.map((joint, i) => {
      const moved = Math.abs(this.link.latest.referenceRad[i]! - before[i]!);
      return (moved * controlHz) / joint.velocityMaxRadPerS;
    });
    return Math.max(...speeds);
  }
}
