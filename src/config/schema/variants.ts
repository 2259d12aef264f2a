/** Files that come in several kinds: selects the schema that a tree is checked against, and converts the checked value. */
import { z } from 'zod';
import { learnerSchema } from '../../learner/options.ts';
import { BASE_NEEDS, type JsonSchema, jsonSchemaOf } from '../../schema/index.ts';
import { TASK_SCHEMAS, type TaskConfig } from '../../tasks/index.ts';
import { nodeAt, type TreeNode } from '../text/tree.ts';
import { type Checked, check } from './check.ts';
import { limitsSchema } from './limits.ts';
import { operatorsFileSchema, type ResolvedConfig, resolvedSchemaOf } from './resolved.ts';
import { armSchema, baseSchema, type RobotConfig, robotOfBase } from './robot.ts';
import { environmentStudySchema, robotStudySchema } from './study.ts';

type TaskKind = TaskConfig['kind'];
const TASK_KINDS = Object.keys(TASK_SCHEMAS) as [TaskKind];
const anyTask = z.looseObject({ kind: z.enum(TASK_KINDS).meta({ description: 'Rules of the task.' }) });

/** Checks a task's file against the schema of its `kind`. */
export function checkTaskTree(tree: TreeNode): Checked<TaskConfig> {
  const kind = taskKindOf(tree);
  // The allowed keys depend on the kind, which has to be known first.
  return kind === undefined
    ? check<never>(tree, anyTask as unknown as z.ZodType<never>)
    : check(tree, TASK_SCHEMAS[kind]);
}

/** Checks a robot's file: as a mobile base if it has the key `base`, else as an arm. */
export function checkRobotTree(tree: TreeNode): Checked<RobotConfig> {
  if (!isBase(tree)) return check(tree, armSchema);
  const checked = check(tree, baseSchema);
  if (checked.value === undefined) return checked;
  const { base } = checked.value;
  const lacking = BASE_NEEDS[base.kind].filter((key) => base[key] === undefined);
  if (lacking.length === 0) return { value: robotOfBase(checked.value), problems: [] };
  const place = nodeAt(tree, ['base'])?.place ?? tree.place;
  const message = `base.kind is "${base.kind}": ${lacking.map((key) => `the key "base.${key}"`).join(', ')} is missing`;
  return { value: undefined, problems: [{ place, message }] };
}

/** Checks a resolved run's file. */
export function checkResolvedTree(tree: TreeNode): Checked<ResolvedConfig> {
  const task = nodeAt(tree, ['task']);
  const robot = nodeAt(tree, ['robot']);
  const kind = (task && taskKindOf(task)) ?? TASK_KINDS[0];
  if (robot === undefined || !isBase(robot)) return check(tree, resolvedSchemaOf(TASK_SCHEMAS[kind], armSchema));
  const checked = check(tree, resolvedSchemaOf(TASK_SCHEMAS[kind], baseSchema));
  if (checked.value === undefined) return checked;
  const expanded = checkRobotTree(robot);
  if (expanded.value === undefined) return expanded;
  return { value: { ...checked.value, robot: expanded.value }, problems: [] };
}

/** Every kind of file, for the reference page and for editors. */
export const FILE_SCHEMAS: readonly {
  readonly key: 'task' | 'robot' | 'learner' | 'operators' | 'limits' | 'study';
  /** Folder of these files; absent for files that lie beside what they describe. */
  readonly folder?: string;
  readonly schemas: readonly z.ZodType[];
}[] = [
  { key: 'task', folder: 'config/tasks', schemas: Object.values(TASK_SCHEMAS) },
  { key: 'robot', folder: 'config/robots', schemas: [armSchema, baseSchema] },
  { key: 'learner', folder: 'config/learner', schemas: [learnerSchema] },
  { key: 'operators', schemas: [operatorsFileSchema] },
  { key: 'limits', schemas: [limitsSchema] },
  { key: 'study', folder: 'config/studies', schemas: [environmentStudySchema, robotStudySchema] },
];

/** One JSON Schema for all kinds of a file. */
export function editorSchemaOf(schemas: readonly z.ZodType[]): JsonSchema | { readonly anyOf: readonly JsonSchema[] } {
  const all = schemas.map(jsonSchemaOf);
  return all.length === 1 ? all[0]! : { anyOf: all };
}

function taskKindOf(tree: TreeNode): TaskKind | undefined {
  const node = nodeAt(tree, ['kind']);
  const value = node?.kind === 'scalar' ? node.value : undefined;
  return TASK_KINDS.find((kind) => kind === value);
}

function isBase(tree: TreeNode): boolean {
  return nodeAt(tree, ['base']) !== undefined;
}
