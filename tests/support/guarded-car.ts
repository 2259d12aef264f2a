/** A car with an emulated VESC under a guard, in lock-step with the line's own time. */
import { expect } from 'vitest';
import { createActionCommand, lockStepGuard } from '../../src/guard/index.ts';
import type { MemoryGuardLink } from '../../src/guard/link/memory-link.ts';
import { LockStepClock } from '../../src/model/index.ts';
import type { GuardNotice } from '../../src/rows/index.ts';
import { faultsOf } from '../../src/safety/index.ts';
import { jointSpec } from './adversary.ts';
import { type CarRig, type CarRigOptions, carRig } from './emulated-car.ts';

/** Of a full action, m and rad in a step of the policy. */
const SCALE = 0.1;
const POLICY_HZ = 10;

/** Time of the line. */
class LineClock extends LockStepClock {
  readonly #rig: CarRig;
  #ticks = 0;

  constructor(rig: CarRig) {
    super(1 / rig.robot.controlHz);
    this.#rig = rig;
  }

  override nowS(): number {
    return this.#rig.line.clock.nowS();
  }

  override step(): void {
    const { line, robot } = this.#rig;
    this.#ticks = Math.max(this.#ticks + 1, Math.floor(line.clock.nowS() * robot.controlHz) + 1);
    line.wait(this.#ticks / robot.controlHz);
  }
}

export interface GuardedCar extends CarRig {
  readonly link: MemoryGuardLink;
  readonly notices: GuardNotice[];
  /** Rows of the faults that are there or not acknowledged. */
  rows(): readonly number[];
  /** Drives ahead at 1 m/s for so many ticks, as a policy does. */
  ahead(ticks: number): Promise<void>;
  /** Ticks until `condition` holds, at most `most`; −1 where it does not. */
  ticksUntil(condition: () => boolean, most?: number): Promise<number>;
}

/** Enabled, with wheels that nobody has seen turn. */
export async function guardedCar(options: CarRigOptions = {}): Promise<GuardedCar> {
  const rig = carRig(options);
  const { driver } = rig;
  const { driver: _, ...model } = rig.robot;
  const clock = new LineClock(rig);
  const action = jointSpec(model, SCALE);
  const link = lockStepGuard({
    nodeIs: 'person',
    driver,
    facts: driver.facts,
    model,
    action,
    policyPeriodS: 1 / POLICY_HZ,
    clock,
  });
  const notices: GuardNotice[] = [];
  link.onNotice((notice) => notices.push(notice));
  await driver.open();
  await link.advance(3);
  expect(await link.request({ kind: 'enable' })).toEqual({ ok: true });
  await link.advance(2);
  const command = createActionCommand(2);
  command.decider = 'policy';
  command.leaseS = 2 / POLICY_HZ;
  return Object.assign(rig, {
    link,
    notices,
    rows: () => [...new Set(faultsOf(link.latest.faultFlags).map(({ row }) => row))],
    ahead: async (ticks: number) => {
      for (let tick = 0; tick < ticks; tick++) {
        if (tick % (model.controlHz / POLICY_HZ) === 0) {
          command.seq++;
          command.issuedAtS = clock.nowS();
          command.action.set([1, 0]);
          link.send(command);
        }
        await link.advance(1);
      }
    },
    ticksUntil: async (condition: () => boolean, most = 400) => {
      for (let ticks = 1; ticks <= most; ticks++) {
        await link.advance(1);
        if (condition()) return ticks;
      }
      throw new Error(`it did not come within ${most} ticks: ${link.latest.state}, ${link.latest.faultFlags}`);
    },
  });
}
