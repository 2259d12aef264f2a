/** Checks of human input: demonstrations and help. */
import { wilsonInterval } from '../../model/index.ts';
import type { Check, Limit } from './check.ts';

const LEAST_STEPS = 400;
const LEAST_EPISODES = 12;
const LEAST_PAIRS = 20;

const GIVEN: Limit = {
  what: 'demonstrations given, of those asked for',
  unit: '%',
  side: 'below',
  warn: 1,
  bad: 0.5,
  source: 'the task’s `demonstrations`; judged as bad once training steps are made',
};

export const DEMONSTRATIONS_MISSING: Check = {
  id: 'demonstrations-missing',
  title: 'Demonstrations are missing',
  about:
    'A learner that was promised demonstrations waits for them, or learns a sparse reward without knowing where it is.',
  limits: [GIVEN],
  remedy:
    'Give them: --operator scripted in simulation, --operator keyboard or another device on a robot. To learn without, set demonstrations: 0 in the task, and expect a sparse reward to take many times as long.',
  judge: ({ setup, demonstrations, all }) => {
    if (setup === undefined) return { unknown: 'Not recorded.' };
    const asked = setup.demonstrations;
    if (asked === 0) return { unknown: 'No demonstrations were asked for, or an earlier start had them.' };
    const given = demonstrations?.ends.ended ?? 0;
    const share = Math.min(1, given / asked);
    const sentence = `${given} of ${asked} demonstrations were given.`;
    // Demonstrations still to come are not missing before training has begun.
    const hasBegun = (all?.steps ?? 0) > 0;
    return { measures: [[GIVEN, hasBegun ? share : Math.max(share, GIVEN.bad!)]], sentence };
  },
};

const OPPOSED: Limit = {
  what: 'near pairs of steps of two demonstrations with opposite actions, lower end of the 95 % interval',
  unit: '%',
  side: 'above',
  warn: 0.2,
  bad: 0.25,
  healthy: 0.18,
};

export const DEMONSTRATIONS_CONTRADICT: Check = {
  id: 'demonstrations-contradict',
  title: 'Demonstrations contradict each other',
  about:
    'A policy that imitates two opposite actions at one place does neither. Up to 384 steps, evenly spaced, are each paired with the nearest of another demonstration; of pairs whose states differ by less than 0.6 standard deviations it is asked whether the actions go opposite ways (cosine below −0.5). A person who demonstrates by what the policy cannot see contradicts themselves a little.',
  limits: [OPPOSED],
  remedy:
    'Delete the demonstrations that were shown another way, or with an axis turned round; show one way only, without pauses and detours. If both ways are right, observe what decides between them.',
  judge: ({ contradiction }) => {
    if (contradiction === undefined || contradiction.pairs < LEAST_PAIRS) {
      return { unknown: 'There are not enough demonstrations to compare.' };
    }
    const { pairs, opposed } = contradiction;
    const { low } = wilsonInterval(opposed, pairs);
    return { measures: [[OPPOSED, low]], sentence: `${opposed} of ${pairs} near pairs go opposite ways.` };
  },
};

const TURNED: Limit = {
  what: 'what an action does to the state in demonstrations and in training, cosine, of the number of the action where it is least',
  unit: '',
  side: 'below',
  warn: 0.5,
  bad: 0.2,
  healthy: 0.75,
};
const LARGER: Limit = {
  what: 'how much more or less it does in demonstrations, of the number of the action where that is most',
  unit: '×',
  side: 'above',
  warn: 2.5,
  bad: 3.5,
  healthy: 1.75,
};

export const DEMONSTRATIONS_OTHERWISE: Check = {
  id: 'demonstrations-otherwise',
  title: 'Demonstrations move otherwise than the robot',
  about:
    'A policy that imitates actions recorded with an axis turned round, in another order or unit, or at another rate does not do what was shown. The change of the state is explained by the actions of a step and the step before, by least squares, in demonstrations and in training: the same action should do the same in both. Asked of numbers of the action whose effect is at least five standard errors.',
  limits: [TURNED, LARGER],
  remedy:
    'Replay a demonstration on the robot and watch it. Look for an axis whose sign was changed, joints in another order, another scale of the action or another policyHz than when it was recorded; record anew, or turn the actions round in what was recorded.',
  judge: ({ answers = [], all }) => {
    const known = answers.flatMap((answer, number) => (answer === null ? [] : [{ number, answer }]));
    if (known.length === 0 || (all?.steps ?? 0) < LEAST_STEPS)
      return { unknown: 'No demonstrations, or too few steps to compare them with.' };
    const unlike = ({ answer: [, ratio] }: (typeof known)[number]): number => Math.max(ratio, 1 / ratio);
    const turned = known.reduce((a, b) => (b.answer[0] < a.answer[0] ? b : a));
    const larger = known.reduce((a, b) => (unlike(b) > unlike(a) ? b : a));
    const sentence = `Number ${turned.number} of the action does the same to ${turned.answer[0].toFixed(2)} (1: the same, −1: the opposite), number ${larger.number} does ${larger.answer[1].toPrecision(2)} times as much in demonstrations.`;
    return {
      measures: [
        [TURNED, turned.answer[0]],
        [LARGER, unlike(larger)],
      ],
      sentence,
    };
  },
};

/** Help may dominate the first minutes: at ten steps a second this is nearly two. */
const LEAST_HELPED_STEPS = 1000;

const HELPED: Limit = {
  what: 'steps of the last blocks that people or the script decided',
  unit: '%',
  side: 'above',
  warn: 0.5,
  bad: 0.8,
  healthy: 0.2,
};

export const HELP_TOO_MUCH: Check = {
  id: 'interventions-many',
  title: 'Interventions are too many',
  about:
    'Critics learn what the policy is worth from what the policy does. Where a person drives most of the time, its own mistakes are never seen, and their values stay guesses. Asked after 1000 steps: at first a person may well do most.',
  limits: [HELPED],
  remedy:
    'Let the policy try for 20 to 30 steps before correcting it (HIL-SERL’s guide), correct briefly, and give it back at once.',
  judge: ({ recent }) => {
    if (recent === undefined || recent.steps < LEAST_HELPED_STEPS) return { unknown: 'Too few training steps yet.' };
    const helped = recent.steps - recent.policySteps;
    return {
      measures: [[HELPED, helped / recent.steps]],
      sentence: `${helped} of the last ${recent.steps} steps were helped.`,
    };
  },
};

const FAILED: Limit = {
  what: 'rewarded episodes, without help',
  unit: '%',
  side: 'below',
  warn: 0.2,
  bad: 0.05,
  healthy: 0.23,
  source: 'HIL-SERL’s guide asks for a reward in a third of the early episodes, by help where need be',
};
/** Share of helped episodes above which the failures are attended to. */
const LOOKED_AFTER = 0.1;

export const HELP_RARE: Check = {
  id: 'interventions-rare',
  title: 'Interventions are too rare',
  about:
    'A policy that fails and is left alone fills the buffer with failures. Asked of rewards with four values at most, over the last blocks with 12 episodes or more; a run in which a tenth of the episodes were helped is looked after.',
  limits: [FAILED],
  remedy:
    'Take over where the policy is stuck, and bring it to the reward in a third of the early episodes; help less as it succeeds by itself. Without a person to help: more demonstrations, or an easier start.',
  judge: ({ recent }) => {
    if (recent === undefined || recent.ends.ended < LEAST_EPISODES)
      return { unknown: 'Too few training episodes yet.' };
    if (recent.reward.values === null) return { unknown: 'The reward is graded: it also tells failures apart.' };
    const { ended, paid, helped } = recent.ends;
    const sentence = `${paid} of the last ${ended} episodes were rewarded, ${helped} were helped.`;
    const share = helped / ended > LOOKED_AFTER ? 1 : paid / ended;
    return { measures: [[FAILED, share]], sentence };
  },
};
