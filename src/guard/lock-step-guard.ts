/** A guard in the process of its node, in lock-step: what simulation, identification and tests drive by. */
import type { LockStepClock } from '../core/index.ts';
import { Guard, type GuardOptions } from './guard.ts';
import type { Asker } from './link/link.ts';
import { MemoryGuardLink } from './link/memory-link.ts';

export interface LockStepGuardOptions extends Omit<GuardOptions, 'port'> {
  /** Stepped once before each tick. */
  readonly clock: LockStepClock;
  /** Who asks by this link, where the request does not say. */
  readonly nodeIs: Asker;
}

/** The link to a guard of `driver`, and to one more after each restart. Closing the link closes guard and driver. */
export function lockStepGuard({ nodeIs, ...guard }: LockStepGuardOptions): MemoryGuardLink {
  const { facts, model, action, clock } = guard;
  return new MemoryGuardLink({
    nodeIs,
    shape: {
      joints: model.joints.length,
      signals: facts.signalNames.length,
      actions: action.dimensions.length,
      controlHz: model.controlHz,
    },
    clock,
    createGuard: (port) => new Guard({ ...guard, port }),
  });
}
