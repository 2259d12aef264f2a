/** `rein recover`: content and damage of a robot's journal. */
import { type Configured, option, optionsOf, path, switchOption } from '../schema/index.ts';
import { defineCommand, EXIT_CODES } from './command.ts';

const options = optionsOf({
  path: option(path(), '<run>', 'folder of a run, or of a journal'),
  mend: switchOption('--mend', 'rewrite damaged headers, cut torn ends, set foreign files aside'),
  json: switchOption('--json', 'print one JSON object'),
});

export type RecoverOptions = Configured<typeof options>;

const HELP = `
What happens:
  Every record of the journal is read and checked. Printed are its files with their epochs, records and times, what is
  damaged or missing, how many records a learner would get, and how many steps a full or slow disk did not take (unknown
  for a start that was killed). Nothing is changed.
  A robot that starts in the folder copes with all of this by itself: intact records are sent, the others are counted
  as lost on both sides.

With --mend:
  Damaged headers are rewritten, torn ends cut, files that do not belong there set aside, and files.jsonl brought up
  to date. What was cut or replaced is kept beside the file (.torn, .header, .foreign). A damaged record stays as it is:
  it cannot be known what it was. Refused while a robot records there.

Examples:
  $ rein recover runs/a1                     explain
  $ rein recover runs/a1/journal --json      the same for programs
  $ rein recover runs/a1 --mend
${EXIT_CODES}`;

export const recoverCommand = defineCommand({
  name: 'recover',
  description: "explain a robot's journal: what it holds, what is damaged, what a learner would get",
  help: HELP,
  options,
});
