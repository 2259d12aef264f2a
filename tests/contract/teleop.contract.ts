/** What every source of teleoperation keeps to. Call `describeTeleop` from a test file with a factory for yours. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ActionSpec } from '../../src/model/index.ts';
import { Clutch, type TeleopCommand, type TeleopSource } from '../../src/teleop/index.ts';

export interface TeleopSubject {
  readonly source: TeleopSource;
  readonly actionSize: number;
  readonly observationSize: number;
  /** Makes the operator take over, as an operator does. */
  takeOver(): void | Promise<void>;
  /** Makes the operator ask for as much motion as the source allows. */
  move(): void | Promise<void>;
  /** Of an absolute source: puts it somewhere else while its clutch is open, and closes that again. */
  jump?(): void;
}

/** Runs the contract on sources that `create` makes, with nobody in control. */
export function describeTeleop(name: string, create: () => TeleopSubject): void {
  describe(`the ${name}`, () => {
    let subject: TeleopSubject;
    let out: TeleopCommand;
    let stepS = 0;
    let clutch: Clutch;

    beforeEach(() => {
      subject = create();
      stepS = 0;
      clutch = new Clutch(jointsOf(subject.actionSize));
      out = { active: false, action: new Float32Array(subject.actionSize).fill(7), phase: 'correct' };
    });
    afterEach(() => subject.source.close());

    const poll = (): TeleopCommand => {
      stepS += 0.1;
      subject.source.poll(new Float32Array(subject.observationSize), stepS, out);
      // A robot that never moves: what it is asked for adds up.
      clutch.apply(out, new Float64Array(subject.actionSize));
      return out;
    };

    it('has a name and says who decides', () => {
      expect(subject.source.name).not.toBe('');
      expect(['human', 'scripted']).toContain(subject.source.decidedBy);
    });

    it('leaves control to the policy until the operator takes over', () => {
      for (let i = 0; i < 20; i++) expect(poll().active).toBe(false);
    });

    it('keeps its commands normalised once the operator has taken over', async () => {
      await subject.takeOver();
      expect(poll().active).toBe(true);
      for (let i = 0; i < 20; i++) {
        await subject.move();
        if (!poll().active) break;
        expect(out.action.every((value) => Math.abs(value) <= 1)).toBe(true);
        expect(['recover', 'correct']).toContain(out.phase);
      }
    });

    it('asks for no motion as a person takes over, wherever the source is', async () => {
      if (subject.source.decidedBy !== 'human') return;
      await subject.takeOver();
      expect(poll().active).toBe(true);
      expect(Array.from(out.action)).toEqual(new Array(subject.actionSize).fill(0));
    });

    it('asks for no motion where it was put somewhere else with its clutch open', async () => {
      if (subject.jump === undefined) return;
      await subject.takeOver();
      poll();
      await subject.move();
      expect(poll().action.some((value) => value !== 0)).toBe(true);
      subject.jump();
      expect(Array.from(poll().action)).toEqual(new Array(subject.actionSize).fill(0));
    });

    it('takes a new episode and a second close without complaint', async () => {
      await subject.takeOver();
      subject.source.reset();
      poll();
      subject.source.close();
      subject.source.close();
    });
  });
}

function jointsOf(actionSize: number): ActionSpec {
  const dimensions = Array.from({ length: actionSize }, (_, i) => ({
    name: `${i}`,
    scale: 0.02,
    unit: 'rad' as const,
  }));
  return { kind: 'joint', dimensions };
}
