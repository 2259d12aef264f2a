/**
 * ROS messages as types: a name, its fields, and how its CDR bytes become a plain object and back. Every topic is
 * sent and received as bytes through these; typed messages of the binding are for services, parameters and actions only.
 */

/** One message type with its own codec. `T` is a plain object with numbers, strings, typed arrays and nested objects. */
export interface MessageType<T> {
  /** As ROS spells it, e.g. `sensor_msgs/msg/JointState`. */
  readonly name: string;
  /** In the order of the definition, which is the order on the wire. */
  readonly fields: readonly MessageField[];
  /** A message with all fields at their defaults (0, empty; what the definition says where it says something). Allocates. */
  create(): T;
  /**
   * Writes `message` with its encapsulation header (little-endian CDR) into `into`, from byte 0. Returns the number of
   * bytes. Throws `ReinError('message', …)`, and has then written nothing that counts, when the message does not fit the
   * definition: a wrong type, an array of the wrong length, a number outside its integer type.
   *
   * Numeric arrays may be any typed array, views included, or a plain array: what is not of the field's own kind is
   * converted element by element where every element fits, and refused otherwise.
   */
  encode(message: T, into: CdrBuffer): number;
  /**
   * Reads `bytes` (header included; either byte order; up to 3 bytes of padding may follow) into `out`, whose arrays and
   * nested objects are reused where their sizes fit. Throws `ReinError('message', …)` on truncated or impossible bytes;
   * `out` then holds parts of both messages.
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
  /** Elements of an array; the bound of a sequence, Infinity where it has none; 1 for a single one. */
  readonly length: number;
  /** Of `kind: 'message'` only. */
  readonly type?: MessageType<unknown>;
  /** Other than 0; single numbers only. */
  readonly default?: number;
}

/** Numbers of the wire. `int64` and `uint64` are bigint here, all others number; `byte` and `char` are `uint8`. */
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
 * Preallocated bytes that grow when a message needs it; one per publisher. `bytes` may be replaced by `encode`: look at it
 * afterwards. Make them with `createCdrBuffer`: an object of one's own works too, but costs an allocation a message.
 */
export interface CdrBuffer {
  bytes: Buffer;
}

/**
 * A service by name; `Q` and `A` are plain objects with the fields of its definition (snake_case, int64 as bigint, arrays
 * as plain arrays). Missing fields have their defaults; what does not fit is refused with `ReinError('message', …)`, and is
 * a fault where it is an answer. The same holds for actions.
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
