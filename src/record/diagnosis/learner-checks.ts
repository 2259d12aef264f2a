/** Checks of the learner: does it keep up, do its weights reach the robot, and are its numbers finite? */
import type { Check, Limit } from './check.ts';

const LEAST_STEPS = 400;

const REACHED: Limit = {
  what: 'updates per step, of those asked for',
  unit: '%',
  side: 'below',
  warn: 0.8,
  bad: 0.5,
  healthy: 0.88,
};

export const LEARNER_BEHIND: Check = {
  id: 'learner-behind',
  title: 'Learner is behind',
  about:
    'Each step pays for `utd` updates. A learner that does fewer uses the robot’s time badly, and the policy acts on outdated weights.',
  limits: [REACHED],
  remedy:
    'Give the learner a machine or a core of its own, lower utd, batchSize or the number of critics, or slow the policy down. rein doctor says what the machine has.',
  judge: ({ all, updates, setup }) => {
    const asked = setup?.learner;
    if (!asked) return { unknown: 'The run has no learner.' };
    const paying = (all?.steps ?? 0) - asked.warmupSteps;
    if (paying < LEAST_STEPS) return { unknown: 'Too few steps after the warm-up yet.' };
    const last = updates.at(-1);
    if (last === undefined)
      return { unknown: 'No figures of the learner are here: see metrics-learner.jsonl in its folder.' };
    const utd = last.update / paying;
    const sentence = `${utd.toFixed(2)} updates per step were reached, ${asked.utd} were asked for.`;
    return { measures: [[REACHED, utd / asked.utd]], sentence };
  },
};

const STALE: Limit = {
  what: 'steps by the same weights, as a multiple of the steps between two versions',
  unit: '×',
  side: 'above',
  warn: 10,
  bad: 30,
  healthy: 1,
};

export const STALE_WEIGHTS: Check = {
  id: 'stale-weights',
  title: 'Weights are stale',
  about:
    'The robot should act with what was learned last. Weights that do not arrive, are refused, or are never published leave it collecting the same failures. Counted from the end of the warm-up on.',
  limits: [STALE],
  remedy:
    'Look whether the learner makes updates (the row above) and publishes (publishEveryUpdates), whether its weights address is reachable from the robot, and whether the robot says why it refused a version.',
  judge: ({ recent, all, setup }) => {
    const asked = setup?.learner;
    if (!asked) return { unknown: 'The run has no learner.' };
    if (recent === undefined || all === undefined || all.steps - asked.warmupSteps < LEAST_STEPS) {
      return { unknown: 'Too few steps after the warm-up yet.' };
    }
    const { stepsOfVersion, policyVersion } = recent;
    const old = Math.min(stepsOfVersion, all.steps - asked.warmupSteps);
    const sentence = `Policy ${policyVersion} has acted for ${stepsOfVersion} steps; a new one is due every ${Math.ceil(asked.publishEverySteps)}.`;
    return { measures: [[STALE, old / Math.max(1, asked.publishEverySteps)]], sentence };
  },
};

const REFUSED: Limit = {
  what: 'training calls whose result was not finite',
  unit: '%',
  side: 'above',
  warn: 0,
  bad: 0.001,
  healthy: 0,
  source: 'a sound training has none',
};

export const NOT_FINITE: Check = {
  id: 'not-finite',
  title: 'Losses are not finite',
  about:
    'A result with NaN or infinity in it is thrown away, and the state from before kept. One may be chance; many are a training that stands still.',
  limits: [REFUSED],
  remedy: 'Look for huge rewards or observations, lower the learning rates, set gradientClip to 10.',
  judge: ({ updates }) => {
    const last = updates.at(-1);
    const first = updates[0];
    if (last?.refused === undefined || first === undefined) return { unknown: 'No update yet, or not recorded.' };
    const perCall = Math.max(1, first.update);
    const calls = Math.max(1, last.update / perCall);
    const sentence = `${last.refused} of about ${Math.round(calls)} training calls were thrown away.`;
    return { measures: [[REFUSED, last.refused / calls]], sentence };
  },
};
