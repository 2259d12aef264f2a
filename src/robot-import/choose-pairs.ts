/** Which capsules of a robot are worth keeping apart, where nobody has said it. */
import { ArmKinematics, type Capsule, LinkTopology, Rng, type RobotModel } from '../core/index.ts';
import { Clearances } from '../safety/index.ts';

type Pair = readonly [string, string];

/** As many as a robot's file may have. */
const MOST = 32;
const POSES = 2000;
/** Pairs that never come nearer than this beyond the clearance need no watching, m. */
const FAR_M = 0.03;
/**
 * Share of the poses in which a pair must overlap to be taken for built so, as MoveIt's setup assistant takes it (`min_collision_fraction`);
 * and room that it must have in one of them, m: what is clear by less is always inside the margins of capsules around it.
 */
export const ALWAYS = 0.95;
const NEVER_CLEAR_M = 0.01;

export interface ChosenPairs {
  readonly pairs: readonly Pair[];
  /** Pairs that can come near as well, and for which there is no more room; the nearest first. */
  readonly dropped: readonly Pair[];
  /** Pairs that are clear hardly anywhere: their capsules are too wide to show anything. */
  readonly blind: readonly Pair[];
  /** Pairs that are not clear at home, but often elsewhere: home may be a collision. */
  readonly suspect: readonly Pair[];
}

/** Pairs of capsules on links that are no neighbours, and how near they come in random poses. */
interface Looked {
  readonly all: readonly Pair[];
  readonly leastM: Float64Array;
  /** Whether a pair is in each other nearly everywhere: its capsules are too wide to show anything. */
  readonly isBlind: (k: number) => boolean;
  /** Room of each pair in a pose. */
  readonly measure: (jointsRad: ArrayLike<number>) => Float64Array;
}

/** Pairs of capsules that show something. Throws `RangeError` for a link that is not there. */
export function seeingPairs(model: RobotModel, capsules: readonly Capsule[], clearanceM: number): Pair[] {
  const { all, isBlind } = look(model, capsules, clearanceM);
  return all.filter((_, k) => !isBlind(k));
}

/**
 * Of the capsules on links that are no neighbours, the pairs that are clear at home and, over 2000 random poses, get nearest:
 * at most 32. The same model gives the same pairs.
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

/** Joints of `count` poses within the limits, rad: the same for the same model. */
export function randomPoses({ joints }: Pick<RobotModel, 'joints'>, count: number): Float64Array[] {
  const rng = new Rng(1);
  return Array.from({ length: count }, () =>
    Float64Array.from(
      joints,
      ({ positionMinRad: least, positionMaxRad: most }) => least + rng.uniform() * (most - least),
    ),
  );
}

/** What measures the room of `pairs`. */
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
