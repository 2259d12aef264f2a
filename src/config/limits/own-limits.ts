/** Our own limits file, with the places of its numbers. */
import { jointLimits } from '../../schema/index.ts';
import { checkedValue } from '../finding.ts';
import { check } from '../schema/check.ts';
import { type JointLimits, type LimitsConfig, limitsSchema } from '../schema/limits.ts';
import type { Place } from '../text/place.ts';
import { readYaml } from '../text/read-yaml.ts';
import { keyPlaceOf, nodeAt, type TreePath, valuePlaceOf } from '../text/tree.ts';

/** A number and where it was written. */
export interface Fact {
  readonly value: number;
  readonly place: Place;
}

/** The farthest that a limit of a joint may be from 0; `undefined` where there is no end. */
export function farthest(key: keyof JointLimits): number | undefined {
  const schema = jointLimits.shape[key];
  return 'maxValue' in schema ? (schema.maxValue ?? undefined) : undefined;
}

/** What one file says of one joint. */
export type JointFacts = { readonly [K in keyof JointLimits]?: Fact | undefined };

export const LIMIT_KEYS: readonly (keyof JointLimits)[] = jointLimits.keyof().options;

/** What a file says of each joint that it names. */
export interface NamedFacts {
  readonly facts: JointFacts;
  /** Where its name stands. */
  readonly place: Place;
}

export interface OwnLimits {
  readonly config: LimitsConfig;
  readonly joints: ReadonlyMap<string, NamedFacts>;
  readonly defaults: JointFacts;
  /** Where to point for `path` of the file. */
  place(path: TreePath): Place;
}

/** Words that only our own limits files have at the top. */
const OWN_KEYS = [
  'model',
  'joints',
  'defaults',
  'fixed',
  'controlHz',
  'workspace',
  'homeRad',
  'tool',
  'collision',
  'limits',
];

/** Whether the file is ours, and not a ROS one or a robot's. `keys`: those at its top. */
export function isOwnLimits(keys: readonly string[]): boolean {
  return !keys.includes('driver') && keys.some((key) => OWN_KEYS.includes(key));
}

/** What a limits file says that says nothing. */
export function noLimits(): LimitsConfig {
  return limitsSchema.parse({});
}

/** Reads and checks the file. Throws `ReinError` with all problems. */
export function readOwnLimits(path: string, shownAs: string = path): OwnLimits {
  const { tree, problems } = readYaml(path, shownAs);
  const config = checkedValue(check(tree, limitsSchema), problems);
  const place = (at: TreePath): Place => valuePlaceOf(tree, at);
  const factsAt = (at: TreePath): JointFacts => {
    const facts: Record<string, unknown> = {};
    for (const key of LIMIT_KEYS) {
      const node = nodeAt(tree, [...at, key]);
      if (node?.kind === 'scalar' && typeof node.value === 'number')
        facts[key] = { value: node.value, place: node.place };
    }
    return facts;
  };
  const joints = new Map(
    Object.keys(config.joints).map((name) => {
      const at = ['joints', name];
      return [name, { facts: factsAt(at), place: keyPlaceOf(tree, at) ?? place(at) }] as const;
    }),
  );
  return { config, joints, defaults: factsAt(['defaults']), place };
}
