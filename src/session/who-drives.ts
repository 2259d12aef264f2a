/**
 * Checks that a person or a policy can decide what the robot does, by the request and what is present here, and finds remedies otherwise:
 * each is tried by the same rules before it is printed, so that no two of them send a person back and forth.
 */
import { type ErrorKind, ReinError } from '../model/index.ts';

/** An input device for people that an option names. */
export type PlainDevice = 'keyboard' | 'gamepad' | 'spacemouse';

export interface DrivingPlace {
  readonly command: 'run' | 'record' | 'teleop' | 'sim' | 'reward collect';
  readonly operator: PlainDevice | 'scripted' | 'none';
  /** Source of the first demonstrations. */
  readonly demonstrations: 'scripted' | 'keyboard' | 'people' | undefined;
  /** Kinds of the file's `operators`. */
  readonly listed: readonly string[];
  /** A terminal of its own, in the foreground, whose keys are read. */
  readonly terminal: 'here' | 'none';
  /** Rights of a page that people can open here: without a known token it only watches. */
  readonly page: 'operates' | 'watches' | 'none';
  /** Gamepads and SpaceMice that are plugged in and readable. */
  readonly pluggedIn: readonly PlainDevice[];
  /** A policy, a learner or a plugin is given. */
  readonly policy: 'given' | 'none';
}

/** A possible change of the command line, and its spelling. */
interface Change {
  readonly words: string;
  readonly to: Partial<DrivingPlace>;
}

const PAGE = '--monitor 7400 --monitor-token FILE';
/** In the order in which they are suggested. */
const CHANGES: readonly Change[] = [
  { words: '--operator keyboard', to: { operator: 'keyboard' } },
  { words: '--operator gamepad', to: { operator: 'gamepad' } },
  { words: '--operator spacemouse', to: { operator: 'spacemouse' } },
  { words: '--operator none', to: { operator: 'none' } },
  { words: `--operator none ${PAGE}`, to: { operator: 'none', page: 'operates' } },
  { words: '--demonstrations people', to: { demonstrations: 'people' } },
  { words: '--demonstrations people --monitor 7400', to: { demonstrations: 'people', page: 'operates' } },
  { words: '--demonstrations scripted', to: { demonstrations: 'scripted' } },
  { words: '--policy FILE', to: { policy: 'given' } },
  { words: '--operator none --policy FILE', to: { operator: 'none', policy: 'given' } },
];
/** The token's file does not exist yet. */
const TOKEN = `; make the token's file with: (umask 077; openssl rand -hex 24 > FILE)`;

/** Throws `ReinError` if nothing can drive; its remedies are accepted in the same place. */
export function checkDriver(place: DrivingPlace): void {
  const refusal = refusalOf(place);
  if (refusal === undefined) return;
  const [kind, message] = refusal;
  throw new ReinError(kind, message, { remedy: remedyOf(place) });
}

/** Changes of the command line with which `place` would be accepted, each as its options. */
export function remediesOf(place: DrivingPlace): readonly string[] {
  const fitting = CHANGES.filter(({ to }) => isOption(place, to) && refusalOf({ ...place, ...to }) === undefined);
  // A change that contains a smaller one is redundant.
  return fitting.map(({ words }) => words).filter((words, _, all) => !all.some((other) => isPart(other, words)));
}

function remedyOf(place: DrivingPlace): string {
  const remedies = remediesOf(place);
  const token = remedies.some((words) => words.includes(PAGE)) ? TOKEN : '';
  const asksKeys = place.operator === 'keyboard' || place.demonstrations === 'keyboard';
  const inTerminal = asksKeys && place.terminal === 'none' ? 'Start it in a terminal' : '';
  const options = remedies.length === 0 ? '' : `Take ${remedies.join(', or ')}${token}`;
  if (inTerminal === '') return `${options}.`;
  return options === '' ? `${inTerminal}.` : `${inTerminal}, or take ${options.slice('Take '.length)}.`;
}

function isPart(part: string, whole: string): boolean {
  return whole.startsWith(`${part} `) || whole.endsWith(` ${part}`);
}

/** True if the command has these options, and a device that they name is plugged in. */
function isOption({ command, pluggedIn, ...place }: DrivingPlace, to: Partial<DrivingPlace>): boolean {
  if (to.demonstrations !== undefined && (command !== 'sim' || place.demonstrations === undefined)) return false;
  if (to.policy !== undefined && command !== 'run' && command !== 'reward collect') return false;
  if (to.page !== undefined && command === 'reward collect') return false;
  // An absent device is refused with its own message (`checkDevices`).
  if (isPluggable(to.operator) && (command === 'reward collect' || !pluggedIn.includes(to.operator))) return false;
  // In `rein sim`, `--operator` only names a device besides the keyboard.
  return !(to.operator !== undefined && command === 'sim');
}

function isPluggable(operator: DrivingPlace['operator'] | undefined): operator is 'gamepad' | 'spacemouse' {
  return operator === 'gamepad' || operator === 'spacemouse';
}

function refusalOf(place: DrivingPlace): readonly [ErrorKind, string] | undefined {
  const { command, operator, terminal, demonstrations, policy } = place;
  if (demonstrations === 'keyboard' && terminal === 'none') {
    return ['environment', '--demonstrations keyboard needs a terminal of its own, in the foreground.'];
  }
  if (command !== 'sim' && operator === 'keyboard' && terminal === 'none') {
    return ['environment', '--operator keyboard needs a terminal of its own, in the foreground.'];
  }
  const anyPerson = canPersonDrive(place);
  if (command === 'sim') {
    return demonstrations !== 'people' || anyPerson
      ? undefined
      : ['environment', 'No operator to demonstrate the task: there is no terminal, no page and no other device.'];
  }
  if (command === 'run' || command === 'reward collect') {
    return policy === 'given' || anyPerson
      ? undefined
      : ['policy', 'Nothing can control the robot: no policy and no learner.'];
  }
  return anyPerson ? undefined : ['config', `No operator to drive the robot: ${whyNobody(place)}.`];
}

function canPersonDrive({ operator, listed, terminal, page, pluggedIn, command }: DrivingPlace): boolean {
  if (pluggedIn.some((device) => device === operator)) return true;
  const hasKeys = terminal === 'here';
  if (page === 'operates' || (hasKeys && (operator === 'keyboard' || command === 'sim'))) return true;
  // Other devices are present: `checkDevices` has found them. A pedal enables motion, but moves nothing.
  return listed.some((kind) => (kind === 'keyboard' ? hasKeys : kind !== 'pedal'));
}

function whyNobody({ page, listed }: DrivingPlace): string {
  const devices = listed.length === 0 ? 'no file has operators' : 'no operator in the file can move this robot';
  const seen = page === 'none' ? 'there is no page' : 'the page has no token to operate with';
  return `--operator is none, ${devices}, and ${seen}`;
}
