import { describe, expect, it } from 'vitest';
import type { ActionSpec, ObservationSpec } from '../../model/index.ts';
import type { TeleopCommand } from '../teleop-source.ts';
import { PlaceMover } from './place-mover.ts';

const SCALE_M = 0.1;
const STEP_M = 0.02;
const RADIUS_M = 0.05;

const field = (name: string) => ({ name, size: 3, unit: 'm / 0.1', frame: 'base' }) as const;
const observation: ObservationSpec = { frames: 2, fields: [field('thing'), field('goal')] };

function actionOf(axes: readonly string[]): ActionSpec {
  return { kind: 'cartesian', dimensions: axes.map((name) => ({ name, scale: STEP_M, unit: 'm' })) };
}

interface Trial {
  readonly axes: readonly string[];
  readonly tool: [number, number, number];
  readonly thing: [number, number, number];
  readonly goal: readonly [number, number, number];
}

/** A round thing that is pushed by the tool while that is low enough to touch it. Returns its remaining distance to the goal, m. */
function pushed({ axes, tool, thing, goal }: Trial, steps: number): number {
  const mover = new PlaceMover({
    observation,
    action: actionOf(axes),
    toThing: { field: 'thing', scaleM: SCALE_M },
    toGoal: { field: 'goal', scaleM: SCALE_M },
    standoffM: RADIUS_M,
    faceM: 0,
    clearM: 0.08,
    tremor: 0.02,
    seed: 1,
  });
  const seen = new Float32Array(12);
  const out: TeleopCommand = { active: false, action: new Float32Array(axes.length), phase: 'recover' };
  mover.reset();
  for (let i = 0; i < steps; i++) {
    // Only the newest of two frames is valid.
    for (let k = 0; k < 3; k++) {
      seen[6 + k] = (thing[k]! - tool[k]!) / SCALE_M;
      seen[9 + k] = (goal[k]! - thing[k]!) / SCALE_M;
    }
    mover.poll(seen, 0, out);
    expect(out.active).toBe(true);
    for (const [k, axis] of ['x', 'y', 'z'].entries()) {
      if (axes.includes(axis)) tool[k]! += STEP_M * out.action[axes.indexOf(axis)]!;
    }
    const [dx, dy] = [thing[0] - tool[0], thing[1] - tool[1]];
    const distanceM = Math.hypot(dx, dy);
    if (distanceM < RADIUS_M && Math.abs(tool[2] - thing[2]) < 0.03) {
      thing[0] += (dx / distanceM) * (RADIUS_M - distanceM);
      thing[1] += (dy / distanceM) * (RADIUS_M - distanceM);
    }
  }
  return Math.hypot(thing[0] - goal[0], thing[1] - goal[1]);
}

describe('a script that brings something to a place', () => {
  it.each([
    ['from right behind it', [0.35, 0, 0.03], ['x', 'y']],
    ['from beside it', [0.45, 0.12, 0.03], ['x', 'y']],
    ['from the other side, in the plane', [0.62, 0.01, 0.03], ['x', 'y']],
    ['from the other side, above it', [0.62, 0, 0.2], ['x', 'y', 'z']],
    ['from the other side, beside it, with the axes in another order', [0.6, -0.02, 0.03], ['z', 'y', 'x']],
  ] as const)('pushes it there %s', (_name, tool, axes) => {
    const trial: Trial = { axes, tool: [...tool], thing: [0.48, 0, 0.03], goal: [0.6, 0.06, 0] };
    expect(pushed(trial, 120)).toBeLessThan(0.02);
  });

  it('moves the tool itself, as far along each axis as there is to go, where nothing is pushed', () => {
    const mover = new PlaceMover({
      observation,
      action: actionOf(['z', 'x', 'y']),
      toGoal: { field: 'goal', scaleM: SCALE_M },
      standoffM: 1,
      faceM: 0,
      clearM: 1,
      tremor: 0,
      seed: 1,
    });
    const seen = new Float32Array(12);
    seen.set([0.4, -0.8, 0.1], 9);
    const out: TeleopCommand = { active: false, action: new Float32Array(3), phase: 'recover' };
    mover.poll(seen, 0, out);
    expect([...out.action]).toEqual([0.5, 1, -1].map((value) => expect.closeTo(value, 5)));
  });

  it('refuses an observation that does not show what it needs', () => {
    const make = (): PlaceMover =>
      new PlaceMover({
        observation,
        action: actionOf(['x', 'y', 'z']),
        toGoal: { field: 'gaol', scaleM: 1 },
        standoffM: 1,
        faceM: 0,
        clearM: 1,
        tremor: 0,
        seed: 1,
      });
    expect(make).toThrow('the demonstrator needs the observation field "gaol"');
  });
});
