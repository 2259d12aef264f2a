import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultRow } from '../../tests/support/fault-row.ts';
import { createTransition } from '../rows/index.ts';
import { ControlChannel } from './control-channel.ts';
import { readControl } from './messages.ts';
import { encodeRecord, type RecordId, recordBytes } from './record.ts';
import { JournalIntake, type ServerCounters } from './robot-session.ts';

const SIZES = { observationSize: 1, actionSize: 1 };
/** A journal of three epochs, with gaps in its numbers as after a full disk. */
const JOURNAL: readonly RecordId[] = [
  ...[0, 1, 2, 3, 7, 8].map((seq) => ({ epoch: 1, seq })),
  ...[0, 1, 2].map((seq) => ({ epoch: 2, seq })),
  ...[1, 2, 3, 4].map((seq) => ({ epoch: 4, seq })),
];

function batch(from: number, to: number) {
  const size = recordBytes(SIZES);
  const records = new Uint8Array((to - from) * size);
  for (let i = from; i < to; i++) {
    const t = createTransition(1, 1);
    Object.assign(t, JOURNAL[i]);
    encodeRecord(new DataView(records.buffer), (i - from) * size, t, SIZES);
  }
  return { previous: from === 0 ? null : JOURNAL[from - 1]!, records };
}

function intake(onRecord: (id: RecordId) => void) {
  const counters: ServerCounters = {
    received: 0,
    delivered: 0,
    repeated: 0,
    lost: 0,
    quarantined: {},
    flooded: 0,
    refused: {},
  };
  const from = { robotId: 'arm', journalId: 'j', watermark: undefined };
  return {
    counters,
    it: new JournalIntake(from, SIZES, counters, ({ epoch, seq }) => onRecord({ epoch, seq })),
  };
}

describe('journal intake', () => {
  faultRow(
    [4, 5],
    'fake',
    'hands on a prefix of the journal, each record once, whatever is repeated, left out or refused on the way',
    async () => {
      const range = fc
        .tuple(fc.nat(JOURNAL.length), fc.nat(JOURNAL.length))
        .map(([a, b]) => [Math.min(a, b), Math.max(a, b)]);
      await fc.assert(
        fc.asyncProperty(fc.array(range, { maxLength: 30 }), fc.nat(20), async (ranges, failAt) => {
          const got: RecordId[] = [];
          let calls = 0;
          const { it: taker, counters } = intake((id) => {
            if (calls++ === failAt) throw new Error('not now');
            got.push(id);
          });
          let reach = 0;
          for (const [from, to] of ranges as [number, number][]) {
            const before = got.length;
            const isTaken = await taker.take(batch(from, to)).catch(() => undefined);
            if (isTaken !== undefined) expect(isTaken).toBe(from <= before);
            reach = got.length;
          }
          expect(got).toEqual(JOURNAL.slice(0, reach));
          expect(taker.newest).toEqual(JOURNAL[reach - 1] ?? null);
          expect(taker.delivered).toBe(reach);
          expect(counters.delivered).toBe(reach);
        }),
      );
    },
  );

  it('counts the numbers that a journal leaves out', async () => {
    const { it: taker, counters } = intake(() => undefined);
    await taker.take(batch(0, JOURNAL.length));
    await taker.take(batch(0, JOURNAL.length));
    expect(counters).toMatchObject({ received: 26, delivered: 13, repeated: 13, lost: 4 });
  });

  it('counts once what its robot reports too, before the gap in the numbers or after it', async () => {
    for (const reportedAt of [0, 4, 5, 9, 10, JOURNAL.length]) {
      const { it: taker, counters } = intake(() => undefined);
      await taker.take(batch(0, reportedAt));
      taker.reportLost(4);
      await taker.take(batch(reportedAt, JOURNAL.length));
      expect({ reportedAt, lost: counters.lost }).toEqual({ reportedAt, lost: 4 });
    }
  });
});

describe('control channel', () => {
  it('hands on every message once and in order over a line that loses, repeats and reorders', () => {
    const line = fc.array(fc.record({ message: fc.nat(9), isAckLost: fc.boolean() }), { maxLength: 60 });
    fc.assert(
      fc.property(line, (deliveries) => {
        const sender = new ControlChannel();
        const receiver = new ControlChannel();
        receiver.meetPeer('sender');
        for (let n = 0; n < 10; n++) sender.push('n', { n });
        const got: unknown[] = [];
        const deliver = (index: number, isAckLost: boolean) => {
          const message = sender.outgoing()[index];
          if (message === undefined) return;
          const read = readControl(message.payload);
          if (!read.ok) throw new Error(read.error.message);
          if (receiver.accept(message.number, read.value.base)) got.push(read.value.body['n']);
          if (!isAckLost) sender.acknowledged(receiver.expected);
        };
        for (const { message, isAckLost } of deliveries) deliver(message, isAckLost);
        while (sender.outgoing().length > 0) deliver(0, false);
        expect(got).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      }),
    );
  });

  it('gives up the oldest messages when nobody ever answers, and goes on with the rest', () => {
    const sender = new ControlChannel();
    const receiver = new ControlChannel();
    for (let n = 0; n < 300; n++) sender.push('n', { n });
    const accepted = sender.outgoing().filter(({ number, payload }) => {
      const read = readControl(payload);
      return read.ok && receiver.accept(number, read.value.base);
    });
    expect(accepted.map(({ number }) => number)).toEqual(Array.from({ length: 256 }, (_, i) => i + 44));
  });
});
