/** Checks of observations: do they change, are they of order one, and are they continuous? */
import type { Check, Limit } from './check.ts';
import type { StepFigures } from './step-figures.ts';

const LEAST_STEPS = 400;
const TOO_EARLY = { unknown: 'Too few training steps yet.' };

const FROZEN: Limit = {
  what: 'steps in which no number of the state changes',
  unit: '%',
  side: 'above',
  warn: 0.4,
  bad: 0.7,
  healthy: 0.01,
};
const CONSTANT: Limit = {
  what: 'numbers of the state that do not change in 95 % of the steps',
  unit: '%',
  side: 'above',
  warn: 0.9,
  healthy: 0.5,
};
const CONSTANT_STEPS = 0.95;

export const OBSERVATION_FROZEN: Check = {
  id: 'observation-constant',
  title: 'Observation is constant',
  about:
    'A policy that sees the same whatever happens can only do the same. A sensor that hangs, a topic without a publisher and a wrong index look like this.',
  limits: [FROZEN, CONSTANT],
  remedy:
    'Move the robot by hand and watch the numbers. Look for a driver that repeats its last reading, a topic without a publisher, an observation part that names the wrong joint; where the robot stands, see that row first.',
  judge: ({ recent }) => {
    if (recent === undefined || recent.steps < LEAST_STEPS || recent.observation.same.length === 0) return TOO_EARLY;
    const { steps, frozen, observation } = recent;
    const constant = observation.same.flatMap((same, i) => (same > CONSTANT_STEPS * steps ? [i] : []));
    const which = constant.length === 0 ? '' : `; numbers that hardly change: ${listed(constant)}`;
    return {
      measures: [
        [FROZEN, frozen / steps],
        [CONSTANT, constant.length / observation.same.length],
      ],
      sentence: `${frozen} of the last ${steps} steps changed nothing in the state${which}.`,
    };
  },
};

const LARGE: Limit = {
  what: 'root mean square of the largest number of the state',
  unit: '',
  side: 'above',
  warn: 40,
  bad: 100,
  healthy: 26,
};

export const OBSERVATION_SCALE: Check = {
  id: 'observation-scale',
  title: 'Observation is not normalised',
  about:
    'Networks begin with weights for numbers of the order of one. A number a hundred times as large drowns the others and saturates the policy. Not asked where the learner normalises (`normaliseObservations`).',
  limits: [LARGE],
  remedy:
    'Give the observation part a unit in which it is of the order of one (the workspace for lengths, the limit for forces), or set normaliseObservations: true.',
  judge: ({ recent, setup }) => {
    if (recent === undefined || recent.steps < LEAST_STEPS || recent.observation.sum.length === 0) return TOO_EARLY;
    if (setup?.learner?.normalisesObservations === true)
      return { unknown: 'The learner normalises observations itself.' };
    const sizes = recent.observation.squares.map((squares) => Math.sqrt(squares / recent.steps));
    const largest = sizes.indexOf(Math.max(...sizes));
    const size = sizes[largest]!;
    return {
      measures: [[LARGE, size]],
      sentence: `Number ${largest} of the state is ${size.toPrecision(2)} large (root mean square).`,
    };
  },
};

const GLITCHES: Limit = {
  what: 'steps in which a number that moves smoothly jumps away by half of its range and back',
  unit: '%',
  side: 'above',
  warn: 0.025,
  bad: 0.04,
  healthy: 0.014,
};
/** Share of steps with a change below a tenth of the range, from which an element counts as smooth. */
const SMOOTH = 0.75;

export const OBSERVATION_GLITCHES: Check = {
  id: 'observation-jumps',
  title: 'Observation jumps',
  about:
    'A reading that leaps away and back within a step is no motion: dropped packets, an estimate that flips, a decoding error. Critics learn that anything may follow anything.',
  limits: [GLITCHES],
  remedy:
    'Plot the number over an episode. Look at its cable, its time-outs and its decoding; filter or reject outliers in the driver rather than in the policy.',
  judge: ({ recent }) => {
    if (recent === undefined || recent.steps < LEAST_STEPS || recent.observation.sum.length === 0) return TOO_EARLY;
    const shares = glitchShares(recent);
    const worst = shares.indexOf(Math.max(...shares));
    const share = shares[worst]!;
    const sentence =
      share === 0
        ? 'No number that moves smoothly leaps.'
        : `Number ${worst} of the state leaps in ${(100 * share).toFixed(1)} % of the steps.`;
    return { measures: [[GLITCHES, share]], sentence };
  },
};

function glitchShares({ steps, observation }: StepFigures): number[] {
  const { glitches, smooth } = observation;
  return glitches.map((count, i) => (smooth[i]! < SMOOTH * steps ? 0 : count / steps));
}

/** `3, 4, 5 and 12 more`. */
function listed(indices: readonly number[]): string {
  const shown = indices.slice(0, 3).join(', ');
  return indices.length <= 3 ? shown : `${shown} and ${indices.length - 3} more`;
}
