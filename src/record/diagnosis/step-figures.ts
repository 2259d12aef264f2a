/** What steps come to, as plain sums: small enough for a line of metrics, and two blocks of them add up to one. */

/** A reward and how often it was given. */
export type RewardCount = readonly [reward: number, steps: number];

/** How episodes ended, and how long they were. */
export interface EndFigures {
  /** Episodes whose last step is among the steps. */
  readonly ended: number;
  /** By the task or a person, by the time limit, by something else (a stop, a lost guard). They add up to `ended`. */
  readonly decided: number;
  readonly timeLimit: number;
  readonly cut: number;
  /** In which somebody decided a step. */
  readonly helped: number;
  /** In which a step paid: more than the least reward of the run; of few rewards more than 0, once one was. */
  readonly paid: number;
  /** Decided within their first two steps. Runs from before it was counted have none. */
  readonly atOnce?: number;
  /** Steps of all decided episodes together, and of the longest. */
  readonly decidedSteps: number;
  readonly longestDecided: number;
}

/** Each state number of the observations, [O′]. */
export interface ObservationFigures {
  readonly sum: readonly number[];
  readonly squares: readonly number[];
  /** Steps in which it did not change at all. */
  readonly same: readonly number[];
  /** Steps in which it changed by less than a tenth of the range that it had in the run until then. */
  readonly smooth: readonly number[];
  /** Steps in which it went away by more than half of that range, and came back with the next step. */
  readonly glitches: readonly number[];
}

/** Sums over a block of steps. Rewards as the task gives them, actions in [−1, 1]. */
export interface StepFigures {
  readonly steps: number;
  /** Of them decided by the policy; the others by people, or a script in their place. */
  readonly policySteps: number;
  readonly ends: EndFigures;
  readonly reward: {
    readonly sum: number;
    readonly least: number;
    readonly most: number;
    /** How often each was given, in all steps and in the first step of episodes; null where there are more than a few. */
    readonly values: readonly RewardCount[] | null;
    readonly firstValues: readonly RewardCount[] | null;
  };
  /** Episodes, and steps, since the last step that paid. */
  readonly dryEpisodes: number;
  readonly drySteps: number;
  /** Of what the policy requested: policy steps in which each number of the action, [A], was at −1 and at 1. */
  readonly atLow: readonly number[];
  readonly atHigh: readonly number[];
  /** Sum of the shares of ticks that the filters changed. */
  readonly changed: number;
  /** Steps in which the robot was asked to move and did not. */
  readonly standing: number;
  /** Sums over numbers of actions: of what was asked, squared, and of asked times executed. Runs from before they were have none. */
  readonly askedSquares?: number;
  readonly askedExecuted?: number;
  /** Weights that acted in the last step; how often they changed; steps since; policy steps by untrained weights. */
  readonly policyVersion: number;
  readonly versionChanges: number;
  readonly stepsOfVersion: number;
  readonly untrainedSteps: number;
  /** Steps in which the whole state was the same before and after. */
  readonly frozen: number;
  readonly observation: ObservationFigures;
}

/** More rewards than this are a graded reward, whose values are not counted one by one. */
export const FEW_REWARDS = 4;

/** Both blocks as one; `later` follows `earlier`. */
export function addFigures(earlier: StepFigures, later: StepFigures): StepFigures {
  const a = earlier;
  const b = later;
  return {
    steps: a.steps + b.steps,
    policySteps: a.policySteps + b.policySteps,
    ends: addEnds(a.ends, b.ends),
    reward: {
      sum: a.reward.sum + b.reward.sum,
      least: Math.min(a.reward.least, b.reward.least),
      most: Math.max(a.reward.most, b.reward.most),
      values: addCounts(a.reward.values, b.reward.values),
      firstValues: addCounts(a.reward.firstValues, b.reward.firstValues),
    },
    dryEpisodes: b.dryEpisodes,
    drySteps: b.drySteps,
    atLow: added(a.atLow, b.atLow),
    atHigh: added(a.atHigh, b.atHigh),
    changed: a.changed + b.changed,
    standing: a.standing + b.standing,
    askedSquares: (a.askedSquares ?? 0) + (b.askedSquares ?? 0),
    askedExecuted: (a.askedExecuted ?? 0) + (b.askedExecuted ?? 0),
    policyVersion: b.policyVersion,
    versionChanges: a.versionChanges + b.versionChanges,
    stepsOfVersion: b.stepsOfVersion,
    untrainedSteps: a.untrainedSteps + b.untrainedSteps,
    frozen: a.frozen + b.frozen,
    observation: {
      sum: added(a.observation.sum, b.observation.sum),
      squares: added(a.observation.squares, b.observation.squares),
      same: added(a.observation.same, b.observation.same),
      smooth: added(a.observation.smooth, b.observation.smooth),
      glitches: added(a.observation.glitches, b.observation.glitches),
    },
  };
}

function addEnds(a: EndFigures, b: EndFigures): EndFigures {
  return {
    ended: a.ended + b.ended,
    decided: a.decided + b.decided,
    timeLimit: a.timeLimit + b.timeLimit,
    cut: a.cut + b.cut,
    helped: a.helped + b.helped,
    paid: a.paid + b.paid,
    atOnce: (a.atOnce ?? 0) + (b.atOnce ?? 0),
    decidedSteps: a.decidedSteps + b.decidedSteps,
    longestDecided: Math.max(a.longestDecided, b.longestDecided),
  };
}

function added(a: readonly number[], b: readonly number[]): number[] {
  return b.map((value, i) => value + (a[i] ?? 0));
}

type Counts = readonly RewardCount[] | null;

function addCounts(a: Counts, b: Counts): Counts {
  if (a === null || b === null) return null;
  const counts = new Map(a);
  for (const [reward, steps] of b) counts.set(reward, (counts.get(reward) ?? 0) + steps);
  return counts.size > FEW_REWARDS ? null : [...counts];
}
