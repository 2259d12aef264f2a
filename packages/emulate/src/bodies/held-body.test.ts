import { describe, expect, it } from 'vitest';
import { HeldBody, type PlaceableBody } from './held-body.ts';

const DRAG_NMS = 0.05;
const FALL_RAD_PER_S2 = 5;
const HOME_RAD = [0.5];

/** Joint that falls, with dragging gears. */
class FallingJoint implements PlaceableBody {
  readonly positionRad = new Float64Array(1);
  readonly velocityRadPerS = new Float64Array(1);
  readonly torqueNm = new Float64Array(1);
  readonly signals: ReadonlyMap<string, number> = new Map();
  readonly stepS = 0.01;

  place(jointsRad: ArrayLike<number>): void {
    this.positionRad[0] = jointsRad[0]!;
    this.velocityRadPerS[0] = 0;
  }

  step(): void {
    this.velocityRadPerS[0]! -= FALL_RAD_PER_S2 * this.stepS;
    this.positionRad[0]! += this.velocityRadPerS[0]! * this.stepS;
  }

  close(): void {}
}

/** Acts as a bus: sets the servo's torque, its drag plus `pullsNm` of its motor, then steps. */
function steps(body: HeldBody, count: number, pullsNm = 0): void {
  for (let i = 0; i < count; i++) {
    body.torqueNm[0] = pullsNm - DRAG_NMS * body.velocityRadPerS[0]!;
    body.step();
  }
}

describe('an arm in the hand of somebody', () => {
  it.each([
    ['brought home', (body: HeldBody) => body.hold(), HOME_RAD[0]!],
    ['moved', (body: HeldBody) => body.move(0, -1), -1],
  ])('is caught while it falls, and %s', (_, take, toRad) => {
    const body = new HeldBody(new FallingJoint(), HOME_RAD);
    body.release();
    steps(body, 50);
    expect(body.positionRad[0]).toBeLessThan(0);
    take(body);
    steps(body, 200);
    expect([body.isHeld, body.positionRad[0]]).toEqual([true, toRad]);
  });

  it('is let go once a servo pulls', () => {
    const body = new HeldBody(new FallingJoint(), HOME_RAD);
    steps(body, 50);
    expect(body.positionRad[0]).toBe(HOME_RAD[0]);
    steps(body, 50, 0.1);
    expect(body.isHeld).toBe(false);
    expect(body.positionRad[0]).toBeLessThan(HOME_RAD[0]!);
  });
});
