/** `rein export`: exports the result of a training. */
import { type Configured, forceOption, option, optionsOf, path } from '../schema/index.ts';
import { defineCommand, EXIT_CODES } from './command.ts';

/** `file`: default output file. */
const optionsWith = (file: string) =>
  optionsOf({
    run: option(path(), '<run>', 'folder of a run'),
    out: option(path().default(file), '--out <file>', 'the file'),
    force: forceOption(),
  });

export type ExportOptions = Configured<ReturnType<typeof optionsWith>>;

const HELP = `
What happens:
  The newest policy of a run of rein train, sim or learn is written as one ONNX file: encoder, observation statistics,
  weights and action map are inside, names and units of its commands in its metadata. Before it is written, the robot's
  runtime, the file by itself and the learner's networks must agree within 1e-4 on 256 observations of the run, its
  commands with what the robot's action map makes of the actions; the largest differences are printed.

What it writes:
  --out, and for a run of a robot the manifest beside it, as rein run --policy and rein eval --policy take them;
  over files that are there with --force only

Examples:
  $ rein export policy runs/a1 --out policy.onnx
${EXIT_CODES}`;

const ENCODER_HELP = `
What happens:
  The convolutions of a trained encoder are written as one ONNX file, from an image to a map of features. Trainings that
  are given it as encoder.frozen.file keep features in place of images, and train a small head on them.

Examples:
  $ rein train --env insert-depth --demonstrations 20 --steps 1 --set bcInitSteps=1000 --out runs/eyes
  $ rein export encoder runs/eyes --out encoder.onnx
  $ rein train --env insert-depth --demonstrations 20 --set encoder.frozen.file=encoder.onnx --set encoder.embeddings=8
${EXIT_CODES}`;

export const exportPolicyCommand = defineCommand({
  name: 'export policy',
  description: 'write the newest policy of a run as one verified ONNX file',
  help: HELP,
  options: optionsWith('policy.onnx'),
});

export const exportEncoderCommand = defineCommand({
  name: 'export encoder',
  description: 'write the trained convolutions of a rein train run, as a frozen encoder for other runs',
  help: ENCODER_HELP,
  options: optionsWith('encoder.onnx'),
});
