/** `config.yaml` of a run folder: written once, loaded by later commands with the same checks as its parts. */
import { basename } from 'node:path';
import { stringify } from 'yaml';
import { checkedValue, type Finding, throwFindings } from './finding.ts';
import { checkRobot } from './robot-checks.ts';
import type { ResolvedConfig } from './schema/resolved.ts';
import { baseFileOf } from './schema/robot.ts';
import { checkResolvedTree } from './schema/variants.ts';
import { checkLearner, checkTask } from './task-checks.ts';
import { readYaml } from './text/read-yaml.ts';

/** Returns the file's text. Numbers are restored bit by bit. */
export function resolvedConfigText(config: ResolvedConfig): string {
  const head =
    '# Everything this run was started with. Written by rein; `rein eval`, `rein export policy` and, of its own runs, `rein learn --resume` read it.\n';
  const { base } = config.robot;
  // A base's axes are derived from its limits, and not written.
  const robot = base === undefined ? config.robot : baseFileOf({ ...config.robot, base });
  return head + stringify({ ...config, robot }, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** Loads a file written by `resolvedConfigText`. Throws `ReinError` with positions, as for any other configuration. */
export function loadResolvedConfig(path: string): ResolvedConfig {
  const file = readYaml(path, path, `give the folder of a run, which has ${basename(path)}`);
  const config = checkedValue(checkResolvedTree(file.tree), file.problems);
  const { robot, task, learner } = config;
  throwFindings(file.tree, [
    ...under('robot', checkRobot(robot)),
    ...under('learner', checkLearner(learner)),
    ...under('task', checkTask(task, robot)),
  ]);
  return config;
}

function under(key: string, findings: readonly Finding[]): Finding[] {
  return findings.map(({ orAt, ...finding }) => ({
    ...finding,
    path: [key, ...finding.path],
    ...(orAt && { orAt: [key, ...orAt] }),
  }));
}
