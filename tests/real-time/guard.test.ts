/** A guard that keeps time on this machine, whose wall clock jumps all the while: leases, a tick that is held up, and one that is slow. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { GUARD_NODE_FLAGS } from '../../src/guard/index.ts';
import type { RobotModel } from '../../src/model/index.ts';
import { OVERLOADED, OVERRUN, TICK_STALLED } from '../../src/safety/fault-table/flags.ts';
import { jointSpec } from '../support/adversary.ts';
import { actConclusively, HELD_UP_S } from '../support/conclusive.ts';
import { faultRow } from '../support/fault-row.ts';
import { expectBrakes, ProcessGuard, rowsOf, speedShare } from '../support/process-guard.ts';
import { ur5eLike } from '../support/robot-models.ts';

const model: RobotModel = { ...ur5eLike, leashM: 0.5, leashRad: 0.5 };
const T = 1 / model.controlHz;
/** Small steps of all joints, to and fro. */
const toAndFro = (step: number): number => (Math.floor(step / 12) % 2 === 0 ? 0.15 : -0.15);
const preload = fileURLToPath(new URL('../support/jumping-clock.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'rein-jump-'));
const jumped = join(folder, 'jumped');
let guard: ProcessGuard;
const inTime = (): boolean => guard.ticks.every(({ lateS }) => lateS < HELD_UP_S);

beforeAll(async () => {
  guard = await ProcessGuard.start({
    model,
    action: jointSpec(model, 0.12),
    nodeFlags: [...GUARD_NODE_FLAGS, '--import', preload],
    env: { REIN_JUMPED: jumped },
    timing: 'real-time',
  });
});
afterAll(async () => {
  await guard.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('who decides drops out', () => {
  faultRow(
    [18, 22],
    'real-time',
    'an operator who drops out is followed for the lease, and the policy does not go on',
    async (promised) => {
      await actConclusively(async () => {
        await guard.active();
        guard.drive(toAndFro, { decider: 'human', leaseS: promised('leaseS') });
        await guard.seen(({ state }) => state === 'active.human', 'the take-over');
        await delay(150);
        guard.rest();
        await guard.seen(({ state, tick }) => state === 'ready' && tick === guard.ticks.at(-1)!.tick, 'the hold');
        guard.drive(toAndFro);
        await delay(200);
        guard.rest();
      }, inTime);
      for (const { commandSeq, atS } of guard.ticks.filter((tick) => tick.decider === 'human')) {
        expect(atS - guard.issuedAtS.get(commandSeq)!).toBeLessThanOrEqual(promised('leaseS') + 1e-6);
      }
      const dropped = guard.ticks.findLast(({ decider }) => decider === 'human')!;
      const after = guard.ticks.filter(({ tick }) => tick > dropped.tick);
      expect(after.every(({ decider }) => decider === 'hold')).toBe(true);
      expectBrakes(guard, after[0]!);
      // The guard's wall clock was a day away at every look.
      expect(existsSync(jumped)).toBe(true);
    },
  );
});

describe('a machine that goes wrong', () => {
  faultRow(
    [19, 24],
    'real-time',
    'a guard that was frozen stops when it goes on, and does nothing that waited meanwhile',
    async (promised) => {
      await actConclusively(async () => {
        await guard.active();
        guard.drive(toAndFro);
        await guard.seen(({ decider }) => decider === 'policy', 'motion');
      }, inTime);
      const before = guard.ticks.at(-1)!;
      guard.child.kill('SIGSTOP');
      // Longer than a lease: whatever was sent before it went on is old.
      await delay(400);
      guard.rest();
      await delay(250);
      guard.child.kill('SIGCONT');
      const reported = await guard.seen(({ flags }) => (flags & TICK_STALLED) !== 0, 'row 24');
      expect(reported.tick - before.tick).toBeLessThan(40);
      const dtS = reported.atS - guard.ticks[guard.ticks.indexOf(reported) - 1]!.atS;
      expect(dtS).toBeGreaterThan(promised('periods') * T);
      for (let i = 0; i < model.joints.length; i++)
        expect(reported.referenceRad[i]).toBeCloseTo(reported.measuredRad[i]!, 9);
      await guard.seen(({ state }) => state === 'stopped', 'the stop');
      expect(guard.ticks.filter(({ tick, decider }) => tick >= reported.tick && decider !== 'hold')).toEqual([]);
    },
  );

  faultRow(48, 'real-time', 'a machine that is too slow halves the speed, then stops the robot', async (promised) => {
    await actConclusively(
      async () => {
        await guard.active(['slow', 2 * promised('stopAfter')]);
        guard.drive(toAndFro);
        await guard.seen(({ state }) => state === 'stopped', 'the stop');
      },
      // One that stalls the tick altogether has stopped the robot for that.
      () => (guard.ticks.at(-1)!.flags & TICK_STALLED) === 0,
    );
    const { ticks } = guard;
    const slowed = ticks.findIndex(({ flags }) => (flags & OVERRUN) !== 0);
    const stopped = ticks.findIndex(({ flags }) => (flags & OVERLOADED) !== 0);
    expect(slowed).toBeGreaterThan(0);
    expect(stopped).toBeGreaterThan(slowed);
    for (let k = slowed + 20; k < stopped; k++) {
      expect(speedShare(model, ticks[k - 1]!, ticks[k]!)).toBeLessThanOrEqual(promised('speedRatio') + 1e-9);
    }
    expect(ticks[stopped]!.atS - ticks[slowed]!.atS).toBeLessThan(2 * promised('windowS'));
    expect(guard.link.latest.violations).toBe(0);
  });
});

describe('a guard that only a person lets go on', () => {
  faultRow(24, 'real-time', 'that was held up stands when it goes on, until a person acts', async () => {
    const held = await ProcessGuard.start({
      model,
      action: jointSpec(model, 0.12),
      authority: 'supervisor',
      timing: 'real-time',
    });
    try {
      held.drive(toAndFro);
      await goOn(held);
      await held.seen(({ decider }) => decider === 'policy', 'motion');
      held.child.kill('SIGSTOP');
      await delay(400);
      held.child.kill('SIGCONT');
      const stopped = await held.seen(({ state }) => state === 'stopped', 'the stop');
      expect(rowsOf(stopped)).toContain(24);
      held.look();
      for (let k = 0; k < 8; k++) {
        for (const kind of ['acknowledge', 'enable', 'permit', 'activate'] as const) {
          const answer = await held.link.request({ kind });
          expect(answer).toMatchObject({
            ok: false,
            needs: 'person',
            reason: expect.stringContaining('only an operator'),
          });
        }
        await held.link.advance(5);
      }
      expect(held.ticks.filter(({ state }) => state !== 'stopped')).toEqual([]);
      await goOn(held);
    } finally {
      await held.close();
    }
  });
});

/** As a supervisor does, on behalf of a person; then the node asks for motion. */
async function goOn({ child, link }: ProcessGuard): Promise<void> {
  for (let id = 0; id < 60; ) {
    for (const kind of ['acknowledge', 'enable', 'permit'] as const) {
      child.send({ id: id++, request: { kind } });
      await link.advance(2);
    }
    if ((await link.request({ kind: 'activate' })).ok) return;
  }
  throw new Error(`it stays in ${link.latest.state}`);
}
