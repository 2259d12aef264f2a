/**
 * Joint limits by name, in three formats. Franka's descriptions: `joint1: { limit: { lower, upper, velocity, effort } }`.
 * `joint_limits.yaml` of MoveIt and ros2_control: below `joint_limits:`, alone or inside `ros__parameters:`, or with the joints at the top
 * level; a limit counts if its `has_…` is true or absent; `!degrees` is understood. Kinova's: a list `joint_names` beside lists of as many
 * numbers (`maximum_velocities`, …).
 */
import { type Place, type Problem, problemsError } from '../text/place.ts';
import { type RawYaml, readRawYaml } from '../text/raw-yaml.ts';
import { shown } from '../text/shown.ts';
import type { Fact, JointFacts, NamedFacts } from './own-limits.ts';

export interface RosLimits {
  readonly joints: ReadonlyMap<string, NamedFacts>;
  /** Continuous joints: without a position limit. */
  readonly endless: ReadonlySet<string>;
  /** Entries of the file that are not limits, one sentence each. */
  readonly notes: readonly string[];
}

type MapYaml = Extract<RawYaml, { kind: 'map' }>;

/** Reads the file. Throws `ReinError` that lists all problems with positions. */
export function readRosLimits(path: string): RosLimits {
  const root = readRawYaml(path);
  const reader = new Reader();
  const listed = listedIn(root);
  if (listed !== undefined) return reader.listed(listed);
  const limits = limitsIn(root) ?? (root.kind === 'map' ? root : undefined);
  const joints = new Map<string, NamedFacts>();
  const endless = new Set<string>();
  const notes: string[] = [];
  for (const [name, node, keyPlace] of limits?.entries ?? []) {
    if (node.kind !== 'map') {
      if (/^default_\w+_scaling_factor$/.test(name)) notes.push(scalingNote(name, node));
      else reader.report(node.place, `"${shown(name)}" is no joint: its limits are a group of keys`);
      continue;
    }
    const read = { ...reader.joint(name, node), place: keyPlace };
    if (joints.has(name)) reader.report(keyPlace, `joint "${shown(name)}" was given before`);
    joints.set(name, read);
    if (read.isEndless) endless.add(name);
  }
  if (root.kind === 'map' && limits !== root) {
    for (const [name, node] of root.entries)
      if (/^default_\w+_scaling_factor$/.test(name)) notes.push(scalingNote(name, node));
  }
  if (joints.size === 0)
    reader.report(root.place, 'there is no joint in it: joint_limits.yaml has them below "joint_limits:"');
  if (reader.problems.length > 0) throw problemsError(reader.problems);
  return { joints, endless, notes };
}

function scalingNote(name: string, node: RawYaml): string {
  return `${name} (${node.kind === 'scalar' ? node.text : '?'}) is what planners ask for by default and no limit: it is not applied.`;
}

/** The group `joint_limits`, at any depth: parameter files wrap it in a node's name and `ros__parameters`. */
function limitsIn(node: RawYaml): MapYaml | undefined {
  if (node.kind !== 'map') return undefined;
  for (const [key, value] of node.entries) if (key === 'joint_limits' && value.kind === 'map') return value;
  for (const [key, value] of node.entries) {
    const isWrapper =
      key === 'ros__parameters' ||
      (value.kind === 'map' && value.entries.some(([inner]) => inner === 'ros__parameters'));
    const found = limitsIn(value) ?? (isWrapper && key === 'ros__parameters' ? mapOf(value) : undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The group that has the list `joint_names`, at any depth. */
function listedIn(node: RawYaml): MapYaml | undefined {
  if (node.kind !== 'map') return undefined;
  if (node.entries.some(([key, value]) => key === 'joint_names' && value.kind === 'list')) return node;
  return node.entries.map(([, value]) => listedIn(value)).find((found) => found !== undefined);
}

/** Lists of one number per joint beside `joint_names`. */
const LISTED = {
  minimum_positions: 'positionMinRad',
  maximum_positions: 'positionMaxRad',
  maximum_velocities: 'velocityMaxRadPerS',
  maximum_accelerations: 'accelMaxRadPerS2',
  maximum_jerks: 'jerkMaxRadPerS3',
  maximum_torques: 'torqueMaxNm',
  maximum_efforts: 'torqueMaxNm',
} as const satisfies Readonly<Record<string, keyof JointFacts>>;

function mapOf(node: RawYaml): MapYaml | undefined {
  return node.kind === 'map' ? node : undefined;
}

const FLAGS = {
  has_position_limits: ['min_position', 'max_position'],
  has_velocity_limits: ['max_velocity', 'min_velocity'],
  has_acceleration_limits: ['max_acceleration', 'min_acceleration'],
  has_deceleration_limits: ['max_deceleration'],
  has_jerk_limits: ['max_jerk', 'min_jerk'],
  has_effort_limits: ['max_effort', 'max_torque'],
  has_soft_limits: ['soft_lower_limit', 'soft_upper_limit', 'k_position', 'k_velocity'],
} as const;
type Flag = keyof typeof FLAGS;
const KEYS: readonly string[] = [...Object.keys(FLAGS), ...Object.values(FLAGS).flat(), 'angle_wraparound'];

/** Keys of a group `limit`, named as the attributes of a URDF's `<limit>`. */
const DESCRIBED = {
  lower: 'positionMinRad',
  upper: 'positionMaxRad',
  velocity: 'velocityMaxRadPerS',
  acceleration: 'accelMaxRadPerS2',
  jerk: 'jerkMaxRadPerS3',
  effort: 'torqueMaxNm',
} as const satisfies Readonly<Record<string, keyof JointFacts>>;

class Reader {
  readonly problems: Problem[] = [];

  report(place: Place, message: string): void {
    this.problems.push({ place, message });
  }

  /** Limits as lists beside `joint_names`. Throws `ReinError` that lists all problems. */
  listed(group: MapYaml): RosLimits {
    const lists = new Map(group.entries.map(([key, value]) => [key, value] as const));
    const names = lists.get('joint_names') as Extract<RawYaml, { kind: 'list' }>;
    const facts = names.items.map((): Partial<Record<keyof JointFacts, Fact>> => ({}));
    const notes: string[] = [];
    for (const [key, value] of lists) {
      const meaning = LISTED[key as keyof typeof LISTED];
      if (key === 'joint_names') continue;
      if (meaning === undefined) notes.push(`${key} is not read.`);
      else if (value.kind !== 'list' || value.items.length !== names.items.length)
        this.report(value.place, `${key} must be a list of ${names.items.length} numbers, one for each of joint_names`);
      else for (const [i, item] of value.items.entries()) this.#listItem(facts[i]!, meaning, item, key);
    }
    if (this.problems.length > 0) throw problemsError(this.problems);
    const joints = names.items.map((item, i): [string, NamedFacts] => [
      item.kind === 'scalar' ? item.text : '',
      { place: item.place, facts: facts[i]! },
    ]);
    return { joints: new Map(joints), endless: new Set(), notes };
  }

  #listItem(
    facts: Partial<Record<keyof JointFacts, Fact>>,
    meaning: keyof JointFacts,
    item: RawYaml,
    key: string,
  ): void {
    const fact = this.#number(item, `a number of ${key}`);
    if (fact === undefined) return;
    if (!meaning.startsWith('position') && !(fact.value > 0))
      this.report(fact.place, `${key} has ${fact.value}, it must be above 0`);
    facts[meaning] = fact;
  }

  joint(name: string, node: MapYaml): NamedFacts & { isEndless: boolean } {
    const group = node.entries.find(([key, value]) => key === 'limit' && value.kind === 'map');
    if (group !== undefined) return this.#described(name, node, group[1] as MapYaml);
    const values = new Map<string, RawYaml>();
    for (const [key, value, keyPlace] of node.entries) {
      values.set(key, value);
      if (!KEYS.includes(key))
        this.report(
          keyPlace,
          `"${shown(key)}" of joint "${shown(name)}" is no key of joint_limits.yaml: ${KEYS.join(', ')}`,
        );
    }
    const get = (flag: Flag, key: string): Fact | undefined => {
      const value = values.get(key);
      if (value === undefined || !this.#isOn(values.get(flag), flag)) return undefined;
      return this.#number(value, `${key} of joint "${shown(name)}"`);
    };
    for (const [flag, [first]] of Object.entries(FLAGS)) {
      const said = values.get(flag);
      if (said !== undefined && this.#isOn(said, flag) && !values.has(first) && flag !== 'has_soft_limits')
        this.report(said.place, `${flag} of joint "${shown(name)}" is true, but there is no ${first}`);
    }
    const wraps = values.get('angle_wraparound');
    const hasNoEnd = values.get('has_position_limits');
    return {
      place: node.place,
      isEndless:
        (wraps !== undefined && this.#isOn(wraps, 'angle_wraparound')) ||
        (hasNoEnd !== undefined && !this.#isOn(hasNoEnd, 'has_position_limits')),
      facts: this.#facts(get),
    };
  }

  /** A joint in the format of Franka's descriptions: a group `limit` with the names of a URDF. */
  #described(name: string, node: MapYaml, group: MapYaml): NamedFacts & { isEndless: boolean } {
    const facts: Partial<Record<keyof JointFacts, Fact>> = {};
    for (const [key, value, keyPlace] of group.entries) {
      const meaning = DESCRIBED[key as keyof typeof DESCRIBED];
      if (meaning === undefined) {
        const known = Object.keys(DESCRIBED).join(', ');
        this.report(keyPlace, `"${shown(key)}" of joint "${shown(name)}" is no key of its group "limit": ${known}`);
        continue;
      }
      const fact = this.#number(value, `${key} of joint "${shown(name)}"`);
      if (fact !== undefined && !meaning.startsWith('position') && !(fact.value > 0))
        this.report(fact.place, `${key} is ${fact.value}, it must be above 0`);
      if (fact !== undefined) facts[meaning] = fact;
    }
    return { place: node.place, isEndless: false, facts };
  }

  #facts(get: (flag: Flag, key: string) => Fact | undefined): JointFacts {
    const tighter = (a: Fact | undefined, b: Fact | undefined, pick: 'min' | 'max'): Fact | undefined => {
      if (a === undefined || b === undefined) return a ?? b;
      return (pick === 'min') === a.value < b.value ? a : b;
    };
    const positive = (fact: Fact | undefined, key: string): Fact | undefined => {
      if (fact !== undefined && !(fact.value > 0))
        this.report(fact.place, `${key} is ${fact.value}, it must be above 0`);
      return fact;
    };
    return {
      positionMinRad: tighter(
        get('has_position_limits', 'min_position'),
        get('has_soft_limits', 'soft_lower_limit'),
        'max',
      ),
      positionMaxRad: tighter(
        get('has_position_limits', 'max_position'),
        get('has_soft_limits', 'soft_upper_limit'),
        'min',
      ),
      velocityMaxRadPerS: positive(get('has_velocity_limits', 'max_velocity'), 'max_velocity'),
      accelMaxRadPerS2: tighter(
        positive(get('has_acceleration_limits', 'max_acceleration'), 'max_acceleration'),
        positive(get('has_deceleration_limits', 'max_deceleration'), 'max_deceleration'),
        'min',
      ),
      jerkMaxRadPerS3: positive(get('has_jerk_limits', 'max_jerk'), 'max_jerk'),
      torqueMaxNm: positive(
        get('has_effort_limits', 'max_effort') ?? get('has_effort_limits', 'max_torque'),
        'max_effort',
      ),
    };
  }

  #number(node: RawYaml, what: string): Fact | undefined {
    if (node.kind === 'scalar') {
      const factor = node.tag === '!degrees' ? Math.PI / 180 : 1;
      const value = node.text.trim() === '' ? Number.NaN : Number(node.text) * factor;
      if (Number.isFinite(value)) return { value, place: node.place };
    }
    const text = node.kind === 'scalar' ? `"${shown(node.text)}"` : `a ${node.kind}`;
    this.report(node.place, `${what} is ${text}, it must be a number`);
    return undefined;
  }

  /** Booleans as rosparam reads them; a limit without its flag counts. */
  #isOn(node: RawYaml | undefined, flag: string): boolean {
    if (node === undefined) return true;
    const text = node.kind === 'scalar' ? node.text.toLowerCase() : '';
    if (['true', 'yes', 'on'].includes(text)) return true;
    if (!['false', 'no', 'off'].includes(text))
      this.report(node.place, `${flag} is "${shown(text)}", it must be true or false`);
    return false;
  }
}
