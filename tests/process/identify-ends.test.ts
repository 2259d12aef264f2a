/** How an identification in real time ends before it is done: people, processes that die or hang, files that cannot be written. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IdentifyFolder, identify, realArm } from '../support/identify-folder.ts';
import { IS_LONG } from '../support/long.ts';
import { goesAway, rein, reinLines } from '../support/rein.ts';

const PATIENCE_MS = 120_000;
let folder: IdentifyFolder;

beforeEach(() => {
  folder = new IdentifyFolder();
});
afterEach(() => folder.clear());

describe('an identification in real time', { timeout: PATIENCE_MS }, () => {
  it.runIf(IS_LONG)(
    'at Ctrl+C in the middle brings the arm to a stand, writes nothing, and leaves no process behind',
    async () => {
      const { run, guard, node } = await folder.moving();
      run.child.kill('SIGINT');
      const { code, stderr } = await run.ended;
      expect(code).toBe(130);
      expect(stderr).toContain('the arm is brought to rest, and no limits are written');
      folder.expectNothingWritten();
      folder.expectStanding();
      expect(await goesAway(guard)).toBe(true);
      expect(await goesAway(node)).toBe(true);
    },
  );

  it.runIf(IS_LONG)('ends where its guard dies, and writes nothing', async () => {
    const { run, guard } = await folder.moving();
    process.kill(guard, 'SIGKILL');
    const guardless = await run.ended;
    expect(guardless.code).toBe(1);
    expect(guardless.stderr).toMatch(/The guard ended \(signal SIGKILL\)/);
    folder.expectNothingWritten();
  });

  it.runIf(IS_LONG)(
    'does not begin with a real arm where nobody is at a terminal, nor where a file cannot be written',
    async () => {
      writeFileSync(folder.at('real.yaml'), realArm());
      const lines = [
        identify('./real.yaml'),
        ['safety', 'identify', 'arm6', '--real-time', '--out', 'none/piece.yaml'],
        identify('arm6', '--real-time', '--json', 'none/found.json'),
      ];
      const ends = await reinLines(lines.map((args) => [folder.path, args]));
      expect(ends.map(({ code }) => code)).toEqual([1, 1, 1]);
      expect(ends.map(({ stderr }) => stderr)).toEqual([
        expect.stringContaining('a person at a terminal must let it move'),
        expect.stringContaining('The file of --out cannot be written'),
        expect.stringContaining('The file of --json cannot be written'),
      ]);
      expect(existsSync(folder.at('piece.guard.log'))).toBe(false);
    },
  );
});

describe('what was identified', { timeout: PATIENCE_MS }, () => {
  it.runIf(IS_LONG)('is printed where its file cannot be written in the end, and no half of it stays', async () => {
    // Beside which the file is written first.
    mkdirSync(folder.at('piece.yaml.new'));
    const { code, stdout, stderr } = await rein(identify('arm6', '--duration', '5', '--quiet'), folder.path);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^torqueObserver:\n {2}filterS: 0.028\n/m);
    expect(stderr).toContain('piece.yaml cannot be written');
    expect(existsSync(folder.at('piece.yaml'))).toBe(false);
  });
});
