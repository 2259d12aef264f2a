/** Chooses the pairs of capsules to keep apart if none are given. */
import { ArmKinematics, type Capsule, LinkTopology, Rng, type RobotModel } from '../model/index.ts';
import { Clearances } from '../safety/index.ts';

type Pair = readonly [string, string];

/** Limit of a robot file. */
const MOST = 32;
const POSES = 2000;
/** Pairs that never come nearer than this beyond the clearance need not be watched, m. */
const FAR_M = 0.03;
/**
 * Share of the poses in which a pair must overlap to count as overlapping by design, as in MoveIt's setup assistant
 * (`min_collision_fraction`); and room that it must have in some pose, m: less is within the margins of the capsules.
 */
export const ALWAYS = 0.95;
const NEVER_CLEAR_M = 0.01;

export interface ChosenPairs {
  readonly pairs: readonly Pair[];
  /** Further pairs that can come near, beyond the limit; the nearest first. */
  readonly dropped: readonly Pair[];
  /** Pairs that are clear in hardly any pose: their capsules are too wide to be meaningful. */
  readonly blind: readonly Pair[];
  /** Pairs that are not clear at home, but often elsewhere: home may be a collision. */
  readonly suspect: readonly Pair[];
}

/** Pairs of capsules on links that are no neighbours, and their distances in random poses. */
interface Looked {
  readonly all: readonly Pair[];
  readonly leastM: Float64Array;
  /** Returns true if a pair overlaps in nearly every pose: its capsules are too wide to be meaningful. */
  readonly isBlind: (k: number) => boolean;
  /** Returns the room of each pair in a pose. */
  readonly measure: (jointsRad: ArrayLike<number>) => Float64Array;
}

/** Returns the meaningful pairs of capsules. Throws `RangeError` for an unknown link. */
export function seeingPairs(model: RobotModel, capsules: readonly Capsule[], clearanceM: number): Pair[] {
  const { all, isBlind } = look(model, capsules, clearanceM);
  return all.filter((_, k) => !isBlind(k));
}

/**
 * Returns the pairs of capsules, on links that are no neighbours, that are clear at home and come nearest over 2000
 * random poses: at most 32. Deterministic.
 */
export function choosePairs(model: RobotModel, capsules: readonly Capsule[], clearanceM: number): ChosenPairs {
  const { all, leastM, isBlind, measure } = look(model, capsules, clearanceM);
  const atHome = measure(model.homeRad);
  const order = [...all.keys()]
    .filter((k) => atHome[k]! >= 0 && !isBlind(k) && Math.min(leastM[k]!, atHome[k]!) < FAR_M)
    .sort((a, b) => Math.min(leastM[a]!, atHome[a]!) - Math.min(leastM[b]!, atHome[b]!));
  const unclear = [...all.keys()].filter((k) => !(atHome[k]! >= 0));
  return {
    pairs: order.slice(0, MOST).map((k) => all[k]!),
    dropped: order.slice(MOST).map((k) => all[k]!),
    blind: [...all.keys()].filter(isBlind).map((k) => all[k]!),
    suspect: unclear.filter((k) => !isBlind(k)).map((k) => all[k]!),
  };
}

function look(model: RobotModel, capsules: readonly Capsule[], clearanceM: number): Looked {
  const all = candidates(model, capsules);
  const measure = meter(model, capsules, clearanceM, all);
  const leastM = new Float64Array(all.length).fill(Number.POSITIVE_INFINITY);
  const mostM = new Float64Array(all.length).fill(Number.NEGATIVE_INFINITY);
  const overlaps = new Uint32Array(all.length);
  for (const joints of all.length > 0 ? randomPoses(model, POSES) : []) {
    const h = measure(joints);
    for (let k = 0; k < all.length; k++) {
      leastM[k] = Math.min(leastM[k]!, h[k]!);
      mostM[k] = Math.max(mostM[k]!, h[k]!);
      if (h[k]! < 0) overlaps[k]!++;
    }
  }
  const isBlind = (k: number): boolean => overlaps[k]! > ALWAYS * POSES || mostM[k]! < NEVER_CLEAR_M;
  return { all, leastM, isBlind, measure };
}

/** Returns the joints of `count` random poses within the limits, rad. Deterministic. */
export function randomPoses({ joints }: Pick<RobotModel, 'joints'>, count: number): Float64Array[] {
  const rng = new Rng(1);
  return Array.from({ length: count }, () =>
    Float64Array.from(
      joints,
      ({ positionMinRad: least, positionMaxRad: most }) => least + rng.uniform() * (most - least),
    ),
  );
}

/** Returns a function that measures the room of `pairs`. */
function meter(
  model: RobotModel,
  capsules: readonly Capsule[],
  clearanceM: number,
  pairs: readonly Pair[],
): (jointsRad: ArrayLike<number>) => Float64Array {
  if (pairs.length === 0) return () => new Float64Array(0);
  const whole: RobotModel = { ...model, points: [], collision: { capsules, pairs, clearanceM } };
  const arm = new ArmKinematics(whole);
  const clearances = new Clearances(whole);
  const first = clearances.rows.findIndex(({ kind }) => kind === 'pair');
  return (jointsRad) => {
    arm.forward(jointsRad);
    clearances.measure(arm);
    return clearances.h.slice(first);
  };
}

function candidates(model: RobotModel, capsules: readonly Capsule[]): Pair[] {
  const topology = new LinkTopology(model);
  const links = capsules.map(({ link }) => topology.link(link));
  const areNeighbours = (a: number, b: number): boolean => topology.parents[a] === b || topology.parents[b] === a;
  return capsules.flatMap((one, i) =>
    capsules
      .slice(i + 1)
      .flatMap((other, k) =>
        links[i] === links[i + 1 + k] || areNeighbours(links[i]!, links[i + 1 + k]!)
          ? []
          : [[one.name, other.name] as const],
      ),
  );
}
