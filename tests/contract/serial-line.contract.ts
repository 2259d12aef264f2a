/** What every serial line keeps to. Call `describeSerialLine` from a test file with a factory for yours. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SerialLine } from '../../src/drivers/serial.ts';

export interface SerialLineSubject {
  readonly line: SerialLine;
  /** What is at the other end answers `request`, within 50 ms, with `reply`. */
  readonly request: Uint8Array;
  readonly reply: Uint8Array;
  unplug(): void | Promise<void>;
}

const ANSWER_S = 0.25;
const LOOK_S = 0.0002;
/** Clocks of two threads, and what a reader may be early by. */
const EARLY_S = 20e-6;
const BITS_PER_BYTE = 10;

/** Runs the contract on lines that `create` opens. */
export function describeSerialLine(name: string, create: () => Promise<SerialLineSubject>): void {
  describe(`the ${name} line`, () => {
    let subject: SerialLineSubject;
    let line: SerialLine;
    const into = new Uint8Array(64);

    beforeEach(async () => {
      subject = await create();
      ({ line } = subject);
      into.fill(0xee);
    });

    afterEach(() => line.close());

    /** Takes bytes into `into` from `at` on until `count` have come; returns when the last of them came. */
    const take = (count: number, at = 0): number => {
      const untilS = line.clock.nowS() + ANSWER_S;
      let got = 0;
      while (got < count && line.clock.nowS() < untilS) {
        got += line.read(into, at + got);
        if (got < count) line.wait(line.clock.nowS() + LOOK_S);
      }
      expect(got).toBe(count);
      return line.clock.nowS();
    };

    it('gives nothing where nothing has come', () => {
      expect(line.read(into, 0)).toBe(0);
      expect(into[0]).toBe(0xee);
    });

    it('carries a request, and its reply to where it is wanted', () => {
      expect(line.write(subject.request, subject.request.length)).toBe('ok');
      take(subject.reply.length, 3);
      expect([...into.subarray(3, 3 + subject.reply.length)]).toEqual([...subject.reply]);
      expect([...into.subarray(0, 3)]).toEqual([0xee, 0xee, 0xee]);
      expect(into[3 + subject.reply.length]).toBe(0xee);
    });

    it('is no faster than its baud rate', () => {
      const sentAtS = line.clock.nowS();
      line.write(subject.request, subject.request.length);
      const tookS = take(subject.reply.length) - sentAtS;
      const bits = BITS_PER_BYTE * (subject.request.length + subject.reply.length);
      expect(tookS).toBeGreaterThanOrEqual(bits / line.baud - EARLY_S);
    });

    it('writes as many bytes as it is told, and no more', () => {
      const longer = Uint8Array.from([...subject.request, 0x55, 0x55]);
      line.write(longer, subject.request.length);
      take(subject.reply.length);
      line.write(subject.request, subject.request.length);
      take(subject.reply.length, subject.reply.length);
      expect([...into.subarray(0, 2 * subject.reply.length)]).toEqual([...subject.reply, ...subject.reply]);
    });

    it('keeps a reply that is taken in parts', () => {
      line.write(subject.request, subject.request.length);
      line.wait(line.clock.nowS() + ANSWER_S);
      const parts: number[] = [];
      for (const _ of subject.reply) {
        const one = new Uint8Array(1);
        expect(line.read(one, 0)).toBe(1);
        parts.push(one[0]!);
      }
      expect(parts).toEqual([...subject.reply]);
      expect(line.read(into, 0)).toBe(0);
    });

    it('waits until the moment that it is told, and not for one that has passed', () => {
      const untilS = line.clock.nowS() + 0.003;
      line.wait(untilS);
      const nowS = line.clock.nowS();
      expect(nowS).toBeGreaterThanOrEqual(untilS - 1e-4);
      line.wait(untilS - 1);
      expect(line.clock.nowS()).toBeLessThan(nowS + 0.5);
    });

    it('is lost once it is unplugged', async () => {
      await subject.unplug();
      expect(line.write(subject.request, subject.request.length)).toBe('lost');
      expect(line.read(into, 0)).toBe(-1);
    });

    it('is lost once it is closed, as often as that is', () => {
      line.close();
      line.close();
      expect(line.write(subject.request, subject.request.length)).toBe('lost');
      expect(line.read(into, 0)).toBe(-1);
    });
  });
}
