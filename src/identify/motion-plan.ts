/** Planned motion of an identification: home first, then about the home pose; and its announcement. */
import { type JointModel, percent, positionUnit, ReinError, type RobotModel } from '../model/index.ts';
import { Excitation } from './excitation.ts';
import { ACCEL_SHARE, type JointPath, reachOf, SPEED_SHARE, STANDING_S, speedShareOf } from './joint-path.ts';
import { inTheWay } from './rehearsal.ts';

/** Parameters from which an excitation is drawn. */
export interface ExcitationOptions {
  readonly model: RobotModel;
  readonly durationS: number;
  readonly seed: number;
}

/**
 * Returns the excitation of the arm of `model`, scaled so that nothing is in the way. Throws `ReinError('config')` if
 * there is no room for it.
 */
export function excitationOf({ model, durationS, seed }: ExcitationOptions): Excitation {
  if (model.base !== undefined) throw new ReinError('config', 'Only arms are identified, and this is a mobile base.');
  const excitation = new Excitation(model, durationS, seed);
  let obstacle: string | undefined;
  while (excitation.isUseful) {
    const found = inTheWay(model, excitation);
    if (found === undefined) return excitation;
    obstacle = found;
    excitation.shrink();
  }
  const what = obstacle === undefined ? '' : ` (in the way: ${obstacle})`;
  throw new ReinError('config', `The arm has no room to move about its home pose${what}.`, {
    remedy: 'Take a homeRad in the middle of the workspace, away from joint limits and boxes.',
  });
}

/** Returns its path home from `fromRad` ([n], rad). Throws `ReinError('driver')` if it is obstructed. */
export function approachOf(model: RobotModel, fromRad: ArrayLike<number>): Approach {
  const approach = new Approach(model, fromRad);
  const obstacle = approach.durationS === 0 ? undefined : inTheWay(model, approach);
  if (obstacle === undefined) return approach;
  throw new ReinError('driver', `The straight path home is not free (in the way: ${obstacle}).`, {
    remedy: 'Bring the arm nearer to homeRad by hand or with its own controls, then begin again.',
  });
}

/** Distance from home at which an arm counts as there, rad. */
export const AT_HOME_RAD = 0.01;

/** A straight line between joint positions, as slow as the motion that follows it. */
export class Approach implements JointPath {
  /** Duration, s; 0 if the arm is at home. */
  readonly durationS: number;
  readonly #fromRad: readonly number[];
  readonly #toRad: readonly number[];

  constructor({ joints, homeRad }: Pick<RobotModel, 'joints' | 'homeRad'>, fromRad: ArrayLike<number>) {
    this.#fromRad = Array.from(fromRad);
    this.#toRad = homeRad;
    const isHome = homeRad.every((toRad, i) => Math.abs(toRad - fromRad[i]!) <= AT_HOME_RAD);
    // For (1 − cos πs)/2 over T: largest speed π/2 · way / T, largest acceleration π²/2 · way / T².
    const times = joints.map(({ velocityMaxRadPerS, accelMaxRadPerS2 }, i) => {
      const pathRad = Math.abs(homeRad[i]! - fromRad[i]!);
      const bySpeedS = (Math.PI * pathRad) / (2 * SPEED_SHARE * velocityMaxRadPerS);
      const byAccelS = Math.PI * Math.sqrt(pathRad / (2 * ACCEL_SHARE * accelMaxRadPerS2));
      return Math.max(bySpeedS, byAccelS);
    });
    this.durationS = isHome ? 0 : Math.max(...times);
  }

  write(out: Float64Array, atS: number): void {
    const passed = this.durationS === 0 ? 1 : Math.min(Math.max(atS / this.durationS, 0), 1);
    const share = (1 - Math.cos(Math.PI * passed)) / 2;
    for (const [i, fromRad] of this.#fromRad.entries()) out[i] = fromRad + share * (this.#toRad[i]! - fromRad);
  }
}

/** Returns the announcement for the person at the arm of `model`, which its guard enforces; the arm goes home along `approach`. */
export function announcementOf(model: RobotModel, excitation: Excitation, approach: Approach): readonly string[] {
  const { jointRad, toolM } = reachOf(model, excitation);
  const most = jointRad.map((rad, i) => shownWay(model.joints[i]!, rad)).join(', ');
  return [
    `${model.name} will stand for ${STANDING_S} s with torque on, and move:`,
    ...(approach.durationS === 0 ? [] : [homeward(model, approach)]),
    `  about its home pose for ${excitation.durationS} s, all joints at once, to either side at most ${most};`,
    `    the tool up to ${metres(toolM)} away, no joint faster than ${percent(speedShareOf(model, excitation), 0)} of its speed limit.`,
    `  Limits, walls and distances stay guarded. ${contact(model)}`,
    '  Nothing may touch the arm, or hang on it that is not always there.',
  ];
}

function homeward(model: RobotModel, approach: Approach): string {
  const { jointRad, toolM } = reachOf(model, approach);
  const ways = jointRad.flatMap((rad, i) => (rad < SHOWN_RAD ? [] : [shownWay(model.joints[i]!, rad)]));
  const pace = `all joints straight and no faster than ${percent(SPEED_SHARE, 0)} of their speed limits`;
  return `  home first, in ${Math.ceil(approach.durationS)} s, ${pace}: ${ways.join(', ')}; the tool up to ${metres(toolM)} away from where it is;`;
}

/** A push at a link is detected if the file states the joints' torques without one. */
function contact({ torqueObserver }: RobotModel): string {
  return torqueObserver === undefined
    ? 'Contact with a link will not stop it: its file has no torqueObserver.'
    : 'Contact with a link stops it at twice the limits of its file.';
}

/** Distances below this are shown as 0, rad or m. */
const SHOWN_RAD = 0.005;

function shownWay(joint: JointModel, way: number): string {
  return `${joint.name} ${way.toFixed(2)} ${positionUnit(joint)}`;
}

function metres(m: number): string {
  return `${m.toFixed(2)} m`;
}
