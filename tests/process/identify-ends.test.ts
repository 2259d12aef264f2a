/** How an identification in real time ends before it is done: people, processes that die or hang, files that cannot be written. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { arm6Without, IdentifyFolder, identify, realArm } from '../support/identify-folder.ts';
import { childOf, until } from '../support/live-run.ts';
import { goesAway, Rein, rein, reinLines } from '../support/rein.ts';

const PATIENCE_MS = 120_000;
let folder: IdentifyFolder;

beforeEach(() => {
  folder = new IdentifyFolder();
});
afterEach(() => folder.clear());

describe('an identification in real time', { timeout: PATIENCE_MS }, () => {
  it('at Ctrl+C in the middle brings the arm to a stand, writes nothing, and leaves no process behind', async () => {
    const { run, guard, node } = await folder.moving();
    run.child.kill('SIGINT');
    const { code, stderr } = await run.ended;
    expect(code).toBe(130);
    expect(stderr).toContain('the arm is brought to rest, and no limits are written');
    folder.expectNothingWritten();
    folder.expectStanding();
    expect(await goesAway(guard)).toBe(true);
    expect(await goesAway(node)).toBe(true);
  });

  it('ends with the row of the fault where its node hangs longer than its commands last, and writes nothing', async () => {
    const { run, node } = await folder.moving();
    process.kill(node, 'SIGSTOP');
    await until(() => folder.motion().at(-1)?.event === 'stands', 'standing');
    process.kill(node, 'SIGCONT');
    const { code, stderr } = await run.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/The arm was stopped while it was identified: The newest command is older .* \(fault 2\)/);
    folder.expectNothingWritten();
  });

  it('ends where its guard dies, and writes nothing', async () => {
    const { run, guard } = await folder.moving();
    process.kill(guard, 'SIGKILL');
    const guardless = await run.ended;
    expect(guardless.code).toBe(1);
    expect(guardless.stderr).toMatch(/The guard ended \(signal SIGKILL\)/);
    folder.expectNothingWritten();
  });

  it('ends where its node dies, and writes nothing', async () => {
    const { run, node } = await folder.moving();
    process.kill(node, 'SIGKILL');
    const nodeless = await run.ended;
    expect(nodeless.code).toBe(1);
    expect(nodeless.stderr).toMatch(/The node ended \(signal SIGKILL\)/);
    folder.expectStanding();
    folder.expectNothingWritten();
  });

  it('ends where its guard hangs, says so, and leaves no process behind', async () => {
    const { run, guard, node } = await folder.moving();
    process.kill(guard, 'SIGSTOP');
    const { code, stderr } = await run.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/The guard has said nothing for 1 s/);
    folder.expectNothingWritten();
    expect(await goesAway(guard)).toBe(true);
    expect(await goesAway(node)).toBe(true);
  });

  it('is no success where the guard dies while it lets the arm down', async () => {
    writeFileSync(
      folder.at('falls.yaml'),
      `${arm6Without('driver')}driver:\n  kind: mujoco\n  scene: peg-insertion\nholdsWithoutTorque: false\nexitRampS: 10\n`,
    );
    const run = new Rein(identify('./falls.yaml', '--real-time', '--duration', '3'), folder.path);
    await until(() => folder.hasMoved(), 'motion');
    const guard = childOf(run.child, 'guard-process');
    expect(await goesAway(childOf(run.child, 'identify-process'))).toBe(true);
    process.kill(guard, 'SIGKILL');
    const { code, stderr } = await run.ended;
    expect(code).toBe(1);
    expect(stderr).toContain('The guard ended (signal SIGKILL)');
    folder.expectNothingWritten();
  });

  it('does not begin with a real arm where nobody is at a terminal, nor where a file cannot be written', async () => {
    writeFileSync(folder.at('real.yaml'), realArm());
    const lines = [
      identify('./real.yaml'),
      ['safety', 'identify', 'arm6', '--real-time', '--out', 'none/piece.yaml'],
      identify('arm6', '--real-time', '--json', 'none/found.json'),
    ];
    const ends = await reinLines(lines.map((args) => [folder.path, args]));
    expect(ends.map(({ code }) => code)).toEqual([1, 1, 1]);
    expect(ends.map(({ stderr }) => stderr)).toEqual([
      expect.stringContaining('it moves when a person at a terminal lets it'),
      expect.stringContaining('The file of --out cannot be written'),
      expect.stringContaining('The file of --json cannot be written'),
    ]);
    expect(existsSync(folder.at('piece.guard.log'))).toBe(false);
  });
});

describe('what was identified', { timeout: PATIENCE_MS }, () => {
  it('is printed where its file cannot be written in the end, and no half of it stays', async () => {
    // Beside which the file is written first.
    mkdirSync(folder.at('piece.yaml.new'));
    const { code, stdout, stderr } = await rein(identify('arm6', '--duration', '5', '--quiet'), folder.path);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^torqueObserver:\n {2}filterS: 0.028\n/m);
    expect(stderr).toContain('piece.yaml cannot be written');
    expect(existsSync(folder.at('piece.yaml'))).toBe(false);
  });
});
