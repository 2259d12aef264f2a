/** Checks of actions: do the policy's actions reach the robot, and do they vary? */
import type { Check, Limit, Measure } from './check.ts';

const LEAST_STEPS = 200;
const TOO_EARLY = { unknown: 'Too few steps by the policy yet.' };

const STANDS: Limit = {
  what: 'steps in which the robot was asked to move and did not',
  unit: '%',
  side: 'above',
  warn: 0.25,
  bad: 0.5,
  healthy: 0.02,
};
const CUT: Limit = {
  what: 'episodes that a stop or a fault cut',
  unit: '%',
  side: 'above',
  warn: 0.2,
  bad: 0.5,
  healthy: 0.1,
};
const MOVING: Limit = {
  what: 'time in which steps were made',
  unit: '%',
  side: 'below',
  warn: 0.2,
  bad: 0.05,
  source: 'HIL-SERL resets for 5 s after episodes of up to 20 s (LeRobot’s defaults), which is 80 %',
};
const LEAST_EPISODES = 10;

export const STANDING: Check = {
  id: 'robot-stopped',
  title: 'Robot is mostly stopped',
  about:
    'Nothing is learned while the robot stands: after stops that wait for a person, in resets, in front of a limit that lets nothing through.',
  limits: [STANDS, CUT, MOVING],
  remedy:
    'Look at what the last episodes were cut by (the report’s episodes, the events). Acknowledge and mend the fault; widen the workspace or raise the limit that it stands at; make resets shorter.',
  judge: ({ recent, movingShare }) => {
    if (recent === undefined || recent.steps < LEAST_STEPS) return TOO_EARLY;
    const { steps, standing, ends } = recent;
    const measures: Measure[] = [[STANDS, standing / steps]];
    if (ends.ended >= LEAST_EPISODES) measures.push([CUT, ends.cut / ends.ended]);
    if (movingShare !== undefined) measures.push([MOVING, movingShare]);
    const sentence = `It stood in ${standing} of the last ${steps} steps, and ${ends.cut} of ${ends.ended} episodes were cut.`;
    return { measures, sentence };
  },
};

const CHANGED: Limit = {
  what: 'ticks whose command the safety chain changed, mean over the last steps',
  unit: '%',
  side: 'above',
  warn: 0.3,
  bad: 0.6,
  healthy: 0.19,
};

/** Mean square of a request below which nothing is requested: a tenth of the range. */
const LEAST_ASKED = 0.01;
const DONE: Limit = {
  what: 'what was executed of what was asked for',
  unit: '%',
  side: 'below',
  warn: 0.65,
  bad: 0.45,
  healthy: 0.82,
};

export const FILTERS: Check = {
  id: 'filters',
  title: 'Filters change most actions',
  about:
    'Critics learn on what was executed. Where the safety chain changes nearly everything, or the robot is too slow for what is asked of it, most of what the policy tries comes to the same, and it cannot tell its actions apart.',
  limits: [CHANGED, DONE],
  remedy:
    'See in the report which stage acts. Make the action’s scale smaller than speed and acceleration allow in a step, widen the limit if the robot’s data sheet lets you, or deduct filterActivityCost from the reward.',
  judge: ({ recent }) => {
    if (recent === undefined || recent.steps < LEAST_STEPS) return TOO_EARLY;
    const { steps, changed, askedSquares = 0, askedExecuted = 0 } = recent;
    const share = changed / steps;
    // A policy that holds still requests nothing.
    const asksEnough = askedSquares > LEAST_ASKED * steps;
    const done = asksEnough
      ? `, and ${((100 * askedExecuted) / askedSquares).toFixed(0)} % of what was asked was done`
      : '';
    return {
      measures: [[CHANGED, share], ...(asksEnough ? [[DONE, askedExecuted / askedSquares] as const] : [])],
      sentence: `Of the ticks of the last ${steps} steps ${(100 * share).toFixed(1)} % were changed${done}.`,
    };
  },
};

const AT_ENDS: Limit = {
  what: 'policy steps at an end of the range, in the number of the action that is there least',
  unit: '%',
  side: 'above',
  warn: 0.85,
  bad: 0.95,
  healthy: 0.72,
};

export const SATURATED: Check = {
  id: 'saturated',
  title: 'Actions are saturated',
  about:
    'A policy that asks for the ends of all its ranges has left the region in which its gradient means anything: tanh is nearly flat where |a| ≥ 0.9. One number of several may well be at its end, and to and fro between both may be right for a task that wants all speed there is.',
  limits: [AT_ENDS],
  remedy:
    'Lower learningRateActor, set gradientClip, and look at values that explode and at observations that are not normalised. If the robot is too slow to get anywhere, raise the action’s scale.',
  judge: ({ recent }) => {
    if (recent === undefined || recent.policySteps < LEAST_STEPS) return TOO_EARLY;
    const shares = recent.atLow.map((low, i) => (low + recent.atHigh[i]!) / recent.policySteps);
    const shown = shares.map((share) => `${(100 * share).toFixed(0)} %`).join(', ');
    return {
      measures: [[AT_ENDS, Math.min(...shares)]],
      sentence: `At an end of its range: ${shown} of the policy’s steps, number by number.`,
    };
  },
};

const GONE: Limit = {
  what: 'entropy of the policy below the target, per number of the action',
  unit: 'nats',
  side: 'above',
  warn: 4.5,
  bad: 6,
  healthy: 4,
};
const HOT: Limit = {
  what: 'temperature, as a multiple of where it began',
  unit: '×',
  side: 'above',
  warn: 5,
  bad: 20,
  healthy: 1.1,
};
const NARROW: Limit = {
  what: 'entropy of the policy, per number of the action',
  unit: 'nats',
  side: 'below',
  warn: -5,
  bad: -7,
  healthy: -4.5,
};

export const ENTROPY: Check = {
  id: 'entropy',
  title: 'Entropy is gone, or its target cannot be reached',
  about:
    'Without entropy the policy tries nothing new. A temperature that grows without end says that the target asks for more than there is: a number in [−1, 1] has ln 2 = 0.69 nats at most.',
  limits: [GONE, NARROW, HOT],
  remedy:
    'Set targetEntropyPerDimension to −0.5 (−1 for one or two numbers), initialTemperature to 0.01 for a sparse reward. If the entropy fell at once, lower learningRateActor, and weaken or shorten cloning.',
  judge: ({ updates, setup }) => {
    const last = updates.at(-1);
    const asked = setup?.learner;
    if (last === undefined || setup === undefined || !asked) return { unknown: 'No learner, or no update yet.' };
    if (last.entropy === null) return { unknown: `${asked.algorithm} has no entropy.` };
    const entropy = last.entropy / setup.actionSize;
    const measures: Measure[] = [
      [GONE, asked.entropyTarget - entropy],
      [NARROW, entropy],
    ];
    if (last.temperature !== null) {
      measures.push([HOT, last.temperature / asked.initialTemperature]);
    }
    const sentence = `${entropy.toFixed(2)} nats per number of the action, the target is ${asked.entropyTarget}; the temperature is ${last.temperature?.toPrecision(2) ?? 'fixed'}.`;
    return { measures, sentence };
  },
};
