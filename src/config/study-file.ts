/** Loads a study's file, with the learner of each variant. */
import { basename, dirname } from 'node:path';
import { type LearnerConfig, standsStill } from '../learner/options.ts';
import { didYouMean } from '../model/index.ts';
import { checkedValue } from './finding.ts';
import { loadLearnerFile } from './learner-file.ts';
import { openConfig } from './names.ts';
import { check } from './schema/check.ts';
import {
  type EnvironmentStudy,
  environmentStudySchema,
  type RobotStudy,
  robotStudySchema,
  type StudyConfig,
} from './schema/study.ts';
import { type Problem, problemsError } from './text/place.ts';
import { nodeAt, placeOf, type TreeNode, valuePlaceOf } from './text/tree.ts';

/** A checked study. */
export interface StudyFile {
  /** File name without its extension. */
  readonly name: string;
  readonly study: StudyConfig;
  /** Learners of an environment study, by variant; empty for robot studies, whose task names the learner. */
  readonly learners: Readonly<Record<string, LearnerConfig>>;
}

/** Used if neither study nor variant names a learner's file. */
const DEFAULT_LEARNER = 'rlpd';

/** Reads the study `reference` (a name in `config/studies/`, or a path). Throws `ReinError('config')` with every problem. */
export function loadStudyFile(reference: string): StudyFile {
  const { path, tree, problems } = openConfig('study', reference, process.cwd());
  const isRobot = plainKind(tree) === 'robot';
  const checked = isRobot
    ? check<StudyConfig>(tree, robotStudySchema)
    : check<StudyConfig>(tree, environmentStudySchema);
  const study = checkedValue(checked, problems);
  const wrong = [...wrongNames(study, tree), ...wrongChecks(study, tree)];
  if (wrong.length > 0) throw problemsError(wrong);
  const name = basename(path).replace(/\.ya?ml$/, '');
  if (study.kind !== 'environment') return { name, study, learners: {} };
  const learners = learnersOf(study, tree, dirname(path));
  const still = standingStill(study, learners, tree);
  if (still.length > 0) throw problemsError(still);
  return { name, study, learners };
}

function plainKind(tree: TreeNode): unknown {
  const node = nodeAt(tree, ['kind']);
  return node?.kind === 'scalar' ? node.value : undefined;
}

function learnersOf(study: EnvironmentStudy, tree: TreeNode, folder: string): Record<string, LearnerConfig> {
  return Object.fromEntries(
    Object.entries(study.variants).map(([variant, { learnerFile }]) => {
      const over = [nodeAt(tree, ['learner']), nodeAt(tree, ['variants', variant, 'learner'])];
      const layers = over.filter((layer) => layer !== undefined);
      const name = learnerFile ?? study.learnerFile ?? DEFAULT_LEARNER;
      const key = learnerFile === undefined ? ['learnerFile'] : ['variants', variant, 'learnerFile'];
      return [variant, loadLearnerFile(name, layers, folder, valuePlaceOf(tree, key))];
    }),
  );
}

/** Variants whose policy would not be updated before the study ends: all would be compared untrained. */
function standingStill(
  { steps }: EnvironmentStudy,
  learners: Readonly<Record<string, LearnerConfig>>,
  tree: TreeNode,
): Problem[] {
  return Object.entries(learners).flatMap(([variant, learner]) => {
    const message = standsStill(learner, steps);
    return message === undefined ? [] : [{ place: placeOf(tree, ['variants', variant]), message }];
  });
}

/** Names are used as folder and file names. */
function wrongNames(study: EnvironmentStudy | RobotStudy, tree: TreeNode): Problem[] {
  return Object.keys(study.variants)
    .filter((name) => !/^[a-z][a-z0-9-]{0,40}$/.test(name))
    .map((name) => ({
      place: placeOf(tree, ['variants', name]),
      message: `a variant's name is small letters, digits and "-", not "${name}"`,
    }));
}

function wrongChecks({ checks, variants }: StudyConfig, tree: TreeNode): Problem[] {
  const known = Object.keys(variants);
  return checks.flatMap((each, i) => {
    const named = each.kind === 'order' ? { better: each.better, worse: each.worse } : { variant: each.variant };
    return Object.entries(named).flatMap(([key, name]) =>
      known.includes(name)
        ? []
        : [
            {
              place: placeOf(tree, ['checks', i, key]),
              message: `there is no variant "${name}", there are ${known.join(', ')}${didYouMean(name, known)}`,
            },
          ],
    );
  });
}
