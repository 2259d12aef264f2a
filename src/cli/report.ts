/** `rein report`: the page of a run that is there already. */
import { Command } from 'commander';
import type { CommandBodies } from './bodies.ts';
import { EXIT_CODES, path } from './options.ts';

const HELP = `
What happens:
  report.html is made (again) from the files in a run's folder: of rein sim, run and learn, also of one that goes on
  or was stopped before its end. What was not recorded is left out, and the page says so. Nothing else in the folder
  changes.

Examples:
  $ rein report runs/a1
${EXIT_CODES}`;

export function createReportCommand(bodies: CommandBodies, finish: (code: number) => void): Command {
  return new Command('report')
    .description('write the report page of a run from its files, whatever ended it')
    .argument('<run>', 'folder of a run', path)
    .addHelpText('after', HELP)
    .action(async (run: string) => {
      finish(await bodies.report({ run }));
    });
}
