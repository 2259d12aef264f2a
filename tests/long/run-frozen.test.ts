/** A node of `rein run` that is frozen or killed while its policy learns, in real time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { faultRow } from '../support/fault-row.ts';
import { freeAddress } from '../support/free-port.ts';
import { childOf, LiveRun, type Program, until } from '../support/live-run.ts';

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
  return run.start('learn', '--bind', address, ...more);
}

function robot(...more: string[]): Program {
  return run.start('run', '--config', 'quick.yaml', '--learner', address, '--out', 'robot', ...more);
}

async function startBoth(): Promise<{ learning: Program; moving: Program }> {
  const learning = learner('--task', 'insert', '--config', 'quick.yaml', '--out', 'learner');
  await until(() => learning.said().includes('robots connect with'), 'the learner');
  return { learning, moving: robot('--operator', 'scripted') };
}

/** Sends `signal` to a node that moves the arm; checks that it was braked within the lease and stands. Gives when that was. */
async function interrupted(node: number, signal: NodeJS.Signals): Promise<number> {
  await until(() => run.motion('robot').at(-1)?.decider === 'policy', 'motion');
  const sentAtS = Number(process.hrtime.bigint()) * 1e-9;
  process.kill(node, signal);
  const after = () => run.motion('robot').filter((m) => m.atS > sentAtS);
  await until(() => after().some((m) => m.event === 'stands'), 'standing still');
  // Two policy periods of lease and two ticks, by the guard's own stamps.
  expect(after().find((m) => m.decider === 'hold')!.sinceS).toBeLessThanOrEqual(0.2 + 0.02);
  return sentAtS;
}

// Most of the time is the robot's own, at ten steps a second; a busy machine adds to it.
describe('a robot whose learner is there', { timeout: 240_000 }, () => {
  faultRow(
    [2, 3, 25],
    'real-time',
    'brakes within the lease and holds when the node is frozen or killed, and goes on with it, or with the next one when a person says so',
    async () => {
      const { moving } = await startBoth();
      await until(() => run.versionOf('robot') >= 1, 'a policy that acts');
      const node = childOf(moving.child, 'node-process.js');

      const frozenAtS = await interrupted(node, 'SIGSTOP');
      await until(() => run.motion('robot').some((m) => m.atS > frozenAtS && m.state === 'stopped'), 'the stop');
      expect(run.motion('robot').filter((m) => m.atS > frozenAtS && m.decider !== 'hold')).toEqual([]);
      const steps = run.journal('robot').length;
      process.kill(node, 'SIGCONT');
      await until(() => run.journal('robot').length > steps + 3, 'steps of the thawed node');

      const killedAtS = await interrupted(node, 'SIGKILL');
      const after = run.motion('robot').filter((m) => m.atS > killedAtS);
      await until(() => moving.said().includes('The node is started again (1 of 3)'), 'another node');
      expect(moving.said()).toContain('The node ended (signal SIGKILL): the guard brakes the robot and holds it.');
      await until(() => run.motion('robot').some((m) => m.atS > killedAtS && m.state === 'stopped'), 'the stop');
      // A process that died is no category 2: in simulation, too, the next one moves nothing until a person acts.
      await until(() => moving.said().includes('press c to continue'), 'the sentence');
      expect(run.journal('robot').some((t) => t.epoch === 2)).toBe(false);
      moving.child.stdin!.write('c');
      await until(
        () => run.journal('robot').some((t) => t.epoch === 2 && t.policyVersion > 0),
        'steps of the next node',
      );
      const resumedAtS = run.motion('robot').find((m) => m.atS > killedAtS && m.decider !== 'hold')!.atS;
      expect(resumedAtS).toBeGreaterThan(after.find((m) => m.event === 'stands')!.atS);
      moving.child.kill('SIGINT');
      expect(await moving.exit).toBe(130);
      const demonstrations = run.journal('robot').filter((t) => t.source === 'demo' && t.terminated);
      expect(demonstrations).toHaveLength(2);
    },
  );
});
