/** A guard in its node's process, in lock-step: used by simulation, identification and tests. */
import type { LockStepClock } from '../model/index.ts';
import { Guard, type GuardOptions } from './guard.ts';
import type { Asker } from './link/link.ts';
import { MemoryGuardLink } from './link/memory-link.ts';

export interface LockStepGuardOptions extends Omit<GuardOptions, 'port'> {
  /** Stepped once before each tick. */
  readonly clock: LockStepClock;
  /** Default requester of this link. */
  readonly nodeIs: Asker;
}

/** Creates the link to a guard of `driver`, and to a new one after each restart. Closing the link closes guard and driver. */
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
