/**
 * Everybody who can be at one robot: people far and near, a rewind, a script and a policy. Whatever they press, lose and wait for in whatever
 * order, before a step, while the policy infers or between two ticks, at most one of them moves the robot, and only by what they ask for now.
 * Operators, arbiter, clutch, episodes and guard are the real ones; hands and time are the test's.
 *
 * Time is the machine's monotonic clock. It may leap, as where a machine stood still, and here it goes back, too, as only that of a virtual machine
 * may which was set back as a whole. What is promised is by its readings: nothing that is older than its lease is executed, and nothing of what is
 * yet to come, but for 10 ms at the guard.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdAgain } from '../../src/guard/index.ts';
import type { ActionSpec } from '../../src/model/index.ts';
import type { Policy } from '../../src/policy/index.ts';
import type { SceneLayout } from '../../src/rows/index.ts';
import { EpisodeRunner } from '../../src/session/episode-runner.ts';
import type { Task } from '../../src/tasks/index.ts';
import { LeaderTeleop, OperatorArbiter } from '../../src/teleop/index.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { HandArm } from '../support/hand-devices.ts';
import { IS_LONG } from '../support/long.ts';
import { createMockLink, type MockLink, mockAction, mockModel, mockSignals } from '../support/mock-guard.ts';
import { JumpingClock, MOVERS, type Mover, Room, vectorOf } from '../support/room.ts';
import { type Act, acts } from '../support/room-acts.ts';

const ACTIONS = mockAction.dimensions.length;
const POLICY_HZ = 10;
/** A command may be of so much later than the guard's clock reads, s. */
const FUTURE_S = 0.01;
const ROUNDING_S = 1e-9;
/** All of them in `npm test` too: a third of them holds too few in which a leader moves the arm. */
const RUNS = 300;
const layout: SceneLayout = { jointsRad: mockModel.homeRad, objects: {}, signals: {} };

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

/** Moves by its own dimension. `inferring`: something happens meanwhile. */
function createPolicy(inferring: () => void): Policy {
  return {
    observationSize: 1,
    actionSize: ACTIONS,
    version: 1,
    decide: async (_observation, _noise, out) => {
      await undefined;
      inferring();
      out.set(vectorOf('policy', 0.2));
    },
    close: async () => undefined,
  };
}

/** When within a step something happens: before the policy is asked, while it infers, or after so many ticks. */
const PLACES = ['before', 'before', 'inferring', 1, 2, 3, 4] as const;
type Place = (typeof PLACES)[number];
type Script = readonly (readonly (readonly [Place, Act])[])[];

interface Tally {
  readonly moved: Map<Mover, number>;
  /** Decisions while somebody had the robot stopped. */
  stopped: number;
  /** Ticks that might have moved the robot, and had no command whose lease ran. */
  expired: number;
  /** More than runs where some ended early, and a person let the robot go on. */
  episodes: number;
}

/** One robot with everybody at it, who do what `script` says, step by step. */
class Trial {
  readonly #mock: MockLink;
  readonly #room: Room;
  readonly #script: Script;
  readonly #tally: Tally;
  #step = -1;
  /** What happens in the present step. */
  #now: Script[number] = [];
  /** The newest command, by what it was judged. */
  #sent: { seq: number; decider: string; by: string; issuedAtS: number; leaseS: number } | undefined;

  constructor(mock: MockLink, guardClock: JumpingClock, script: Script, tally: Tally) {
    this.#mock = mock;
    this.#script = script;
    this.#tally = tally;
    this.#room = new Room(guardClock, () => mock.link.latest);
    this.#hearCommands();
    this.#hearTicks();
  }

  /** Episode after episode, each but the first from where the robot stands. */
  async play(): Promise<void> {
    const { link, clock } = this.#mock;
    const room = this.#room;
    const task = createTask(this.#script.length);
    const runner = new EpisodeRunner({ task, link, clock, policyHz: POLICY_HZ, leaseS: 2 / POLICY_HZ });
    while (this.#step + 1 < this.#script.length) {
      this.#tally.episodes++;
      while (link.latest.state === 'stopping') await link.advance(1);
      await holdAgain(link);
      await runner.run({
        ...(this.#step < 0 ? { layout } : {}),
        policy: createPolicy(() => this.#happens('inferring')),
        operator: room.arbiter,
        purpose: 'training',
        maxSteps: this.#script.length - this.#step - 1,
        beforeStep: () => {
          this.#now = this.#script[++this.#step] ?? [];
          this.#happens('before');
        },
        onStep: ({ source }) => {
          this.#now = [];
          expect(source.split('_')[0]).toBe(this.#sent!.by);
          room.rewind.note();
        },
      });
    }
  }

  async close(): Promise<void> {
    this.#room.close();
    await this.#mock.link.close();
  }

  #happens(place: Place): void {
    for (const [when, { act }] of this.#now) if (when === place) act(this.#room);
    expect(this.#room.problem).toBeUndefined();
  }

  #hearCommands(): void {
    const { link } = this.#mock;
    const send = link.send.bind(link);
    link.send = (command) => {
      // Everybody was polled just now.
      this.#room.noteDevices();
      this.#room.noteStop();
      const by = this.#judge(Array.from(command.action), command.decider);
      const { seq, decider, issuedAtS, leaseS } = command;
      this.#sent = { seq, decider, by, issuedAtS, leaseS };
      send(command);
    };
  }

  #hearTicks(): void {
    const { link } = this.#mock;
    const advance = link.advance.bind(link);
    link.advance = async (ticks) => {
      for (let i = 1; i <= ticks; i++) {
        await advance(1);
        this.#room.clock.advanceMs(4);
        this.#happens(i as Place);
      }
    };
    link.onFrame(() => {
      this.#judgeTick();
      this.#room.tick();
    });
  }

  /** What may be said of a decision, by what the world is like while it is made. Gives who made it, as a step's source begins. */
  #judge(asked: readonly number[], decider: string): string {
    const { arbiter, inControl } = this.#room;
    const who = arbiter.decider;
    expect(inControl.length, inControl.join()).toBeLessThanOrEqual(1);
    // The record, the arbiter and the guard name the same one.
    const byPerson = arbiter.decidedBy === 'human' ? 'human' : 'script';
    expect(decider).toBe(who === undefined ? 'policy' : byPerson);
    if (arbiter.isStopRequested) this.#tally.stopped++;
    const mover = asked.every((value) => value === 0) ? undefined : ((who ?? 'policy') as Mover);
    if (mover !== undefined) {
      // A stop from anyone keeps everybody still.
      expect(arbiter.isStopRequested, mover).toBe(false);
      // Nobody but the holder moves the robot, neither a script nor the policy beside a person, and by what is asked for now.
      expect(inControl).toEqual(mover === 'policy' || mover === 'script' ? [] : [mover]);
      expect(this.#room.whyNot(mover, asked)).toBeUndefined();
      this.#tally.moved.set(mover, (this.#tally.moved.get(mover) ?? 0) + 1);
    }
    return who === undefined ? 'policy' : arbiter.decidedBy;
  }

  /** What the guard executes in a tick is the newest command, by its decider, while its lease runs. */
  #judgeTick(): void {
    const { commandSeq, decider, state, violations } = this.#mock.link.latest;
    expect(violations).toBe(0);
    const sent = this.#sent;
    const ageS = this.#mock.clock.nowS() - (sent?.issuedAtS ?? Number.NaN);
    const isCurrent = sent !== undefined && ageS >= -FUTURE_S - ROUNDING_S && ageS <= sent.leaseS + ROUNDING_S;
    if (commandSeq < 0) {
      expect(decider).toBe('hold');
      if (state.startsWith('active') && !isCurrent) this.#tally.expired++;
      return;
    }
    expect([commandSeq, decider, isCurrent]).toEqual([sent!.seq, sent!.decider, true]);
    expect(state).toMatch(decider === 'policy' ? /^active\.policy$/ : /^active\./);
  }
}

describe('whoever is at the robot', () => {
  it('at most one of them moves it, by what they ask for now, and each step has one decider', async () => {
    const tally: Tally = { moved: new Map(), stopped: 0, expired: 0, episodes: 0 };
    const step = fc.array(fc.tuple(fc.constantFrom(...PLACES), acts), { maxLength: 5 });
    const play = async (script: Script): Promise<void> => {
      const guardClock = new JumpingClock();
      const mock = await createMockLink({}, mockAction, guardClock);
      const trial = new Trial(mock, guardClock, script, tally);
      await trial.play().finally(() => trial.close());
    };
    const scripts = fc.array(step, { minLength: 10, maxLength: 40 });
    await fc.assert(fc.asyncProperty(scripts, play), { numRuns: IS_LONG ? RUNS : 3 * RUNS });
    // All of them had their part.
    for (const name of MOVERS) expect(tally.moved.get(name) ?? 0, name).toBeGreaterThan(RUNS / 50);
    expect(Math.min(tally.stopped, tally.expired, tally.episodes - RUNS)).toBeGreaterThan(RUNS / 10);
  });
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
        policy: createPolicy(() => undefined),
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
  });
});
