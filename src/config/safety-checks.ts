/** Consistency checks among a robot's points, shapes, energy tank and fence, and with its joints. */

import { worldOf } from '../drivers/index.ts';
import {
  ArmKinematics,
  type Capsule,
  counted,
  didYouMean,
  holdsItself,
  IDENTIFY_ANEW,
  parentOf,
} from '../model/index.ts';
import { Clearances } from '../safety/index.ts';
import { type Finding, round } from './finding.ts';
import { checkFollowing } from './following-checks.ts';
import type { RobotConfig } from './schema/robot.ts';
import { shown } from './text/shown.ts';
import type { TreePath } from './text/tree.ts';

/** Inconsistencies in the inputs of the safety chain's later stages. Joints, home and workspace must have passed their checks. */
export function checkSafety(robot: RobotConfig): readonly Finding[] {
  const named = [...checkPoints(robot), ...checkCapsules(robot), ...checkPairs(robot), ...checkKeepOut(robot)];
  // Clearances can only be measured once every name resolves.
  const atHome = named.length > 0 || robot.base !== undefined ? [] : checkHomeRoom(robot);
  return [
    ...named,
    ...atHome,
    ...checkTank(robot),
    ...checkFence(robot),
    ...checkObserver(robot),
    ...checkExit(robot),
    ...checkSeparation(robot),
    ...checkFollowing(robot),
  ];
}

function checkPoints(robot: RobotConfig): Finding[] {
  const points = robot.points ?? [];
  const findings = repeated(points, ['points'], 'point');
  for (const [i, { link }] of points.entries()) {
    if (!robot.joints.some((joint) => joint.name === link)) {
      findings.push({ path: ['points', i, 'link'], message: noJoint(`points[${i}].link`, link, robot) });
    }
  }
  return findings;
}

function checkCapsules(robot: RobotConfig): Finding[] {
  const capsules = robot.collision?.capsules ?? [];
  const findings = repeated(capsules, ['collision', 'capsules'], 'capsule');
  for (const [i, { link }] of capsules.entries()) {
    if (link === 'base' || robot.joints.some((joint) => joint.name === link)) continue;
    const path = ['collision', 'capsules', i, 'link'];
    findings.push({ path, message: noJoint(`collision.capsules[${i}].link`, link, robot) });
  }
  return findings;
}

function checkPairs(robot: RobotConfig): Finding[] {
  const { capsules = [], pairs = [] } = robot.collision ?? {};
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const [i, pair] of pairs.entries()) {
    const path = ['collision', 'pairs', i];
    const [first, second] = pair.map((name) => capsules.find((capsule) => capsule.name === name));
    const missing = first === undefined ? 0 : 1;
    const id = [...pair].sort().join(' ');
    if (first === undefined || second === undefined) {
      findings.push({ path: [...path, missing], message: noCapsule(`pairs[${i}]`, pair[missing], capsules) });
    } else if (first.link === second.link) {
      const message = `pairs[${i}]: "${pair[0]}" and "${pair[1]}" are on one link, ${first.link}, and cannot move apart`;
      findings.push({ path, message });
    } else if (seen.has(id)) {
      findings.push({ path, message: `pairs[${i}]: "${pair[0]}" and "${pair[1]}" are a pair already` });
    }
    seen.add(id);
  }
  return findings;
}

function checkKeepOut(robot: RobotConfig): Finding[] {
  const { capsules = [], keepOut = [] } = robot.collision ?? {};
  const findings = repeated(keepOut, ['collision', 'keepOut'], 'keep-out box');
  for (const [i, box] of keepOut.entries()) {
    const path = ['collision', 'keepOut', i];
    for (const [c, name] of (box.capsules ?? []).entries()) {
      if (capsules.some((capsule) => capsule.name === name)) continue;
      findings.push({
        path: [...path, 'capsules', c],
        message: noCapsule(`keepOut[${i}].capsules[${c}]`, name, capsules),
      });
    }
  }
  return findings;
}

/** At home, where the robot starts, all clearances must be kept: nothing may start outside its limits. */
function checkHomeRoom(robot: RobotConfig): Finding[] {
  const arm = new ArmKinematics(robot);
  const clearances = new Clearances(robot);
  clearances.measure(arm);
  const places = placesOfRows(robot);
  const findings: Finding[] = [];
  for (const [r, { kind, name }] of clearances.rows.entries()) {
    const shortM = -clearances.h[r]!;
    if (shortM <= 0) continue;
    const path = places[r]!;
    if (kind === 'pair') findings.push({ path, message: closePair(robot, path[2] as number, shortM) });
    else if (kind === 'wall')
      findings.push({ path, message: `at home "${name}" is exceeded by ${millimetres(shortM)}` });
    else findings.push({ path, message: `at home "${name}" lacks ${millimetres(shortM)} of the clearance` });
  }
  return [...findings, ...checkToolKeptOut(robot, arm)];
}

/** Position in the file of each row of `Clearances`. */
function placesOfRows({ points = [], collision }: RobotConfig): TreePath[] {
  const walls = [0, 1, 2].flatMap((axis) => [
    ['minM', axis],
    ['maxM', axis],
  ]);
  const own = points.flatMap(({ workspace }, i) =>
    walls.map((wall) => (workspace === undefined ? ['points', i] : ['points', i, 'workspace', ...wall])),
  );
  const { capsules = [], keepOut = [], pairs = [] } = collision ?? {};
  const moving = capsules.filter(({ link }) => link !== 'base').length;
  const boxes = keepOut.flatMap((box, i) =>
    Array.from({ length: box.capsules?.length ?? moving }, () => ['collision', 'keepOut', i]),
  );
  return [
    ...walls.map((wall) => ['workspace', ...wall]),
    ...own,
    ...boxes,
    ...pairs.map((_, i) => ['collision', 'pairs', i]),
  ];
}

function closePair(robot: RobotConfig, index: number, shortM: number): string {
  const { capsules, pairs } = robot.collision!;
  const names = pairs[index]!;
  const [first, second] = names.map((name) => capsules.find((capsule) => capsule.name === name)!);
  const subject = `pairs[${index}]: "${names[0]}" and "${names[1]}"`;
  const joint = jointBetween(robot, first!.link, second!.link);
  if (joint !== undefined) {
    return `${subject} meet where joint "${joint}" carries one on the other, and lack ${millimetres(shortM)} of the clearance at home: leave the pair out, or shorten one`;
  }
  return `${subject} lack ${millimetres(shortM)} of the clearance at home`;
}

/** The joint between two neighbouring links. */
function jointBetween({ joints }: RobotConfig, first: string, second: string): string | undefined {
  const carrierOf = (link: string) => {
    const i = joints.findIndex((joint) => joint.name === link);
    return i < 0 ? undefined : parentOf(joints, i);
  };
  if (carrierOf(first) === second) return first;
  return carrierOf(second) === first ? second : undefined;
}

function checkToolKeptOut({ collision }: RobotConfig, { tcpPositionM }: ArmKinematics): Finding[] {
  return (collision?.keepOut ?? []).flatMap(({ name, minM, maxM }, i) => {
    if (!tcpPositionM.every((value, axis) => value > minM[axis]! && value < maxM[axis]!)) return [];
    return [
      { path: ['collision', 'keepOut', i], message: `keepOut[${i}], "${name}", contains the tool point at home` },
    ];
  });
}

function checkTank(robot: RobotConfig): Finding[] {
  const { tank } = robot;
  if (tank === undefined) return [];
  const findings: Finding[] = [];
  const { minJ, startJ, maxJ } = tank;
  if (!(minJ < startJ)) {
    findings.push({
      path: ['tank', 'startJ'],
      message: `tank.startJ is ${startJ}, it must be above tank.minJ, ${minJ} (J)`,
    });
  }
  if (!(startJ <= maxJ)) {
    findings.push({
      path: ['tank', 'maxJ'],
      message: `tank.maxJ is ${maxJ}, it must not be below tank.startJ, ${startJ} (J)`,
    });
  }
  return [
    ...findings,
    ...(findings.length === 0 ? checkServos(robot) : []),
    ...checkReadings(robot),
    ...checkDampers(robot),
  ];
}

/** Tank and torque observer describe the same servos and must agree. */
function checkServos({ tank, torqueObserver }: RobotConfig): Finding[] {
  if (tank === undefined || torqueObserver === undefined) return [];
  const findings: Finding[] = [];
  const refuse = (key: 'velocityFeedForward' | 'delayTicks', why: string) =>
    findings.push({ path: ['tank', key], message: `tank.${key} is ${tank[key]}, ${why}` });
  const { velocityFeedForward, delayTicks } = torqueObserver;
  const same = `both describe the same servos. To measure these, ${IDENTIFY_ANEW}`;
  if (velocityFeedForward !== tank.velocityFeedForward) {
    refuse('velocityFeedForward', `torqueObserver.velocityFeedForward is ${velocityFeedForward}: ${same}`);
  }
  if (delayTicks > tank.delayTicks) {
    refuse('delayTicks', `less than torqueObserver.delayTicks, ${delayTicks}: ${same}`);
  }
  return findings;
}

/** Without `encoderNoiseRad` the tank would take sensor noise for motion, and be filled by it. */
function checkReadings({ joints }: RobotConfig): Finding[] {
  return joints.flatMap(({ name, encoderNoiseRad }, i) => {
    if (encoderNoiseRad !== undefined) return [];
    const message = `joint "${name}" has no encoderNoiseRad, and an energy tank needs to know by how much a reading may be off: the largest difference seen over a minute of standing still, and no less than 2π / 2^bits of the encoder`;
    return [{ path: ['joints', i], message }];
  });
}

function checkDampers({ joints }: RobotConfig): Finding[] {
  return joints.flatMap(({ name, dampingNmSPerRad }, i) => {
    if (dampingNmSPerRad > 0) return [];
    const message = `joint "${name}" has no damping, and an energy tank needs the servos' true stiffness and damping`;
    return [{ path: ['joints', i, 'dampingNmSPerRad'], message }];
  });
}

/** One entry per joint. */
function checkObserver({ torqueObserver, joints }: RobotConfig): Finding[] {
  if (torqueObserver === undefined) return [];
  return (['servoMaxNm', 'externalMaxNm', 'links'] as const).flatMap((key) => {
    const { length } = torqueObserver[key];
    if (length === joints.length) return [];
    const message = `torqueObserver.${key} has ${counted(length, 'number')}, the robot has ${counted(joints.length, 'joint')}: ${IDENTIFY_ANEW}`;
    return [{ path: ['torqueObserver', key], message }];
  });
}

/** `exitRampS` is required for an arm that sinks without torque, and refused for any other. */
function checkExit(robot: RobotConfig): Finding[] {
  const { exitRampS } = robot;
  const holds = holdsItself(robot);
  if (holds === (exitRampS === undefined)) return [];
  const message = holds
    ? 'exitRampS is for an arm that sinks without torque: add `holdsWithoutTorque: false`, or leave it out'
    : 'holdsWithoutTorque is false, so exitRampS has to say how long torque takes to go off: long enough to get there and support the arm, or for it to sink onto its rest';
  return [{ path: [holds ? 'exitRampS' : 'holdsWithoutTorque'], message }];
}

function checkSeparation({ separation, toolSpeedMaxMPerS, driver }: RobotConfig): Finding[] {
  if (separation === undefined) {
    if (!('distance' in driver) || driver.distance === undefined) return [];
    const unused =
      'driver.distance measures the distance of people, but without separation the robot does not slow or stop for it: add separation, or leave it out';
    return [{ path: ['driver', 'distance'], message: unused }];
  }
  if (!mayMeasureDistance(driver)) {
    const blind = `separation needs the distance of people, and the driver ${driver.kind} measures none: ${driver.kind === 'ros' ? 'add driver.distance, or leave separation out' : 'leave it out'}`;
    return [{ path: ['separation'], message: blind }];
  }
  if (toolSpeedMaxMPerS !== undefined) return [];
  const message = 'separation slows the tool, so toolSpeedMaxMPerS is needed: its speed limit while no person is near';
  return [{ path: ['separation'], message }];
}

/** No people stand beside a simulated arm, so any simulated driver is accepted. */
function mayMeasureDistance(driver: RobotConfig['driver']): boolean {
  if (driver.kind === 'ros') return 'distance' in driver && driver.distance !== undefined;
  if (driver.kind === 'mock') return 'distanceM' in driver && driver.distanceM !== undefined;
  return worldOf(driver) !== 'real' || driver.kind === 'plugin';
}

function checkFence({ base }: RobotConfig): Finding[] {
  const fence = base?.fence;
  if (base === undefined || fence === undefined) return [];
  const { minM, maxM, radiusM } = fence;
  return [0, 1].flatMap((axis) => {
    const key = 'xy'[axis];
    if (!(minM[axis]! + radiusM < 0)) {
      const message = `base.fence.minM[${axis}] must be below −radiusM, −${radiusM} (m): the base begins in the middle of the frame and reaches that far in ${key}`;
      return [{ path: ['base', 'fence', 'minM', axis], message }];
    }
    if (!(maxM[axis]! - radiusM > 0)) {
      const message = `base.fence.maxM[${axis}] must be above radiusM, ${radiusM} (m): the base begins in the middle of the frame and reaches that far in ${key}`;
      return [{ path: ['base', 'fence', 'maxM', axis], message }];
    }
    return [];
  });
}

function repeated(entries: readonly { readonly name: string }[], path: TreePath, what: string): Finding[] {
  return entries.flatMap(({ name }, i) => {
    if (entries.findIndex((entry) => entry.name === name) === i) return [];
    return [{ path: [...path, i, 'name'], message: `there is already a ${what} "${name}"` }];
  });
}

function noJoint(subject: string, link: string, { joints }: RobotConfig): string {
  const names = joints.map(({ name }) => name);
  return `${subject} is "${shown(link)}", there are the joints ${names.join(', ')}${didYouMean(link, names)}`;
}

function noCapsule(subject: string, name: string, capsules: readonly Capsule[]): string {
  const names = capsules.map((capsule) => capsule.name);
  return `${subject} names "${shown(name)}", there are the capsules ${names.join(', ')}${didYouMean(name, names)}`;
}

function millimetres(lengthM: number): string {
  return `${round(1000 * lengthM)} mm`;
}
