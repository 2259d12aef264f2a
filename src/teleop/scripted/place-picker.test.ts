import { expect, it } from 'vitest';
import type { ActionSpec, ObservationSpec } from '../../model/index.ts';
import type { TeleopCommand } from '../teleop-source.ts';
import { PlacePicker } from './place-picker.ts';

const STEP_M = 0.01;
const GRIP_M = [0.012, 0, 0];
const field = (name: string) => ({ name, size: 3, unit: 'm / 0.1', frame: 'base' }) as const;
const observation: ObservationSpec = { frames: 1, fields: [field('thing'), field('goal')] };
const axes = ['x', 'y', 'z'].map((name) => ({ name, scale: STEP_M, unit: 'm' as const }));
const action: ActionSpec = { kind: 'cartesian', dimensions: [...axes, { name: 'jaw', scale: 0.1, unit: 'rad' }] };

/**
 * A jaw that holds what is between it once it was closed three times; `slips`: the first grasp fails. Returns the final
 * place of the thing.
 */
function picked(slips: boolean): { readonly thing: readonly number[]; readonly grips: readonly number[] } {
  const picker = new PlacePicker({
    observation,
    action,
    toThing: { field: 'thing', scaleM: 0.1 },
    toGoal: { field: 'goal', scaleM: 0.1 },
    gripM: GRIP_M,
    clearM: 0.04,
    closeSteps: 4,
    tremor: 0,
    seed: 1,
  });
  const [tool, thing, goal] = [
    [0.2, 0.03, 0.1],
    [0.24, 0, 0.02],
    [0.24, 0, 0.12],
  ];
  const out: TeleopCommand = { active: false, action: new Float32Array(4), phase: 'recover' };
  const grips: number[] = [];
  let [jaw, mayHold] = [3, !slips];
  picker.reset();
  for (let step = 0; step < 80; step++) {
    const seen = [0, 1, 2].flatMap((k) => (thing[k]! - tool[k]!) / 0.1);
    picker.poll(Float32Array.from([...seen, ...goal.map((at, k) => (at - thing[k]!) / 0.1)]), 0, out);
    grips.push(out.action[3]!);
    const isBetween = GRIP_M.every((grip, k) => Math.abs(thing[k]! - tool[k]! - grip) < 0.01);
    jaw = Math.min(3, Math.max(0, jaw + out.action[3]!));
    const isHeld = mayHold && jaw === 0 && isBetween;
    for (let k = 0; k < 3; k++) {
      tool[k]! += STEP_M * out.action[k]!;
      if (isHeld) thing[k]! += STEP_M * out.action[k]!;
    }
    if (tool[2]! > 0.045 && jaw === 0) mayHold = true;
  }
  return { thing, grips };
}

it('comes from above with the gripper open, closes it, and carries the thing to its place', () => {
  const { thing, grips } = picked(false);
  expect(thing[2]).toBeCloseTo(0.12, 3);
  // It leaves the gripper alone until it closes it, and never opens it.
  const closes = grips.indexOf(-1);
  expect(closes).toBeGreaterThan(3);
  expect(grips.slice(0, closes).every((grip) => grip === 0)).toBe(true);
  expect(grips.slice(closes).every((grip) => grip === -1)).toBe(true);
});

it('opens again, and comes once more, where the thing slipped out', () => {
  const { thing, grips } = picked(true);
  expect(grips).toContain(1);
  expect(thing[2]).toBeCloseTo(0.12, 3);
});
