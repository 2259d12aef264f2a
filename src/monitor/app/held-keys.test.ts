import { describe, expect, it } from 'vitest';
import { HeldKeys, type KeyPress } from './held-keys.ts';

const MOTION = ['KeyW', 'KeyS', 'KeyA', 'KeyD', 'KeyR', 'KeyF', 'KeyQ', 'KeyE'] as const;
const press = (code: string, key: string, further: Partial<KeyPress> = {}): KeyPress => ({
  code,
  key,
  repeat: false,
  ctrlKey: false,
  altKey: false,
  metaKey: false,
  ...further,
});

/** Events between key-down and key-up: modifiers pressed, and the character that the key prints then. */
const MEANWHILE = {
  nothing: { prints: 'd' },
  Shift: { with: press('ShiftLeft', 'Shift'), prints: 'D' },
  AltGr: { with: press('AltRight', 'AltGraph', { ctrlKey: true, altKey: true }), prints: 'ð' },
  Option: { with: press('AltLeft', 'Alt', { altKey: true }), prints: '∂' },
  Meta: { with: press('MetaLeft', 'Meta', { metaKey: true }), prints: 'd' },
  'another layout': { prints: 'в' },
} as const satisfies Record<string, { readonly with?: KeyPress; readonly prints: string }>;

describe.each(Object.keys(MEANWHILE) as (keyof typeof MEANWHILE)[])('a motion key, and %s meanwhile', (name) => {
  it.each(MOTION)('%s is let go of where it was pressed', (code) => {
    const keys = new HeldKeys();
    const meanwhile: { readonly with?: KeyPress; readonly prints: string } = MEANWHILE[name];
    expect(keys.down(press(code, 'd'), true, 0)).toBe(true);
    expect(keys.has(code)).toBe(true);
    if (meanwhile.with !== undefined) keys.down(meanwhile.with, false, 50);
    keys.up(press(code, meanwhile.prints));
    expect(keys.has(code)).toBe(false);
  });
});

it('a key that goes up out of sight while Meta is down moves nothing, nor does it once Meta is up', () => {
  const keys = new HeldKeys();
  keys.down(press('KeyD', 'd'), true, 0);
  keys.down(press('MetaLeft', 'Meta', { metaKey: true }), false, 10);
  expect(keys.has('KeyD')).toBe(false);
  keys.down(press('KeyD', 'd', { repeat: true, metaKey: true }), true, 40);
  keys.up(press('MetaLeft', 'Meta'));
  keys.down(press('KeyD', 'd', { repeat: true }), true, 70);
  expect(keys.has('KeyD')).toBe(false);
});

describe('a key that repeats', () => {
  it('is let go of once it repeats no more', () => {
    const keys = new HeldKeys();
    keys.down(press('KeyD', 'd'), true, 0);
    for (const atMs of [500, 533]) keys.down(press('KeyD', 'd', { repeat: true }), true, atMs);
    keys.check(600);
    expect(keys.has('KeyD')).toBe(true);
    keys.check(1000);
    expect(keys.has('KeyD')).toBe(false);
  });

  it('stays held where another is pressed, which takes the repeating over, and where none ever repeats', () => {
    const keys = new HeldKeys();
    keys.down(press('KeyD', 'd'), true, 0);
    keys.check(10_000);
    keys.down(press('KeyD', 'd', { repeat: true }), true, 10_030);
    keys.down(press('KeyW', 'w'), true, 10_040);
    keys.check(20_000);
    expect([keys.has('KeyD'), keys.has('KeyW')]).toEqual([true, true]);
  });
});

it('shortcuts begin no motion, a layout without Latin letters does', () => {
  const keys = new HeldKeys();
  for (const modifier of ['ctrlKey', 'altKey', 'metaKey'] as const) {
    expect(keys.down(press('KeyD', 'd', { [modifier]: true }), true, 0)).toBe(false);
  }
  expect(keys.down(press('KeyD', 'в'), true, 0)).toBe(true);
});
