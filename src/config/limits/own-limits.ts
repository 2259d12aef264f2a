/** Rein's own limits file, with the positions of its numbers. */
import { jointLimits } from '../../schema/index.ts';
import { checkedValue } from '../finding.ts';
import { check } from '../schema/check.ts';
import { type JointLimits, type LimitsConfig, limitsSchema } from '../schema/limits.ts';
import type { Place } from '../text/place.ts';
import { readYaml } from '../text/read-yaml.ts';
import { keyPlaceOf, nodeAt, type TreePath, valuePlaceOf } from '../text/tree.ts';

/** A number and its position in the file. */
export interface Fact {
  readonly value: number;
  readonly place: Place;
}

/** Largest magnitude that a joint limit may have; `undefined` if unbounded. */
export function farthest(key: keyof JointLimits): number | undefined {
  const schema = jointLimits.shape[key];
  return 'maxValue' in schema ? (schema.maxValue ?? undefined) : undefined;
}

/** Limits of one joint from one file. */
export type JointFacts = { readonly [K in keyof JointLimits]?: Fact | undefined };

export const LIMIT_KEYS: readonly (keyof JointLimits)[] = jointLimits.keyof().options;

/** Limits of a joint that a file names. */
export interface NamedFacts {
  readonly facts: JointFacts;
  /** Position of the joint's name. */
  readonly place: Place;
}

export interface OwnLimits {
  readonly config: LimitsConfig;
  readonly joints: ReadonlyMap<string, NamedFacts>;
  readonly defaults: JointFacts;
  /** Position to report for `path` of the file. */
  place(path: TreePath): Place;
}

/** Top-level keys that only Rein's own limits files have. */
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

/** True if the file is a Rein limits file, rather than a ROS file or a robot's. `keys`: its top-level keys. */
export function isOwnLimits(keys: readonly string[]): boolean {
  return !keys.includes('driver') && keys.some((key) => OWN_KEYS.includes(key));
}

/** Returns an empty limits file: defaults only. */
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
