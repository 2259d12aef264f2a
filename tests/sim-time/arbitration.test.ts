/**
 * Several people, a script and a policy at one robot: whatever they press, lose and wait for in whatever order, at most one of them moves it,
 * and only by what they ask for now. Operators, arbiter, clutch, episodes and guard are the real ones; hands and time are the test's.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ActionSpec, GuardFrame, SceneLayout, Transition } from '../../src/core/index.ts';
import type { Policy } from '../../src/policy/index.ts';
import { EpisodeRunner } from '../../src/session/episode-runner.ts';
import type { Task } from '../../src/tasks/index.ts';
import {
  JoydevParser,
  JoyTeleop,
  LeaderTeleop,
  LocalPad,
  OperatorArbiter,
  type TeleopSource,
} from '../../src/teleop/index.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { HandArm, HandPad } from '../support/hand-devices.ts';
import { createMockLink, type MockLink, mockAction, mockModel, mockSignals } from '../support/mock-guard.ts';

const ACTIONS = mockAction.dimensions.length;
const POLICY_HZ = 10;
const LEASE_S = 0.1;
/** Each of them asks for motion in a dimension of their own, so that a command says whose it is. */
const DIMENSION = { joy: 0, gamepad: 1, leader: 2, script: 3, policy: 5 } as const;
const layout: SceneLayout = { jointsRad: mockModel.homeRad, objects: {}, signals: {} };
const nameOf = (dimension: number): string => mockAction.dimensions[dimension]!.name;

function createTask(maxSteps: number, action: ActionSpec = mockAction): Task {
  return {
    name: 'anything',
    observation: { frames: 1, fields: [{ name: 'joint', size: 1, unit: '1', frame: 'none' }] },
    action,
    signalNames: mockSignals,
    maxSteps,
    goal: 'none',
    drawLayout: () => layout,
    observe: (out, offset, frame) => {
      out[offset] = frame.robot.positionRad[0]!;
    },
    judge: (_, verdict) => {
      verdict.terminated = false;
      verdict.success = false;
      verdict.reward = 0;
    },
  };
}

const policy: Policy = {
  observationSize: 1,
  actionSize: ACTIONS,
  version: 1,
  decide: async (_observation, _noise, out) => {
    out.fill(0);
    out[DIMENSION.policy] = 0.2;
  },
  close: async () => undefined,
};

/** Takes over whenever it likes. */
class Script implements TeleopSource {
  readonly name = 'script';
  readonly decidedBy = 'scripted';
  isActive = false;

  poll: TeleopSource['poll'] = (_observation, _nowS, out) => {
    out.active = this.isActive;
    out.phase = 'recover';
    out.action.fill(0);
    out.action[DIMENSION.script] = 0.2;
    out.absolute = undefined;
  };

  reset(): void {}
  close(): void {}
}

/** What was said on the topic, as far as anybody may still act on it. */
interface Said {
  readonly atS: number;
  readonly stick: number;
  readonly isEnabling: boolean;
}

class Room {
  readonly clock = new FakeClock(1_000_000_000n);
  readonly script = new Script();
  readonly pad = new HandPad();
  readonly arm = new HandArm(new Array<number>(ACTIONS).fill(0));
  readonly joy: JoyTeleop;
  readonly gamepad: LocalPad;
  readonly leader: LeaderTeleop;
  readonly arbiter: OperatorArbiter;
  said: Said | undefined;
  isClutchClosed = false;

  constructor() {
    const { clock } = this;
    const buttons = { enable: { button: 4 }, stop: { button: 1 }, giveBack: { button: 7 } };
    const stick = (dimension: number) => ({
      sticks: [{ axis: 1, moves: nameOf(dimension), sign: 1 as const }],
      buttons,
    });
    const shared = { action: mockAction, clock, deadzone: 0, speed: 1, leaseS: LEASE_S };
    this.joy = new JoyTeleop({ ...shared, mapping: stick(DIMENSION.joy) });
    this.gamepad = new LocalPad({
      ...shared,
      mapping: stick(DIMENSION.gamepad),
      port: this.pad,
      parser: new JoydevParser(),
      device: { name: 'gamepad', subject: 'gamepad' },
      enabling: 'hold',
      hint: '',
    });
    this.leader = new LeaderTeleop({
      action: mockAction,
      clock,
      arm: this.arm,
      poseOf: (out, positionRad) => out.set(positionRad),
      isClutchClosed: () => this.isClutchClosed,
    });
    this.arbiter = new OperatorArbiter([this.joy, this.gamepad, this.leader, this.script], ACTIONS);
    for (const person of this.people) {
      const told = person.onControlLost.bind(person);
      person.onControlLost = (by?: string) => {
        expect(by, 'took control from a person').not.toBe('script');
        told();
      };
    }
  }

  get people(): readonly (JoyTeleop | LeaderTeleop)[] {
    return [this.joy, this.gamepad, this.leader];
  }

  /** A message that was sent `ageMs` ago. */
  say(stick: number, pressed: readonly number[], ageMs: number): void {
    const buttons = new Array<number>(11).fill(0);
    for (const button of pressed) buttons[button] = 1;
    const axes = new Array<number>(8).fill(0);
    axes[1] = stick;
    const atS = this.clock.nowS() - ageMs / 1e3;
    this.joy.onJoy({ axes, buttons }, atS);
    if (ageMs / 1e3 <= LEASE_S) this.said = { atS, stick, isEnabling: pressed.includes(4) };
  }
}

type Act = (room: Room) => void;
const share = fc.constantFrom(0, 0, 0.3, -0.7);
/** What somebody does who knows how: single acts seldom come in an order that moves anything. */
const PHRASES: readonly { readonly name: string; readonly act: Act }[] = [
  {
    name: 'joy drives',
    act: (room) => {
      room.say(0, [], 0);
      room.say(0, [4], 0);
      room.say(0.3, [4], 0);
    },
  },
  { name: 'joy drives on', act: (room) => room.say(-0.7, [4], 10) },
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
    name: 'leader drives',
    act: (room) => {
      room.arm.isThere = true;
      room.isClutchClosed = false;
      room.leader.watch();
      room.isClutchClosed = true;
    },
  },
  { name: 'all give back', act: (room) => room.arbiter.giveBack() },
];

const acts: fc.Arbitrary<{ readonly name: string; readonly act: Act }> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...PHRASES) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(share, fc.constantFrom([4], [4], [4], [], [1], [7], [4, 7]), fc.constantFrom(0, 0, 20, 90, 101, 400))
      .map(([stick, pressed, ageMs]) => ({
        name: `joy ${stick} [${pressed}] ${ageMs} ms`,
        act: (room: Room) => room.say(stick, pressed, ageMs),
      })),
  },
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom(4, 4, 4, 4, 4, 1, 7), fc.constantFrom(0 as const, 1 as const))
      .map(([button, value]) => ({
        name: `pad button ${button} ${value}`,
        act: (room: Room) => room.pad.press(button, value),
      })),
  },
  {
    weight: 4,
    arbitrary: share.map((stick) => ({ name: `pad stick ${stick}`, act: (room: Room) => room.pad.push(1, stick) })),
  },
  {
    weight: 5,
    arbitrary: fc.constantFrom<{ readonly name: string; readonly act: Act }>(
      { name: 'pad out', act: (room) => room.pad.unplug() },
      { name: 'pad in', act: (room) => room.pad.plugIn() },
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
      { name: 'a resume', act: (room) => room.arbiter.giveBack() },
      { name: 'a look', act: (room) => room.arbiter.watch() },
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(0.02, -0.01, 0.5).map((moved) => ({
      name: `leader ${moved}`,
      act: (room: Room) => {
        room.arm.positionRad[DIMENSION.leader]! += moved;
      },
    })),
  },
  {
    weight: 2,
    arbitrary: fc.boolean().map((isActive) => ({
      name: `script ${isActive}`,
      act: (room: Room) => {
        room.script.isActive = isActive;
      },
    })),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(10, 60, 101, 3000).map((ms) => ({
      name: `${ms} ms pass`,
      act: (room: Room) => room.clock.advanceMs(ms),
    })),
  },
);

/** What may be said of each step, by what the world is like while it is decided on. */
function judge(room: Room, asked: readonly number[], { source }: Transition, frame: GuardFrame): void {
  const { arbiter, joy, gamepad, leader, pad, said, clock } = room;
  // A leader holds all joints where they were latched, against what the robot still goes on braking.
  const least = arbiter.decider === 'leader' ? 0.15 : 0;
  const movers = Object.entries(DIMENSION).flatMap(([name, i]) => (Math.abs(asked[i]!) > least ? [name] : []));
  const [mover] = movers;
  expect(movers.length).toBeLessThanOrEqual(1);
  const inControl = room.people.filter((person) => person.isInControl && person.isStopRequested !== true);
  expect(inControl.length).toBeLessThanOrEqual(1);
  // Every step has one decider, and the record, the arbiter and the guard name the same one.
  expect(source === 'policy').toBe(arbiter.decider === undefined);
  expect(source.startsWith('human')).toBe(arbiter.decider !== undefined && arbiter.decidedBy === 'human');
  if (frame.commandSeq >= 0 && frame.state.startsWith('active'))
    expect(frame.decider).toBe(source === 'policy' ? 'policy' : 'human');
  // A stop from anyone keeps everybody still.
  if (arbiter.isStopRequested) expect(movers).toEqual([]);
  // Nobody but the holder moves the robot, and never the policy beside a person.
  if (mover === 'policy') expect([arbiter.decider, inControl.length]).toEqual([undefined, 0]);
  else if (mover !== undefined) expect(mover).toBe(arbiter.decider);
  if (inControl.length > 0 && mover !== undefined) expect(mover).toBe(inControl[0]!.name);
  // By what is said now: fresh, enabled, and this number.
  if (mover === 'joy') {
    expect(said!.isEnabling && joy.isInControl).toBe(true);
    expect(clock.nowS() - said!.atS).toBeLessThanOrEqual(LEASE_S + 1e-9);
    expect(asked[DIMENSION.joy]).toBeCloseTo(said!.stick, 5);
  }
  if (mover === 'gamepad') {
    expect(pad.isThere && pad.isHeld(4) && gamepad.isInControl).toBe(true);
    expect(asked[DIMENSION.gamepad]).toBeCloseTo(pad.axis(1), 3);
  }
  if (mover === 'leader') expect(room.isClutchClosed && room.arm.isThere && leader.isInControl).toBe(true);
  // Who cannot be heard while in control has stopped the robot.
  if (!room.arm.isThere && leader.isInControl) expect(leader.isStopRequested).toBe(true);
  if (!pad.isThere && gamepad.isInControl) expect(gamepad.isStopRequested).toBe(true);
  expect(frame.violations).toBe(0);
}

interface Tally {
  /** [A] of the newest command. */
  asked: readonly number[];
  readonly moved: Map<string, number>;
  stopped: number;
}

async function play(
  mock: MockLink,
  script: readonly (readonly { readonly act: Act }[])[],
  tally: Tally,
): Promise<void> {
  const room = new Room();
  const { link } = mock;
  const task = createTask(script.length);
  const runner = new EpisodeRunner({
    task,
    link,
    clock: mock.clock,
    policyHz: POLICY_HZ,
    leaseS: 2 / POLICY_HZ,
  });
  let step = 0;
  await runner.run({
    layout,
    policy,
    operator: room.arbiter,
    purpose: 'training',
    beforeStep: () => {
      room.clock.advanceMs(20);
      for (const { act } of script[step++] ?? []) act(room);
    },
    onStep: (transition) => {
      judge(room, tally.asked, transition, link.latest);
      for (const [name, i] of Object.entries(DIMENSION))
        if (tally.asked[i] !== 0) tally.moved.set(name, (tally.moved.get(name) ?? 0) + 1);
      if (room.arbiter.isStopRequested) tally.stopped++;
    },
  });
}

describe('whoever is at the robot', () => {
  it('at most one of them moves it, by what they ask for now, and each step has one decider', async () => {
    const mock = await createMockLink();
    const tally: Tally = { asked: [], moved: new Map(), stopped: 0 };
    const { link } = mock;
    const send = link.send.bind(link);
    link.send = (command) => {
      tally.asked = Array.from(command.action);
      send(command);
    };
    const steps = fc.array(fc.array(acts, { maxLength: 4 }), { minLength: 10, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(steps, (script) => play(mock, script, tally)),
      { numRuns: 50, seed: 20_260_101 },
    );
    // All of them had their part.
    for (const name of Object.keys(DIMENSION)) expect(tally.moved.get(name) ?? 0, name).toBeGreaterThan(10);
    expect(tally.stopped).toBeGreaterThan(50);
    await link.close();
  }, 60_000);
});

/** Steps in which the clutch closes: the robot is asked for no motion there. */
const LATCHES: readonly number[] = [3, 10, 12];

describe('a take-over with a leader arm', () => {
  it('from 100 poses, and after each letting go, asks for no step of the reference above its limits', async () => {
    // A full action asks for more than any joint may do.
    const dimensions = mockAction.dimensions.map((dimension) => ({ ...dimension, scale: 0.5 }));
    const action: ActionSpec = { ...mockAction, dimensions };
    const mock = await createMockLink({}, action);
    const { link } = mock;
    const dtS = 1 / mockModel.controlHz;
    const before = new Float64Array(ACTIONS);
    const speeds = new Float64Array(ACTIONS);
    let most = { velocity: 0, acceleration: 0 };
    let ticks = 0;
    const rng = fc.sample(fc.array(fc.double({ min: -2.8, max: 2.8, noNaN: true }), { minLength: 6, maxLength: 6 }), {
      numRuns: 300,
      seed: 7,
    });
    link.onFrame(({ referenceRad }) => {
      for (const [i, { velocityMaxRadPerS, accelMaxRadPerS2 }] of mockModel.joints.entries()) {
        const speed = ticks === 0 ? 0 : (referenceRad[i]! - before[i]!) / dtS;
        const change = ticks < 2 ? 0 : (speed - speeds[i]!) / dtS;
        most = {
          velocity: Math.max(most.velocity, Math.abs(speed) / velocityMaxRadPerS),
          acceleration: Math.max(most.acceleration, Math.abs(change) / accelMaxRadPerS2),
        };
        speeds[i] = speed;
        before[i] = referenceRad[i]!;
      }
      ticks++;
    });
    let followed = 0;
    for (let pose = 0; pose < 100; pose++) {
      const clock = new FakeClock(1_000_000_000n);
      const arm = new HandArm(rng[3 * pose]!);
      let isClutchClosed = false;
      const leader = new LeaderTeleop({
        action,
        clock,
        arm,
        poseOf: (out, positionRad) => out.set(positionRad),
        isClutchClosed: () => isClutchClosed,
        // Half of them bring the robot to the leader's own pose.
        ramp: pose % 2 === 0 ? undefined : { perS: 1, robot: () => link.latest.referenceRad },
      });
      const operator = new OperatorArbiter([leader], ACTIONS);
      const task = createTask(16, action);
      const runner = new EpisodeRunner({ task, link, clock: mock.clock, policyHz: POLICY_HZ, leaseS: 2 / POLICY_HZ });
      let step = -1;
      const first: number[][] = [];
      // A scene puts the robot somewhere else at once, which nobody's reference does.
      ticks = 0;
      await runner.run({
        ...(pose === 0 ? { layout } : {}),
        policy,
        operator,
        purpose: 'training',
        beforeStep: () => {
          step++;
          clock.advanceMs(20);
          leader.watch();
          // Taken over while the policy moves; let go, put anywhere, and taken again.
          if (step === 3 || step === 10) isClutchClosed = true;
          if (step === 8) {
            isClutchClosed = false;
            arm.positionRad.set(rng[3 * pose + 1]!);
          }
          if (step === 12) {
            // Let go and taken again within one step.
            isClutchClosed = false;
            leader.watch();
            arm.positionRad.set(rng[3 * pose]!);
            isClutchClosed = true;
          }
          // A hand that goes where it likes, at last too fast for any robot.
          const reach = step === 6 || step === 14 ? 9 : 0.3;
          const toward = rng[3 * pose + 2]!;
          if (isClutchClosed && !LATCHES.includes(step))
            for (let i = 0; i < ACTIONS; i++) arm.positionRad[i]! += reach * Math.sign(toward[i]!);
        },
        onStep: ({ humanAction }) => {
          if (LATCHES.includes(step)) first.push(Array.from(humanAction));
          if (humanAction.some((value) => value !== 0)) followed++;
        },
      });
      expect(first).toEqual(LATCHES.map(() => new Array(ACTIONS).fill(0)));
    }
    expect(followed).toBeGreaterThanOrEqual(400);
    expect(link.latest.violations).toBe(0);
    expect(most.velocity).toBeLessThanOrEqual(1 + 1e-9);
    expect(most.acceleration).toBeLessThanOrEqual(1 + 1e-6);
    // The limits are what it is up to.
    expect(most.acceleration).toBeGreaterThan(0.3);
    await link.close();
  }, 60_000);
});
