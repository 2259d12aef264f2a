/** What a person is told before a real arm moves: what will move, how far, how long. */
import { type JointModel, positionUnit, type RobotModel } from '../core/index.ts';
import type { Approach } from './approach.ts';
import type { Excitation } from './excitation.ts';
import { reachOf, SPEED_SHARE, STANDING_S, speedShareOf } from './joint-path.ts';

/** Lines for the person at the arm of `model`, which its guard enforces; it goes home along `approach`. */
export function announcementOf(model: RobotModel, excitation: Excitation, approach: Approach): readonly string[] {
  const { jointRad, toolM } = reachOf(model, excitation);
  const most = jointRad.map((rad, i) => shownWay(model.joints[i]!, rad)).join(', ');
  return [
    `${model.name} will stand for ${STANDING_S} s with torque on, and move:`,
    ...(approach.durationS === 0 ? [] : [homeward(model, approach)]),
    `  about its home pose for ${excitation.durationS} s, all joints at once, to either side at most ${most};`,
    `    the tool up to ${metres(toolM)} away, no joint faster than ${percent(speedShareOf(model, excitation))} of its speed limit.`,
    `  Limits, walls and distances stay guarded. ${contact(model)}`,
    '  Nothing may touch the arm, or hang on it that is not always there.',
  ];
}

function homeward(model: RobotModel, approach: Approach): string {
  const { jointRad, toolM } = reachOf(model, approach);
  const ways = jointRad.flatMap((rad, i) => (rad < SHOWN_RAD ? [] : [shownWay(model.joints[i]!, rad)]));
  const pace = `all joints straight and no faster than ${percent(SPEED_SHARE)} of their speed limits`;
  return `  home first, in ${Math.ceil(approach.durationS)} s, ${pace}: ${ways.join(', ')}; the tool up to ${metres(toolM)} away from where it is;`;
}

/** A push at a link is felt where the file says what the joints' torques are without one. */
function contact({ torqueObserver }: RobotModel): string {
  return torqueObserver === undefined
    ? 'Contact with a link will not stop it: its file has no torqueObserver.'
    : 'Contact with a link stops it at twice the limits of its file.';
}

/** Less is shown as 0, rad or m. */
const SHOWN_RAD = 0.005;

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

function shownWay(joint: JointModel, way: number): string {
  return `${joint.name} ${way.toFixed(2)} ${positionUnit(joint)}`;
}

function metres(m: number): string {
  return `${m.toFixed(2)} m`;
}
