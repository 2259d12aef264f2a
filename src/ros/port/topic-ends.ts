/** Transport-independent part of a topic's two endpoints: codec, counters, and faults. */
import { messageOf, ReinError, SystemClock } from '../../model/index.ts';
import { createCdrBuffer } from '../messages/cdr-bytes.ts';
import type { CdrBuffer, MessageType } from '../messages/message-type.ts';
import type { FaultReporter } from './fault-reporter.ts';
import type { MessageListener } from './ros-port.ts';

/** Clock shared by all processes of the machine. */
const clock = new SystemClock();
const FIRST_BYTES = 1024;
/** Encapsulation header alone; nothing shorter may be sent. */
const HEADER_BYTES = 4;

/** Encodes messages of one topic into a buffer that is reused. */
export class TopicWriter<T> {
  readonly #type: MessageType<T>;
  readonly #buffer: CdrBuffer = createCdrBuffer(FIRST_BYTES);

  constructor(type: MessageType<T>) {
    this.#type = type;
  }

  /** Bytes of `message`, valid until the next call. Throws `ReinError('message', …)`. */
  encode(message: T): Buffer {
    const length = this.#type.encode(message, this.#buffer);
    if (length <= HEADER_BYTES) throw new ReinError('message', `a message of the type ${this.#type.name} has no bytes`);
    return this.#buffer.bytes.subarray(0, length);
  }
}

/** Decodes messages of one topic into a reused object, and passes them on. */
export class TopicReader<T> {
  readonly counters: { received: number; malformed: number } = { received: 0, malformed: 0 };
  readonly #type: MessageType<T>;
  readonly #topic: string;
  readonly #listener: MessageListener<T>;
  readonly #faults: FaultReporter;
  readonly #message: T;

  constructor(type: MessageType<T>, topic: string, listener: MessageListener<T>, faults: FaultReporter) {
    this.#type = type;
    this.#topic = topic;
    this.#listener = listener;
    this.#faults = faults;
    this.#message = type.create();
  }

  /** Never throws. */
  take(bytes: Uint8Array): void {
    const receivedAtS = clock.nowS();
    try {
      this.#type.decode(bytes, this.#message);
    } catch (error) {
      this.counters.malformed++;
      this.#faults.report(
        'malformed',
        this.#topic,
        `a message of ${bytes.length} bytes is dropped: ${messageOf(error)}`,
      );
      return;
    }
    this.counters.received++;
    this.#faults.run(this.#topic, () => this.#listener(this.#message, receivedAtS));
  }
}
