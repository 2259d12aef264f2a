/** What people at a robot may do, and what may happen to them, for tests that let it happen in any order. */
import fc from 'fast-check';
import { KEY_CODES } from '../../src/teleop/index.ts';
import { ASKS, PEDAL_ROLES, type Room } from './room.ts';

/** Something that somebody does, or that happens. */
export interface Act {
  readonly name: string;
  readonly act: (room: Room) => void;
}

/** What somebody does who knows how: single acts seldom come in an order that moves anything. */
const PHRASES: readonly Act[] = [
  {
    name: 'joy drives',
    act: (room) => {
      room.sayByJoy(0, [], 0);
      room.sayByJoy(0, [4], 0);
      room.sayByJoy(0.3, [4], 0);
    },
  },
  { name: 'joy drives on', act: (room) => room.sayByJoy(-0.7, [4], 10) },
  {
    name: 'pad drives',
    act: (room) => {
      room.pad.plugIn();
      room.pad.press(4, 0);
      room.pad.push(1, 0);
      room.gamepad.watch();
      room.pad.press(4, 1);
      room.gamepad.watch();
      room.pad.push(1, 0.3);
    },
  },
  {
    name: 'pad drives by pedal',
    act: (room) => {
      room.pad.plugIn();
      room.pad.push(1, 0);
      room.foot.plugIn();
      room.foot.press(KEY_CODES['KEY_A']!, 0);
      room.look();
      room.foot.press(KEY_CODES['KEY_A']!, 1);
      room.look();
      room.pad.push(1, -0.7);
    },
  },
  {
    name: 'leader drives',
    act: (room) => {
      room.arm.isThere = true;
      room.isClutchClosed = false;
      room.leader.watch();
      room.isClutchClosed = true;
    },
  },
  {
    name: 'page drives',
    act: (room) => {
      room.takeOverByPage(20);
      room.sayByPage(0, 'held', 10);
      room.sayByPage(0.35, 'held', 0);
    },
  },
  { name: 'page drives on', act: (room) => room.sayByPage(-0.55, 'held', 30) },
  {
    name: 'twists drive',
    act: (room) => {
      room.sayByTwist(0, 20);
      room.sayByTwist(0.25, 0);
    },
  },
  {
    name: 'twists drive that were long on their way',
    act: (room) => {
      room.sayByTwist(0, 90);
      room.sayByTwist(0.25, 85);
    },
  },
  {
    name: 'mouse drives',
    act: (room) => {
      room.mouseInHand.plugIn();
      room.mouseInHand.push(0);
      for (const bits of [0, 1, 0]) room.mouseInHand.press(bits);
      room.mouse.watch();
      room.mouseInHand.push(0.2);
    },
  },
  { name: 'leader goes on', act: (room) => room.moveLeader(0.02) },
  {
    name: 'leader goes on, let go of',
    act: (room) => {
      room.isClutchClosed = false;
      room.moveLeader(0.02);
    },
  },
  { name: 'a rewind', act: (room) => room.goBack() },
  { name: 'all give back', act: (room) => room.giveBack() },
];

/** What comes more often than one phrase does, so that all have their turn. */
const USUAL: readonly Act[] = [
  ...['t', 'w', 'w', 's'].map((key): Act => ({ name: `key ${key}`, act: (room) => room.type(key) })),
  {
    name: 'keys drive',
    act: (room) => {
      room.type('t');
      room.seeKeysAtRest();
      room.type('w');
    },
  },
  { name: 'all may go on', act: (room) => room.arbiter.liftStop() },
  {
    name: 'a stop for a moment',
    act: (room) => {
      room.browser.stopNow('Ada');
      room.tick();
      room.arbiter.liftStop();
    },
  },
  {
    name: 'the script takes what it may',
    act: (room) => {
      room.script.isActive = true;
    },
  },
];

const age = fc.constantFrom(0, 0, 20, 90, 101, 251, 400, -50);
const at = <T>(name: (value: T) => string, of: fc.Arbitrary<T>, act: (room: Room, value: T) => void) =>
  of.map((value): Act => ({ name: name(value), act: (room) => act(room, value) }));
const shareOf = (mover: keyof typeof ASKS) => fc.constantFrom(0, 0, ...ASKS[mover].shares);

/** All that may happen. */
export const acts: fc.Arbitrary<Act> = fc.oneof(
  { weight: 22, arbitrary: fc.constantFrom(...PHRASES) },
  { weight: 16, arbitrary: fc.constantFrom(...USUAL) },
  {
    weight: 6,
    arbitrary: at(
      ([share, pressed, ms]) => `joy ${share} [${pressed}] ${ms} ms`,
      fc.tuple(shareOf('joy'), fc.constantFrom([4], [4], [4], [], [1], [7], [4, 7]), age),
      (room, [share, pressed, ms]) => room.sayByJoy(share, pressed, ms),
    ),
  },
  {
    weight: 5,
    arbitrary: at(
      ([share, isEnabled, ms]) => `page ${share} ${isEnabled} ${ms} ms`,
      fc.tuple(shareOf('browser'), fc.constantFrom('held' as const, 'held' as const, 'released' as const), age),
      (room, [share, isEnabled, ms]) => room.sayByPage(share, isEnabled, ms),
    ),
  },
  {
    weight: 2,
    arbitrary: at(
      (ms) => `page takes over ${ms} ms`,
      age,
      (room, ms) => room.takeOverByPage(ms),
    ),
  },
  {
    weight: 4,
    arbitrary: at(
      ([share, ms]) => `twist ${share} ${ms} ms`,
      fc.tuple(shareOf('twist'), age),
      (room, [share, ms]) => room.sayByTwist(share, ms),
    ),
  },
  {
    weight: 6,
    arbitrary: at(
      ([button, value]) => `pad button ${button} ${value}`,
      fc.tuple(fc.constantFrom(4, 4, 4, 4, 4, 1, 7), fc.constantFrom(0 as const, 1 as const)),
      (room, [button, value]) => room.pad.press(button, value),
    ),
  },
  {
    weight: 4,
    arbitrary: at(
      (share) => `pad stick ${share}`,
      shareOf('gamepad'),
      (room, share) => room.pad.push(1, share),
    ),
  },
  {
    weight: 3,
    arbitrary: at(
      (share) => `cap ${share}`,
      shareOf('spacemouse'),
      (room, share) => room.mouseInHand.push(share),
    ),
  },
  {
    weight: 2,
    arbitrary: at(
      (bits) => `mouse buttons ${bits}`,
      fc.constantFrom(0, 0, 1, 2),
      (room, bits) => room.mouseInHand.press(bits),
    ),
  },
  {
    weight: 3,
    arbitrary: at(
      ([code, value]) => `pedal ${code} ${value}`,
      fc.tuple(fc.constantFrom(...PEDAL_ROLES.keys()), fc.constantFrom(0 as const, 1 as const)),
      (room, [code, value]) => room.foot.press(code, value),
    ),
  },
  {
    weight: 2,
    arbitrary: at(
      (key) => `key "${key}"`,
      fc.constantFrom(...'gc '),
      (room, key) => room.type(key),
    ),
  },
  {
    weight: 8,
    arbitrary: fc.constantFrom<Act>(
      { name: 'pad out', act: (room) => room.pad.unplug() },
      { name: 'pad in', act: (room) => room.pad.plugIn() },
      { name: 'mouse out', act: (room) => room.mouseInHand.unplug() },
      { name: 'mouse in', act: (room) => room.mouseInHand.plugIn() },
      { name: 'pedal out', act: (room) => room.foot.unplug() },
      { name: 'pedal in', act: (room) => room.foot.plugIn() },
      {
        name: 'clutch closed',
        act: (room) => {
          room.isClutchClosed = true;
        },
      },
      {
        name: 'clutch open',
        act: (room) => {
          room.isClutchClosed = false;
        },
      },
      {
        name: 'leader lost',
        act: (room) => {
          room.arm.isThere = false;
        },
      },
      {
        name: 'leader back',
        act: (room) => {
          room.arm.isThere = true;
        },
      },
      { name: 'terminal gone', act: (room) => void room.keys.emit('end') },
      { name: 'the page stops', act: (room) => room.browser.stopNow('Ada') },
      { name: 'a resume', act: (room) => room.arbiter.giveBack() },
      { name: 'a look', act: (room) => room.look() },
    ),
  },
  {
    weight: 6,
    arbitrary: at(
      (moved) => `leader ${moved}`,
      fc.constantFrom(0.02, -0.01, 0.5),
      (room, moved) => room.moveLeader(moved),
    ),
  },
  {
    weight: 2,
    arbitrary: at(
      (isActive) => `script ${isActive}`,
      fc.boolean(),
      (room, isActive) => {
        room.script.isActive = isActive;
      },
    ),
  },
  {
    weight: 5,
    arbitrary: at(
      (ms) => `the clock jumps ${ms} ms`,
      fc.constantFrom(10, 60, 101, 700, 700, 3000, -1, -60, -3000),
      (room, ms) => room.clock.jumpMs(ms),
    ),
  },
  {
    weight: 2,
    arbitrary: at(
      (ms) => `the guard's clock jumps ${ms} ms`,
      fc.constantFrom(15, 45, 150, 3000, -5, -50, -150, -3000),
      (room, ms) => room.guardClock.jumpMs(ms),
    ),
  },
);
