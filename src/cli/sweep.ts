/** `rein sweep`: trains several learners with several seeds, with one table of results. */
import {
  type Configured,
  collect,
  oneOf,
  option,
  optionsOf,
  path,
  pathOption,
  text,
  wholeNumber,
} from '../schema/index.ts';
import { defineCommand, EXIT_CODES } from './command.ts';

const options = optionsOf({
  study: option(path(), '<study>', 'name of a file in config/studies/, or a path ending in .yaml'),
  jobs: option(wholeNumber(1, 256).default(1), '--jobs <n>', 'runs at a time'),
  only: option(text().array().optional(), '--only <variant...>', 'these variants only', { read: collect }),
  out: pathOption('--out <dir>', 'folder of the runs (default: runs/studies/NAME)'),
  mode: option(oneOf('run', 'page').default('run'), '--page', 'train nothing: table and page of what is there', {
    given: 'page',
  }),
});

export type SweepOptions = Configured<typeof options>;

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

export const sweepCommand = defineCommand({
  name: 'sweep',
  description: 'run a study: several learners with several seeds, resumable, one table and plot',
  help: HELP,
  options,
  endsInOrder: true,
});
