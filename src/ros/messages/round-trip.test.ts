/** Properties of every message type, for any content and any bytes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyMessage, difference, referenceEncode } from '../../../tests/support/ros-messages.ts';
import { ReinError } from '../../model/index.ts';
import { createCdrBuffer } from './cdr-bytes.ts';
import type { MessageType } from './message-type.ts';
import { MESSAGE_TYPES } from './registry.ts';

const into = createCdrBuffer(16);

function encoded(type: MessageType<unknown>, message: unknown): Buffer {
  const length = type.encode(message, into);
  return Buffer.from(into.bytes.subarray(0, length));
}

/** Anything but a `ReinError` of the kind `message` passes through and fails the test. */
function decodes(type: MessageType<unknown>, bytes: Uint8Array, out: unknown): boolean {
  try {
    type.decode(bytes, out);
    return true;
  } catch (error) {
    if (error instanceof ReinError && error.kind === 'message' && error.message.startsWith(type.name)) return false;
    throw error;
  }
}

describe.each(MESSAGE_TYPES)('$name', (type) => {
  const messages = anyMessage(type);
  // Large types have many fields per message, and need fewer messages.
  const numRuns = type.name.includes('Covariance') || type.name.includes('Odometry') ? 20 : 60;

  it('is written as the standard says, and comes back whole from either byte order', () => {
    const reused = type.create();
    fc.assert(
      fc.property(messages, fc.nat(3), (message, padding) => {
        const bytes = encoded(type, message);
        expect(bytes.equals(referenceEncode(type, message, true))).toBe(true);
        for (const isLittleEndian of [true, false]) {
          const sent = Buffer.concat([referenceEncode(type, message, isLittleEndian), Buffer.alloc(padding, 0xff)]);
          const fresh = type.create();
          type.decode(sent, fresh);
          expect(difference(fresh, message)).toBeUndefined();
          // Content of the previous message must not remain.
          type.decode(sent, reused);
          expect(difference(reused, message)).toBeUndefined();
        }
      }),
      { numRuns },
    );
  });

  it('refuses every cut', () => {
    fc.assert(
      fc.property(messages, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (message, share) => {
        const bytes = encoded(type, message);
        const kept = Math.floor(share * bytes.length);
        // The byte of a message without fields carries nothing.
        if (type.fields.length === 0 && kept === 4) return;
        expect(decodes(type, bytes.subarray(0, kept), type.create())).toBe(false);
      }),
      { numRuns },
    );
  });

  it('reads changed bytes as some message or refuses them, and goes on working', () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 });
    const out = type.create();
    fc.assert(
      fc.property(messages, changes, fc.uint8Array({ maxLength: 5 }), (message, changed, more) => {
        const bytes = Buffer.concat([encoded(type, message), more]);
        for (const [at, value] of changed) bytes[at % bytes.length] = value;
        if (decodes(type, bytes, out) && canBeSent(out)) {
          const again = type.create();
          type.decode(encoded(type, out), again);
          expect(difference(again, out)).toBeUndefined();
        }
        type.decode(encoded(type, message), out);
        expect(difference(out, message)).toBeUndefined();
      }),
      { numRuns },
    );
  });
});

/** Corrupted bytes may decode as text with a zero inside, which must not be sent on. */
function canBeSent(message: unknown): boolean {
  return !JSON.stringify(message, (_key, value) => (typeof value === 'bigint' ? 0 : value)).includes('\\u0000');
}
