/** Pairs of bodies whose distance is kept, read from the robot's description: names become indices, and unknown names are refused. */
import { type ArmKinematics, boxOf, type Capsule, type KeepOutBox, type RobotModel } from '../../model/index.ts';
import { Limb } from './limb.ts';

export type ClearanceKind = 'wall' | 'keepOut' | 'pair';

/** One distance that is monitored. */
export interface ClearanceRow {
  /** Such as `tool: x min`, `forearm: table`, `forearm: base`. */
  readonly name: string;
  readonly kind: ClearanceKind;
}

/** Typed copies: V8 treats arrays of integers and of fractions as different types, and reading both allocates. */
type Point = Float64Array;

/** A point and one plane of the workspace. */
export interface WallRow extends ClearanceRow {
  readonly kind: 'wall';
  readonly link: number;
  readonly pointM: Point;
  readonly limb: Limb;
  /** 0, 1, 2 for x, y, z. */
  readonly axis: number;
  /** 1: above `wallM`; −1: below it. */
  readonly sign: number;
  readonly wallM: number;
}

/** A capsule and a keep-out box. */
export interface KeepOutRow extends ClearanceRow {
  readonly kind: 'keepOut';
  readonly link: number;
  readonly fromM: Point;
  readonly toM: Point;
  readonly limb: Limb;
  /** Corners of the box. */
  readonly boxMinM: Point;
  readonly boxMaxM: Point;
  /** Radius and clearance, m. */
  readonly marginM: number;
}

/** Two capsules. */
export interface PairRow extends ClearanceRow {
  readonly kind: 'pair';
  readonly link: number;
  readonly fromM: Point;
  readonly toM: Point;
  readonly limb: Limb;
  readonly otherLink: number;
  readonly otherFromM: Point;
  readonly otherToM: Point;
  readonly otherLimb: Limb;
  /** The last link common to both chains (−1: base); moving it does not change the distance. */
  readonly common: number;
  /** Both radii and the clearance, m. */
  readonly marginM: number;
}

export type AnyRow = WallRow | KeepOutRow | PairRow;

const AXES = ['x', 'y', 'z'] as const;

/**
 * Returns the rows of an arm: walls, keep-out boxes, pairs. None for a mobile base. Throws `RangeError` for an unknown
 * link or capsule, duplicate names, a radius or clearance below 0, a box whose minimum is above its maximum, and pairs
 * on one link.
 */
export function clearanceRows(model: RobotModel, kinematics: ArmKinematics): readonly AnyRow[] {
  if (model.base !== undefined) return [];
  const capsules = capsulesOf(model);
  const rows: AnyRow[] = [...wallRows(model, kinematics)];
  const { collision } = model;
  if (collision === undefined) return rows;
  for (const box of collision.keepOut ?? []) {
    for (const capsule of guarded(box, capsules)) rows.push(keepOutRow(kinematics, capsule, box, collision.clearanceM));
  }
  for (const [first, second] of collision.pairs) {
    const pair = [capsuleNamed(capsules, first, 'pair'), capsuleNamed(capsules, second, 'pair')] as const;
    rows.push(pairRow(kinematics, ...pair, collision.clearanceM));
  }
  return rows;
}

function* wallRows(model: RobotModel, kinematics: ArmKinematics): Generator<WallRow> {
  const { toolLink } = kinematics.topology;
  const tool = { name: 'tool', link: toolLink, pointM: model.tool.originXyzM, box: model.workspace };
  const others = (model.points ?? []).map((point) => {
    const { name, link, positionM } = point;
    return { name, link: kinematics.topology.link(link), pointM: positionM, box: boxOf(point, model) };
  });
  for (const { name, link, pointM, box } of [tool, ...others]) {
    const limb = new Limb(kinematics, link, [pointM], -1);
    for (let axis = 0; axis < 3; axis++) {
      const place = { kind: 'wall', link, pointM: Float64Array.from(pointM), limb, axis } as const;
      yield { ...place, name: `${name}: ${AXES[axis]} min`, sign: 1, wallM: box.minM[axis]! };
      yield { ...place, name: `${name}: ${AXES[axis]} max`, sign: -1, wallM: box.maxM[axis]! };
    }
  }
}

function keepOutRow(kinematics: ArmKinematics, capsule: Capsule, box: KeepOutBox, clearanceM: number): KeepOutRow {
  const link = kinematics.topology.link(capsule.link);
  const limb = new Limb(kinematics, link, [capsule.fromM, capsule.toM], -1);
  const name = `${capsule.name}: ${box.name}`;
  const [fromM, toM] = endsOf(capsule);
  const corners = { boxMinM: Float64Array.from(box.minM), boxMaxM: Float64Array.from(box.maxM) };
  return { kind: 'keepOut', name, link, fromM, toM, limb, ...corners, marginM: capsule.radiusM + clearanceM };
}

function pairRow(kinematics: ArmKinematics, capsule: Capsule, other: Capsule, clearanceM: number): PairRow {
  const { topology } = kinematics;
  const link = topology.link(capsule.link);
  const otherLink = topology.link(other.link);
  const name = `${capsule.name}: ${other.name}`;
  if (link === otherLink)
    throw new RangeError(`the capsules of the pair ${name} are on one link and cannot move apart`);
  // A link comes after its parents, so the last joint that moves both carries the last common link.
  let common = Math.min(link, otherLink);
  while (common >= 0 && !(topology.moves(common, link) && topology.moves(common, otherLink))) common--;
  const limb = new Limb(kinematics, link, [capsule.fromM, capsule.toM], common);
  const otherLimb = new Limb(kinematics, otherLink, [other.fromM, other.toM], common);
  const marginM = capsule.radiusM + other.radiusM + clearanceM;
  const [fromM, toM] = endsOf(capsule);
  const [otherFromM, otherToM] = endsOf(other);
  return { kind: 'pair', name, link, fromM, toM, limb, otherLink, otherFromM, otherToM, otherLimb, common, marginM };
}

function endsOf({ fromM, toM }: Capsule): [Point, Point] {
  return [Float64Array.from(fromM), Float64Array.from(toM)];
}

function capsulesOf(model: RobotModel): ReadonlyMap<string, Capsule> {
  const found = new Map<string, Capsule>();
  const { capsules = [], clearanceM = 0, keepOut = [] } = model.collision ?? {};
  if (!(clearanceM >= 0)) throw new RangeError(`collision.clearanceM must be ≥ 0, got ${clearanceM}`);
  for (const capsule of capsules) {
    if (found.has(capsule.name)) throw new RangeError(`two capsules are called ${capsule.name}`);
    if (!(capsule.radiusM >= 0))
      throw new RangeError(`the radius of ${capsule.name} must be ≥ 0, got ${capsule.radiusM}`);
    found.set(capsule.name, capsule);
  }
  for (const { name, minM, maxM } of keepOut) {
    const isBox = minM.every((least, k) => least <= maxM[k]!);
    if (!isBox) throw new RangeError(`the keep-out box ${name} has a least corner above its greatest`);
  }
  return found;
}

function guarded(box: KeepOutBox, capsules: ReadonlyMap<string, Capsule>): readonly Capsule[] {
  if (box.capsules === undefined) return [...capsules.values()].filter(({ link }) => link !== 'base');
  return box.capsules.map((name) => capsuleNamed(capsules, name, `keep-out box ${box.name}`));
}

function capsuleNamed(capsules: ReadonlyMap<string, Capsule>, name: string, where: string): Capsule {
  const capsule = capsules.get(name);
  if (capsule !== undefined) return capsule;
  const known = [...capsules.keys()].join(', ') || 'none';
  throw new RangeError(`a ${where} names the capsule ${name}; there are ${known}`);
}
