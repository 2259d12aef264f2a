/**
 * Whether a success rate is above a target, decided as soon as the episodes allow it: Wald's sequential probability ratio test
 * (Wald, "Sequential Tests of Statistical Hypotheses", Ann. Math. Statist. 16, 1945). A policy that succeeds at `atMost` is accepted in
 * 5 % of cases, and one that succeeds at `atLeast` refused in 5 %. It is cut short where it has decided nothing after the episodes that it takes on
 * average where it takes longest: the side to which the evidence leans then counts, and either error is 8 %.
 */

/** The two rates that are told apart, 0 ≤ `atMost` < `atLeast` ≤ 1. */
export interface Hypotheses {
  readonly atMost: number;
  readonly atLeast: number;
}

/** Chance of either error where the test is not cut short. */
const ERROR = 0.05;
/** ln((1 − β)/α): the evidence at which the test ends, either way. */
const DECIDED = Math.log((1 - ERROR) / ERROR);
/** Rates that are nearer to each other are told apart by more episodes: a policy of which these say nothing is refused. */
const MOST_EPISODES = 500;

export type Verdict = 'accepted' | 'refused' | 'open';

/** By how much one success and one failure change the evidence for `atLeast`. */
const evidenceOf = ({ atMost, atLeast }: Hypotheses): readonly [success: number, failure: number] => [
  Math.log(atLeast / atMost),
  Math.log((1 - atLeast) / (1 - atMost)),
];

/** After so many episodes the verdict is never `open`: the mean at the rate that takes longest (Wald), and as many as successes alone take. */
export function mostEpisodes(hypotheses: Hypotheses): number {
  const [success, failure] = evidenceOf(hypotheses);
  const longest = Math.ceil((DECIDED / success) * Math.max(1, DECIDED / -failure));
  return Number.isFinite(success) && Number.isFinite(failure) ? Math.min(longest, MOST_EPISODES) : MOST_EPISODES;
}

/** What `successes` of `episodes` independent episodes say. */
export function verdict(hypotheses: Hypotheses, successes: number, episodes: number): Verdict {
  const [success, failure] = evidenceOf(hypotheses);
  const evidence = times(successes, success) + times(episodes - successes, failure);
  if (evidence <= -DECIDED) return 'refused';
  if (evidence >= DECIDED) return 'accepted';
  const most = mostEpisodes(hypotheses);
  if (episodes < most) return 'open';
  return evidence > 0 && most < MOST_EPISODES ? 'accepted' : 'refused';
}

/** 0·∞ = 0: no episode is no evidence, where one would be all. */
function times(count: number, evidence: number): number {
  return count === 0 ? 0 : count * evidence;
}
