/** `rein why`: diagnoses from a run's files why it does not learn. */
import { type Configured, oneOf, option, optionsOf, path } from '../schema/index.ts';
import { defineCommand } from './command.ts';

const options = optionsOf({
  run: option(path(), '<run>', 'folder of a run'),
  format: option(oneOf('text', 'json').default('text'), '--json', 'print the rows as one JSON array', {
    given: 'json',
  }),
});

export type WhyOptions = Configured<typeof options>;

const HELP = `
What happens:
  The metrics in a run's folder are compared with those of runs that learn: rewards, demonstrations, observations,
  actions, interventions, the learner's pace and its values. Each check says what it found, from where on that is
  wrong, and what to do. Of rein sim, run and learn; of one that goes on, that was stopped, or that is over.
  docs/why-not-learning.md has all checks with their thresholds. A live run reports it when a row turns bad.

Examples:
  $ rein why runs/a1
  $ rein why runs/a1 --json | jq '.[] | select(.state == "bad")'

Exit codes:
  0  nothing is bad
  1  at least one row is bad, or the folder cannot be read; then the line that begins with "rein:" says why
  2  the command line was not understood`;

export const whyCommand = defineCommand({
  name: 'why',
  description: 'find out why a run is not learning, with evidence and remedy',
  help: HELP,
  options,
});
