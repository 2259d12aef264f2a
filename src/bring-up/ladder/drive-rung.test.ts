import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadRobotFile } from '../../config/index.ts';
import { drivenS, faultsIn, isOfTiming, leastMoved, partStepsOf, stopped, withServo } from './drive-rung.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-guard-log-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function logOf(...entries: readonly object[]): string {
  const path = join(folder, 'guard.log');
  writeFileSync(path, `${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n{"cut`);
  return path;
}

it('finds what stopped the arm, once, and not how it was let down at the end', () => {
  const moved = { level: 30, msg: 'motion', event: 'changed', state: 'active.policy' };
  const lost = { ...moved, state: 'stopping', why: 'The robot does not answer.' };
  const end = { level: 30, msg: 'asked to end: braking' };
  const down = { ...moved, state: 'standby', why: 'The arm does not hold itself without torque.' };
  expect(faultsIn(logOf(moved, end, down))).toEqual([]);
  expect(faultsIn(logOf(moved, lost, lost, end, down))).toEqual(['The robot does not answer']);
  expect(faultsIn(logOf(moved, { level: 50, msg: 'Servo 3 has stalled.' }))).toEqual(['Servo 3 has stalled']);
  expect(faultsIn(join(folder, 'none.log'))).toEqual(['the guard left no log']);
});

it('names a busy machine beside what that may have caused, and nothing else', () => {
  const moved = { level: 30, msg: 'motion', event: 'changed', state: 'stopping' };
  const timing = { programs: 9, cores: 2, tickLateMs: 17.2, timeouts: 18 };
  const end = { level: 30, msg: 'asked to end: braking' };
  const lost = { ...moved, why: 'The robot does not answer.', rows: [10], timing };
  expect(isOfTiming(logOf(lost, end))).toBe(true);
  expect(isOfTiming(logOf({ level: 60, name: 'guardian', row: 25, msg: 'The guard is silent.' }, end))).toBe(true);
  expect(isOfTiming(logOf({ ...moved, why: 'A servo is too hot.', rows: [13] }, end, lost))).toBe(false);
  // Only the fault that stopped it first is named, and load is not its cause.
  expect(isOfTiming(logOf({ ...moved, why: 'A servo is too hot.', rows: [13] }, lost, end))).toBe(false);
  expect(isOfTiming(logOf({ level: 50, row: 13, msg: 'Servo 3 is too hot.' }, lost, end))).toBe(false);
  expect(isOfTiming(logOf({ ...moved, why: 'A servo is too hot. The robot does not answer.', rows: [13, 10] }))).toBe(
    false,
  );
  // Something touches a link, and would do so again.
  expect(isOfTiming(logOf({ ...moved, why: 'Something pushes the arm.', rows: [54], timing }, end))).toBe(false);
  expect(isOfTiming(logOf({ level: 50, row: 10, msg: 'Servo 3 (elbow_flex) does not answer.' }, lost))).toBe(true);
  expect(isOfTiming(join(folder, 'none.log'))).toBe(false);
  const busy = 'The machine is busy (load average 9.0 on 2 cores).';
  expect(stopped('The robot does not answer', 2, 'run', busy)).toMatchObject({
    message: `Bring-up step not passed: The robot does not answer (the first of 2). ${busy}`,
    remedy:
      'Correct what stopped it; see run/guard.log for time and cause. The load may be the cause: end what else runs on the machine. Then repeat the command.',
  });
  expect(stopped('The robot does not answer', 1, 'run')).toMatchObject({
    message: 'Bring-up step not passed: The robot does not answer.',
    remedy: 'Correct what stopped it; see run/guard.log for time and cause. Then repeat the command.',
  });
});

it('takes as long as each joint needs for its way at the speed of the rung, or as the person said', () => {
  const { robot } = loadRobotFile('so101');
  const rung = { robot, speedRatio: 0.1, minutes: 5 };
  // 0.48 rad at a tenth of 1.5 rad/s (three joints) and of 2 rad/s (three), and 1.5 s each.
  expect(drivenS({ ...rung, rung: 'slow' })).toBeCloseTo(3 * (0.48 / 0.15 + 1.5) + 3 * (0.48 / 0.2 + 1.5));
  expect(drivenS({ ...rung, rung: 'slow', speedRatio: 0.05 })).toBeCloseTo(3 * (0.48 / 0.075 + 1.5) + 3 * (4.8 + 1.5));
  expect(drivenS({ ...rung, rung: 'burn-in' })).toBe(300);
  expect(partStepsOf({ ...rung, rung: 'burn-in', shares: [0.25, 0.5, 1] })).toBe(1000);
  // A part without a step would never end.
  expect(partStepsOf({ ...rung, rung: 'burn-in', minutes: 0.001, shares: [0.25, 0.5, 1] })).toBe(1);
});

it('finds the joint that hardly moved, whatever the others did', () => {
  const half = 0.12 / Math.PI;
  const seen = (...halves: readonly number[]): Float32Array => Float32Array.from(halves, (value) => value * half);
  const steps = [
    { observation: seen(0, 2, 0), nextObservation: seen(1, 2.1, -0.5) },
    { observation: seen(1, 2.1, -0.5), nextObservation: seen(-1, 2, 0.5) },
  ];
  const { joint, spans } = leastMoved(steps, 3);
  expect(joint).toBe(1);
  expect(spans.map((span) => Math.round(100 * span) / 100)).toEqual([2, 0.1, 1]);
  expect(leastMoved([], 2).spans).toEqual([0, 0]);
});

it('names the servo that was silent beside what stopped the arm', () => {
  const silent = 'Servo 3 (elbow_flex) does not answer';
  expect(withServo(['The robot does not answer', silent])).toBe(`The robot does not answer: ${silent}`);
  expect(withServo([silent, 'The robot does not answer'])).toBe(silent);
  expect(withServo(['Joint 2 is frozen'])).toBe('Joint 2 is frozen');
});
