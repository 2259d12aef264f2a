/**
 * ROS message types: a name, fields, and conversion between CDR bytes and plain objects. Every topic is sent and
 * received as bytes through these; the binding's typed messages are used for services, parameters and actions only.
 */

/** One message type with its own codec. `T` is a plain object with numbers, strings, typed arrays and nested objects. */
export interface MessageType<T> {
  /** As ROS spells it, e.g. `sensor_msgs/msg/JointState`. */
  readonly name: string;
  /** In the order of the definition, which is the order on the wire. */
  readonly fields: readonly MessageField[];
  /** Creates a message with all fields at their defaults (0, empty; or that of the definition). Allocates. */
  create(): T;
  /**
   * Writes `message` with its encapsulation header (little-endian CDR) into `into`, from byte 0. Returns the number of
   * bytes. Throws `ReinError('message', …)`, with nothing valid written, if the message does not fit the definition: a
   * wrong type, an array of the wrong length, a number outside its integer type.
   *
   * Numeric arrays may be any typed array, views included, or a plain array: those of another kind than the field's are
   * converted element by element if every element fits, and refused otherwise.
   */
  encode(message: T, into: CdrBuffer): number;
  /**
   * Reads `bytes` (header included; either byte order; up to 3 bytes of padding may follow) into `out`, whose arrays
   * and nested objects are reused if their sizes fit. Throws `ReinError('message', …)` on truncated or impossible
   * bytes; `out` then holds parts of both messages.
   */
  decode(bytes: Uint8Array, out: T): void;
}

/** One field of a definition. */
export interface MessageField {
  /** As ROS spells it, snake_case. */
  readonly name: string;
  readonly kind: NumberKind | 'bool' | 'string' | 'message';
  /** `array` has exactly `length` elements, `sequence` any number up to `length`. */
  readonly shape: 'single' | 'array' | 'sequence';
  /** Number of elements of an array; bound of a sequence, Infinity if unbounded; 1 for a single one. */
  readonly length: number;
  /** For `kind: 'message'` only. */
  readonly type?: MessageType<unknown>;
  /** If other than 0; single numbers only. */
  readonly default?: number;
}

/** Number types on the wire. `int64` and `uint64` are bigint here, all others number; `byte` and `char` are `uint8`. */
export type NumberKind =
  | 'int8'
  | 'uint8'
  | 'int16'
  | 'uint16'
  | 'int32'
  | 'uint32'
  | 'int64'
  | 'uint64'
  | 'float32'
  | 'float64';

/**
 * Preallocated bytes that grow as messages need; one per publisher. `encode` may replace `bytes`: read it afterwards.
 * Create it with `createCdrBuffer`: a custom object works too, but costs an allocation per message.
 */
export interface CdrBuffer {
  bytes: Buffer;
}

/**
 * A service by name; `Q` and `A` are plain objects with the fields of its definition (snake_case, int64 as bigint,
 * arrays as plain arrays). Missing fields have their defaults; a misfit is refused with `ReinError('message', …)`, and
 * is a fault if it is an answer. The same holds for actions.
 */
export interface ServiceType<Q, A> {
  readonly name: string;
  /** Only for the compiler. */
  readonly types?: { readonly request: Q; readonly answer: A };
}

export interface ActionType<G, F, R> {
  readonly name: string;
  readonly types?: { readonly goal: G; readonly feedback: F; readonly result: R };
}
