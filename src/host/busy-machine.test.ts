import { expect, it } from 'vitest';
import { busyText, patientMs, remedyForLate } from './busy-machine.ts';

const calm = { programs: 2, cores: 2 };
const busy = { programs: 6, cores: 2 };

it('gives a calm machine no more time, and a busy one as much as its programs share', () => {
  expect(patientMs(100, calm)).toBe(100);
  expect(patientMs(100, busy)).toBe(300);
  expect(patientMs(100, { programs: 90, cores: 2 })).toBe(400);
});

it('blames a busy machine alone', () => {
  expect(busyText(calm)).toBeUndefined();
  expect(busyText({ programs: 3, cores: 1 })).toBe('The machine is busy (load average 3.0 on 1 core).');
  expect(remedyForLate('Look at the driver.', calm)).toBe('Look at the driver.');
  expect(remedyForLate('Look at the driver.', busy)).toMatch(/^The machine is busy .* start again\.$/);
});
