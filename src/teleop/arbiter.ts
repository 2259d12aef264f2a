/** Who decides: stop before person before policy before nobody. */

export type Authority = 'stop' | 'operator' | 'policy' | 'hold';

/** Who asks to decide. */
export interface Claims {
  /** Anyone asked to stop and has not taken that back. */
  readonly isStopRequested: boolean;
  /** An operator holds control, moving or not. */
  readonly isOperatorInControl: boolean;
  /** The policy has weights and a fresh observation. */
  readonly isPolicyReady: boolean;
}

/** The claim that wins. Pure; tick-safe. An operator who does nothing still wins over the policy: it never takes over by itself. */
export function arbitrate(claims: Claims): Authority {
  if (claims.isStopRequested) return 'stop';
  if (claims.isOperatorInControl) return 'operator';
  return claims.isPolicyReady ? 'policy' : 'hold';
}
