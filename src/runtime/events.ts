/** What happened to the robot, for people and recorders: one stream, off the tick path. */
import { Subject } from 'rxjs';
import type { SafetyStateName } from '../core/index.ts';

export type RuntimeEvent =
  | {
      readonly kind: 'safetyState';
      readonly from: SafetyStateName;
      readonly to: SafetyStateName;
      readonly tick: number;
    }
  | { readonly kind: 'linkLost'; readonly reason: string }
  | { readonly kind: 'processEnded'; readonly process: string; readonly how: string }
  | { readonly kind: 'processRestarted'; readonly process: string; readonly restarts: number }
  | { readonly kind: 'policySwapped'; readonly version: number };

/** A stream of events; subscribe to read, `next` to tell. */
export function createEvents(): Subject<RuntimeEvent> {
  return new Subject<RuntimeEvent>();
}
