/** A guard over a mock arm, for tests of links and processes. */

import { MockDriver } from '../../src/drivers/index.ts';
import type { MockDriverOptions } from '../../src/drivers/mock/options.ts';
import { lockStepGuard } from '../../src/guard/index.ts';
import type { MemoryGuardLink } from '../../src/guard/link/memory-link.ts';
import { type ActionSpec, LockStepClock, type RobotModel } from '../../src/model/index.ts';
import { jointSpec } from './adversary.ts';
import { ur5eLike } from './robot-models.ts';

/** As a robot's file has it: readings of nobody's encoder are exact, and nothing here asks how far they are off. */
export const mockModel: RobotModel = {
  ...ur5eLike,
  joints: ur5eLike.joints.map(({ encoderNoiseRad: _, ...joint }) => joint),
};
export const mockSignals: readonly string[] = ['estimate', 'depthM'];

export const mockAction = jointSpec(mockModel, 0.02);

export interface MockLink {
  readonly clock: LockStepClock;
  readonly driver: MockDriver;
  readonly link: MemoryGuardLink;
}

/** An in-memory link on lock-step time with its guard, driver and clock. */
export async function createMockLink(
  options: MockDriverOptions = {},
  action: ActionSpec = mockAction,
  clock: LockStepClock = new LockStepClock(1 / mockModel.controlHz),
): Promise<MockLink> {
  const driver = new MockDriver(mockModel, { signalNames: mockSignals, ...options });
  const facts = await driver.open();
  const link = lockStepGuard({ nodeIs: 'person', driver, facts, model: mockModel, action, policyPeriodS: 0.1, clock });
  return { clock, driver, link };
}
