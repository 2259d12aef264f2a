/** The rungs of a car on which it drives, on the simulated car: in real time. Needs `dist/`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadRobotFile } from '../../src/config/index.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-car-ladder-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('turns wheels and steers at random in a small box, though no wheel says where it is', async () => {
  const built = new URL('../../dist/bring-up/ladder/drive-rung.js', import.meta.url).href;
  const { driveRung } = (await import(built)) as typeof import('../../src/bring-up/ladder/drive-rung.ts');
  const { robot, file } = loadRobotFile('race-car');
  const proved = await driveRung({
    rung: 'burn-in',
    robot,
    file,
    speedRatio: 0.25,
    minutes: 0.1,
    out: join(folder, 'run'),
    seed: 1,
    print: () => undefined,
    signal: new AbortController().signal,
    onInterrupt: () => undefined,
  });
  expect(proved).toMatch(
    /^6 s of random motion in a box of ±7° and ±0\.3 m of its wheels at 25 % of its speed: \d+ steps, each joint moved by \d+° or more, 0 faults, 0 violations$/,
  );
}, 60_000);
