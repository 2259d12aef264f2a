/**
 * Creates a message type from its definition:
 *
 *     const JointState = defineMessage<JointState>('sensor_msgs/msg/JointState', {
 *       header: Header, name: 'string[]', position: 'float64[]', velocity: 'float64[]', effort: 'float64[]',
 *     });
 */
import { CdrSink, CdrSource, type FieldCodec } from './cdr-bytes.ts';
import { asReinError } from './field-fault.ts';
import type { CdrBuffer, MessageField, MessageType, NumberKind } from './message-type.ts';
import { structCodecOf } from './struct-codec.ts';

/** Field: a type as ROS spells it (`float64[6]`, `float64=1` with its default), a message type, or `[type]` for a sequence of messages. */
type FieldDefinition = string | MessageType<unknown> | readonly [MessageType<unknown>];

/** Creates the type. `name` as ROS spells it; the order of `definition` is the order on the wire. `T`: type of its messages. */
export function defineMessage<T>(name: string, definition: Readonly<Record<string, FieldDefinition>>): MessageType<T> {
  const fields = Object.entries(definition).map(([field, text]) => parseField(field, text));
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

/** Decoder reused by all calls: decoding does not nest, unless an accessor in `out` decodes, which then creates its own. */
let idle: CdrSource | undefined;

const FIELD = /^(?<kind>[a-z]+\d*)(?<array>\[(?<bound><=)?(?<length>\d*)\])?(?:=(?<initial>.+))?$/;

function parseField(name: string, definition: FieldDefinition): MessageField {
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
