/**
 * Identifies known pad layouts by the axes and buttons that the kernel reports. Names and makers are unreliable: one
 * pad has several layouts, selected by a switch at its back. A device that matches none is unknown: its stop button
 * cannot be identified.
 *
 * Sources: Linux, drivers/input/joystick/xpad.c (`xpad_common_btn`, `xpad_btn_pad`), drivers/hid/hid-playstation.c
 * (`ps_gamepad_buttons`), drivers/hid/hid-input.c (a joystick's buttons from BTN_JOYSTICK on),
 * Documentation/input/gamepad.rst.
 */
import type { JoyPadName } from '../remote/joy-pads.ts';
import type { EvdevPad } from './evdev-layout.ts';

const [X, Y, Z, RX, RY, RZ, THROTTLE, HAT0X, HAT0Y] = [0, 1, 2, 3, 4, 5, 6, 0x10, 0x11];
const [TRIGGER, SOUTH, EAST, NORTH, WEST] = [0x120, 0x130, 0x131, 0x133, 0x134];
const [TL, TR, TL2, TR2, SELECT, START] = [0x136, 0x137, 0x138, 0x139, 0x13a, 0x13b];
const LOGITECH = '046d';

interface Layout {
  readonly pad: JoyPadName;
  readonly axes: readonly number[];
  /** The first of its buttons, in joydev's order. */
  readonly buttons: readonly number[];
  /** Absent: any. Joystick buttons are numbered without a meaning: their labels depend on the maker. */
  readonly vendor?: string;
}

const STICKS_AND_TRIGGERS = [X, Y, Z, RX, RY, RZ, HAT0X, HAT0Y];
const numbered = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => TRIGGER + i);

const LAYOUTS: readonly Layout[] = [
  { pad: 'xbox', axes: STICKS_AND_TRIGGERS, buttons: [SOUTH, EAST, NORTH, WEST, TL, TR, SELECT, START] },
  {
    pad: 'playstation',
    axes: STICKS_AND_TRIGGERS,
    buttons: [SOUTH, EAST, NORTH, WEST, TL, TR, TL2, TR2, SELECT, START],
  },
  { pad: 'logitechD', axes: [X, Y, Z, RZ, HAT0X, HAT0Y], buttons: numbered(12), vendor: LOGITECH },
  { pad: 'stick', axes: [X, Y, RZ, THROTTLE, HAT0X, HAT0Y], buttons: numbered(6) },
];

/** Returns the matching layout, if any. `vendor`: four hexadecimal digits, as in sysfs. */
export function layoutOf({ axes, buttons }: EvdevPad, vendor: string): JoyPadName | undefined {
  const codes = axes.map(({ code }) => code);
  const fits = (layout: Layout): boolean =>
    codes.join() === layout.axes.join() &&
    layout.buttons.every((code, i) => buttons[i] === code) &&
    (layout.vendor === undefined || layout.vendor === vendor);
  return LAYOUTS.find(fits)?.pad;
}
