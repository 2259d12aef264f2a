/** `rein relabel`: changes afterwards what is learned from a run's record. */
import { RELABEL_WORDS } from '../record/index.ts';
import {
  type Configured,
  keyValueOption,
  oneOf,
  option,
  optionsOf,
  path,
  switchOption,
  text,
  wholeNumber,
} from '../schema/index.ts';
import { defineCommand, EXIT_CODES } from './command.ts';

const options = optionsOf({
  run: option(path(), '<run>', 'folder of a run that has a journal'),
  rule: keyValueOption(
    '--rule <key=value>',
    "a key of the learner's interventions: demonstrate, leaveOutBeforeSteps, onsetPenalty; may be given several times",
  ),
  episode: option(text().optional(), '--episode <n>', 'an episode; 2:7 is number 7 of the second start of the robot'),
  as: option(oneOf(...RELABEL_WORDS).optional(), '--as <word>', 'what it is'),
  steps: option(
    text().optional(),
    '--steps <from-to>',
    'with recovery or correction: these steps; default: all that a person decided',
  ),
  list: switchOption('--list', 'print the entries in effect'),
  undo: option(wholeNumber(1, 1e6).optional(), '--undo <n>', 'undo entry n of the list'),
});

export type RelabelOptions = Configured<typeof options>;

const HELP = `
What happens:
  Entries are appended to relabel.jsonl in the run's folder; the journal is never changed. They count wherever the
  run is learned from later: rein pretrain --run, a rein train that is resumed, and rein learn --relabelled <run>.
  Every entry can be undone.

  success, failure   the episode's last step ends it, with reward 1 or 0
  drop               nothing is learned from the episode
  recovery           steps that a person decided brought the robot back to a known state
  correction         steps that a person decided showed how the task is done

Examples:
  $ rein relabel runs/a1 --list
  $ rein relabel runs/a1 --rule demonstrate=recovery --rule leaveOutBeforeSteps=10
  $ rein relabel runs/a1 --episode 12 --as failure
  $ rein relabel runs/a1 --episode 12 --as recovery --steps 31-38
  $ rein relabel runs/a1 --undo 2
  $ rein pretrain --run runs/a1 --out runs/pre
${EXIT_CODES}`;

export const relabelCommand = defineCommand({
  name: 'relabel',
  description: 'change what is learned from a run: outcomes, dropped episodes, recovery and correction, the rule',
  help: HELP,
  options,
  misuse: ({ episode, as, steps }) => {
    if ((episode === undefined) !== (as === undefined)) return '--episode and --as belong together';
    if (steps !== undefined && as !== 'recovery' && as !== 'correction')
      return '--steps is for --as recovery and correction';
    return undefined;
  },
});
