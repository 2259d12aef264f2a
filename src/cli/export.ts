/** `rein export`: what a training has come to, for others. */
import { Command } from 'commander';
import type { CommandBodies } from './bodies.ts';
import { EXIT_CODES, path } from './options.ts';

const HELP = `
What happens:
  The newest policy of a run of rein train, sim or learn is written as one ONNX file: encoder, observation statistics
  and weights are inside, what its actions mean is in its metadata. Before it is written, the robot's runtime and the
  learner's networks must agree within 1e-4 on 256 observations of the run; the largest difference is printed.

What it writes:
  --out, and for a run of a robot the manifest beside it, as rein run --policy and rein eval --policy take them

Examples:
  $ rein export policy runs/a1 --out policy.onnx
${EXIT_CODES}`;

export function createExportCommand(bodies: CommandBodies, finish: (code: number) => void): Command {
  const policy = new Command('policy')
    .description('write the newest policy of a run as one verified ONNX file')
    .argument('<run>', 'folder of a run', path)
    .option('--out <file>', 'the file', path, 'policy.onnx')
    .addHelpText('after', HELP)
    .action(async (run: string, { out }: { out: string }) => {
      finish(await bodies.exportPolicy({ run, out }));
    });
  return new Command('export').description('write what a training has come to for others').addCommand(policy);
}
