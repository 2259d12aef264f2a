/** What a person is told before a real arm moves: what will move, how far, how long. */
import type { RobotModel } from '../../core/index.ts';
import { Approach } from './approach.ts';
import type { Excitation } from './excitation.ts';
import { reachOf, SPEED_SHARE, STANDING_S } from './joint-path.ts';

/** Lines for the person at the arm of `model`, which stands at `measuredRad` ([n], rad). */
export function announcementOf(
  model: RobotModel,
  excitation: Excitation,
  measuredRad: ArrayLike<number>,
): readonly string[] {
  const approach = new Approach(model, measuredRad);
  const { jointRad, toolM } = reachOf(model, excitation);
  const most = jointRad.map((rad, i) => `${model.joints[i]!.name} ${shownRad(rad)}`).join(', ');
  return [
    `${model.name} will stand for ${STANDING_S} s with torque on, and move:`,
    ...(approach.durationS === 0 ? [] : [homeward(model, approach)]),
    `  about its home pose for ${excitation.durationS} s, all joints at once, to either side at most ${most};`,
    `    the tool up to ${metres(toolM)} away, no joint faster than ${fastest(model, excitation)} of its speed limit.`,
    '  Limits, walls and distances stay guarded. Nothing may touch the arm, or hang on it that is not always there.',
  ];
}

function homeward(model: RobotModel, approach: Approach): string {
  const { jointRad, toolM } = reachOf(model, approach);
  const ways = jointRad.flatMap((rad, i) => (rad < SHOWN_RAD ? [] : [`${model.joints[i]!.name} ${shownRad(rad)}`]));
  const pace = `all joints straight and no faster than ${percent(SPEED_SHARE)} of their speed limits`;
  return `  home first, in ${Math.ceil(approach.durationS)} s, ${pace}: ${ways.join(', ')}; the tool up to ${metres(toolM)} away from where it is;`;
}

/** Joints add four sines; what they come to together is looked at. */
function fastest({ joints }: RobotModel, path: Excitation): string {
  const before = new Float64Array(joints.length);
  const now = new Float64Array(joints.length);
  let share = 0;
  path.write(before, 0);
  for (let atS = SPEED_STEP_S; atS <= path.durationS; atS += SPEED_STEP_S) {
    path.write(now, atS);
    for (const [i, { velocityMaxRadPerS }] of joints.entries()) {
      share = Math.max(share, Math.abs(now[i]! - before[i]!) / (SPEED_STEP_S * velocityMaxRadPerS));
    }
    before.set(now);
  }
  return percent(share);
}

/** Speeds are looked at over so long, s. */
const SPEED_STEP_S = 0.02;
/** Less is shown as 0. */
const SHOWN_RAD = 0.005;

function percent(share: number): string {
  return `${Math.ceil(100 * share)} %`;
}

function shownRad(rad: number): string {
  return `${rad.toFixed(2)} rad`;
}

function metres(m: number): string {
  return `${m.toFixed(2)} m`;
}
