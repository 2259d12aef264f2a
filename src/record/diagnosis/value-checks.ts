/** Checks of the critics' values: are they believable? */
import type { Check, Limit, Measure } from './check.ts';
import type { Facts } from './facts.ts';

const LEAST_PAIRS = 60;

const TOO_HIGH: Limit = {
  what: 'mean of Q less what was realised, as a share of the largest return',
  unit: '%',
  side: 'above',
  warn: 0.3,
  bad: 0.6,
  healthy: 0.09,
};
const BEYOND: Limit = {
  what: 'mean of Q beyond the best that rewards allow, as a share of their range',
  unit: '%',
  side: 'above',
  warn: 0.05,
  bad: 0.2,
  healthy: 0,
};

export const VALUES_HIGH: Check = {
  id: 'q-high',
  title: 'Q is too high',
  about:
    'Critics that promise more than episodes return send the policy to where they are wrong. Q of steps whose episode has ended is held against the discounted return from there; and no Q can lie above the largest reward for ever, r/(1 − γ).',
  limits: [TOO_HIGH, BEYOND],
  remedy:
    'Keep layerNorm: true, take the least of more critics (critics, criticSubset, criticAggregation: min), lower learningRateCritic and targetRate, set gradientClip; with offline data begin with a pessimistic algorithm (wsrl). Terminal steps must say terminated, not truncated.',
  judge: (facts) => {
    const measures = [...againstReturns(facts), ...beyond(facts, 'above')];
    if (measures.length === 0) return NOT_YET;
    return { measures, sentence: sentenceOf(facts) };
  },
};

const TOO_LOW: Limit = {
  what: 'mean of Q below the worst that rewards allow, as a share of their range',
  unit: '%',
  side: 'above',
  warn: 0.1,
  bad: 0.3,
  healthy: 0.06,
};
const FALLEN: Limit = {
  what: 'fall of the mean of Q from its peak, of rewards that are never negative',
  unit: '%',
  side: 'above',
  warn: 0.5,
  bad: 0.7,
  healthy: 0.41,
  source:
    'a falling mean of Q on the data is the sign of overfitting in the workflow of Kumar et al., https://arxiv.org/abs/2109.10813',
};
/** Smallest peak, as a share of the largest reward. */
const PEAK = 0.1;

export const VALUES_COLLAPSED: Check = {
  id: 'q-collapsing',
  title: 'Q collapses',
  about:
    'Values that were found and fall again have lost what paid: the reward stopped coming, good data were pushed out of replay, or the critics fit noise. Values below anything that rewards allow come from targets that run away.',
  limits: [FALLEN, TOO_LOW],
  remedy:
    'See first whether rewards still come. Keep demonstrations in every batch (demoFraction 0.5), a larger replayCapacity, a lower learningRateCritic; go back to the checkpoint before the fall.',
  judge: (facts) => {
    const measures = [...fallen(facts), ...beyond(facts, 'below')];
    if (measures.length === 0) return NOT_YET;
    return { measures, sentence: sentenceOf(facts) };
  },
};

const NOT_YET = { unknown: 'No critics, no updates, or too few finished episodes yet.' };

function againstReturns({ calibration }: Facts): Measure[] {
  if (calibration.length < LEAST_PAIRS) return [];
  const largest = Math.max(...calibration.map(([, realised]) => Math.abs(realised)));
  const excess = meanOf(calibration.map(([q, realised]) => q - realised));
  return largest === 0 ? [] : [[TOO_HIGH, excess / largest]];
}

/** Reward range as learned by the critics. */
function learnedRewards({ all, demonstrations, setup }: Facts): { least: number; most: number } | undefined {
  const asked = setup?.learner;
  if (!asked || all === undefined) return undefined;
  const learned = (reward: number): number => asked.rewardScale * reward + asked.rewardShift;
  return {
    least: learned(Math.min(all.reward.least, demonstrations?.reward.least ?? Number.POSITIVE_INFINITY)),
    most: learned(Math.max(all.reward.most, demonstrations?.reward.most ?? Number.NEGATIVE_INFINITY)),
  };
}

function beyond(facts: Facts, side: 'above' | 'below'): Measure[] {
  const last = facts.updates.at(-1);
  const rewards = learnedRewards(facts);
  const asked = facts.setup?.learner;
  if (!last || last.qMean === null || !rewards || !asked || asked.discount === 1) return [];
  const horizon = 1 / (1 - asked.discount);
  const highest = Math.max(0, rewards.most) * horizon;
  const lowest = Math.min(0, rewards.least) * horizon;
  // With an entropy bonus in the target, values include it.
  const bonus = Math.abs((last.temperature ?? 0) * (last.entropy ?? 0)) * horizon;
  const range = Math.max(highest - lowest, Number.EPSILON);
  const excess = side === 'above' ? last.qMean - highest - bonus : lowest - bonus - last.qMean;
  return [[side === 'above' ? BEYOND : TOO_LOW, Math.max(0, excess / range)]];
}

function fallen(facts: Facts): Measure[] {
  const rewards = learnedRewards(facts);
  const values = facts.updates.flatMap(({ qMean }) => (qMean === null ? [] : [qMean]));
  if (rewards === undefined || rewards.least < 0 || values.length < 3) return [];
  const peak = Math.max(...values);
  if (peak < PEAK * rewards.most) return [];
  return [[FALLEN, (peak - values.at(-1)!) / peak]];
}

function sentenceOf({ updates, calibration }: Facts): string {
  const q = updates.at(-1)?.qMean;
  const mean = q === undefined || q === null ? '' : `The mean of Q is ${q.toPrecision(3)}`;
  if (calibration.length < LEAST_PAIRS) return `${mean}; too few episodes were ended by the task to compare.`;
  const [expected, realised] = [0, 1].map((i) => meanOf(calibration.map((pair) => pair[i]!)).toPrecision(3));
  return `${mean}; of the last ${calibration.length} steps of finished episodes it was ${expected}, they returned ${realised}.`;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const OVERFIT: Limit = {
  what: 'fall of Q on the demonstrations from its peak in offline training, as a share of their return',
  unit: '%',
  side: 'above',
  warn: 0.8,
  bad: 1.5,
  healthy: 0.47,
  source: 'Kumar et al., https://arxiv.org/abs/2109.10813: the mean of Q on the data rises, then falls',
};
const UNDERFIT: Limit = {
  what: 'loss at the end of training before the robot moves, as a share of the loss at its beginning',
  unit: '%',
  side: 'above',
  warn: 0.85,
  bad: 0.95,
  healthy: 0.73,
  source: 'Kumar et al., https://arxiv.org/abs/2109.10813: a loss that stays high is a model that does not fit',
};
const OFF: Limit = {
  what: 'Q on the demonstrations, away from what they returned, as a share of it, after training with them',
  unit: '%',
  side: 'above',
  warn: 1,
  bad: 2,
  healthy: 0.75,
};
const LEAST_LINES = 4;

export const OFFLINE_FIT: Check = {
  id: 'offline-fit',
  title: 'Offline data are over- or underfitted',
  about:
    'The workflow of Kumar et al. for offline training: the mean of Q on the data rises and stays; where it falls again, the critics overfit; a loss that does not fall, or a Q far from what the data returned, is a fit that is not there. Of cloning there is only the loss.',
  limits: [OVERFIT, UNDERFIT, OFF],
  remedy:
    'Overfitted: stop at the peak (fewer wsrl.offlineUpdates, bcInitSteps), smaller networks, weightDecay, more data. Underfitted: larger networks, a higher learning rate, more updates; check that observations are normalised and demonstrations agree.',
  judge: (facts) => {
    const measures = [
      ...ofPretraining(facts, 'cloning'),
      ...ofPretraining(facts, 'offline'),
      ...ofDemonstrations(facts),
    ];
    if (measures.length === 0)
      return { unknown: 'Nothing was trained offline, or its demonstrations’ returns are not known.' };
    const last = facts.values.at(-1) ?? facts.pretraining.at(-1);
    const values =
      last?.demonstrationQ == null || last.demonstrationReturn == null
        ? ''
        : ` Q on the demonstrations is ${last.demonstrationQ.toPrecision(2)}, they returned ${last.demonstrationReturn.toPrecision(2)}.`;
    const losses = lossesOf(facts.pretraining);
    const loss =
      losses.length === 0
        ? ''
        : ` The loss went from ${losses[0]!.toPrecision(2)} to ${losses.at(-1)!.toPrecision(2)}.`;
    return { measures, sentence: `${loss}${values}`.trim() };
  },
};

function ofPretraining({ pretraining }: Facts, phase: 'cloning' | 'offline'): Measure[] {
  const lines = pretraining.filter((line) => line.phase === phase);
  if (lines.length < LEAST_LINES) return [];
  const last = lines.at(-1)!;
  const losses = lossesOf(lines);
  const [from = 0, to = 0] = [losses[0], losses.at(-1)];
  const measures: Measure[] = phase === 'cloning' && from > 0 ? [[UNDERFIT, to / from]] : [];
  const scale = Math.abs(last.demonstrationReturn ?? 0);
  if (last.demonstrationQ === null || scale === 0) return measures;
  const peak = Math.max(...lines.map(({ demonstrationQ }) => demonstrationQ ?? Number.NEGATIVE_INFINITY));
  return [...measures, [OVERFIT, (peak - last.demonstrationQ) / scale]];
}

function lossesOf(lines: Facts['pretraining']): number[] {
  return lines.flatMap(({ loss }) => (loss === null ? [] : [loss]));
}

function ofDemonstrations({ values, setup, updates }: Facts): Measure[] {
  const last = values.at(-1);
  const asked = setup?.learner;
  if (!last || !asked || (updates.at(-1)?.update ?? 0) < 2000) return [];
  const scale = Math.abs(last.demonstrationReturn);
  return scale === 0 ? [] : [[OFF, Math.abs(last.demonstrationQ - last.demonstrationReturn) / scale]];
}
