/** `rein report`: writes the report page of an existing run. */
import { type Configured, option, optionsOf, path } from '../schema/index.ts';
import { defineCommand, EXIT_CODES } from './command.ts';

const options = optionsOf({ run: option(path(), '<run>', 'folder of a run') });

export type ReportOptions = Configured<typeof options>;

const HELP = `
What happens:
  report.html is made (again) from the files in a run's folder: of rein sim, run and learn, also of one that goes on
  or was stopped before its end. What was not recorded is left out, and the page says so. Nothing else in the folder
  changes.

Examples:
  $ rein report runs/a1
${EXIT_CODES}`;

export const reportCommand = defineCommand({
  name: 'report',
  description: 'write the report page of a run from its files, whatever ended it',
  help: HELP,
  options,
});
