/**
 * Arms of bus servos at a serial port, in real time: each row of the fault table that a bus can bring about, under a guard with its
 * guardian. `npm run trials:bus` does such things a hundred times. Needs `dist/`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest';
import type { BusRig, SeenFrame } from '../../bench/bus-trials/bus-rig.ts';
import { BUS } from '../../src/rows/index.ts';
import { faultsOf } from '../../src/safety/index.ts';
import { faultRow } from '../support/fault-row.ts';
import { IS_LONG } from '../support/long.ts';

const dist = (path: string): string => fileURLToPath(new URL(`../../dist/bench/bus-trials/${path}`, import.meta.url));
/** The second family has its turn in `npm run test:long`. */
const ARMS: readonly { readonly name: 'so101' | 'koch' }[] = [
  { name: 'so101' },
  ...(IS_LONG ? [{ name: 'koch' } as const] : []),
];

/** From a fault to the frame that names it one tick may be under way, and one is the emulator's. */
const SLACK_TICKS = 2;
/** Each servo's caps have been read back by then, s: one block of one servo a tick. */
const ROUND_S = 0.6;
const PATIENCE_S = 20;
/** The base is asked for 1.2 rad/s; at reduced speed, 0.25 m/s of the tool, it swings at 0.65. */
const FAST_RAD_PER_S = 0.5;
const CAPS = { so101: 'set 2 torqueLimit 999', koch: 'set 2 goalPwm 884' } as const;

// Both at once: each is processes of its own, and is judged by its own ticks.
describe.each(ARMS)('a guard over $name', { concurrent: true }, ({ name }) => {
  describe.sequential('obeys the fault table:', () => {
    let rig: BusRig;
    let periodS: number;
    /** Frames from the newest fault until it was healed. */
    let seen: readonly SeenFrame[] = [];
    /** New readings from the newest fault until it was told. */
    let readings = 0;

    beforeAll(async () => {
      const bench = (await import(dist('bus-rig.js'))) as typeof import('../../bench/bus-trials/bus-rig.ts');
      rig = await bench.BusRig.open(name);
      await rig.start();
      periodS = 1 / rig.model.controlHz;
    }, 60_000);
    afterAll(() => rig.close());
    beforeEach(() => rig.drive(), 90_000);

    async function until(what: string, isThere: () => boolean): Promise<void> {
      const endS = rig.nowS() + PATIENCE_S;
      while (!isThere()) {
        if (rig.nowS() > endS) throw new Error(`${what} did not come: ${rig.newest().state}\n${rig.log()}`);
        await delay(2);
      }
    }

    /** Where a joint turns round it is asked for little. */
    async function atSpeed(): Promise<void> {
      let hasTurned = false;
      for (const endS = rig.nowS() + PATIENCE_S; ; await delay(2)) {
        // A machine that is too busy stops an arm by itself.
        if (rig.newest().state !== 'active.policy') await rig.drive();
        const isFast = Math.abs(rig.newest().robot.velocityRadPerS[0]!) >= FAST_RAD_PER_S;
        if (isFast && hasTurned) return;
        hasTurned ||= !isFast;
        if (rig.nowS() > endS) throw new Error(`full speed did not come: ${rig.newest().state}\n${rig.log()}`);
      }
    }

    /** In motion `fault` happens. Gives how soon one of `rows` is told, s of ticks; torque is off at the end, and `heal` has been done. */
    async function cut(fault: string, rows: readonly number[], heal: string): Promise<number> {
      const names = (flags: number): boolean => faultsOf(flags).some(({ row }) => rows.includes(row));
      await atSpeed();
      const { tick, stampS } = rig.newest();
      try {
        const atS = await rig.fault(fault);
        await until(`row ${rows.join(' or ')}`, () => rig.frames.some(({ flags }) => names(flags)));
        const told = rig.frames.find(({ flags }) => names(flags))!;
        expect(faultsOf(told.flags).filter(({ row }) => rows.includes(row))).toSatisfy((all: { action: string }[]) =>
          all.some(({ action }) => action === 'cat1'),
        );
        // In ticks of the guard: this process may be held up.
        const passedS = (told.tick - tick) * periodS - (atS - stampS);
        readings = told.readings - rig.frames[0]!.readings;
        await until('the end', () => rig.newest().state === 'fault');
        return passedS;
      } finally {
        // Whatever became of it: the next row begins with an arm that is well.
        seen = rig.frames;
        rig.rest();
        await rig.fault(heal);
        // A servo that is misled runs away until its torque is gone.
        await rig.putHome();
      }
    }

    /** Of `frames`, readings that were taken for motion and are none: another joint's, or garbage. */
    const jumpsIn = (frames: readonly SeenFrame[]): readonly number[] =>
      frames.flatMap(({ flags }) => faultsOf(flags).map(({ row }) => row)).filter((row) => row === 14 || row === 15);

    const silence = (promised: (name: string) => number): number =>
      Math.max(promised('missedAnswers') * periodS, promised('silenceS')) + SLACK_TICKS * periodS;

    faultRow(10, 'real-time', 'one servo of a bus is silent', async (promised) => {
      expect(await cut('dead 3', [10], 'heal 3')).toBeLessThanOrEqual(silence(promised));
    });

    faultRow(
      [10, 24],
      'real-time',
      'the cable of a bus is pulled, and its guard is frozen once it was plugged in again',
      async (promised) => {
        expect(await cut('unplug', [10], 'plug')).toBeLessThanOrEqual(silence(promised));
        await rig.drive();
        const { guardPid } = rig;
        const frozenS = rig.kill('SIGSTOP');
        await delay(400);
        const off = (await rig.samples()).find(({ atS, torqued }) => atS >= frozenS && torqued === 0);
        process.kill(guardPid, 'SIGCONT');
        // As soon as the guard of a bus that was never unplugged.
        expect((off?.atS ?? Number.POSITIVE_INFINITY) - frozenS).toBeLessThan(0.2);
      },
    );

    faultRow([10, 11], 'real-time', 'a bus is full of garbage', async (promised) => {
      // Noise without a header never comes as far as a checksum.
      const damaged = (): number => rig.newest().busCounters[BUS.skippedBytes]!;
      const before = damaged();
      expect(await cut('noise 400000', [10, 11], 'noise 0')).toBeLessThanOrEqual(silence(promised));
      expect(damaged()).toBeGreaterThan(before);
      expect(seen).not.toEqual([]);
      expect(jumpsIn(seen)).toHaveLength(promised('acceptedWrong'));
      // Without it readings come whole again.
      await rig.drive();
    });

    faultRow(13, 'real-time', 'a servo of a bus has latched its overload, and still answers', async (promised) => {
      expect(await cut('overload 2', [13], 'overload 2')).toBeLessThanOrEqual(
        promised('shownS') + SLACK_TICKS * periodS,
      );
      // A Dynamixel is rebooted as it is acknowledged. Nobody's acknowledgement makes a Feetech well, but its supply does.
      if (name === 'so101') {
        await rig.getMoving();
        expect(rig.newest().state).toBe('fault');
        await rig.fault('brown-out');
      }
      await rig.drive();
    });

    faultRow(25, 'real-time', 'the guard of a bus is killed', async () => {
      const killedS = rig.kill('SIGKILL');
      let offS: number | undefined;
      for (const endS = killedS + PATIENCE_S; offS === undefined && rig.nowS() < endS; await delay(20))
        offS = (await rig.samples()).find(({ atS, torqued }) => atS >= killedS && torqued === 0)?.atS;
      expect(offS, 'torque stayed on').toBeDefined();
      expect(offS! - killedS).toBeLessThan(0.1);
      await rig.stop();
      await rig.start();
    });

    // Daily these rows are shown at a bus in simulated time, and at real processes of a robot without one.
    describe.runIf(IS_LONG)('a servo misleads it:', () => {
      faultRow(12, 'real-time', 'a servo answers with the id of another now and then', async (promised) => {
        const before = rig.newest().busCounters[BUS.foreignReplies]!;
        await rig.fault('wrong-id 0.01');
        await until('foreign replies', () => rig.newest().busCounters[BUS.foreignReplies]! >= before + 5);
        const { frames } = rig;
        await rig.fault('wrong-id 0');
        expect(frames.length).toBeGreaterThan(5);
        // Taken for a reading, another joint's would be a jump.
        expect(jumpsIn(frames)).toHaveLength(promised('acceptedForeign'));
      });

      faultRow(14, 'real-time', "a bus servo's encoder is frozen", async (promised) => {
        // Its servo pushes the harder the farther it runs from where it is read, as one that is held does.
        await cut('freeze 1', [14, 37], 'heal 1');
        // In readings: on a busy machine some are late, and show nothing.
        expect(readings).toBeLessThanOrEqual(promised('heldS') / periodS + SLACK_TICKS);
      });

      faultRow(15, 'real-time', "a bus servo's reading jumps by a turn", async (promised) => {
        expect(await cut('wrap 5', [15], 'heal 5')).toBeLessThanOrEqual((promised('readings') + SLACK_TICKS) * periodS);
      });

      faultRow(37, 'real-time', 'a bus servo has another torque cap than was written', async () => {
        expect(await cut(CAPS[name], [37], 'heal 2')).toBeLessThanOrEqual(ROUND_S);
      });

      faultRow(34, 'real-time', 'a bus servo turns the other way after its supply was gone', async (promised) => {
        await cut('brown-out', [13, 37], 'reverse 1');
        const endS = rig.nowS() + PATIENCE_S;
        while (!rig.notices.some(({ row }) => row === 34) && rig.nowS() < endS) await rig.getMoving();
        expect(rig.notices.find(({ row }) => row === 34)!.message).toContain('(shoulder_pan) moves opposite');
        expect(rig.frames.filter(({ state }) => state === 'active.policy')).toHaveLength(promised('movedWrong'));
        await until('the end', () => rig.newest().state === 'fault');
        // It has run away, and power-up tells no turn from another.
        await rig.putHome();
        // A reading that is a turn away is outside the limits, and nothing moves at all.
        await rig.fault('reverse 1;brown-out;wrap 1');
        for (let i = 0; i < 8; i++) {
          await rig.getMoving();
          await rig.ask('enable');
        }
        expect((await rig.samples()).filter(({ torqued }) => torqued > 0)).toEqual([]);
        await rig.fault('heal 1');
        await rig.putHome();
      });
    });
  });
});
