/** `rein sweep`: several learners with several seeds, one table. */
import { Command } from 'commander';
import type { CommandBodies } from './bodies.ts';
import { EXIT_CODES, path, wholeNumber } from './options.ts';

interface Parsed {
  jobs: number;
  only?: string[];
  out?: string;
  page?: boolean;
}

const HELP = `
What happens:
  A study names an environment or a robot's task, variants, and seeds. Each variant is run with each seed, in a process
  and a folder of its own. Runs that are finished are left alone and begun ones continue, so the same command goes on
  after a stop of any kind. Runs end with their sweep; one that another process works on is waited for. In the end:
  a table with 95 % intervals over seeds, and what the study's claim came to.

What it writes, below runs/studies/NAME/ or --out:
  VARIANT-SEED/          the files of one rein train or rein sim
  study.md, study.svg    claim, verdict, plot and table

Examples:
  $ rein sweep pendulum                        every run of config/studies/pendulum.yaml
  $ rein sweep pendulum --jobs 2 --only utd20  one variant, two runs at a time
  $ rein sweep pendulum --page                 table and page of what is there; trains nothing
${EXIT_CODES}`;

export function createSweepCommand(bodies: CommandBodies, finish: (code: number) => void): Command {
  return new Command('sweep')
    .description('run a study: several learners with several seeds, resumable, one table and plot')
    .argument('<study>', 'name of a file in config/studies/, or a path ending in .yaml', path)
    .option('--jobs <n>', 'runs at a time', wholeNumber(1, 256), 1)
    .option('--only <variant...>', 'these variants only')
    .option('--out <dir>', 'folder of the runs (default: runs/studies/NAME)', path)
    .option('--page', 'train nothing: table and page of what is there')
    .addHelpText('after', HELP)
    .action(async (study: string, { jobs, only, out, page }: Parsed) => {
      finish(await bodies.sweep({ study, jobs, only, out, mode: page ? 'page' : 'run' }));
    });
}
