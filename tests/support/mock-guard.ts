/** A guard over a mock arm, for tests of links and processes. */
import { type ActionSpec, LockStepClock, type RobotModel } from '../../src/core/index.ts';
import { MockDriver } from '../../src/drivers/index.ts';
import type { MockDriverOptions } from '../../src/drivers/mock/options.ts';
import { Guard, MemoryGuardLink } from '../../src/guard/index.ts';
import { ur5eLike } from './robot-models.ts';

/** As a robot's file has it: readings of nobody's encoder are exact, and nothing here asks how far they are off. */
export const mockModel: RobotModel = {
  ...ur5eLike,
  joints: ur5eLike.joints.map(({ encoderNoiseRad: _, ...joint }) => joint),
};
export const mockSignals: readonly string[] = ['estimate', 'depthM'];

export const mockAction: ActionSpec = {
  kind: 'joint',
  dimensions: mockModel.joints.map((joint) => ({ name: joint.name, scale: 0.02, unit: 'rad' as const })),
};

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
  await driver.open();
  const link = new MemoryGuardLink({
    nodeIs: 'person',
    shape: {
      joints: mockModel.joints.length,
      signals: mockSignals.length,
      actions: action.dimensions.length,
      controlHz: mockModel.controlHz,
    },
    clock,
    createGuard: (port) => new Guard({ driver, model: mockModel, action, policyPeriodS: 0.1, clock, port }),
  });
  return { clock, driver, link };
}
