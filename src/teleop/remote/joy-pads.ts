/**
 * Sticks and buttons of joysticks, and their functions, as data. Axes and buttons are numbered as `joy_node` does for
 * the pad on Linux; as everywhere in ROS, a stick to the left and one pushed forward read +1.
 */
import type { ActionSpec } from '../../model/index.ts';

/** An axis of a joystick that moves one dimension of the action. */
export interface JoyStick {
  readonly axis: number;
  /** Name of a dimension of the action: `x`, `yaw`, a joint. */
  readonly moves: string;
  readonly sign: 1 | -1;
}

/** Pressed, in terms of messages: a button, or an axis pushed more than half in one direction. */
export type JoyButton = { readonly button: number } | { readonly axis: number; readonly sign: 1 | -1 };

/** Functions of buttons. Only `enable` is required. */
export interface JoyButtons {
  /** Held: motion may pass. Pressing it takes over; releasing it holds, and keeps control. */
  readonly enable: JoyButton;
  /** Held: motion counts as recovery. */
  readonly recover?: JoyButton;
  /** Ends control and lets the policy continue if the node permits it; not after a stop. */
  readonly giveBack?: JoyButton;
  readonly stop?: JoyButton;
  readonly success?: JoyButton;
  readonly failure?: JoyButton;
  /** Rewinds the robot's path. */
  readonly rewind?: JoyButton;
  /** Begins the critical phase. */
  readonly critical?: JoyButton;
  readonly slower?: JoyButton;
  readonly faster?: JoyButton;
}

/** A model of pad: sticks in the order in which hands find them, and buttons. */
export interface JoyPad {
  /** Covered models, for display. */
  readonly models: string;
  /** Labels of its buttons, for display. */
  readonly labels: { readonly enable: string } & { readonly [Role in keyof JoyButtons]?: string };
  /** Axis numbers of: left stick forward, left stick sideways, right stick forward, right stick sideways. */
  readonly sticks: readonly [number, number, number, number];
  /** Axis number of the hat (cross), sideways: for a dimension beyond four, such as a gripper. Absent: none. */
  readonly cross?: number;
  readonly buttons: JoyButtons;
  /** Numbers of axes and buttons reported by drivers and `joy_node`: with other numbers, it is another pad. */
  readonly has: { readonly axes: number; readonly buttons: readonly [least: number, most: number] };
}

const CROSS_SIDEWAYS = 6;
const DPAD_AXIS = 7;
const SPEEDS = { slower: { axis: DPAD_AXIS, sign: -1 }, faster: { axis: DPAD_AXIS, sign: 1 } } as const;

/** Labels of the buttons of Xbox and Logitech pads. */
const LETTERS = {
  enable: 'LB',
  recover: 'RB',
  success: 'A',
  failure: 'X',
  stop: 'B',
  giveBack: 'Start',
  rewind: 'Back',
  critical: 'Y',
} as const;

/** Models with mappings. */
export const JOY_PAD_NAMES = ['xbox', 'playstation', 'logitechD', 'stick'] as const;
export type JoyPadName = (typeof JOY_PAD_NAMES)[number];

/** The usual pads. */
export const JOY_PADS: Readonly<Record<JoyPadName, JoyPad>> = {
  xbox: {
    models: 'Xbox pad (also 360, and Logitech F310/F710 in X mode)',
    labels: LETTERS,
    sticks: [1, 0, 4, 3],
    cross: CROSS_SIDEWAYS,
    buttons: {
      enable: { button: 4 },
      recover: { button: 5 },
      giveBack: { button: 7 },
      stop: { button: 1 },
      success: { button: 0 },
      failure: { button: 2 },
      rewind: { button: 6 },
      critical: { button: 3 },
      ...SPEEDS,
    },
    // Newer ones have an additional share button.
    has: { axes: 8, buttons: [11, 12] },
  },
  playstation: {
    models: 'DualShock 4 or DualSense',
    labels: {
      enable: 'L1',
      recover: 'R1',
      success: 'cross',
      failure: 'square',
      stop: 'circle',
      giveBack: 'Options',
      rewind: 'Share',
      critical: 'triangle',
    },
    sticks: [1, 0, 4, 3],
    cross: CROSS_SIDEWAYS,
    buttons: {
      enable: { button: 4 },
      recover: { button: 5 },
      giveBack: { button: 9 },
      stop: { button: 1 },
      success: { button: 0 },
      failure: { button: 3 },
      rewind: { button: 8 },
      critical: { button: 2 },
      ...SPEEDS,
    },
    has: { axes: 8, buttons: [13, 14] },
  },
  logitechD: {
    models: 'Logitech F310, F710, Dual Action or RumblePad 2 in D mode',
    labels: LETTERS,
    sticks: [1, 0, 3, 2],
    cross: 4,
    buttons: {
      enable: { button: 4 },
      recover: { button: 5 },
      giveBack: { button: 9 },
      stop: { button: 2 },
      success: { button: 1 },
      failure: { button: 0 },
      rewind: { button: 8 },
      critical: { button: 3 },
      slower: { axis: 5, sign: -1 },
      faster: { axis: 5, sign: 1 },
    },
    has: { axes: 6, buttons: [12, 12] },
  },
  stick: {
    models: 'Flight stick with a twist axis',
    labels: { enable: 'the trigger', recover: 'thumb button', success: '3', failure: '4', stop: '5', giveBack: '6' },
    sticks: [1, 0, 3, 2],
    buttons: {
      enable: { button: 0 },
      recover: { button: 1 },
      success: { button: 2 },
      failure: { button: 3 },
      stop: { button: 4 },
      giveBack: { button: 5 },
    },
    has: { axes: 6, buttons: [6, 24] },
  },
};

/** Descriptions of all buttons but the enabling one, in display order. */
const DOES = {
  recover: 'recovers',
  success: 'success',
  failure: 'failure',
  stop: 'stops',
  giveBack: 'gives back',
  rewind: 'rewinds',
  critical: 'begins the critical phase',
} as const;

/** Returns the legend of the buttons of `pad`, for display. `marks`: whether success and failure are recorded. */
export function padLegend({ labels }: JoyPad, marks: 'marks' | 'noMarks'): string {
  const does = (Object.keys(DOES) as (keyof typeof DOES)[])
    .filter((role) => labels[role] !== undefined)
    .filter((role) => marks === 'marks' || (role !== 'success' && role !== 'failure'))
    .map((role) => `${labels[role]} ${DOES[role]}`);
  return `hold ${labels.enable}; ${does.join(', ')}`;
}

/** Returns why a state with these numbers of axes and buttons is not one of `pad`; `undefined` if it may be. */
export function padMisfit(
  name: JoyPadName,
  { axes, buttons }: { readonly axes: ArrayLike<number>; readonly buttons: ArrayLike<number> },
): string | undefined {
  const { has } = JOY_PADS[name];
  const [least, most] = has.buttons;
  if (axes.length === has.axes && buttons.length >= least && buttons.length <= most) return undefined;
  const range = least === most ? `${least}` : `${least} to ${most}`;
  return `it has ${axes.length} axes and ${buttons.length} buttons, a pad ${name} has ${has.axes} and ${range}`;
}

export interface JoyMapping {
  readonly sticks: readonly JoyStick[];
  readonly buttons: JoyButtons;
}

/** Usual stick (index into `JoyPad.sticks`) for a dimension of this name. */
const USUAL_STICK: Readonly<Record<string, number>> = { x: 0, y: 1, z: 2, yaw: 3, steering: 1 };

/**
 * Returns the mapping of `pad` for `action`: x, y on the left stick, z, yaw on the right one, other names on the
 * remaining sticks, in order. A base without y has its yaw on the left stick too. A fifth dimension is on the cross,
 * sideways; further ones are unmapped.
 */
export function mappingOf(pad: JoyPad, action: ActionSpec): JoyMapping {
  const names = action.dimensions.map(({ name }) => name);
  const taken = new Map<string, number>();
  for (const name of names) {
    const usual = name === 'yaw' && !names.includes('y') && !names.includes('z') ? 1 : USUAL_STICK[name];
    if (usual !== undefined && ![...taken.values()].includes(usual)) taken.set(name, usual);
  }
  for (const name of names) {
    const free = [0, 1, 2, 3].find((stick) => ![...taken.values()].includes(stick));
    if (!taken.has(name) && free !== undefined) taken.set(name, free);
  }
  const sticks: JoyStick[] = [...taken].map(([moves, stick]) => ({ axis: pad.sticks[stick]!, moves, sign: 1 }));
  const fifth = names.find((name) => !taken.has(name));
  if (fifth !== undefined && pad.cross !== undefined) sticks.push({ axis: pad.cross, moves: fifth, sign: 1 });
  return { sticks, buttons: pad.buttons };
}
