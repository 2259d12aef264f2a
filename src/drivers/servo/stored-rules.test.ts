import { expect, it } from 'vitest';
import { feetechFamily } from '../feetech/feetech-family.ts';
import type { JointCalibration } from './calibration.ts';
import { SILENT } from './family.ts';

const model = feetechFamily.models['sts3215']!;
const motor = { id: 1, name: 'pan', model, options: { model: 'sts3215', id: 1 } } as never;
/** Factory values. */
const stored: Readonly<Record<string, number>> = {
  positionMin: 0,
  positionMax: 4095,
  statusLevel: 1,
  phase: 12,
  operatingMode: 0,
  resolution: 1,
  homingOffset: 0,
};
const calibration = {
  direction: 1,
  zeroCounts: 2048,
  minCounts: 1000,
  maxCounts: 3000,
  homingOffsetCounts: 0,
  storedDirection: 0,
} as JointCalibration;

it('drives no servo that does not say what it stores, whichever register that is', () => {
  const problem = (silent?: string) =>
    feetechFamily.storedProblem(motor, calibration, (name) => (name === silent ? undefined : stored[name]));
  expect(problem()).toBeUndefined();
  for (const name of Object.keys(stored)) expect([name, problem(name)]).toEqual([name, SILENT]);
});
