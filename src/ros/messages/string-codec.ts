/** Codec of text: UTF-8 with its length before it and a zero byte after it. */
import type { CdrSink, CdrSource, FieldCodec } from './cdr-bytes.ts';
import { describe, fault } from './field-fault.ts';

/** Length up to which a loop in JavaScript beats the call into the runtime. */
const SHORT = 48;
/** Largest number of UTF-8 bytes per UTF-16 unit. */
const BYTES_PER_UNIT = 3;
const LONE_SURROGATE = /\p{Surrogate}/u;

export const STRING_CODEC: FieldCodec = {
  minBytes: 4,
  create: () => '',
  write(sink, value) {
    if (typeof value !== 'string') throw fault(`needs text, not ${describe(value)}`);
    sink.align(4, 4 + BYTES_PER_UNIT * value.length + 1);
    const start = sink.at + 4;
    const length = value.length <= SHORT ? writeAscii(sink, start, value) : -1;
    const written = length >= 0 ? length : writeUtf8(sink, start, value);
    sink.bytes[start + written] = 0;
    sink.view.setUint32(sink.at, written + 1, true);
    sink.at = start + written + 1;
  },
  read(source, current) {
    const withZero = source.readLength(1);
    // Some writers send an empty text without its zero.
    if (withZero === 0) return '';
    const length = withZero - 1;
    const start = source.at;
    if (source.bytes[start + length] !== 0) throw fault('is text without the zero byte at its end');
    source.at += withZero;
    // Names repeat from message to message: an equal text is kept, and nothing allocated.
    if (typeof current === 'string' && isSame(source, start, length, current)) return current;
    return source.bytes.toString('utf8', start, start + length);
  },
};

/** Returns the number of bytes written, or -1 if the text is not ASCII. */
function writeAscii(sink: CdrSink, start: number, value: string): number {
  const { bytes } = sink;
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code >= 0x80) return -1;
    if (code === 0) throw zeroInside();
    bytes[start + i] = code;
  }
  return value.length;
}

function writeUtf8(sink: CdrSink, start: number, value: string): number {
  if (value.includes('\0')) throw zeroInside();
  const written = sink.bytes.write(value, start, 'utf8');
  // A lone surrogate has no UTF-8; the runtime would silently write another character.
  if (written !== value.length && LONE_SURROGATE.test(value)) throw fault('is not well-formed Unicode');
  return written;
}

function zeroInside(): Error {
  return fault('has a zero character inside, where readers would end it');
}

/** For ASCII only, with one byte per unit: everything else is decoded. */
function isSame(source: CdrSource, start: number, length: number, text: string): boolean {
  if (text.length !== length) return false;
  const { bytes } = source;
  for (let i = 0; i < length; i++) {
    const byte = bytes[start + i]!;
    if (byte >= 0x80 || text.charCodeAt(i) !== byte) return false;
  }
  return true;
}
