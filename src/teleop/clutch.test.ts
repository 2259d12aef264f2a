import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ActionSpec } from '../model/index.ts';
import { Clutch } from './clutch.ts';
import type { TeleopCommand } from './teleop-source.ts';

const spec: ActionSpec = {
  kind: 'cartesian',
  dimensions: [
    { name: 'x', scale: 0.002, unit: 'm' },
    { name: 'yaw', scale: 0.02, unit: 'rad' },
  ],
};

/** A robot that executes its actions, an absolute source, and all possible events between them. */
class World {
  readonly clutch = new Clutch(spec);
  readonly robot = Float64Array.of(0.4, -1);
  readonly source = Float64Array.of(7, 2);
  readonly #command: { -readonly [K in keyof TeleopCommand]: TeleopCommand[K] } = {
    active: true,
    action: new Float32Array(2),
    phase: 'correct',
  };
  name = 'leader';
  closing = 0;
  closings = 0;
  isActive = true;

  close(): void {
    this.closing = ++this.closings;
  }

  /** Runs one policy step; returns the action. */
  step(): readonly number[] {
    const { robot, source, name, closing } = this;
    const command = this.#command;
    command.active = this.isActive;
    command.action.fill(7);
    command.absolute = { source: name, closing, pose: source };
    this.clutch.apply(command, robot);
    const action = this.isActive ? Array.from(command.action) : [0, 0];
    action.forEach((value, i) => {
      robot[i]! += value * spec.dimensions[i]!.scale;
    });
    return action;
  }
}

const ZERO = [0, 0];
const size = fc.double({ min: -3, max: 3, noNaN: true });
/** Six of them stay within the permitted lead of a source, in actions. */
const small = fc.double({ min: -1.5, max: 1.5, noNaN: true });

/** Events that restart the clutch: after each of these the next action is zero. */
const EVENTS: readonly ((world: World) => void)[] = [
  (world) => world.close(),
  (world) => {
    world.closing = 0;
  },
  // A reset or an acknowledgement: the guard sets its reference to the measured pose.
  (world) => {
    world.clutch.open();
    world.robot.set([world.robot[1]!, 0.3 * world.robot[0]!]);
  },
  (world) => world.clutch.open(),
  // A stop, or the policy: no operator's command is followed.
  (world) => {
    world.isActive = false;
    world.step();
    world.isActive = true;
  },
  (world) => {
    world.name = world.name === 'leader' ? 'tracker' : 'leader';
  },
];

describe('a clutch', () => {
  it('begins with no motion after whatever event, and follows only what was moved since', () => {
    const event = fc.nat(EVENTS.length - 1);
    const jump = fc.tuple(size, size);
    const moves = fc.array(fc.tuple(small, small), { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(fc.tuple(event, jump, moves), { minLength: 1, maxLength: 20 }), (acts) => {
        const world = new World();
        for (const [kind, jumped, moved] of acts) {
          EVENTS[kind]!(world);
          // While nothing is latched the source may move freely.
          world.source.set(jumped);
          const from = world.robot.slice();
          expect(world.step()).toEqual(ZERO);
          const start = world.source.slice();
          for (const step of moved) {
            step.forEach((value, i) => {
              world.source[i]! += value * spec.dimensions[i]!.scale;
            });
            const action = world.step();
            expect(action.every((value) => Math.abs(value) <= 1)).toBe(true);
            if (world.closing === 0) expect(action).toEqual(ZERO);
          }
          for (let settle = 0; settle < 10; settle++) world.step();
          // It moves as far as the source did, or, with its clutch open, not at all.
          for (let i = 0; i < 2; i++) {
            const wanted = world.closing === 0 ? 0 : world.source[i]! - start[i]!;
            expect(world.robot[i]! - from[i]!).toBeCloseTo(wanted, 6);
          }
        }
      }),
      { numRuns: 400 },
    );
  });

  it.each([
    ['jumps', 0.5],
    ['is no number', Number.NaN],
  ])('lets go of a source that %s while it is closed, until it is closed anew', (_name, value) => {
    const world = new World();
    world.close();
    world.step();
    world.source[0] = value;
    expect(world.step()).toEqual(ZERO);
    // A reset or a resume does not restore it.
    world.source[0] = 7;
    world.clutch.open();
    expect(world.step()).toEqual(ZERO);
    // Nor does a step of another source in between.
    world.name = 'tracker';
    expect(world.step()).toEqual(ZERO);
    world.name = 'leader';
    expect(world.step()).toEqual(ZERO);
    world.source[0] = 7.002;
    expect(world.step()).toEqual(ZERO);
    world.close();
    expect(world.step()).toEqual(ZERO);
    world.source[0] = 7.004;
    expect(world.step()[0]).toBeCloseTo(1, 6);
  });

  it('turns a tool the short way round', () => {
    const world = new World();
    world.source[1] = Math.PI - 0.01;
    world.close();
    world.step();
    world.source[1] = -Math.PI + 0.01;
    expect(world.step()[1]).toBeCloseTo(1, 6);
    expect(world.step()[1]).toBeCloseTo(0, 6);
  });

  it('leaves rates as they are', () => {
    const clutch = new Clutch(spec);
    const command: TeleopCommand = { active: true, action: Float32Array.of(0.5, -1), phase: 'correct' };
    clutch.apply(command, [1, 2]);
    expect(Array.from(command.action)).toEqual([0.5, -1]);
  });
});
