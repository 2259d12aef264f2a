/** What every link between node and guard keeps to. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createActionCommand, type GuardLink } from '../../src/guard/index.ts';
import type { ActionCommand, GuardFrame, GuardNotice } from '../../src/rows/index.ts';

export interface LinkSubject {
  readonly link: GuardLink;
  /** The guard's time, s. */
  readonly nowS: () => number;
  /** Says something at the guard's end; absent where the guard is out of reach. */
  readonly notify?: (notice: GuardNotice) => void;
  /** Makes the guard die, as a crash would; absent where it cannot die alone. */
  readonly killGuard?: () => Promise<void> | void;
  /** Releases what `link.close` does not. */
  readonly release?: () => Promise<void>;
}

/** Runs the contract on links to an arm with 6 joints in its home pose and a joint action. */
export function describeGuardLink(name: string, create: () => Promise<LinkSubject>): void {
  describe(`the ${name} link, before anybody drives`, () => {
    let subject: LinkSubject;
    let link: GuardLink;

    // One for all: each takes a second to start, and these only look.
    beforeAll(async () => {
      subject = await create();
      link = subject.link;
    });

    afterAll(async () => {
      await link.close();
      await subject.release?.();
    });

    it('knows the sizes of both ends', () => {
      expect(link.shape).toMatchObject({ joints: 6, signals: 2, actions: 6, controlHz: 100 });
      expect(link.latest.robot.positionRad).toHaveLength(6);
      expect(link.latest.robot.signals).toHaveLength(2);
    });

    it('lets the ticks pass that it is asked for', async () => {
      const before = link.latest.tick;
      // The second is counted from where the first was to end: frames may have come in a heap.
      await link.advance(1);
      await link.advance(10);
      expect(link.latest.tick).toBeGreaterThanOrEqual(before + 11);
      if (link.shape.timing === 'lock-step') expect(link.latest.tick).toBe(before + 11);
    });

    it('shows every tick to its listeners, in order, until they leave', async () => {
      const ticks: number[] = [];
      const leave = link.onFrame((frame: GuardFrame) => ticks.push(frame.tick));
      // In real time an advance keeps its phase, so the first one may be shorter.
      while (ticks.length < 10) await link.advance(10);
      leave();
      const seen = ticks.length;
      for (let i = 1; i < seen; i++) expect(ticks[i]).toBe(ticks[i - 1]! + 1);
      await link.advance(5);
      expect(ticks).toHaveLength(seen);
    });

    it('carries measured joints and tool pose', async () => {
      await link.advance(2);
      expect(Math.hypot(...link.latest.measuredTcp.subarray(3))).toBeCloseTo(1, 6);
      expect(link.latest.robot.positionRad.some((value) => value !== 0)).toBe(true);
    });

    it("carries the driver's stamp of each reading, and the mean wrench of one that gives none as no numbers", async () => {
      const before = link.latest.stampS;
      await link.advance(10);
      expect(link.latest.stampS - before).toBeGreaterThanOrEqual(0.1 - 1e-9);
      expect([...link.latest.meanWrench]).toEqual(Array.from({ length: 6 }, () => Number.NaN));
    });

    it('answers wishes, granted and refused', async () => {
      await link.advance(2);
      expect(await link.request({ kind: 'activate' })).toMatchObject({ ok: false, reason: expect.any(String) });
      expect(await link.request({ kind: 'enable' })).toEqual({ ok: true });
      await link.advance(2);
      expect(link.latest.state).toBe('ready');
    });
  });

  describe(`the ${name} link`, () => {
    let subject: LinkSubject;
    let link: GuardLink;
    let command: ActionCommand;

    beforeEach(async () => {
      subject = await create();
      link = subject.link;
      command = createActionCommand(link.shape.actions);
    });

    afterEach(async () => {
      await link.close();
      await subject.release?.();
    });

    const push = (value: number): void => {
      command.seq++;
      command.decider = 'policy';
      command.issuedAtS = subject.nowS();
      command.leaseS = 0.3;
      command.policyVersion = 7;
      command.action.fill(value);
      link.send(command);
    };

    const activate = async (): Promise<void> => {
      await link.advance(2);
      expect(await link.request({ kind: 'enable' })).toEqual({ ok: true });
      await link.advance(2);
      expect(await link.request({ kind: 'activate' })).toEqual({ ok: true });
    };

    it('moves the robot by the newest command', async () => {
      await activate();
      const before = Array.from(link.latest.referenceRad);
      push(-1);
      push(0.5);
      await link.advance(10);
      expect(link.latest.referenceRad[5]! - before[5]!).toBeGreaterThan(1e-4);
      expect(link.latest.violations).toBe(0);
    });

    it('puts the scene back and gives its signals', async () => {
      await activate();
      const jointsRad = Array.from(link.latest.referenceRad, (value) => value + 0.01);
      const layout = { jointsRad, objects: { plate: [0.1, 0.2, 0, 0] as const }, signals: { depthM: 0.25 } };
      expect(await link.request({ kind: 'resetScene', layout })).toEqual({ ok: true });
      await link.advance(2);
      expect(Array.from(link.latest.referenceRad)).toEqual(jointsRad);
      expect(link.latest.robot.signals[1]).toBe(0.25);
      expect(link.latest.state).toBe('ready');
    });

    it('takes nothing that is not a number to the robot', async () => {
      await activate();
      push(Number.NaN);
      await link.advance(5);
      expect(link.latest.referenceRad.every(Number.isFinite)).toBe(true);
      expect(link.latest.decider).toBe('hold');
    });

    it('rejects what is under way when it is closed, and what comes after', async () => {
      const lost: string[] = [];
      link.onLost((reason) => lost.push(reason));
      await link.close();
      await link.close();
      expect(lost).toHaveLength(1);
      expect(link.lostReason).toBe(lost[0]);
      await expect(link.request({ kind: 'enable' })).rejects.toMatchObject({ kind: 'link' });
      await expect(link.advance(1)).rejects.toMatchObject({ kind: 'link' });
      expect(() => push(1)).not.toThrow();
      link.onLost((reason) => lost.push(reason));
      expect(lost).toHaveLength(2);
    });

    it('tells what people should know, also to those who come later, until they leave', async (context) => {
      const { notify } = subject;
      if (notify === undefined) return context.skip('this guard says nothing by itself');
      const notice = { level: 'warn', row: 10, message: 'joint_states has fallen silent.', remedy: 'Look.' } as const;
      const early: GuardNotice[] = [];
      const late: GuardNotice[] = [];
      const leave = link.onNotice((heard) => early.push(heard));
      notify(notice);
      for (let i = 0; i < 100 && early.length === 0; i++) await link.advance(1);
      link.onNotice((heard) => late.push(heard));
      expect([early, late]).toEqual([[notice], [notice]]);
      leave();
      notify({ ...notice, row: 33 });
      for (let i = 0; i < 100 && late.length === 1; i++) await link.advance(1);
      expect(late.at(-1)).toEqual({ ...notice, row: 33 });
      expect(early).toHaveLength(1);
    });

    it('says so when the guard dies, and rejects what is under way', async (context) => {
      if (subject.killGuard === undefined) return context.skip('this guard cannot die alone');
      const lost: string[] = [];
      link.onLost((reason) => lost.push(reason));
      await link.advance(1);
      const waiting = link.advance(1_000_000);
      const rejected = expect(waiting).rejects.toMatchObject({ kind: 'link' });
      await subject.killGuard();
      await rejected;
      expect(lost).toHaveLength(1);
    });
  });
}
