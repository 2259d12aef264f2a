/**
 * Whether a success rate is above a target, decided as soon as the episodes allow it: Wald's sequential probability ratio test
 * (Wald, "Sequential Tests of Statistical Hypotheses", Ann. Math. Statist. 16, 1945). A policy that succeeds at `atMost` is accepted in
 * 5 % of cases, one that succeeds at `atLeast` is refused in 5 %.
 */

/** The two rates that are told apart, 0 ≤ `atMost` < `atLeast` ≤ 1. */
export interface Hypotheses {
  readonly atMost: number;
  readonly atLeast: number;
}

/** Chance of either error. */
const ERROR = 0.05;
/** ln((1 − β)/α): the evidence at which the test ends, either way. */
const DECIDED = Math.log((1 - ERROR) / ERROR);
/** A rate between the two is told from neither for long. Twice what the test takes on average where it takes longest, about. */
export const MOST_EPISODES = 500;

export type Verdict = 'accepted' | 'refused' | 'open';

/** What `successes` of `episodes` independent episodes say; `refused` where `MOST_EPISODES` say nothing. */
export function verdict({ atMost, atLeast }: Hypotheses, successes: number, episodes: number): Verdict {
  const failures = episodes - successes;
  const evidence =
    times(successes, Math.log(atLeast / atMost)) + times(failures, Math.log((1 - atLeast) / (1 - atMost)));
  if (evidence <= -DECIDED) return 'refused';
  if (evidence >= DECIDED) return 'accepted';
  return episodes >= MOST_EPISODES ? 'refused' : 'open';
}

/** 0·∞ = 0: no episode is no evidence, where one would be all. */
function times(count: number, evidence: number): number {
  return count === 0 ? 0 : count * evidence;
}
