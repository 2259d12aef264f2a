/** A robot's limits: as a table for display, and which of them a check covers or does not. */
import { isFree, type JointModel, positionUnit, type RobotModel } from '../model/index.ts';
import { canStartFar } from './attack/plan.ts';
import type { LimitRow, ViolationKind } from './result.ts';

/** Returns all limits that the check enforces, with units. */
export function limitRowsOf(model: RobotModel, sagMaxM?: number): LimitRow[] {
  const { workspace, collision, tank, contact, base } = model;
  const rows = model.joints.flatMap(jointRows);
  rows.push(row('control rate', model.controlHz, 'Hz'));
  if (base === undefined) {
    rows.push(row('distance kept from joint limits', model.limitMarginRad, turnUnitOf(model)));
    for (const joint of model.joints) {
      if (joint.limitMarginRad === undefined) continue;
      rows.push(row(`distance kept from the limits of ${joint.name}`, joint.limitMarginRad, positionUnit(joint)));
    }
    rows.push(row('lead of the reference', model.leashM, 'm'), row('lead of the reference', model.leashRad, 'rad'));
    if (model.toolSpeedMaxMPerS !== undefined)
      rows.push(row('speed of tool and points', model.toolSpeedMaxMPerS, 'm/s'));
    rows.push({ name: 'workspace', value: boxText(workspace.minM, workspace.maxM), unit: 'm' });
    // Three digits: the estimate is no more precise.
    if (sagMaxM !== undefined) rows.push(row('outside it, for an arm at rest', Number(sagMaxM.toPrecision(3)), 'm'));
  }
  for (const { name, link } of model.points ?? []) rows.push({ name: `point ${name}`, value: `on ${link}`, unit: '' });
  if (base?.fence !== undefined) {
    rows.push({ name: 'fence', value: boxText(base.fence.minM, base.fence.maxM), unit: 'm' });
    rows.push(row('radius of the base', base.fence.radiusM, 'm'));
  }
  if (collision !== undefined) {
    rows.push(row('pairs of shapes kept apart', collision.pairs.length, '1'));
    rows.push(row('clearance', collision.clearanceM, 'm'));
    for (const { name, minM, maxM } of collision.keepOut ?? []) {
      rows.push({ name: `keep-out ${name}`, value: boxText(minM, maxM), unit: 'm' });
    }
  }
  if (tank !== undefined) {
    rows.push({ name: 'energy tank', value: `${tank.startJ}, ${tank.minJ} to ${tank.maxJ}`, unit: 'J' });
    rows.push(row('power of a command', tank.powerMaxW, 'W'));
  }
  if (contact !== undefined) rows.push(row('contact force', contact.forceMaxN, 'N'));
  return rows;
}

function jointRows(joint: JointModel): LimitRow[] {
  const unit = positionUnit(joint);
  const { name, positionMinRad, positionMaxRad, velocityMaxRadPerS, accelMaxRadPerS2, jerkMaxRadPerS3 } = joint;
  const rows: LimitRow[] = [];
  if (!isFree(joint))
    rows.push({ name: `${name}: position`, value: `${short(positionMinRad)} to ${short(positionMaxRad)}`, unit });
  rows.push(row(`${name}: speed`, velocityMaxRadPerS, `${unit}/s`));
  rows.push(row(`${name}: acceleration`, accelMaxRadPerS2, `${unit}/s²`));
  if (jerkMaxRadPerS3 !== undefined) rows.push(row(`${name}: jerk`, jerkMaxRadPerS3, `${unit}/s³`));
  return rows;
}

function row(name: string, value: number, unit: string): LimitRow {
  return { name, value: short(value), unit };
}

function boxText(minM: readonly number[], maxM: readonly number[]): string {
  return minM.map((low, k) => `${'xyz'[k]} ${short(low)} to ${short(maxM[k]!)}`).join(', ');
}

function short(value: number): string {
  return String(Number(value.toPrecision(5)));
}

/** True if the robot has the limit of `kind`. */
export function appliesTo(model: RobotModel, kind: ViolationKind, hasEnergy: boolean): boolean {
  const { base, collision } = model;
  if (kind === 'position') return model.joints.some((joint) => !isFree(joint));
  if (kind === 'toolSpeed') return model.toolSpeedMaxMPerS !== undefined;
  if (kind === 'workspace') return base === undefined;
  if (kind === 'sag') return base === undefined && hasEnergy;
  if (kind === 'fence') return base?.fence !== undefined;
  if (kind === 'selfCollision') return (collision?.pairs.length ?? 0) > 0;
  if (kind === 'keepOut') return (collision?.keepOut?.length ?? 0) > 0;
  if (kind === 'contact') return collision !== undefined && hasEnergy;
  if (kind === 'energy') return model.tank !== undefined && hasEnergy;
  if (kind === 'startJump') return canStartFar(model);
  return true;
}

/**
 * Returns the limits that cannot be checked, for the verdict and the terminal, such as `energy (no tank)`. `hasEnergy`:
 * the plant has masses.
 */
export function untriedOf({ tank, collision, base, joints }: RobotModel, hasEnergy: boolean): string[] {
  const untried: string[] = [];
  const canTouch = base === undefined && joints.some((joint) => !isFree(joint));
  if (tank === undefined || !hasEnergy) untried.push(`energy (${hasEnergy ? 'no tank' : 'no masses'})`);
  if (canTouch && collision === undefined) untried.push('collisions (no shapes)');
  if (canTouch && collision?.pairs.length === 0) untried.push('distance between links (no pairs)');
  if (base !== undefined && base.fence === undefined) untried.push('fence (none given)');
  return untried;
}

/** Returns `rad`, `m`, or `rad or m` for a mix of revolute and prismatic joints. */
export function turnUnitOf({ joints }: Pick<RobotModel, 'joints'>): 'rad' | 'm' | 'rad or m' {
  const slides = joints.filter((joint) => positionUnit(joint) === 'm').length;
  return slides === 0 ? 'rad' : slides === joints.length ? 'm' : 'rad or m';
}
