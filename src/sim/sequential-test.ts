/**
 * Whether a success rate is above a target, decided as soon as the episodes allow it: Wald's sequential probability ratio test
 * (Wald, "Sequential Tests of Statistical Hypotheses", Ann. Math. Statist. 16, 1945), cut short where it has told neither for long: the side
 * to which the evidence leans then counts. A policy that succeeds at `atMost` is accepted in 8 % of cases at most, and one that succeeds at
 * `atLeast` refused in 8 %; without the cut it is 5 %, and a policy between the two takes a third more episodes.
 */

/** The two rates that are told apart, 0 ≤ `atMost` < `atLeast` ≤ 1. */
export interface Hypotheses {
  readonly atMost: number;
  readonly atLeast: number;
}

/** Chance of either error of the test that is not cut short. */
const ERROR = 0.05;
/** ln((1 − β)/α): the evidence at which the test ends, either way. */
const DECIDED = Math.log((1 - ERROR) / ERROR);
/** A rate between the two is told from neither for long: about what the test takes on average where it takes longest. */
export const MOST_EPISODES = 200;

export type Verdict = 'accepted' | 'refused' | 'open';

/** What `successes` of `episodes` independent episodes say; after `MOST_EPISODES` it is never `open`. */
export function verdict({ atMost, atLeast }: Hypotheses, successes: number, episodes: number): Verdict {
  const failures = episodes - successes;
  const evidence =
    times(successes, Math.log(atLeast / atMost)) + times(failures, Math.log((1 - atLeast) / (1 - atMost)));
  if (evidence <= -DECIDED) return 'refused';
  if (evidence >= DECIDED) return 'accepted';
  if (episodes < MOST_EPISODES) return 'open';
  return evidence > 0 ? 'accepted' : 'refused';
}

/** 0·∞ = 0: no episode is no evidence, where one would be all. */
function times(count: number, evidence: number): number {
  return count === 0 ? 0 : count * evidence;
}
