/** Why bytes that arrived or were read back are not used: a short code for counters and one sentence for a person. */

/** The codes, grouped by where they are found: frame, transition, message, weights. */
export type LinkFaultReason =
  | 'too-short'
  | 'too-long'
  | 'bad-magic'
  | 'bad-version'
  | 'bad-kind'
  | 'bad-length'
  | 'bad-checksum'
  | 'bad-value'
  | 'not-finite'
  | 'bad-message'
  | 'wrong-schema'
  | 'wrong-run'
  | 'wrong-robot'
  | 'bad-digest'
  | 'old-version';

/** A refusal to use some bytes. Never thrown: it travels in a `Result`. */
export interface LinkFault {
  readonly reason: LinkFaultReason;
  /** One sentence. */
  readonly sentence: string;
}

/** A failed `Result` with a `LinkFault`. */
export function fault(reason: LinkFaultReason, sentence: string): { readonly ok: false; readonly error: LinkFault } {
  return { ok: false, error: { reason, sentence } };
}
