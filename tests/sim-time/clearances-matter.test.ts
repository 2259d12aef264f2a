/** Takes each thing that is kept clear of out of what the chain knows: the independent witness must then see it broken. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RobotModel } from '../../src/model/index.ts';
import { Barrier } from '../../src/safety/avoidance/barrier.ts';
import { BROKEN_COLLISION, BROKEN_WORKSPACE } from '../../src/safety/index.ts';
import { ClearPath } from '../../src/safety/shield/clear-path.ts';
import { Fence } from '../../src/safety/shield/fence.ts';
import { type Attack, jointSpec, runAttack } from '../support/adversary.ts';
import { fencedBases, guardedArm } from '../support/guarded-robots.ts';

function attackOn(model: RobotModel, ticks: number): Attack {
  const action = jointSpec(model, 0.09);
  return { model, action, adversary: 'pushing', seed: 11, ticks, ticksPerStep: 3, jitter: 'wild', watched: model };
}

/** The attack on a chain that knows of less than the witness. */
function blind(change: Partial<RobotModel>): number {
  const model = { ...guardedArm, ...change };
  return runAttack({ ...attackOn(guardedArm, 6000), model, action: jointSpec(model, 0.09) }).broken;
}

const { collision } = guardedArm;

afterEach(() => {
  vi.restoreAllMocks();
});

describe('an arm among obstacles', () => {
  it('breaks nothing while the chain knows of all of them, with the barrier or without', () => {
    expect(runAttack(attackOn(guardedArm, 6000))).toMatchObject({ violations: 0, broken: 0 });
    vi.spyOn(Barrier.prototype, 'apply').mockReturnValue(0);
    expect(runAttack(attackOn(guardedArm, 6000))).toMatchObject({ violations: 0, broken: 0 });
  });

  it('hits itself where pairs are not known', () => {
    expect(blind({ collision: { ...collision!, pairs: [] } })).toBe(BROKEN_COLLISION);
  });

  it('hits table or post where keep-out boxes are not known', () => {
    expect(blind({ collision: { ...collision!, keepOut: [] } })).toBe(BROKEN_COLLISION);
  });

  it('leaves the box with its elbow where that point is not known', () => {
    expect(blind({ points: [] })).toBe(BROKEN_WORKSPACE);
  });

  it('comes nearer than the clearance where that is not known', () => {
    expect(blind({ collision: { ...collision!, clearanceM: 0 } })).toBe(BROKEN_COLLISION);
  });

  it('hits something where paths are not proved and nothing steers', () => {
    vi.spyOn(Barrier.prototype, 'apply').mockReturnValue(0);
    vi.spyOn(ClearPath.prototype, 'keeps').mockReturnValue(true);
    expect(runAttack(attackOn(guardedArm, 6000)).broken & BROKEN_COLLISION).toBe(BROKEN_COLLISION);
  });
});

describe.each(fencedBases)('$name', (model) => {
  it('stays inside its fence, and leaves it where paths are not proved', () => {
    expect(runAttack(attackOn(model, 5000))).toMatchObject({ violations: 0, broken: 0 });
    vi.spyOn(Fence.prototype, 'keeps').mockReturnValue(true);
    expect(runAttack(attackOn(model, 5000)).broken).toBe(BROKEN_WORKSPACE);
  });
});
