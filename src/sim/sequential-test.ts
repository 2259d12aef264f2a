/**
 * Tests if a success rate is above a target, with as few episodes as possible: Wald's sequential probability ratio test
 * (Wald, "Sequential Tests of Statistical Hypotheses", Ann. Math. Statist. 16, 1945). A policy that succeeds at `atMost` is
 * accepted in 5 % of cases, and one that succeeds at `atLeast` refused in 5 %. The test is truncated at the mean number of
 * episodes of its slowest rate: then the sign of the evidence decides, and either error is 8 %.
 */

/** The two rates to distinguish, 0 ≤ `atMost` < `atLeast` ≤ 1. */
export interface Hypotheses {
  readonly atMost: number;
  readonly atLeast: number;
}

/** Probability of either error if the test is not truncated. */
const ERROR = 0.05;
/** ln((1 − β)/α): the evidence at which the test ends, either way. */
const DECIDED = Math.log((1 - ERROR) / ERROR);
/** Limit for rates so close that distinguishing them would need more episodes: a policy undecided by then is refused. */
const MOST_EPISODES = 500;

export type Verdict = 'accepted' | 'refused' | 'open';

/** Change of the evidence for `atLeast` by one success and by one failure. */
const evidenceOf = ({ atMost, atLeast }: Hypotheses): readonly [success: number, failure: number] => [
  Math.log(atLeast / atMost),
  Math.log((1 - atLeast) / (1 - atMost)),
];

/** Episodes after which the verdict is never `open`: Wald's mean at the slowest rate, but no fewer than successes alone take. */
export function mostEpisodes(hypotheses: Hypotheses): number {
  const [success, failure] = evidenceOf(hypotheses);
  const longest = Math.ceil((DECIDED / success) * Math.max(1, DECIDED / -failure));
  return Number.isFinite(success) && Number.isFinite(failure) ? Math.min(longest, MOST_EPISODES) : MOST_EPISODES;
}

/** Verdict after `successes` in `episodes` independent episodes. */
export function verdict(hypotheses: Hypotheses, successes: number, episodes: number): Verdict {
  const [success, failure] = evidenceOf(hypotheses);
  const evidence = times(successes, success) + times(episodes - successes, failure);
  if (evidence <= -DECIDED) return 'refused';
  if (evidence >= DECIDED) return 'accepted';
  const most = mostEpisodes(hypotheses);
  if (episodes < most) return 'open';
  return evidence > 0 && most < MOST_EPISODES ? 'accepted' : 'refused';
}

/** Product with 0·∞ = 0: no episode is no evidence, even if one would be decisive. */
function times(count: number, evidence: number): number {
  return count === 0 ? 0 : count * evidence;
}
