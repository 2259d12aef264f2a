/** Statistics of steps as plain sums: small enough for a line of metrics; those of two blocks can be added. */

/** A reward value and its count. */
export type RewardCount = readonly [reward: number, steps: number];

/** Ends and lengths of episodes. */
export interface EndFigures {
  /** Episodes whose last step is among the steps. */
  readonly ended: number;
  /** Ended by the task or an operator, by the time limit, by something else (a stop, a lost guard). They add up to `ended`. */
  readonly decided: number;
  readonly timeLimit: number;
  readonly cut: number;
  /** Episodes with at least one step of an operator or script. */
  readonly helped: number;
  /** Episodes with a step that paid: more than the least reward of the run; with few reward values more than 0, once one was. */
  readonly paid: number;
  /** Decided within their first two steps. Absent in runs from before it was counted. */
  readonly atOnce?: number;
  /** Steps of all decided episodes together, and of the longest. */
  readonly decidedSteps: number;
  readonly longestDecided: number;
}

/** Per state element of the observations, [O′]. */
export interface ObservationFigures {
  readonly sum: readonly number[];
  readonly squares: readonly number[];
  /** Steps without any change. */
  readonly same: readonly number[];
  /** Steps with a change below a tenth of the element's range in the run so far. */
  readonly smooth: readonly number[];
  /** Steps with a change above half of that range that was undone by the next step. */
  readonly glitches: readonly number[];
}

/** Sums over a block of steps. Rewards as given by the task, actions in [−1, 1]. */
export interface StepFigures {
  readonly steps: number;
  /** Steps decided by the policy; the others by an operator, or a script in their place. */
  readonly policySteps: number;
  readonly ends: EndFigures;
  readonly reward: {
    readonly sum: number;
    readonly least: number;
    readonly most: number;
    /** Count of each value, in all steps and in the first steps of episodes; null if there are more than a few values. */
    readonly values: readonly RewardCount[] | null;
    readonly firstValues: readonly RewardCount[] | null;
  };
  /** Episodes, and steps, since the last step that paid. */
  readonly dryEpisodes: number;
  readonly drySteps: number;
  /** Policy steps in which each element of the requested action, [A], was at −1 and at 1. */
  readonly atLow: readonly number[];
  readonly atHigh: readonly number[];
  /** Sum of the shares of ticks changed by the filters. */
  readonly changed: number;
  /** Steps in which motion was requested and the robot did not move. */
  readonly standing: number;
  /** Sums over action elements: requested squared, and requested times executed. Absent in runs from before they were recorded. */
  readonly askedSquares?: number;
  readonly askedExecuted?: number;
  /** Weights of the last step; number of changes; steps since; policy steps by untrained weights. */
  readonly policyVersion: number;
  readonly versionChanges: number;
  readonly stepsOfVersion: number;
  readonly untrainedSteps: number;
  /** Steps in which the whole state was equal before and after. */
  readonly frozen: number;
  readonly observation: ObservationFigures;
}

/** With more values the reward counts as graded, and its values are not counted one by one. */
export const FEW_REWARDS = 4;

/** Sum of two blocks; `later` follows `earlier`. */
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
