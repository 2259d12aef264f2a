import { describe, expect, it } from 'vitest';
import { axesOf, modelOfBase } from './base-model.ts';
import { ArmKinematics } from './kinematics.ts';
import { type BaseModel, isFree } from './robot-model.ts';

const base: BaseModel = {
  kind: 'differential',
  speedMaxMPerS: 0.5,
  accelMaxMPerS2: 1,
  turnMaxRadPerS: 1.8,
  turnAccelMaxRadPerS2: 4,
};
const steering = { steeringMaxRad: 0.4, steeringRateMaxRadPerS: 3, steeringAccelMaxRadPerS2: 40 };

describe('a mobile base', () => {
  it('has the axes of its kind', () => {
    const names = (each: BaseModel): string[] => axesOf(each).map(({ name, kind }) => `${name}:${kind}`);
    expect(names(base)).toEqual(['x:path', 'yaw:turn']);
    expect(names({ ...base, kind: 'holonomic' })).toEqual(['x:path', 'y:path', 'yaw:turn']);
    expect(names({ ...base, ...steering, kind: 'ackermann' })).toEqual(['x:path', 'steering:revolute']);
  });

  it('takes its limits from its description: free axes have no end, steering has', () => {
    const [x, yaw] = axesOf(base);
    expect(x).toMatchObject({ velocityMaxRadPerS: 0.5, accelMaxRadPerS2: 1 });
    expect(yaw).toMatchObject({ velocityMaxRadPerS: 1.8, accelMaxRadPerS2: 4 });
    const wheels = axesOf({ ...base, ...steering, kind: 'ackermann' })[1]!;
    expect(wheels).toMatchObject({ positionMinRad: -0.4, positionMaxRad: 0.4, velocityMaxRadPerS: 3 });
    expect([x, yaw, wheels].map((joint) => isFree(joint!))).toEqual([true, true, false]);
  });

  it('says what its kind needs', () => {
    expect(() => axesOf({ ...base, kind: 'ackermann' })).toThrow('steeringMaxRad');
    expect(() => axesOf({ ...base, turnMaxRadPerS: undefined })).toThrow('turnMaxRadPerS');
  });

  it('has a tool point that nothing moves', () => {
    const kinematics = new ArmKinematics(modelOfBase('b', base, 50));
    kinematics.forward([12, 3]);
    expect([...kinematics.tcpPositionM, ...kinematics.tcpQuaternion]).toEqual([0, 0, 0, 1, 0, 0, 0]);
    expect([...kinematics.reachM, ...kinematics.jacobian()].every((value) => value === 0)).toBe(true);
  });
});
