/** A robot whose learner is away: it starts, keeps its last weights over restarts, takes nothing older, and joins later. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadResolvedConfig } from '../../src/config/index.ts';
import { createSetup } from '../../src/config/setup.ts';
import { decodeBundle, startLearnerServer } from '../../src/link/index.ts';
import type { PolicyWeights } from '../../src/model/index.ts';
import { freeAddress } from '../support/free-port.ts';
import { childOf, LiveRun, type Program, until } from '../support/live-run.ts';

let run: LiveRun;
let address: string;
beforeEach(async () => {
  run = new LiveRun(mkdtempSync(join(tmpdir(), 'rein-alone-')));
  address = await freeAddress();
});
afterEach(async () => {
  await run.end();
  rmSync(run.folder, { recursive: true, force: true });
});

function robot(): Program {
  const where = ['--config', 'quick.yaml', '--learner', address, '--out', 'robot'];
  return run.start('run', ...where, '--operator', 'scripted');
}

const weightsDir = (): string => join(run.folder, 'robot', 'weights');

/** Versions on the disk, newest first. */
function kept(): number[] {
  const names = readdirSync(weightsDir()).filter((name) => name.endsWith('.weights'));
  return names.map((name) => Number.parseInt(name, 10)).sort((a, b) => b - a);
}

function bundleOf(version: number): PolicyWeights {
  const bundle = decodeBundle(readFileSync(join(weightsDir(), `${version}.weights`)));
  if (!bundle.ok) throw new Error(bundle.error.message);
  return bundle.value;
}

/** Changes one bit in the middle of the weights. */
function damage(version: number): void {
  const path = join(weightsDir(), `${version}.weights`);
  const bytes = readFileSync(path);
  bytes[bytes.length - 100]! ^= 1;
  writeFileSync(path, bytes);
}

/** Versions that acted in the start `epoch`, without demonstrations. */
function acted(epoch: number): number[] {
  const online = run.journal('robot').filter((t) => t.epoch === epoch && t.source !== 'demo');
  return [...new Set(online.map((t) => t.policyVersion))];
}

describe('a robot whose learner is away', { timeout: 180_000 }, () => {
  it('that never answered ends with 1 when its time is over', async () => {
    const where = ['--config', 'quick.yaml', '--learner', address, '--out', 'robot', '--operator', 'none'];
    const robot = run.start('run', ...where, '--start', 'now', '--duration', '2');
    expect(await robot.exit).toBe(1);
    expect(robot.said()).toContain('Ended before the robot moved');
  });

  it('starts before it, keeps its last weights over restarts, refuses older and damaged ones, and joins later', async () => {
    const first = robot();
    await until(() => first.said().includes('No learner answers at'), 'the line about the learner');
    expect(first.said()).toContain('the robot holds until the learner answers');
    const learning = run.start('learn', '--bind', address, '--task', 'insert', '--config', 'quick.yaml', '--out', 'l');
    await until(() => first.said().includes('The learner answers: run l-'), 'the learner');
    await until(() => run.versionOf('robot') >= 4, 'weights in use');
    learning.child.kill('SIGKILL');
    await learning.exit;
    await until(() => first.said().includes('goes on'), 'the loss');
    await until(() => kept()[0]! >= run.versionOf('robot'), 'the last weights on the disk');

    // A node that is killed meanwhile comes back with what it had.
    process.kill(childOf(first.child, 'node-process.js'), 'SIGKILL');
    await until(() => first.said().includes('press c to continue'), 'the sentence');
    first.child.stdin!.write('c');
    await until(() => acted(2).length > 0, 'steps of the next node');
    const newest = kept()[0]!;
    expect(acted(2)).toEqual([newest]);
    expect(kept().length).toBeLessThanOrEqual(3);
    first.child.kill('SIGINT');
    expect(await first.exit).toBe(130);

    // So does the whole run; what is damaged is told and left, and the one before acts.
    const old = bundleOf(kept().at(-1)!);
    const last = bundleOf(newest);
    damage(newest);
    const second = robot();
    await until(() => acted(3).length > 0, 'steps of the second run');
    expect(second.said()).toContain(`The weights ${newest} on the disk`);
    expect(second.said()).toContain('are not used: the digest does not match the content');
    expect(acted(3)).toEqual([kept()[1]]);
    second.child.kill('SIGINT');
    expect(await second.exit).toBe(130);

    // With nothing left that is whole, an old bundle is still known to be old.
    for (const version of kept().slice(1)) damage(version);
    const setup = createSetup(loadResolvedConfig(join(run.folder, 'robot', 'config.yaml')));
    const { schemaHash, observationSize, actionSize } = setup;
    const { runId } = last.manifest;
    const sizes = { observationSize, actionSize };
    const played = await startLearnerServer({
      bind: address,
      runId,
      schemaHash,
      ...sizes,
      onTransition: () => undefined,
    });
    try {
      played.publish(old);
      const third = robot();
      await until(() => third.said().includes('waiting for the first weights'), 'the wait for weights');
      await delay(1000);
      expect(acted(4)).toEqual([]);
      played.publish(last);
      await until(() => acted(4).includes(newest), 'the newest weights, given once more');
      third.child.kill('SIGINT');
      expect(await third.exit).toBe(130);
    } finally {
      await played.close();
    }
  });
});
