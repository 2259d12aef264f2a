/** A robot with everybody at it who can be: what they have, what they may do, and what each of them may ask for now. */
import { EventEmitter } from 'node:events';
import { type ActionSpec, LockStepClock } from '../../src/model/index.ts';
import type { GuardFrame } from '../../src/rows/index.ts';
import {
  BrowserTeleop,
  JoydevParser,
  JoyTeleop,
  KEY_CODES,
  KeyboardTeleop,
  LeaderTeleop,
  LocalPad,
  OperatorArbiter,
  Pedal,
  type PedalRole,
  Rewind,
  SpaceMouseParser,
  type TeleopSource,
  type TerminalInput,
  TwistTeleop,
} from '../../src/teleop/index.ts';
import { FakeClock } from './fake-clock.ts';
import { HandArm, HandMouse, HandPad, HandPedal } from './hand-devices.ts';
import { mockAction, mockModel } from './mock-guard.ts';

const NOTHING_SEEN: Float32Array = new Float32Array(1);
const ACTIONS: number = mockAction.dimensions.length;
const POLICY_HZ = 10;
const LEASE_S = 0.1;
const PAGE_LEASE_S = 0.25;
/** A key counts for so long from its press. */
const KEY_S = 0.6;
/** ROS time is ahead of the machine's clock by this, s. */
const ROS_S = 1e6;

/** What each of them moves, and how far: no two ask for the same, so that a command says whose it is. */
export const ASKS = {
  joy: { dimension: 0, shares: [0.3, -0.7] },
  keyboard: { dimension: 0, shares: [0.5, -0.5] },
  gamepad: { dimension: 1, shares: [0.3, -0.7] },
  leader: { dimension: 2, shares: [] },
  browser: { dimension: 3, shares: [0.35, -0.55] },
  script: { dimension: 3, shares: [0.2] },
  twist: { dimension: 4, shares: [0.25, -0.75] },
  spacemouse: { dimension: 4, shares: [0.2, -0.6] },
  policy: { dimension: 5, shares: [0.2] },
} as const;
export type Mover = keyof typeof ASKS | 'rewind';
export const MOVERS: readonly Mover[] = [...(Object.keys(ASKS) as (keyof typeof ASKS)[]), 'rewind'];
const DIMENSIONS = mockAction.dimensions;

/** What `mover` asks for by `share` of an action. */
export function vectorOf(mover: keyof typeof ASKS, share: number): number[] {
  return DIMENSIONS.map((_, i) => (i === ASKS[mover].dimension ? Math.fround(share) : 0));
}

/** Time of the guard and of whoever stamps commands for it, which may jump as no monotonic clock does. */
export class JumpingClock extends LockStepClock {
  #jumpedS = 0;

  constructor() {
    super(1 / mockModel.controlHz);
  }

  override nowS(): number {
    return super.nowS() + this.#jumpedS;
  }

  jumpMs(milliseconds: number): void {
    this.#jumpedS += milliseconds / 1e3;
  }
}

/** Takes over whenever it likes. */
class Script implements TeleopSource {
  readonly name = 'script';
  readonly decidedBy = 'scripted';
  isActive = false;

  poll: TeleopSource['poll'] = (_observation, _nowS, out) => {
    out.active = this.isActive;
    out.phase = 'recover';
    out.action.set(vectorOf('script', ASKS.script.shares[0]));
    out.absolute = undefined;
  };

  reset(): void {}
  close(): void {}
}

/** A terminal in which keys arrive at once. */
class Keys extends EventEmitter {
  resume(): void {}
  pause(): void {}
}

type Far = JoyTeleop | BrowserTeleop | TwistTeleop;

/** What was heard last of somebody far away, as far as anybody may still act on it; written anew, from what the docs promise. */
class Heard {
  readonly #source: Far;
  readonly #leaseS: number;
  /** A message may be of so much later than the clock reads. */
  readonly #futureS: number;
  readonly #nowS: () => number;
  #share = 0;
  #atS = Number.NEGATIVE_INFINITY;
  #isEnabling = false;
  /** Neutral first: it was at rest since it has control and enables. */
  #wasNeutral = false;

  constructor(source: Far, leaseS: number, futureS: number, nowS: () => number) {
    this.#source = source;
    this.#leaseS = leaseS;
    this.#futureS = futureS;
    this.#nowS = nowS;
  }

  /**
   * Does `say`, by which a message of these numbers comes. It gives whether that was taken; `undefined`: its counter does. The result is what was
   * wrong with taking it.
   */
  hear(share: number, enabling: boolean, atS: number, say: () => boolean | undefined): string | undefined {
    const { taken } = this.#source.counters;
    const wasNeutral = this.#isNeutral();
    const isTaken = say() ?? this.#source.counters.taken > taken;
    if (!isTaken) return undefined;
    const ageS = this.#nowS() - atS;
    const isMeant = ageS >= -this.#futureS && ageS <= this.#leaseS + 1e-9;
    if (!isMeant) return `${this.#source.name}: a message of ${ageS.toFixed(3)} s ago was taken`;
    if (!this.#source.isInControl) return undefined;
    this.#wasNeutral = wasNeutral;
    this.#share = share;
    this.#isEnabling = enabling;
    // A time to come makes no lease longer.
    this.#atS = Math.min(atS, this.#nowS());
    this.look();
    return undefined;
  }

  look(): void {
    this.#wasNeutral = this.#isNeutral();
  }

  #isNeutral(): boolean {
    const { isInControl, isStopRequested } = this.#source;
    const ageS = this.#nowS() - this.#atS;
    const isFresh = ageS >= 0 && ageS <= this.#leaseS + 1e-9;
    const isEnabled = isInControl && !isStopRequested && isFresh && this.#isEnabling;
    return isEnabled && (this.#wasNeutral || this.#share === 0);
  }

  /** What may be asked for now; 0 where nothing may. */
  get share(): number {
    this.look();
    return this.#wasNeutral ? this.#share : 0;
  }
}

export const PEDAL_ROLES: ReadonlyMap<number, PedalRole> = new Map([
  [KEY_CODES['KEY_A']!, 'enable'],
  [KEY_CODES['KEY_B']!, 'stop'],
  [KEY_CODES['KEY_C']!, 'giveBack'],
  [KEY_CODES['KEY_D']!, 'rewind'],
]);

/** Operators and arbiter are the real ones; hands and time are the test's. */
export class Room {
  readonly clock = new FakeClock(1_000_000_000n);
  readonly guardClock: JumpingClock;
  readonly script = new Script();
  readonly pad = new HandPad();
  readonly mouseInHand = new HandMouse();
  readonly foot = new HandPedal();
  readonly keys = new Keys();
  readonly arm = new HandArm(new Array<number>(ACTIONS).fill(0));
  readonly joy: JoyTeleop;
  readonly gamepad: LocalPad;
  readonly mouse: LocalPad;
  readonly leader: LeaderTeleop;
  readonly browser: BrowserTeleop;
  readonly keyboard: KeyboardTeleop;
  readonly twist: TwistTeleop;
  readonly pedal: Pedal;
  readonly rewind: Rewind;
  readonly arbiter: OperatorArbiter;
  readonly byJoy: Heard;
  readonly byPage: Heard;
  readonly byTwist: Heard;
  isClutchClosed = false;
  readonly #frame: () => GuardFrame;
  readonly #people: readonly TeleopSource[];
  #key = { share: 0, atS: Number.NEGATIVE_INFINITY };
  /** Somebody had the robot stopped since the rewind was asked for; none was asked for before the first. */
  #isRewindOver = true;
  #problem: string | undefined;

  constructor(guardClock: JumpingClock, frame: () => GuardFrame) {
    const { clock } = this;
    this.guardClock = guardClock;
    this.#frame = frame;
    const shared = { action: mockAction, clock, deadzone: 0, speed: 1, leaseS: LEASE_S };
    const stick = (mover: 'joy' | 'gamepad' | 'spacemouse', axis: number, buttons: LocalButtons) => ({
      sticks: [{ axis, moves: DIMENSIONS[ASKS[mover].dimension]!.name, sign: 1 as const }],
      buttons,
    });
    const buttons = { enable: { button: 4 }, stop: { button: 1 }, giveBack: { button: 7 } };
    this.pedal = new Pedal({
      ...shared,
      port: this.foot,
      roles: PEDAL_ROLES,
      onMark: () => undefined,
      onRewind: () => this.goBack(),
      onGiveBack: () => this.giveBack(),
    });
    const isEnabledElsewhere = (): boolean => this.pedal.isHeld('enable');
    this.joy = new JoyTeleop({ ...shared, mapping: stick('joy', 1, buttons) });
    this.gamepad = new LocalPad({
      ...shared,
      mapping: stick('gamepad', 1, buttons),
      port: this.pad,
      parser: new JoydevParser(),
      device: { name: 'gamepad', subject: 'gamepad' },
      enabling: 'hold',
      hint: '',
      isEnabledElsewhere,
    });
    this.mouse = new LocalPad({
      ...shared,
      mapping: stick('spacemouse', 0, { enable: { button: 0 }, stop: { button: 1 } }),
      port: this.mouseInHand,
      parser: new SpaceMouseParser(),
      device: { name: 'spacemouse', subject: 'SpaceMouse' },
      enabling: 'latch',
      hint: '',
      isEnabledElsewhere,
    });
    this.leader = new LeaderTeleop({
      action: mockAction,
      clock,
      arm: this.arm,
      poseOf: (out, positionRad) => out.set(positionRad),
      isClutchClosed: () => this.isClutchClosed,
    });
    this.browser = new BrowserTeleop({ action: mockAction, clock });
    this.keyboard = new KeyboardTeleop({ action: mockAction, clock, input: this.keys as unknown as TerminalInput });
    this.twist = new TwistTeleop({ ...shared, action: TWIST_ACTION, policyPeriodS: 1 / POLICY_HZ });
    this.rewind = new Rewind({
      action: mockAction,
      steps: 30,
      pace: 0.5,
      contactForceN: 5,
      reference: () => frame().referenceRad,
      forceN: () => 0,
      isStopped: () => this.arbiter.isStopRequested,
      onEnd: () => undefined,
    });
    const { pedal, joy, gamepad, mouse, leader, browser, keyboard, twist } = this;
    this.#people = [pedal, keyboard, joy, gamepad, mouse, leader, browser, twist];
    this.arbiter = new OperatorArbiter([...this.#people, this.rewind, this.script], ACTIONS);
    const nowS = (): number => clock.nowS();
    this.byJoy = new Heard(joy, LEASE_S, Number.POSITIVE_INFINITY, nowS);
    this.byPage = new Heard(browser, PAGE_LEASE_S, 0, nowS);
    this.byTwist = new Heard(twist, LEASE_S, 0.1, nowS);
    for (const person of [...this.#people, this.rewind]) {
      const tell = person.onControlLost?.bind(person);
      person.onControlLost = (by: string) => {
        // Neither a script nor a stop takes control from people.
        const taker = [...this.#people, this.rewind].find(({ name }) => name === by);
        if (taker?.isInControl !== true) this.#problem = `${by}, who is not in control, took it from ${person.name}`;
        tell?.(by);
      };
    }
  }

  /** Something that nobody may do was done. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Names of the people who may move the robot; a rewind that one of them asked for is in their place. */
  get inControl(): string[] {
    const all: readonly TeleopSource[] = [...this.#people, this.rewind];
    return all.filter((each) => each.isInControl === true && each.isStopRequested !== true).map(({ name }) => name);
  }

  /** As every 20 ms: all devices are read. */
  look(): void {
    this.arbiter.watch();
    this.noteDevices();
  }

  /** All devices were read. */
  noteDevices(): void {
    for (const heard of [this.byJoy, this.byPage, this.byTwist]) heard.look();
  }

  /** As after each tick: a stop ends a rewind for good. */
  tick(): void {
    this.rewind.watch();
    this.noteStop();
  }

  /** The rewind has seen whether the robot is stopped. */
  noteStop(): void {
    if (this.arbiter.isStopRequested) this.#isRewindOver = true;
  }

  close(): void {
    this.keyboard.close();
  }

  /** A message that was sent `ageMs` ago. */
  sayByJoy(share: number, pressed: readonly number[], ageMs: number): void {
    const buttons = Array.from({ length: 11 }, (_, i) => Number(pressed.includes(i)));
    const axes = Array.from({ length: 8 }, (_, i) => (i === 1 ? share : 0));
    const atS = this.clock.nowS() - ageMs / 1e3;
    this.#problem ??= this.byJoy.hear(
      share,
      pressed.includes(4),
      atS,
      () => void this.joy.onJoy({ axes, buttons }, atS),
    );
  }

  /** Of a page that was shown what was so `ageMs` ago. */
  sayByPage(share: number, switched: 'held' | 'released', ageMs: number): void {
    const shownAtS = this.clock.nowS() - ageMs / 1e3;
    const isEnabled = switched === 'held';
    const said = { shownAtS, isEnabled, isRecovering: false, action: vectorOf('browser', share) };
    this.#problem ??= this.byPage.hear(share, isEnabled, shownAtS, () => void this.browser.onInput(said));
  }

  takeOverByPage(ageMs: number): void {
    const shownAtS = this.clock.nowS() - ageMs / 1e3;
    this.#problem ??= this.byPage.hear(0, false, shownAtS, () => this.browser.begin({ shownAtS, device: 'keyboard' }));
  }

  sayByTwist(share: number, ageMs: number): void {
    const nowS = this.clock.nowS();
    const atS = nowS - ageMs / 1e3;
    const still = { x: 0, y: 0, z: 0 };
    const { scale } = DIMENSIONS[ASKS.twist.dimension]!;
    const message = { linear: { ...still, x: share * scale * POLICY_HZ }, angular: still };
    this.#problem ??= this.byTwist.hear(
      share,
      true,
      atS,
      () => void this.twist.onTwist(message, ROS_S + atS, ROS_S + nowS, nowS),
    );
  }

  type(key: string): void {
    if (key === 'w' || key === 's') this.#key = { share: key === 'w' ? 0.5 : -0.5, atS: this.clock.nowS() };
    this.keys.emit('data', Buffer.from(key));
  }

  seeKeysAtRest(): void {
    this.keyboard.poll(NOTHING_SEEN, 0, { active: false, action: new Float32Array(ACTIONS), phase: 'correct' });
  }

  moveLeader(way: number): void {
    this.arm.positionRad[ASKS.leader.dimension]! += way;
  }

  /** Somebody asks for a rewind: of a robot that stands, nobody may. */
  goBack(): void {
    if (!this.#frame().state.startsWith('active') || this.rewind.begin() !== undefined) return;
    if (this.arbiter.isStopRequested) this.#problem = 'a rewind began while the robot was stopped';
    this.#isRewindOver = false;
  }

  /** As at the terminal: a stop stays. */
  giveBack(): void {
    for (const person of this.#people) if (person.isStopRequested !== true) person.giveBack?.();
    this.rewind.giveBack();
  }

  /** Why `mover` may not ask for `asked` now; `undefined` where it may. Right after everybody was polled. */
  whyNot(mover: Mover, asked: readonly number[]): string | undefined {
    const isAsked = (share: number): boolean => {
      const vector = vectorOf(mover as keyof typeof ASKS, share);
      return share !== 0 && asked.every((value, i) => Math.abs(value - vector[i]!) < 1e-4);
    };
    const not = (isAllowed: boolean): string | undefined =>
      isAllowed ? undefined : `${mover} asked for [${asked.map((value) => value.toFixed(3))}]`;
    const pedals = this.foot.isHeld(KEY_CODES['KEY_A']!);
    switch (mover) {
      case 'joy':
        return not(isAsked(this.byJoy.share));
      case 'browser':
        return not(isAsked(this.byPage.share));
      case 'twist':
        return not(isAsked(this.byTwist.share));
      case 'keyboard': {
        const ageS = this.clock.nowS() - this.#key.atS;
        return not(isAsked(this.#key.share) && ageS >= 0 && ageS < KEY_S);
      }
      case 'gamepad':
        return not(this.pad.isThere && (this.pad.isHeld(4) || pedals) && isAsked(this.pad.axis(1)));
      case 'spacemouse':
        return not(this.mouseInHand.isThere && isAsked(this.mouseInHand.cap));
      case 'leader':
        // It holds all joints where they were latched, against what the robot still goes on braking.
        return not(
          this.isClutchClosed &&
            this.arm.isThere &&
            asked.every((value, i) => i === ASKS.leader.dimension || Math.abs(value) < MOST_BRAKED),
        );
      case 'rewind':
        return not(!this.#isRewindOver && asked.every((value) => Math.abs(value) <= 0.5 + 1e-9));
      case 'script':
      case 'policy':
        return not(isAsked(ASKS[mover].shares[0]));
    }
  }
}

type LocalButtons = ConstructorParameters<typeof JoyTeleop>[0]['mapping']['buttons'];

/** An action that a robot still goes on, braking, once somebody else has it. */
const MOST_BRAKED = 0.15;

const TWIST_ACTION: ActionSpec = {
  ...mockAction,
  dimensions: DIMENSIONS.map((each, i) => (i === ASKS.twist.dimension ? { ...each, name: 'x' } : each)),
};
