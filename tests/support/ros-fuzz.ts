/**
 * Messages without end for a port: good ones together with what must arrive, ones that must be refused, and bytes that no
 * codec wrote. Whether a message is good is known from how it was made, not by asking the code under test.
 */
import { Rng } from '../../src/model/index.ts';
import { createCdrBuffer } from '../../src/ros/messages/cdr-bytes.ts';
import type { MessageField, MessageType } from '../../src/ros/messages/message-type.ts';

type Plain = Record<string, unknown>;
type Numbers = { readonly length: number; readonly [index: number]: number | bigint };

const CONSTRUCTORS = {
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  float32: Float32Array,
  float64: Float64Array,
} as const;
/** A header and one byte: a port sends nothing shorter. */
const SHORTEST = 5;
/** DDS fills the last word with zeros: bytes that are cut off within it come back. */
const WORD = 4;
type Kind = keyof typeof CONSTRUCTORS;

const FLOATS = [0, -0, 1, -2.5, 1e30, 5e-324, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
const TEXTS = ['', 'base_link', 'joint_1', 'größer', '電源', 'go 🤖 go', 'x'.repeat(100)];
/** Neither text nor a number, an array or a message of any kind. */
const STRANGE: readonly unknown[] = [undefined, null, true, Symbol('strange'), () => 1];

/** What arrives must be `expected`; what was sent may be views, other kinds of arrays, plain ones. */
export interface GoodMessage {
  readonly sent: unknown;
  readonly expected: unknown;
}

export class RosFuzzer {
  readonly #rng: Rng;
  readonly #buffer = createCdrBuffer();

  constructor(seed: number) {
    this.#rng = new Rng(seed);
  }

  good(type: MessageType<unknown>): GoodMessage {
    const sent: Plain = {};
    const expected: Plain = {};
    for (const field of type.fields) [sent[field.name], expected[field.name]] = this.#field(field);
    return { sent, expected };
  }

  /** A message of which one value, somewhere, cannot be sent. */
  bad(type: MessageType<unknown>): unknown {
    if (this.#below(20) === 0) return this.#pick([undefined, null, 5, 'message', true, 5n]);
    const sent = this.good(type).sent as Plain;
    const field = this.#pick(type.fields);
    sent[field.name] = this.#badField(field);
    return sent;
  }

  /** Bytes that are no message: cut off before the end, too many, or in an encoding that is not read. */
  broken(type: MessageType<unknown>): Buffer {
    const whole = this.#encoded(type);
    const choice = this.#below(4);
    if (choice === 0) return Buffer.concat([whole, Buffer.alloc(4 + this.#below(20), this.#below(256))]);
    const longest = whole.length - WORD;
    if (choice === 1 || longest < SHORTEST) {
      whole[this.#below(2)] = 2 + this.#below(254);
      return whole;
    }
    return whole.subarray(0, SHORTEST + this.#below(longest - SHORTEST + 1));
  }

  /** Whole words of bytes of which some are something else; they may still be a message. */
  changed(type: MessageType<unknown>): Buffer {
    const whole = this.#encoded(type);
    const bytes = Buffer.concat([whole, Buffer.alloc(-whole.length & (WORD - 1))]);
    for (let k = 1 + this.#below(4); k > 0; k--) bytes[this.#below(bytes.length)] = this.#below(256);
    return bytes;
  }

  #encoded(type: MessageType<unknown>): Buffer {
    const length = type.encode(this.good(type).expected, this.#buffer);
    return Buffer.from(this.#buffer.bytes.subarray(0, length));
  }

  /** What is sent, and what is to arrive. */
  #field(field: MessageField): [sent: unknown, expected: unknown] {
    if (field.shape === 'single') return this.#element(field);
    const length = field.shape === 'array' ? field.length : this.#length();
    if (isNumberKind(field.kind)) {
      const numbers = Array.from({ length }, () => this.#number(field.kind as Kind));
      const expected = make(field.kind, numbers);
      return [this.#dressed(field.kind, expected), expected];
    }
    const elements = Array.from({ length }, () => this.#element(field));
    return [elements.map(([sent]) => sent), elements.map(([, expected]) => expected)];
  }

  #element(field: MessageField): [sent: unknown, expected: unknown] {
    if (field.kind === 'message') {
      const { sent, expected } = this.good(nested(field));
      return [sent, expected];
    }
    const value =
      field.kind === 'bool'
        ? this.#below(2) === 1
        : field.kind === 'string'
          ? this.#pick(TEXTS)
          : this.#number(field.kind);
    return [value, value];
  }

  /** The same numbers as a whole array, a view into a larger one, a plain array, or an array of a wider kind. */
  #dressed(kind: Kind, numbers: Numbers): unknown {
    const plain = Array.from(numbers);
    switch (this.#below(5)) {
      case 0:
        return numbers;
      case 1:
        return plain;
      case 2:
        return kind === 'int64' || kind === 'uint64' ? plain : Float64Array.from(plain as number[]);
      default: {
        const [before, after] = [this.#below(9), this.#below(9)];
        const noise = (length: number): (number | bigint)[] => Array.from({ length }, () => this.#number(kind));
        const whole = make(kind, [...noise(before), ...plain, ...noise(after)]);
        return (whole as Float64Array).subarray(before, before + numbers.length);
      }
    }
  }

  #number(kind: Kind): number | bigint {
    if (kind === 'float64') return this.#below(3) === 0 ? this.#pick(FLOATS) : 2000 * this.#rng.uniform() - 1000;
    if (kind === 'float32') return Math.fround(this.#number('float64') as number);
    const random = (BigInt(this.#rng.nextU32()) << 32n) | BigInt(this.#rng.nextU32());
    const bits = Number(/\d+$/.exec(kind)?.[0]);
    const value = kind.startsWith('u') ? BigInt.asUintN(bits, random) : BigInt.asIntN(bits, random);
    return bits === 64 ? value : Number(value);
  }

  #badField(field: MessageField): unknown {
    if (field.shape === 'single') return this.#badElement(field);
    if (this.#below(3) === 0) return this.#pick([...STRANGE, 5, 5n, 'numbers', {}, { length: 1, 0: 1 }, new Set([1])]);
    const [sent] = this.#field(field);
    if (field.shape === 'array' && this.#below(3) === 0) return (sent as unknown[]).slice(1);
    if (isNumberKind(field.kind) && this.#below(3) === 0) return this.#pick(badBuffers(field.kind));
    const elements = Array.from(sent as ArrayLike<unknown>);
    elements.splice(this.#below(elements.length + 1), field.shape === 'array' ? 1 : 0, this.#badElement(field));
    return field.shape === 'array' ? [...elements.slice(0, field.length - 1), this.#badElement(field)] : elements;
  }

  #badElement(field: MessageField): unknown {
    const { kind } = field;
    if (kind === 'message') {
      return this.#below(2) === 0 ? this.bad(nested(field)) : this.#pick([...STRANGE, 5, 'message', {}, []]);
    }
    if (kind === 'bool') return this.#pick([undefined, null, 0, 1, 'true', {}, 1n]);
    if (kind === 'string')
      return this.#pick([...STRANGE, 5, 5n, {}, ['a'], Buffer.from('a'), 'a\0b', '\ud83e', 'x\udc00']);
    const others: readonly unknown[] = [...STRANGE, '', '5', {}, [], [5], new Float64Array(1)];
    if (kind === 'float64') return this.#pick([...others, 5n]);
    if (kind === 'float32') return this.#pick([...others, 5n, 1e39, -Number.MAX_VALUE]);
    if (kind === 'int64' || kind === 'uint64')
      return this.#pick([...others, 5, Number.NaN, 2n ** 64n, -(2n ** 63n) - 1n]);
    return this.#pick([...others, 5n, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 32, -(2 ** 31) - 1]);
  }

  #length(): number {
    // Now and then long enough to be copied as memory, and to make buffers grow.
    return this.#below(100) === 0 ? 300 : this.#below(8);
  }

  #below(count: number): number {
    return Math.floor(count * this.#rng.uniform());
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#below(from.length)] as T;
  }
}

/** Memory that is no array of numbers of this kind, though it has a length in bytes. */
function badBuffers(kind: Kind): readonly unknown[] {
  const numbers = kind === 'int64' || kind === 'uint64' ? new Float64Array(2) : new BigInt64Array(2);
  return [new DataView(new ArrayBuffer(16)), new ArrayBuffer(16), new SharedArrayBuffer(16), numbers];
}

function isNumberKind(kind: MessageField['kind']): kind is Kind {
  return kind in CONSTRUCTORS;
}

function nested(field: MessageField): MessageType<unknown> {
  if (field.type === undefined) throw new TypeError(`${field.name} has no type`);
  return field.type;
}

function make(kind: Kind, numbers: readonly (number | bigint)[]): Numbers {
  return new (CONSTRUCTORS[kind] as typeof Float64Array)(numbers as number[]);
}
