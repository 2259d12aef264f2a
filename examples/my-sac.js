/**
 * An algorithm of your own, named by my-sac.yaml: SAC whose actor also pays for the size of its actions,
 * L = mean of α·log π(a|s) − Q(s, a) + effortCost·a². What is not said here is SAC's.
 */
import { defineAlgorithm } from 'rein';
import {
  actorLoss,
  actorOptimiser,
  add,
  alphaOf,
  critics,
  entropyOf,
  gaussianActor,
  mul,
  reduceMean,
  reportActor,
  sac,
  sampleTanhGaussian,
  square,
  stopGradient,
  updateTemperature,
} from 'rein/learner';

/** One update of the actor on a batch, and of the temperature after it. */
function updateActor(step, effortCost) {
  const { config, actionSize } = step.spec;
  const { mean, logStd } = gaussianActor(step.online('actor'), step.policyInput('observation'));
  const { action, logProbability } = sampleTanhGaussian(
    mean,
    logStd,
    step.normal('noise', [step.batchSize, actionSize]),
  );
  const values = critics(step.online('critic'), stopGradient(step.criticInput('observation')), action);
  const alpha = alphaOf(step);
  const { loss, value } = actorLoss(logProbability, values, alpha, config.criticAggregation);
  const effort = reduceMean(square(action));
  step.minimise('actor', add(loss, mul(effort, effortCost)), actorOptimiser(config));
  const entropy = entropyOf(logProbability);
  updateTemperature(step, entropy);
  reportActor(step, { loss, entropy, alpha, value });
}

export default defineAlgorithm({
  name: 'my sac',
  options: { parse: ({ effortCost = 0.01 }) => ({ effortCost: Number(effortCost) }) },
  create: ({ effortCost }) => ({
    ...sac,
    name: 'my sac',
    update: { ...sac.update, outer: (step) => updateActor(step, effortCost) },
  }),
});
