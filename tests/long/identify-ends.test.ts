/** How an identification in real time ends where processes of it die or hang: ends that `tests/process/identify-ends.test.ts` leaves out. */
import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { arm6Without, IdentifyFolder, identify } from '../support/identify-folder.ts';
import { childOf, until } from '../support/live-run.ts';
import { goesAway, Rein } from '../support/rein.ts';

let folder: IdentifyFolder;

beforeEach(() => {
  folder = new IdentifyFolder();
});
afterEach(() => folder.clear());

describe('an identification in real time', { timeout: 120_000 }, () => {
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
    expect(stderr).toMatch(/No message from the guard for 1 s/);
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
});
