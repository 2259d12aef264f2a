/** Checks of rewards: is there one, does it mean what it should, and is there time to earn it? */
import { counted } from '../../model/index.ts';
import type { Check, Evidence, Limit, Measure } from './check.ts';
import type { Facts, Failing } from './facts.ts';
import type { RewardCount, StepFigures } from './step-figures.ts';

/** Minimum numbers of steps and episodes for a result. */
const LEAST_STEPS = 400;
const LEAST_EPISODES = 10;
const LEAST_DEMONSTRATIONS = 3;
/** Without demonstrations, the time limit ends most of the first episodes. */
const LEAST_CUT_EPISODES = 30;
/** With a shorter time limit, two steps may be all that a task needs. */
const ROOMY_STEPS = 10;

const DRY: Limit = {
  what: 'training episodes in a row without reward',
  unit: 'episodes',
  side: 'above',
  warn: 12,
  bad: 25,
  healthy: 0,
};

const FAILING: Limit = {
  what: 'training episodes in a row without success, of a reward with few values',
  unit: 'episodes',
  side: 'above',
  warn: 12,
  bad: 25,
  healthy: 0,
};
const ASTRAY: Limit = {
  what: 'training episodes in a row without success, of a graded reward',
  unit: 'episodes',
  side: 'above',
  warn: 35,
  bad: 50,
  healthy: 28,
};

export const REWARD_NEVER: Check = {
  id: 'reward-never',
  title: 'Reward or success is never seen',
  about:
    'Every value that the critics learn comes from a reward. A sparse one that no episode reaches leaves nothing to learn from, and a graded one, paid for the way, leads nowhere where success cannot be reached. Counted over at least 400 steps; an episode is rewarded where a step paid more than the least reward of the run; of a reward with four values at most, more than 0 once anything was.',
  limits: [DRY, FAILING, ASTRAY],
  remedy:
    'Solve the task by hand and watch reward and success: if they stay the same, mend the success rule (its unit, its place, whether the robot gets there) or the classifier. If they come, bring the robot there: demonstrations, more interventions early on, an easier start, a longer time limit. A graded reward whose return still rises may only need more steps.',
  judge: ({ recent, all, demonstrations, failing }) => {
    if (recent === undefined || all === undefined || recent.ends.ended === 0) return TOO_EARLY;
    const { dryEpisodes, drySteps } = recent;
    const without = failing.steps < LEAST_STEPS ? 0 : failing.episodes;
    const shown = demonstrations?.ends;
    const inDemonstrations =
      shown === undefined || shown.ended === 0
        ? ''
        : ` Demonstrations that were rewarded: ${shown.paid} of ${shown.ended}.`;
    const rewarded =
      drySteps === 0 || dryEpisodes === 0
        ? `The newest training episode was rewarded; ${recent.ends.paid} of the last ${recent.ends.ended} were.`
        : `No reward in the last ${counted(dryEpisodes, 'training episode')} (${counted(drySteps, 'step')}).`;
    const failed =
      failing.episodes <= dryEpisodes
        ? ''
        : ` No success in the last ${counted(failing.episodes, 'training episode')} (${counted(failing.steps, 'step')}).`;
    return {
      measures: [
        [DRY, drySteps < LEAST_STEPS ? 0 : dryEpisodes],
        [all.reward.values === null ? ASTRAY : FAILING, without],
      ],
      ...(without === 0 ? {} : { beside: returnsOf(failing) }),
      sentence: `${rewarded}${failed}${inDemonstrations}`,
    };
  },
};

/** Trend of the returns of episodes without success: older and newer half. */
function returnsOf({ returns }: Failing): Evidence[] {
  const half = Math.floor(returns.length / 2);
  const [before, now] = [returns.slice(0, half), returns.slice(half)].map(
    (part) => part.reduce((sum, value) => sum + value, 0) / Math.max(1, part.length),
  );
  return [
    { what: 'mean return of the newest episodes without success, older half', unit: '', value: before! },
    { what: 'the same, newer half', unit: '', value: now! },
  ];
}

const AT_RESET: Limit = {
  what: 'episodes whose first step is rewarded already',
  unit: '%',
  side: 'above',
  warn: 0.15,
  bad: 0.3,
  healthy: 0,
};
const IN_MOST_STEPS: Limit = {
  what: 'steps that are rewarded, of a reward with few values',
  unit: '%',
  side: 'above',
  warn: 0.5,
  bad: 0.9,
  healthy: 0.06,
};
const AT_ONCE: Limit = {
  what: 'episodes that the task ended within their first two steps',
  unit: '%',
  side: 'above',
  warn: 0.6,
  bad: 0.8,
  healthy: 0.44,
};
const UNPAID: Limit = {
  what: 'demonstrations that were not rewarded',
  unit: '%',
  side: 'above',
  warn: 0.2,
  bad: 0.5,
  healthy: 0,
};
const DISAGREED: Limit = {
  what: 'episodes that a person, or the task’s own rules beside a classifier, judged otherwise',
  unit: '%',
  side: 'above',
  warn: 0.05,
  bad: 0.1,
  source: 'chosen, not measured',
};

export const REWARD_SUSPICIOUS: Check = {
  id: 'reward-suspicious',
  title: 'Reward or classifier is suspicious',
  about:
    'A policy learns what is rewarded, not what was meant. A reward that comes at the reset, in every step, against a person’s verdict, or not in demonstrations that solve the task is not the task’s; nor is an end, success or failure, that comes before anything was done. The first two are asked of rewards with four values at most, the third where the time limit is 10 steps or more. The least reward is what does not pay, unless it is one for failing: given in no more steps than episodes were decided, or below 0 where others are above.',
  limits: [AT_RESET, IN_MOST_STEPS, AT_ONCE, UNPAID, DISAGREED],
  remedy:
    'Look at the episodes that were rewarded. Of a rule: its thresholds, and what is measured before the first motion. Of a classifier: collect its false positives, above all from the start pose, label them as failures and train it again.',
  judge: (facts) => {
    const measures = [...ofTraining(facts), ...ofDemonstrations(facts), ...ofJudges(facts)];
    if (measures.length === 0) return TOO_EARLY;
    const clauses = measures.map(([{ what }, value]) => `${what}: ${(100 * value).toFixed(0)} %`);
    return { measures, sentence: `${clauses.join('; ')}.` };
  },
};

function ofTraining({ all, setup }: Facts): Measure[] {
  if (all === undefined || setup === undefined || all.steps < LEAST_STEPS || all.ends.ended < LEAST_EPISODES) return [];
  const { ends, reward } = all;
  const atOnce: Measure[] = setup.maxSteps < ROOMY_STEPS ? [] : [[AT_ONCE, (ends.atOnce ?? 0) / ends.ended]];
  const { values, firstValues } = reward;
  if (values === null || firstValues === null) return atOnce;
  const unpaid = unpaidOf(all, values);
  return [
    [AT_RESET, paid(firstValues, unpaid) / total(firstValues)],
    [IN_MOST_STEPS, paid(values, unpaid) / total(values)],
    ...atOnce,
  ];
}

function ofDemonstrations({ demonstrations }: Facts): Measure[] {
  if (demonstrations === undefined || demonstrations.ends.ended < LEAST_DEMONSTRATIONS) return [];
  if (demonstrations.reward.values === null) return [];
  return [[UNPAID, 1 - demonstrations.ends.paid / demonstrations.ends.ended]];
}

function ofJudges({ judged }: Facts): Measure[] {
  if (judged.length < LEAST_EPISODES) return [];
  return [[DISAGREED, judged.filter(([rewarded, other]) => rewarded !== other).length / judged.length]];
}

/** Reward that does not pay; see `about`. If there is a single reward value, it pays if above zero. */
function unpaidOf({ reward, ends }: StepFigures, values: readonly RewardCount[]): number {
  const { least, most } = reward;
  if (least === most) return Math.min(0, least);
  const isPenalty = values.some(([value, steps]) => value === least && steps <= ends.decided);
  const others = values.flatMap(([value]) => (value > least ? [value] : []));
  const lowest = isPenalty ? Math.min(...others) : least;
  return most > 0 ? Math.max(0, lowest) : lowest;
}

function paid(counts: readonly RewardCount[], least: number): number {
  return total(counts.filter(([reward]) => reward > least));
}

function total(counts: readonly RewardCount[]): number {
  return counts.reduce((sum, [, steps]) => sum + steps, 0);
}

const NEEDED: Limit = {
  what: 'mean length of demonstrations, as a share of the time limit',
  unit: '%',
  side: 'above',
  warn: 0.6,
  bad: 0.8,
  healthy: 0.32,
};
const CUT: Limit = {
  what: 'training episodes that the time limit ended, of a task that ends its episodes itself',
  unit: '%',
  side: 'above',
  warn: 0.95,
  healthy: 0.9,
};

export const TIME_LIMIT: Check = {
  id: 'time-limit',
  title: 'Time limit is too short',
  about:
    'A policy that learns is slower than a demonstration. Where it is cut before it can succeed, it never sees the reward; and every episode that only the limit ends says nothing of the end.',
  limits: [NEEDED, CUT],
  remedy:
    'Raise maxSteps of the task to twice what a demonstration takes, or start nearer to the goal. Where the limit is right, the policy is what fails: see the rows above.',
  judge: ({ recent, demonstrations, setup, all }) => {
    if (setup === undefined) return TOO_EARLY;
    const measures: Measure[] = [];
    const shown = demonstrations?.ends;
    if (shown !== undefined && shown.decided >= LEAST_DEMONSTRATIONS) {
      measures.push([NEEDED, shown.decidedSteps / shown.decided / setup.maxSteps]);
    }
    const isDecidable = (all?.ends.decided ?? 0) + (shown?.decided ?? 0) > 0;
    if (isDecidable && recent !== undefined && recent.ends.ended >= LEAST_CUT_EPISODES) {
      measures.push([CUT, recent.ends.timeLimit / recent.ends.ended]);
    }
    if (measures.length === 0)
      return { unknown: 'No episode has been decided by the task yet, and no demonstration shows how long it takes.' };
    const clauses = measures.map(([{ what }, value]) => `${what}: ${(100 * value).toFixed(0)} %`);
    return { measures, sentence: `The limit is ${setup.maxSteps} steps; ${clauses.join('; ')}.` };
  },
};

const WORTH: Limit = {
  what: 'what a reward at the end of a demonstration, or of an episode that the task ended, is worth at its beginning',
  unit: '%',
  side: 'below',
  warn: 0.001,
  bad: 0.000_01,
  healthy: 0.56,
  source: 'HIL-SERL’s discount of 0.97 over episodes of 200 steps leaves 0.2 %',
};

export const DISCOUNT: Check = {
  id: 'discount',
  title: 'Discount does not reach back to the start',
  about:
    'Critics learn what is still to come, less the longer it takes: γ to the number of steps. Where a reward at the end is worth nothing at the start, no action there is better than another. Asked of rewards with four values at most; one that pays for the way needs no such reach.',
  limits: [WORTH],
  remedy:
    'Raise discount to 1 − 1/n or above, n steps of a demonstration, or make episodes shorter: fewer steps a second (policyHz), a start nearer to the goal.',
  judge: ({ setup, all, demonstrations }) => {
    const asked = setup?.learner;
    if (!asked) return { unknown: 'The run has no learner.' };
    const known = [demonstrations, all].find((figures) => (figures?.ends.decided ?? 0) >= LEAST_DEMONSTRATIONS);
    if (known === undefined) return { unknown: 'No episode or demonstration has been decided by the task yet.' };
    if (known.reward.values === null) return { unknown: 'The reward is graded: it pays for the way too.' };
    const steps = known.ends.decidedSteps / known.ends.decided;
    const sentence = `They take ${steps.toFixed(0)} steps, and the discount is ${asked.discount}: it looks ${(1 / (1 - asked.discount)).toPrecision(2)} steps ahead.`;
    return { measures: [[WORTH, asked.discount ** steps]], sentence };
  },
};

const TOO_EARLY = { unknown: 'Not recorded, or too few episodes yet.' };
