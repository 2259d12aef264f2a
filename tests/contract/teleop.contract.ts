/** What every source of teleoperation keeps to. Call `describeTeleop` from a test file with a factory for yours. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TeleopCommand, TeleopSource } from '../../src/teleop/index.ts';

export interface TeleopSubject {
  readonly source: TeleopSource;
  readonly actionSize: number;
  readonly observationSize: number;
  /** Makes the operator take over, as an operator does. */
  takeOver(): void | Promise<void>;
  /** Makes the operator ask for as much motion as the source allows. */
  move(): void | Promise<void>;
}

/** Runs the contract on sources that `create` makes, with nobody in control. */
export function describeTeleop(name: string, create: () => TeleopSubject): void {
  describe(`the ${name}`, () => {
    let subject: TeleopSubject;
    let out: TeleopCommand;
    let stepS = 0;

    beforeEach(() => {
      subject = create();
      stepS = 0;
      out = { active: false, action: new Float32Array(subject.actionSize).fill(7), phase: 'correct' };
    });
    afterEach(() => subject.source.close());

    const poll = (): TeleopCommand => {
      stepS += 0.1;
      subject.source.poll(new Float32Array(subject.observationSize), stepS, out);
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

    it('takes a new episode and a second close without complaint', async () => {
      await subject.takeOver();
      subject.source.reset();
      poll();
      subject.source.close();
      subject.source.close();
    });
  });
}
