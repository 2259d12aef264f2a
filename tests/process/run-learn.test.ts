import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LearnerView } from '../../src/rows/index.ts';
import { StreamWatcher } from '../support/browser.ts';
import { faultRow } from '../support/fault-row.ts';
import { freeAddress } from '../support/free-port.ts';
import { LiveRun, type Program, until } from '../support/live-run.ts';
import { IS_LONG } from '../support/long.ts';

let run: LiveRun;
let address: string;

beforeEach(async () => {
  run = new LiveRun(mkdtempSync(join(tmpdir(), 'rein-live-')));
  address = await freeAddress();
});
afterEach(async () => {
  await run.end();
  rmSync(run.folder, { recursive: true, force: true });
});

function learner(...more: string[]): Program {
  return run.start('learn', '--bind', address, '--monitor', '127.0.0.1:0', ...more);
}

function robot(...more: string[]): Program {
  return run.start('run', '--config', 'quick.yaml', '--learner', address, '--out', 'robot', ...more);
}

async function startBoth(): Promise<{ learning: Program; moving: Program }> {
  const learning = learner('--task', 'insert', '--config', 'quick.yaml', '--out', 'learner');
  await until(() => learning.said().includes('robots connect with'), 'the learner');
  return { learning, moving: robot('--operator', 'scripted') };
}

/** The last line of the learner's figures. */
function learned(learning: Program): { online: number; version: number } {
  const last = [...learning.said().matchAll(/ (\d+) steps, .* policy (\d+)$/gm)].at(-1);
  return { online: Number(last?.[1] ?? 0), version: Number(last?.[2] ?? 0) };
}

// Most of the time is the robot's own, at ten steps a second; a busy machine adds to it.
describe('a robot and a learner in real time', { timeout: 240_000 }, () => {
  it.runIf(IS_LONG)('says at Ctrl+C that there is no checkpoint where training has not begun', async () => {
    const learning = learner('--task', 'insert', '--config', 'quick.yaml', '--out', 'learner');
    await until(() => learning.said().includes('robots connect with'), 'the learner');
    learning.child.kill('SIGINT');
    await learning.exit;
    expect(learning.said()).toContain('a checkpoint is written if training has begun');
    expect(learning.said()).toMatch(/No checkpoint: training had not begun\. .* rein learn --resume learner/);
    expect(run.files('learner/checkpoints')).toEqual([]);
  });

  faultRow(
    [4, 9],
    'process',
    'records demonstrations, acts on every few new weights, goes on with the last when the learner is killed, and delivers each transition exactly once',
    async () => {
      const { learning, moving } = await startBoth();
      await until(() => run.versionOf('robot') >= 4 && run.files('learner/checkpoints').length > 0, 'a checkpoint');
      // Its own page says why it would not learn, as far as its own figures tell.
      const watcher = new StreamWatcher(/monitor: (http\S+)/.exec(learning.said())![1]!);
      const checks = (): { state: string }[] =>
        (watcher.all('diagnosis').at(-1) ?? []) as unknown as { state: string }[];
      await until(() => checks().some(({ state }) => state === 'ok'), 'the checks');
      const view = watcher.all('learner').at(-1) as unknown as LearnerView;
      expect(view.robots).toEqual([{ name: expect.any(String), steps: expect.any(Number), isHere: true }]);
      expect(view.robots[0]!.steps).toBeGreaterThan(0);
      expect(view.updates).toBeGreaterThan(0);
      watcher.close();

      learning.child.kill('SIGKILL');
      await learning.exit;
      await until(() => /The learner is gone: policy \d+ goes on/.test(moving.said()), 'the message');
      // Weights that had come before are taken at the start of an episode.
      const arrived = run.journal('robot').length;
      await until(() => run.journal('robot').length >= arrived + 40, 'steps with what had come');
      const last = run.versionOf('robot');
      const before = run.journal('robot').length;
      await until(() => run.journal('robot').length >= before + 20, 'steps without a learner');
      expect(run.versionOf('robot')).toBe(last);
      // A command, or a tick, that a busy machine has too late ends an episode as well, and is not the learner's.
      const ended = moving.said().match(/.*ended early.*/g) ?? [];
      expect(ended.filter((line) => !/older than its lease|without a tick|held the robot/.test(line))).toEqual([]);

      const resumed = learner('--resume', 'learner');
      await until(() => run.versionOf('robot') > last, 'weights of the resumed learner in use');
      moving.child.kill('SIGINT');
      expect(await moving.exit).toBe(130);
      const journal = run.journal('robot');
      const demonstrated = journal.filter((t) => t.source === 'demo');
      expect(demonstrated.filter((t) => t.terminated)).toHaveLength(2);
      const online = journal.slice(demonstrated.length);
      expect(online.every((t) => t.source !== 'demo')).toBe(true);
      const versions = online.map((t) => t.policyVersion);
      expect(versions).toEqual([...versions].sort((a, b) => a - b));
      expect(new Set(versions).size).toBeGreaterThan(2);
      expect(moving.said()).toMatch(new RegExp(`${journal.length} acknowledged, 0 waiting, 0 lost, 0 duplicated`));
      await until(() => learned(resumed).online === online.length, 'the whole journal');
      expect(moving.said()).toContain('0 violations');
      expect(run.files('robot')).toEqual(
        expect.arrayContaining(['config.yaml', 'guard.log', 'journal', 'metrics.jsonl']),
      );
    },
  );
});
