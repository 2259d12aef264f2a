/** Where a learner's frozen encoder is. */
import { dirname, resolve } from 'node:path';
import type { LearnerConfig } from '../learner/options.ts';
import { nodeAt, type TreeNode } from './text/tree.ts';

/**
 * The learner with the path of its frozen encoder made absolute: it is relative to the file that names it, which `tree`, the
 * learner as it was read, knows; on the command line to the folder that one is in.
 */
export function withEncoderFrom(learner: LearnerConfig, tree: TreeNode): LearnerConfig {
  const { frozen } = learner.encoder;
  if (frozen === undefined) return learner;
  const place = nodeAt(tree, ['encoder', 'frozen', 'file'])?.place.file ?? '';
  return {
    ...learner,
    encoder: { ...learner.encoder, frozen: { ...frozen, file: resolve(dirname(place), frozen.file) } },
  };
}
