/** One field's way to bytes and back, compiled once from its definition. */
import type { CdrSink } from './sink.ts';
import type { CdrSource } from './source.ts';

export interface FieldCodec {
  /** The least that a value takes on the wire, padding left out; at least 1. */
  readonly minBytes: number;
  create(): unknown;
  /** Throws a `FieldFault` for what does not fit. */
  write(sink: CdrSink, value: unknown): void;
  /** Returns the value; `current` itself, filled anew, where it fits. Throws a `FieldFault`. */
  read(source: CdrSource, current: unknown): unknown;
}
