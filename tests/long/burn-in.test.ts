/** The rung of random motion, on the simulated arm and the simulated car: in real time. Needs `dist/`. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadRobotFile } from '../../src/config/index.ts';
import { ROBOTS } from '../support/asked.ts';
import { burnIn } from '../support/rungs.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-burn-in-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('turns wheels and steers at random in a small box, though no wheel says where it is', async () => {
  const { robot, file } = loadRobotFile('race-car');
  const proved = await burnIn(robot, file, join(folder, 'run'));
  expect(proved).toMatch(
    /^6 s of random motion in a box of ±7° and ±0\.3 m of its wheels at 25 % of its speed: \d+ steps, each joint moved by \d+° or more, 0 faults, 0 violations$/,
  );
}, 60_000);

it('moves an arm in a small box, and says what it has shown', async () => {
  const file = join(folder, 'my-arm.yaml');
  const shipped = readFileSync(join(ROBOTS, 'so101.yaml'), 'utf8');
  const driver = `driver: { kind: mujoco, model: ${join(ROBOTS, 'models', 'so101.xml')} }`;
  writeFileSync(file, `${shipped.slice(0, shipped.indexOf('driver:'))}${driver}\n`);
  const { robot } = loadRobotFile(file);
  const proved = await burnIn(robot, file, join(folder, 'run'));
  expect(proved).toMatch(
    /^6 s of random motion in a box of ±7° at 25 % of its speed: \d+ steps, each joint moved by \d+° or more, 0 faults, 0 violations$/,
  );
}, 60_000);
