/** Which capsules of a robot are worth keeping apart, where nobody has said it. */
import { ArmKinematics, type Capsule, LinkTopology, Rng, type RobotModel } from '../../core/index.ts';
import { Clearances } from '../../safety/index.ts';

type Pair = readonly [string, string];

/** As many as a robot's file may have. */
const MOST = 32;
const POSES = 2000;
/** Pairs that never come nearer than this beyond the clearance need no watching, m. */
const FAR_M = 0.03;
/** Share of the poses in which a pair must overlap to be taken for built so. */
const ALWAYS = 0.95;

export interface ChosenPairs {
  readonly pairs: readonly Pair[];
  /** Pairs that can come near as well, and for which there is no more room; the nearest first. */
  readonly dropped: readonly Pair[];
  /** Pairs that are not clear at home, nor nearly ever: their capsules are too wide to show anything. */
  readonly blind: readonly Pair[];
  /** Pairs that are not clear at home, but often elsewhere: home may be a collision. */
  readonly suspect: readonly Pair[];
}

/**
 * Of the capsules on links that are no neighbours, the pairs that are clear at home and, over 2000 random poses, get nearest:
 * at most 32. The same model gives the same pairs.
 */
export function choosePairs(model: RobotModel, capsules: readonly Capsule[], clearanceM: number): ChosenPairs {
  const all = candidates(model, capsules);
  if (all.length === 0) return { pairs: [], dropped: [], blind: [], suspect: [] };
  const whole: RobotModel = { ...model, points: [], collision: { capsules, pairs: all, clearanceM } };
  const arm = new ArmKinematics(whole);
  const clearances = new Clearances(whole);
  const first = clearances.rows.findIndex(({ kind }) => kind === 'pair');
  const atHome = measure(clearances, arm, model.homeRad).slice(first);
  const least = Float64Array.from(atHome);
  const overlaps = new Uint32Array(least.length);
  const rng = new Rng(1);
  const joints = new Float64Array(model.joints.length);
  for (let pose = 0; pose < POSES; pose++) {
    for (const [i, { positionMinRad, positionMaxRad }] of model.joints.entries()) {
      joints[i] = positionMinRad + rng.uniform() * (positionMaxRad - positionMinRad);
    }
    const h = measure(clearances, arm, joints);
    for (let k = 0; k < least.length; k++) {
      least[k] = Math.min(least[k]!, h[first + k]!);
      if (h[first + k]! < 0) overlaps[k]!++;
    }
  }
  const order = [...all.keys()]
    .filter((k) => atHome[k]! >= 0 && least[k]! < FAR_M)
    .sort((a, b) => least[a]! - least[b]!);
  const isBlind = (k: number): boolean => overlaps[k]! > ALWAYS * POSES;
  const unclear = [...all.keys()].filter((k) => !(atHome[k]! >= 0));
  return {
    pairs: order.slice(0, MOST).map((k) => all[k]!),
    dropped: order.slice(MOST).map((k) => all[k]!),
    blind: unclear.filter(isBlind).map((k) => all[k]!),
    suspect: unclear.filter((k) => !isBlind(k)).map((k) => all[k]!),
  };
}

function measure(clearances: Clearances, arm: ArmKinematics, jointsRad: ArrayLike<number>): Float64Array {
  arm.forward(jointsRad);
  clearances.measure(arm);
  return clearances.h;
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
