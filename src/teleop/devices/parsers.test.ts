/** Reports as sent by devices, from public recordings, through the parsers that `rein` uses. */
import { describe, expect, it } from 'vitest';
import type { ActionSpec } from '../../model/index.ts';
import type { JoyMessage } from '../remote/joy-teleop.ts';
import { JoydevParser, type PadParser } from './joydev.ts';
import { KEY_CODES, keyEvents } from './key-events.ts';
import { SpaceMouseParser, spaceMouseMapping } from './space-mouse.ts';

const bytes = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/[\da-f]{2}/gi) ?? [], (byte) => Number.parseInt(byte, 16));

function statesOf(parser: PadParser, ...reports: readonly string[]): JoyMessage[] {
  const states: JoyMessage[] = [];
  for (const report of reports) {
    parser.feed(bytes(report), ({ axes, buttons }) =>
      states.push({ axes: Array.from(axes), buttons: Array.from(buttons) }),
    );
  }
  return states;
}

describe('joydev', () => {
  // An Elecom JC-U2312FSV, 12 buttons and 6 axes, by od -tx1 on /dev/input/js0 (dyama.org/?p=166).
  const snapshot = [
    ...Array.from({ length: 12 }, (_, i) => `bce78f00 0000 81 0${i.toString(16)}`),
    ...Array.from({ length: 6 }, (_, i) => `bce78f00 0000 82 0${i}`),
  ].join('');
  const buttons = ['30b19100 0100 0100', 'a0b19100 0000 0100', '70b69100 0100 0101', 'e0b69100 0000 0101'];

  it('gives a snapshot as one state, then a state for each thing that a hand does', () => {
    const states = statesOf(new JoydevParser(), snapshot, ...buttons);
    expect(states).toHaveLength(5);
    expect(states[0]).toEqual({ axes: [0, 0, 0, 0, 0, 0], buttons: new Array(12).fill(0) });
    expect(states.map((state) => [state.buttons[0], state.buttons[1]])).toEqual([
      [0, 0],
      [1, 0],
      [0, 0],
      [0, 1],
      [0, 0],
    ]);
  });

  it('reads left and forward as +1, as sensor_msgs/Joy has them', () => {
    // Documentation/input/joydev: −32767 is left or up.
    const [, left, forward, back] = statesOf(
      new JoydevParser(),
      snapshot,
      '00000000 0180 02 00',
      '00000000 0180 02 01',
      '00000000 ff7f 02 01',
    );
    expect([left?.axes[0], forward?.axes[1], back?.axes[1]]).toEqual([1, 1, -1]);
  });

  it('tells a state before what a second snapshot says, which comes after an overflow', () => {
    const states = statesOf(new JoydevParser(), `${snapshot}${buttons[0]}${snapshot}`);
    expect(states.map((state) => state.buttons[0])).toEqual([0, 1, 0]);
  });

  it('refuses half an event and kinds that joydev has not, and has told what came before', () => {
    const parser = new JoydevParser();
    const feed = (hex: string): string => {
      const seen: number[] = [];
      const report = parser.feed(bytes(hex), (state) => seen.push(state.buttons[0] ?? 0));
      return `${report} ${seen.join('')}`;
    };
    expect(feed(`${snapshot}${buttons[0]}`)).toBe('whole 01');
    expect(feed(buttons[1]!.slice(0, 11))).toBe('malformed ');
    expect(feed(`${buttons[1]}${'00000000 0100 40 00'}${buttons[0]}`)).toBe('malformed 0');
    expect(feed(buttons[0]!)).toBe('whole 1');
  });
});

describe('evdev keys', () => {
  // A Logitech USB keyboard, F1 pressed and released twice, by hexdump on its by-id file (damnsmallblog.blogspot.com/2019/12/input.html).
  const recording = [
    '1587FC5D00000000 40CA070000000000 0400 0400 3A000700',
    '1587FC5D00000000 40CA070000000000 0100 3B00 01000000',
    '1587FC5D00000000 40CA070000000000 0000 0000 00000000',
    '1587FC5D00000000 3EC4080000000000 0400 0400 3A000700',
    '1587FC5D00000000 3EC4080000000000 0100 3B00 00000000',
    '1587FC5D00000000 3EC4080000000000 0000 0000 00000000',
    '1687FC5D00000000 37C4080000000000 0400 0400 3A000700',
    '1687FC5D00000000 37C4080000000000 0100 3B00 01000000',
  ];
  const keysIn = (...reports: readonly string[]): string[] => {
    const seen: string[] = [];
    for (const report of reports) seen.push(keyEvents(bytes(report), (code, change) => seen.push(`${code} ${change}`)));
    return seen;
  };

  it('are presses and releases, and neither scan codes nor the ends of groups', () => {
    expect(KEY_CODES['KEY_F1']).toBe(0x3b);
    expect(keysIn(recording.join(''))).toEqual(['59 down', '59 up', '59 down', 'whole']);
  });

  it('come without the repeats of a key that is held', () => {
    const repeat = '1687FC5D00000000 37C4080000000000 0100 3B00 02000000';
    expect(keysIn(`${recording[1]}${repeat}${recording[4]}`)).toEqual(['59 down', '59 up', 'whole']);
  });

  it('mean nothing after events were lost, in half an event, or of a type that Linux has not', () => {
    // EV_SYN, SYN_DROPPED.
    const dropped = '1687FC5D00000000 37C4080000000000 0000 0300 00000000';
    expect(keysIn(`${recording[1]}${dropped}${recording[4]}`)).toEqual(['59 down', 'dropped']);
    expect(keysIn(recording[1]!.slice(0, 30), recording[1]!.replace('0100 3B00', '0700 3B00'))).toEqual([
      'malformed',
      'malformed',
    ]);
  });

  it('have the codes of linux/input-event-codes.h', () => {
    const { KEY_1, KEY_0, KEY_Q, KEY_A, KEY_B, KEY_Z, KEY_F10, KEY_F13, KEY_F24 } = KEY_CODES;
    expect([KEY_1, KEY_0, KEY_Q, KEY_A, KEY_B, KEY_Z, KEY_F10, KEY_F13, KEY_F24]).toEqual([
      2, 11, 16, 30, 48, 44, 68, 183, 194,
    ]);
  });
});

describe('a SpaceMouse', () => {
  // A SpaceMouse Compact: report 2, then report 1 (github.com/CloudCompare/CloudCompare/pull/2339).
  const compact = ['02200000001700', '01120000 00f800', '02200000001900', '01120000001201'];
  // A SpaceNavigator on the wire: a turn, then its keys (SpaceNavigator.md of github.com/AndunHH/spacemouse).
  const navigator = ['01000000000000', '020000e2ff0000', '030100', '030000', '030200', '030300'];

  it('of two reports is one state, from the moment on in which both are known', () => {
    const states = statesOf(new SpaceMouseParser(), ...compact);
    expect(states).toHaveLength(3);
    // 0x12 to the right, 0xf8 down; turned by 0x20 about the axis to the right, by 0x17 about the one that points down.
    expect(states[0]!.axes).toEqual([0, -18 / 350, -248 / 350, 0, -32 / 350, -23 / 350]);
    expect(states[2]!.axes[2]).toBe(-274 / 350);
  });

  it('tells of its buttons', () => {
    const states = statesOf(new SpaceMouseParser(), ...navigator);
    // 0xffe2 is −30 about the axis towards the user: +30 about forward.
    expect(states[0]!.axes).toEqual([0, 0, 0, 30 / 350, 0, 0]);
    expect(states.slice(1).map(({ buttons }) => [buttons[0], buttons[1]])).toEqual([
      [1, 0],
      [0, 0],
      [0, 1],
      [1, 1],
    ]);
  });

  it('of the newer kind sends all six axes in one report', () => {
    // The layout of SpaceMouse Wireless, Pro Wireless and Enterprise; ends at ±350 (0xfea2), by their descriptors.
    const [state] = statesOf(new SpaceMouseParser(), '01 5e01 a2fe a2fe 0000 e2ff 5e01');
    expect(state!.axes).toEqual([1, -1, 1, 30 / 350, 0, -1]);
  });

  it('that reports its battery says nothing; half of something, nothing and other reports mean nothing', () => {
    const parser = new SpaceMouseParser();
    const feed = (hex: string): string => parser.feed(bytes(hex), () => expect.fail('a state'));
    expect(feed('1764')).toBe('whole');
    expect(['', '01', '011200', '0212', '03', '05000000000000'].map(feed)).toEqual(new Array(6).fill('malformed'));
  });

  it('begins anew once it is plugged in again', () => {
    const parser = new SpaceMouseParser();
    statesOf(parser, ...compact);
    parser.reset();
    expect(statesOf(parser, compact[1]!)).toEqual([]);
  });

  it('moves what has the name of an axis, and what has not in the order in which a hand finds it', () => {
    const spec = (...names: string[]): ActionSpec => ({
      kind: 'cartesian',
      dimensions: names.map((name) => ({ name, scale: 0.01, unit: 'm' as const })),
    });
    const moved = (action: ActionSpec): string =>
      spaceMouseMapping(action)
        .sticks.map(({ axis, moves }) => `${moves} ${axis}`)
        .join(', ');
    expect(moved(spec('x', 'y', 'z', 'yaw'))).toBe('x 0, y 1, z 2, yaw 5');
    expect(moved(spec('a', 'b', 'c', 'd'))).toBe('a 0, b 1, c 2, d 5');
  });

  it('has its speeds and recovery on the further buttons of its model', () => {
    const buttonsOf = (product: string) => spaceMouseMapping({ kind: 'cartesian', dimensions: [] }, product).buttons;
    expect(buttonsOf('SpaceMouse Compact')).toEqual({ enable: { button: 0 }, stop: { button: 1 } });
    // Key 2 of a Pro is bit 5 of the second byte, + of an Explorer bit 4, Shift of a Pro bit 0 of the fourth.
    const pressed = (product: string, report: string) => {
      const [state] = statesOf(new SpaceMouseParser(), report);
      const all = Object.entries(buttonsOf(product)) as [string, { button: number }][];
      return all.filter(([, { button }]) => state!.buttons[button] === 1).map(([role]) => role);
    };
    expect(pressed('SpaceMouse Pro', '03 00 20 00 00')).toEqual(['faster']);
    expect(pressed('SpaceMouse Pro', '03 00 00 00 01')).toEqual(['recover']);
    expect(pressed('SpaceExplorer', '03 00 10')).toEqual(['faster']);
  });
});
