/**
 * Makes a message type from its definition, written as ROS writes it:
 *
 *     const JointState = defineMessage<JointState>('sensor_msgs/msg/JointState', {
 *       header: Header, name: 'string[]', position: 'float64[]', velocity: 'float64[]', effort: 'float64[]',
 *     });
 *
 * The compiler holds the definition and the interface to each other, field by field.
 */
import type { CdrBuffer, MessageField, MessageType, NumberKind } from '../message-type.ts';
import type { FieldCodec } from './field-codec.ts';
import { asReinError } from './field-fault.ts';
import { CdrSink } from './sink.ts';
import { CdrSource } from './source.ts';
import { structCodecOf } from './struct-codec.ts';

/** How a field of the TypeScript type `V` may be defined. */
type FieldDefinition<V> = V extends boolean
  ? 'bool'
  : V extends bigint
    ? 'int64' | 'uint64'
    : V extends number
      ? Single | `${Single}=${number}`
      : V extends string
        ? 'string'
        : V extends string[]
          ? Many<'string'>
          : ArrayDefinition<V>;

type Single = Exclude<NumberKind, 'int64' | 'uint64'> | 'byte' | 'char';
type Many<K extends string> = `${K}[]` | `${K}[${number}]` | `${K}[<=${number}]`;

type ArrayDefinition<V> = V extends Float64Array
  ? Many<'float64'>
  : V extends Float32Array
    ? Many<'float32'>
    : V extends Int8Array
      ? Many<'int8'>
      : V extends Uint8Array
        ? Many<'uint8' | 'byte' | 'char'>
        : V extends Int16Array
          ? Many<'int16'>
          : V extends Uint16Array
            ? Many<'uint16'>
            : V extends Int32Array
              ? Many<'int32'>
              : V extends Uint32Array
                ? Many<'uint32'>
                : V extends BigInt64Array
                  ? Many<'int64'>
                  : V extends BigUint64Array
                    ? Many<'uint64'>
                    : V extends (infer E)[]
                      ? readonly [MessageType<E>]
                      : MessageType<V>;

/** A definition of the message `T`: a string, a message type, or `[type]` for a sequence of messages. */
export type MessageDefinition<T> = { readonly [K in keyof T]: FieldDefinition<T[K]> };

/** Makes the type. `name` as ROS spells it; the order of `definition` is the order on the wire. */
export function defineMessage<T extends object>(name: string, definition: MessageDefinition<T>): MessageType<T> {
  const fields = Object.entries<unknown>(definition).map(([field, text]) => parseField(field, text));
  return new DefinedMessage<T>(name, fields);
}

class DefinedMessage<T> implements MessageType<T> {
  readonly name: string;
  readonly fields: readonly MessageField[];
  readonly #codec: FieldCodec;

  constructor(name: string, fields: readonly MessageField[]) {
    this.name = name;
    this.fields = fields;
    this.#codec = structCodecOf(this);
  }

  create(): T {
    return this.#codec.create() as T;
  }

  encode(message: T, into: CdrBuffer): number {
    const sink = into instanceof CdrSink ? into : new CdrSink(into.bytes);
    try {
      sink.open();
      this.#codec.write(sink, message);
      // ROS gives a message without fields one byte, because C has no empty struct.
      if (this.fields.length === 0) sink.writeByte(0);
    } catch (error) {
      throw asReinError(this.name, error);
    }
    if (sink !== into) into.bytes = sink.bytes;
    return sink.at;
  }

  decode(bytes: Uint8Array, out: T): void {
    const source = idle ?? new CdrSource();
    idle = undefined;
    try {
      source.open(bytes);
      this.#codec.read(source, out);
      if (this.fields.length === 0 && source.left > 0) source.at++;
      source.close();
    } catch (error) {
      throw asReinError(this.name, error);
    } finally {
      source.release();
      idle = source;
    }
  }
}

/** Decoding is never two at a time, unless something in `out` decodes; that one then makes its own. */
let idle: CdrSource | undefined;

const FIELD = /^(?<kind>[a-z]+\d*)(?<array>\[(?<bound><=)?(?<length>\d*)\])?(?:=(?<initial>.+))?$/;

function parseField(name: string, definition: unknown): MessageField {
  if (Array.isArray(definition)) {
    return { name, kind: 'message', shape: 'sequence', length: Number.POSITIVE_INFINITY, type: definition[0] };
  }
  if (typeof definition !== 'string') {
    return { name, kind: 'message', shape: 'single', length: 1, type: definition as MessageType<unknown> };
  }
  const parts = FIELD.exec(definition)?.groups;
  if (parts === undefined) throw new TypeError(`the definition ${definition} of ${name} is not understood`);
  const { kind: spelled, array, bound, length, initial } = parts;
  const kind = (spelled === 'byte' || spelled === 'char' ? 'uint8' : spelled) as NumberKind | 'bool' | 'string';
  if (array === undefined) {
    return { name, kind, shape: 'single', length: 1, ...(initial === undefined ? {} : { default: Number(initial) }) };
  }
  if (bound === undefined && length !== '') return { name, kind, shape: 'array', length: Number(length) };
  return { name, kind, shape: 'sequence', length: length === '' ? Number.POSITIVE_INFINITY : Number(length) };
}
