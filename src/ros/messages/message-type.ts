/**
 * What a ROS message is to us: a name, and how its CDR bytes become a plain object and back. Every topic is sent and
 * received as bytes through these; typed messages of the binding are for services, parameters and actions only.
 */

/** One message type with its own codec. `T` is a plain object with numbers, strings, typed arrays and nested objects. */
export interface MessageType<T> {
  /** As ROS spells it, e.g. `sensor_msgs/msg/JointState`. */
  readonly name: string;
  /** A message with all fields at their defaults (0, empty). Allocates. */
  create(): T;
  /**
   * Writes `message` with its encapsulation header (little-endian CDR) into `into`, from byte 0. Returns the number of
   * bytes. Throws `ReinError('message', …)`, and has then written nothing that counts, when the message does not fit the
   * definition: a wrong type, an array of the wrong length, a number outside its integer type.
   */
  encode(message: T, into: CdrBuffer): number;
  /**
   * Reads `bytes` (header included; either byte order; up to 3 bytes of padding may follow) into `out`, whose arrays and
   * nested objects are reused where their sizes fit. Throws `ReinError('message', …)` on truncated or impossible bytes.
   */
  decode(bytes: Uint8Array, out: T): void;
}

/** Preallocated bytes that grow when a message needs it; one per publisher. `bytes` may be replaced by `encode`. */
export interface CdrBuffer {
  bytes: Buffer;
}
