/**
 * Axes and buttons of a gamepad that is read by evdev, from sysfs, in joydev's numbering, with the range of each axis.
 * An event is a bare number, whose range is available only by the ioctl EVIOCGABS, which Node cannot call. So ranges
 * are known for drivers that always use the same, for a HID device without a driver of its own by its report
 * descriptor, and otherwise from the configuration of the device.
 *
 * Sources: Linux, drivers/input/input.c (`input_print_bitmap`), joydev.c (`joydev_connect`), joystick/xpad.c
 * (`xpad_set_up_abs`), drivers/hid/hid-playstation.c, hid-input.c (`hidinput_configure_usage`); Device Class Definition
 * for HID 1.11, 6.2.2.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Smallest and largest value of an axis. */
export type AxisRange = readonly [min: number, max: number];

/** In joydev's numbering: axes by their code; buttons from BTN_JOYSTICK on, then those below. */
export interface EvdevPad {
  /** An axis without a range cannot be used. */
  readonly axes: readonly { readonly code: number; readonly range: AxisRange | undefined }[];
  /** Key codes of the buttons. */
  readonly buttons: readonly number[];
}

const [BTN_MISC, BTN_JOYSTICK, BTN_GAMEPAD] = [0x100, 0x120, 0x130];
const [ABS_X, ABS_Z, ABS_RZ, ABS_HAT0X, ABS_HAT3Y] = [0x00, 0x02, 0x05, 0x10, 0x17];
/** Bits of a word in sysfs: those of a long. */
const WORD_BITS: number = ['arm', 'ia32'].includes(process.arch) ? 32 : 64;

/** Ranges by driver name. A trigger of xpad goes to 255 or 1023; no pad mapping uses one for motion. */
const RANGES: Readonly<Record<string, (code: number) => AxisRange>> = {
  xpad: (code) => (code === ABS_Z || code === ABS_RZ ? [0, 1023] : [-32_768, 32_767]),
  playstation: () => [0, 255],
  sony: () => [0, 255],
};

/** Returns the pad whose folder in `/sys/class/input/` is `about`; `undefined` if it is no gamepad or joystick. */
export function evdevPad(about: string): EvdevPad | undefined {
  const [keys, axes] = [capabilities(about, 'key'), capabilities(about, 'abs')];
  if (!axes.includes(ABS_X) || !(keys.includes(BTN_JOYSTICK) || keys.includes(BTN_GAMEPAD))) return undefined;
  const buttons = keys.filter((code) => code >= BTN_MISC);
  const rangeOf = rangesOf(about);
  return {
    axes: axes.map((code) => ({ code, range: isHat(code) ? [-1, 1] : rangeOf(code) })),
    buttons: [...buttons.filter((code) => code >= BTN_JOYSTICK), ...buttons.filter((code) => code < BTN_JOYSTICK)],
  };
}

/** Returns `pad` with `range` for all axes of unknown range. */
export function withRange(pad: EvdevPad, range: AxisRange | undefined): EvdevPad {
  return { ...pad, axes: pad.axes.map((axis) => ({ code: axis.code, range: axis.range ?? range })) };
}

/** True if each axis moved by hand has a range. */
export function isRanged({ axes }: EvdevPad): boolean {
  return axes.every(({ code, range }) => range !== undefined || code >= ABS_HAT0X);
}

/** Returns the codes of a kind (`key`, `abs`) that the device has, ascending. */
export function capabilities(about: string, kind: 'key' | 'abs'): readonly number[] {
  const words = textOf(join(about, 'capabilities', kind))
    .trim()
    .split(/\s+/)
    .reverse();
  if (!words.every((word) => /^[\da-f]+$/i.test(word))) return [];
  return words.flatMap((word, i) => {
    const bits = BigInt(`0x${word}`);
    return Array.from({ length: WORD_BITS }, (_, bit) => bit).flatMap((bit) =>
      (bits >> BigInt(bit)) & 1n ? [i * WORD_BITS + bit] : [],
    );
  });
}

export function isHat(code: number): boolean {
  return code >= ABS_HAT0X && code <= ABS_HAT3Y;
}

function rangesOf(about: string): (code: number) => AxisRange | undefined {
  const driver = driverOf(about);
  const known = RANGES[driver];
  if (known !== undefined || driver !== 'hid-generic') return known ?? (() => undefined);
  const described = describedRanges(bytesOf(join(about, 'device/report_descriptor')));
  return (code) => described.get(code);
}

function driverOf(about: string): string {
  try {
    return basename(realpathSync(join(about, 'device/driver')));
  } catch {
    return ''; // a device of uinput has none
  }
}

/** Items of a report descriptor without their size bits (6.2.2.4 to 6.2.2.8). */
const ITEM = {
  usagePage: 0x04,
  usage: 0x08,
  logicalMin: 0x14,
  usageMin: 0x18,
  logicalMax: 0x24,
  usageMax: 0x28,
  input: 0x80,
  collection: 0xa0,
  push: 0xa4,
  pop: 0xb4,
} as const;
const LONG_ITEM = 0xfe;
/** Bits of an input item: constant, and relative. */
const NO_AXIS = 0b101;
const [DESKTOP, SIMULATION] = [1, 2];
/** Codes of usages on the simulation page; on the desktop page X to wheel are codes 0 to 8. */
const SIMULATED: Readonly<Record<number, number>> = { 186: 0x07, 187: 0x06, 196: 0x09, 197: 0x0a };

/** Yields the items of a report descriptor, in order: tag and type without the size bits, and the value, signed and unsigned. */
function* itemsOf(bytes: Uint8Array): Generator<readonly [item: number, signed: number, unsigned: number]> {
  for (let at = 0; at < bytes.length; ) {
    const prefix = bytes[at]!;
    const size = prefix === LONG_ITEM ? 2 + (bytes[at + 1] ?? 0) : [0, 1, 2, 4][prefix & 3]!;
    yield [prefix & 0xfc, ...numbersOf(bytes.subarray(at + 1, at + 1 + size))];
    at += 1 + size;
  }
}

/** Multi-axis controller, on the desktop page. */
const MULTI_AXIS = 8;

/** True if the device whose report descriptor is at `path` is, or contains, a multi-axis controller. */
export function isMultiAxis(path: string): boolean {
  let [page, isNamed] = [0, false];
  for (const [item, , unsigned] of itemsOf(bytesOf(path))) {
    if (item === ITEM.usagePage) page = unsigned;
    else if (item === ITEM.usage) isNamed ||= page === DESKTOP && unsigned === MULTI_AXIS;
    else if (item === ITEM.collection && isNamed) return true;
    if ((item & 0x0c) === 0) isNamed = false;
  }
  return false;
}

/** Returns the logical range per axis code, which hid-input uses unchanged. */
function describedRanges(bytes: Uint8Array): ReadonlyMap<number, AxisRange> {
  const ranges = new Map<number, AxisRange>();
  const pushed: [page: number, min: number, max: number][] = [];
  let [page, min, max]: [number, number, number] = [0, 0, 0];
  let [usages, usageMin]: [number[], number] = [[], 0];
  for (const [item, signed, unsigned] of itemsOf(bytes)) {
    if (item === ITEM.usagePage) page = unsigned;
    else if (item === ITEM.logicalMin) min = signed;
    else if (item === ITEM.logicalMax) max = min < 0 ? signed : unsigned;
    else if (item === ITEM.usage) usages.push(unsigned);
    else if (item === ITEM.usageMin) usageMin = unsigned;
    else if (item === ITEM.usageMax)
      for (let u = usageMin; u <= Math.min(unsigned, usageMin + 255); u++) usages.push(u);
    else if (item === ITEM.push) pushed.push([page, min, max]);
    else if (item === ITEM.pop) [page, min, max] = pushed.pop() ?? [page, min, max];
    else if (item === ITEM.input && (unsigned & NO_AXIS) === 0 && max - min > 1) {
      for (const code of usages.map((usage) => codeOf(page, usage)))
        if (code !== undefined && !ranges.has(code)) ranges.set(code, [min, max]);
    }
    // Usages apply to one main item only.
    if ((item & 0x0c) === 0) [usages, usageMin] = [[], 0];
  }
  return ranges;
}

function codeOf(page: number, usage: number): number | undefined {
  if (page === SIMULATION) return SIMULATED[usage];
  return page === DESKTOP && usage >= 0x30 && usage <= 0x38 ? usage & 0xf : undefined;
}

/** Decodes a little-endian number, signed and unsigned. */
function numbersOf(bytes: Uint8Array): [signed: number, unsigned: number] {
  const unsigned = bytes.reduce((sum, byte, i) => sum + byte * 2 ** (8 * i), 0);
  return [
    unsigned >= 2 ** (8 * bytes.length - 1) && bytes.length > 0 ? unsigned - 2 ** (8 * bytes.length) : unsigned,
    unsigned,
  ];
}

function textOf(path: string): string {
  return Buffer.from(bytesOf(path)).toString('latin1');
}

function bytesOf(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch {
    return new Uint8Array(0); // sysfs has no such file
  }
}
