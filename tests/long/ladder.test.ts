/** The whole ladder of `rein bring-up` as a person climbs it, on an emulated arm at a serial port: in real time, in processes. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { loadRobotFile } from '../../src/config/index.ts';
import { calibrationText, feetechFamily } from '../../src/drivers/serial.ts';
import { appendRung, RUNGS, readRungs, readStops, rungLogPath } from '../../src/record/index.ts';
import { ladderSubject } from '../../src/session/supervision.ts';
import { Asked, emulatedArmFile } from '../support/asked.ts';
import { Emulated } from '../support/emulated.ts';
import { freshCalibration, servoOptionsOf } from '../support/emulated-servos.ts';

let folder: string;
let arm: Emulated | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-ladder-'));
});
afterEach(async () => {
  await arm?.end();
  arm = undefined;
  rmSync(folder, { recursive: true, force: true });
});

it('climbs from the doctor to full speed, and records each rung with what it has shown', async () => {
  const emulated = new Emulated(['feetech']);
  arm = emulated;
  await emulated.next('ready');
  const hand = async (line: string): Promise<void> => {
    await emulated.type(line);
    await emulated.standsStill();
  };
  const file = emulatedArmFile(folder, emulated.link, '  answerMs: 15');
  // Three ticks in which the emulator is held up are 100 ms.
  writeFileSync(file, readFileSync(file, 'utf8').replace('controlHz: 50', 'controlHz: 30'));
  const { robot } = loadRobotFile(file);
  const jointNames = robot.joints.map(({ name }) => name);
  const fresh = freshCalibration(robot, servoOptionsOf(robot), feetechFamily, '3.10', 'TEST42');
  mkdirSync(join(folder, 'config', 'calibration'), { recursive: true });
  writeFileSync(join(folder, 'config', 'calibration', 'so101.json'), calibrationText(fresh));
  const answer = async (line: string): Promise<string | undefined> => {
    const joint = jointNames.indexOf(/^(\w+): .*(?:has to rise|at its zero)/.exec(line)?.[1] ?? '');
    if (joint >= 0) await hand(`move ${joint + 1} ${line.includes('at its zero') ? 0 : 0.5}`);
    if (joint >= 0 || line.includes('press Enter')) return '';
    // Without torque it has fallen.
    if (line.includes('[y/N]')) await hand('hold');
    return line.includes('[y/N]') ? 'y' : undefined;
  };
  const said: string[] = [];
  let passed = 0;
  // What a machine that is too busy has spoilt is repeated, as the refusal says.
  for (let command = 0; passed < 5 && command < 16; command++) {
    const out = join(folder, `run-${command}`);
    const asked = new Asked(folder, ['bring-up', '--robot', file, '--minutes', '0.1', '--out', out], answer);
    if ((await asked.ended) === 0) passed++;
    said.push(...asked.said);
  }
  expect(passed, said.join('\n')).toBe(5);
  const { robot: name, adapter } = fresh;
  const records = readRungs(join(folder, 'state', 'bring-up', `${name}-${adapter}.jsonl`));
  expect(records.map(({ rung }) => rung)).toEqual(['doctor', 'mirror', 'slow', 'burn-in', 'full']);
  expect(records[2]!.proved).toMatch(
    /^26 s of joint after joint at 10 % .* each joint moved by \d+° or more, 0 faults/,
  );
  expect(records[3]!.proved).toMatch(/^6 s of random motion .* at 25 % .* each joint moved by \d+° or more, 0 faults/);
  expect(said.at(-1)).toBe('All steps passed: it moves up to the limits of its file.');
}, 480_000);

it('measures the stops of an arm that has climbed, and keeps the worst of each speed with its load', async () => {
  const emulated = new Emulated(['feetech']);
  arm = emulated;
  await emulated.next('ready');
  const file = emulatedArmFile(folder, emulated.link, '  answerMs: 15');
  writeFileSync(file, readFileSync(file, 'utf8').replace('controlHz: 50', 'controlHz: 30'));
  const { robot } = loadRobotFile(file);
  const fresh = freshCalibration(robot, servoOptionsOf(robot), feetechFamily, '3.10', 'TEST42');
  mkdirSync(join(folder, 'config', 'calibration'), { recursive: true });
  writeFileSync(join(folder, 'config', 'calibration', 'so101.json'), calibrationText(fresh));
  vi.stubEnv('REIN_CONFIG', join(folder, 'config'));
  vi.stubEnv('REIN_STATE', join(folder, 'state'));
  const subject = ladderSubject(robot)!;
  const rest = { at: '2026-01-01T00:00:00Z', version: '0', proved: 'x', by: 'me' };
  for (const rung of RUNGS) appendRung(rungLogPath(subject), { ...subject, rung, ...rest });
  const answer = async (line: string): Promise<string | undefined> => {
    if (!line.includes('[y/N]')) return undefined;
    await emulated.type('hold');
    await emulated.standsStill();
    return 'y';
  };
  const out = join(folder, 'run');
  const options = ['--stops', '--load', '0.1', '--minutes', '0.4'];
  let said: readonly string[] = [];
  let code = 1;
  // What a machine that is too busy has spoilt is repeated.
  for (let k = 0; code !== 0 && k < 6; k++) {
    const asked = new Asked(folder, ['bring-up', '--robot', file, ...options, '--out', `${out}-${k}`], answer);
    code = (await asked.ended) as number;
    said = asked.said;
  }
  expect(code, said.join('\n')).toBe(0);
  const stops = readStops(subject);
  expect(stops.length).toBeGreaterThan(0);
  for (const { speedMPerS, timeS, distanceM, loadKg } of stops) {
    expect(timeS).toBeGreaterThan(0);
    expect(timeS).toBeLessThan(2);
    expect(distanceM).toBeGreaterThan(0);
    expect(distanceM).toBeLessThan(2 * (speedMPerS + 0.05) * timeS);
    expect(loadKg).toBe(0.1);
  }
  vi.unstubAllEnvs();
}, 480_000);
