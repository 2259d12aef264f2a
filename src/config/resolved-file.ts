/** `config.yaml` of a run folder: written once, loaded by later commands with the checks that the parts had. */
import { stringify } from 'yaml';
import type { Finding } from './finding.ts';
import { checkRobot } from './robot-checks.ts';
import { oneAPlace } from './schema/check.ts';
import type { ResolvedConfig } from './schema/resolved.ts';
import { baseFileOf } from './schema/robot.ts';
import { checkResolvedTree } from './schema/variants.ts';
import { checkLearner, checkTask } from './task-checks.ts';
import { problemsError } from './text/place.ts';
import { readYaml } from './text/read-yaml.ts';
import { placeOf } from './text/tree.ts';

/** The file's text. Numbers come back bit by bit. */
export function resolvedConfigText(config: ResolvedConfig): string {
  const head =
    '# Everything this run was started with. Written by rein; `rein eval` and `rein learn --resume` read it.\n';
  const { base } = config.robot;
  // A base's axes follow from its limits, and are not written.
  const robot = base === undefined ? config.robot : baseFileOf({ ...config.robot, base });
  return head + stringify({ ...config, robot }, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** Loads what `resolvedConfigText` wrote. Throws `ReinError` with positions, as for any other configuration. */
export function loadResolvedConfig(path: string): ResolvedConfig {
  const file = readYaml(path);
  const checked = checkResolvedTree(file.tree);
  const problems = oneAPlace([...file.problems, ...checked.problems]);
  if (checked.value === undefined || problems.length > 0) throw problemsError(problems);
  const { robot, task, learner } = checked.value;
  const findings = [
    ...under('robot', checkRobot(robot)),
    ...under('learner', checkLearner(learner)),
    ...under('task', checkTask(task, robot)),
  ];
  if (findings.length > 0)
    throw problemsError(findings.map(({ path: at, message }) => ({ place: placeOf(file.tree, at), message })));
  return checked.value;
}

function under(key: string, findings: readonly Finding[]): Finding[] {
  return findings.map(({ path, message }) => ({ path: [key, ...path], message }));
}
