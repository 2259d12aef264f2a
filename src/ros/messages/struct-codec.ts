/** Codecs of nested messages, and of sequences and arrays of texts and messages: composed of other codecs. */
import type { CdrSink, CdrSource, FieldCodec } from './cdr-bytes.ts';
import { describe, fault, within } from './field-fault.ts';
import type { MessageField, MessageType } from './message-type.ts';
import { BOOL_CODEC, checkBound, numberArrayCodec, numberCodec, numberSequenceCodec } from './number-codecs.ts';
import { NUMBERS } from './numbers.ts';
import { STRING_CODEC } from './string-codec.ts';

type Struct = Record<string, unknown>;

const compiled = new WeakMap<object, FieldCodec>();

/** Codec of a message's fields, without the header. Compiled once per type. */
export function structCodecOf(type: Pick<MessageType<unknown>, 'fields'>): FieldCodec {
  const known = compiled.get(type);
  if (known !== undefined) return known;
  const codec = structCodec(type.fields);
  compiled.set(type, codec);
  return codec;
}

function structCodec(fields: readonly MessageField[]): FieldCodec {
  const names = fields.map((field) => field.name);
  const codecs = fields.map(fieldCodec);
  return {
    minBytes: Math.max(
      1,
      codecs.reduce((sum, codec) => sum + codec.minBytes, 0),
    ),
    create() {
      const struct: Struct = {};
      for (let i = 0; i < names.length; i++) struct[names[i]!] = codecs[i]!.create();
      return struct;
    },
    write(sink, value) {
      if (typeof value !== 'object' || value === null) throw fault(`needs a message, not ${describe(value)}`);
      let i = 0;
      try {
        for (; i < names.length; i++) codecs[i]!.write(sink, (value as Struct)[names[i]!]);
      } catch (error) {
        throw within(names[i]!, error);
      }
    },
    read(source, current) {
      const struct = (typeof current === 'object' && current !== null ? current : this.create()) as Struct;
      let i = 0;
      try {
        for (; i < names.length; i++) {
          const name = names[i]!;
          struct[name] = codecs[i]!.read(source, struct[name]);
        }
      } catch (error) {
        throw within(names[i]!, error);
      }
      return struct;
    },
  };
}

function fieldCodec(field: MessageField): FieldCodec {
  const { kind, shape, length } = field;
  if (kind === 'bool' || kind === 'string' || kind === 'message') {
    const element = kind === 'bool' ? BOOL_CODEC : kind === 'string' ? STRING_CODEC : structCodecOf(typeOf(field));
    if (shape === 'single') return element;
    return shape === 'array' ? arrayCodec(element, length) : sequenceCodec(element, length);
  }
  const row = NUMBERS[kind];
  if (shape === 'single') return numberCodec(row, field.default ?? row.zero);
  return shape === 'array' ? numberArrayCodec(row, length) : numberSequenceCodec(row, length);
}

function typeOf(field: MessageField): MessageType<unknown> {
  if (field.type === undefined) throw new TypeError(`the field ${field.name} is a message of no type`);
  return field.type;
}

function arrayCodec(element: FieldCodec, length: number): FieldCodec {
  return {
    minBytes: element.minBytes * length,
    create: () => Array.from({ length }, () => element.create()),
    write(sink, value) {
      const elements = asArray(value);
      if (elements.length !== length) throw fault(`needs ${length} elements, not ${elements.length}`);
      writeElements(sink, element, elements, length);
    },
    read: (source, current) => readElements(source, element, current, length),
  };
}

function sequenceCodec(element: FieldCodec, bound: number): FieldCodec {
  return {
    minBytes: 4,
    create: () => [],
    write(sink, value) {
      const elements = asArray(value);
      const { length } = elements;
      checkBound(length, bound);
      sink.writeLength(length);
      writeElements(sink, element, elements, length);
    },
    read(source, current) {
      const length = source.readLength(element.minBytes);
      checkBound(length, bound);
      return readElements(source, element, current, length);
    },
  };
}

function asArray(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw fault(`needs an array, not ${describe(value)}`);
  return value;
}

function writeElements(sink: CdrSink, element: FieldCodec, elements: readonly unknown[], length: number): void {
  let i = 0;
  try {
    for (; i < length; i++) element.write(sink, elements[i]);
  } catch (error) {
    throw within(`[${i}]`, error);
  }
}

/** Creates elements one by one, so that truncated bytes never create more elements than they carry. */
function readElements(source: CdrSource, element: FieldCodec, current: unknown, length: number): unknown[] {
  const elements: unknown[] = Array.isArray(current) ? current : [];
  if (elements.length > length) elements.length = length;
  let i = 0;
  try {
    for (; i < length; i++) {
      if (i < elements.length) elements[i] = element.read(source, elements[i]);
      else elements.push(element.read(source, undefined));
    }
  } catch (error) {
    throw within(`[${i}]`, error);
  }
  return elements;
}
