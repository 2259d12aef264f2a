/**
 * Reports of 3Dconnexion's six-axis mice. Report 1 is the translation, report 2 the rotation, or both together in a
 * report 1 of 12 bytes on newer ones; report 3 is a bit per button. Little-endian 16-bit numbers, about ±350 at the
 * ends.
 *
 * Sources: layouts and products, PySpaceMouse's `pyspacemouse/devices.toml` (MIT), FreeSpacenav's spacenavd; reports of
 * a SpaceNavigator on the wire, `SpaceNavigator.md` of github.com/AndunHH/spacemouse.
 */
import { type ActionSpec, clamp } from '../../model/index.ts';
import type { JoyMapping } from '../remote/joy-pads.ts';
import type { JoyMessage } from '../remote/joy-teleop.ts';
import type { Report } from './input-port.ts';
import type { PadParser } from './joydev.ts';

/** A model by its USB ids. */
export interface SpaceMouseProduct {
  readonly vendorId: number;
  readonly productId: number;
  readonly name: string;
  /** Numbers of additional buttons, if any. */
  readonly more?: MoreButtons;
}

interface MoreButtons {
  readonly slower: number;
  readonly faster: number;
  readonly recover: number;
}

/** Keys 1, 2 and Shift. */
const PRO: MoreButtons = { slower: 12, faster: 13, recover: 24 };

const [LOGITECH, CONNEXION] = [0x046d, 0x256f];

export const SPACE_MOUSE_MAKERS: readonly number[] = [LOGITECH, CONNEXION];

/** Models with more known facts than their axes and first two buttons. */
export const SPACE_MICE: readonly SpaceMouseProduct[] = [
  { vendorId: LOGITECH, productId: 0xc625, name: 'SpacePilot', more: { slower: 16, faster: 17, recover: 12 } },
  { vendorId: LOGITECH, productId: 0xc626, name: 'SpaceNavigator' },
  { vendorId: LOGITECH, productId: 0xc627, name: 'SpaceExplorer', more: { slower: 13, faster: 12, recover: 8 } },
  { vendorId: LOGITECH, productId: 0xc629, name: 'SpacePilot Pro', more: { slower: 30, faster: 29, recover: 24 } },
  { vendorId: LOGITECH, productId: 0xc62b, name: 'SpaceMouse Pro', more: PRO },
  { vendorId: CONNEXION, productId: 0xc62e, name: 'SpaceMouse Wireless (cabled)' },
  { vendorId: CONNEXION, productId: 0xc632, name: 'SpaceMouse Pro Wireless', more: PRO },
  { vendorId: CONNEXION, productId: 0xc633, name: 'SpaceMouse Enterprise', more: PRO },
  { vendorId: CONNEXION, productId: 0xc635, name: 'SpaceMouse Compact' },
  { vendorId: CONNEXION, productId: 0xc638, name: 'SpaceMouse Pro Wireless (Bluetooth)', more: PRO },
  { vendorId: CONNEXION, productId: 0xc63a, name: 'SpaceMouse Wireless (Bluetooth)' },
  { vendorId: CONNEXION, productId: 0xc641, name: 'SpaceMouse module' },
  { vendorId: CONNEXION, productId: 0xc652, name: '3Dconnexion Universal Receiver', more: PRO },
];

const FULL = 350;
const BUTTONS = 32;
const [TRANSLATION, ROTATION] = [1, 2];
/** Id of button reports. */
export const KEYS = 3;
/** Sent by wireless models (`SpaceMouseWireless.md` of the same repository). */
const BATTERY = 0x17;
/** Bytes of three axes. */
const THREE = 6;

/**
 * Axes 0 to 5 are forward, left, up, and the rotations about these (ROS, REP 103). The device's own axes are right,
 * towards the user and down: each of them inverted, the first two swapped.
 */
export class SpaceMouseParser implements PadParser {
  readonly #axes: number[] = new Array<number>(6).fill(0);
  readonly #buttons: number[] = new Array<number>(BUTTONS).fill(0);
  /** States are emitted only once both halves are known: half of one would be a motion that the operator did not make. */
  #hasTranslation = false;
  #hasRotation = false;

  feed(report: Uint8Array, onState: (state: JoyMessage) => void): Report {
    const view = new DataView(report.buffer, report.byteOffset, report.byteLength);
    const id = report[0];
    const length = report.length - 1;
    if (id === TRANSLATION && length >= THREE) {
      this.#read(view, 1, 0);
      this.#hasTranslation = true;
      if (length >= 2 * THREE) this.#read(view, 1 + THREE, 3);
      this.#hasRotation ||= length >= 2 * THREE;
    } else if (id === ROTATION && length >= THREE) {
      this.#read(view, 1, 3);
      this.#hasRotation = true;
    } else if (id === KEYS && length >= 1) {
      for (let i = 0; i < BUTTONS; i++) this.#buttons[i] = ((report[1 + (i >> 3)] ?? 0) >> (i & 7)) & 1;
      // Button reports also come at rest, before any axis report; the axes are then in the middle.
      this.#hasTranslation = true;
      this.#hasRotation = true;
    } else return id === BATTERY ? 'whole' : 'malformed';
    if (this.#hasTranslation && this.#hasRotation) onState({ axes: this.#axes, buttons: this.#buttons });
    return 'whole';
  }

  reset(): void {
    this.#axes.fill(0);
    this.#buttons.fill(0);
    this.#hasTranslation = false;
    this.#hasRotation = false;
  }

  #read(view: DataView, at: number, axis: number): void {
    const [right, back, down] = [0, 2, 4].map((offset) => clamp(view.getInt16(at + offset, true) / FULL, -1, 1));
    this.#axes[axis] = 0 - back!;
    this.#axes[axis + 1] = 0 - right!;
    this.#axes[axis + 2] = 0 - down!;
  }
}

const AXIS_NAMES = ['x', 'y', 'z', 'roll', 'pitch', 'yaw'];
/** Axes for dimensions of other names, such as joints, in the order in which a hand finds them. */
const IN_ORDER = [0, 1, 2, 5, 4, 3];

/**
 * Left button (Menu on large ones): enables. Right button (Fit): stops. − and +, or 1 and 2: slower and faster; Shift:
 * recovers. The six axes move the dimensions of the same names, others in order.
 */
export function spaceMouseMapping({ dimensions }: ActionSpec, product?: string): JoyMapping {
  const taken = new Map<string, number>();
  for (const { name } of dimensions) if (AXIS_NAMES.includes(name)) taken.set(name, AXIS_NAMES.indexOf(name));
  for (const { name } of dimensions) {
    const free = IN_ORDER.find((axis) => ![...taken.values()].includes(axis));
    if (!taken.has(name) && free !== undefined) taken.set(name, free);
  }
  const sticks = [...taken].map(([moves, axis]) => ({ axis, moves, sign: 1 as const }));
  const { more } = SPACE_MICE.find(({ name }) => name === product) ?? {};
  const further = Object.entries(more ?? {}).map(([role, button]) => [role, { button }]);
  return { sticks, buttons: { enable: { button: 0 }, stop: { button: 1 }, ...Object.fromEntries(further) } };
}
