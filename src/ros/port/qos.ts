/** Quality of service by contract: what each kind of topic asks for, and whether two ends fit. */

export interface QosProfile {
  readonly reliability: 'reliable' | 'bestEffort';
  readonly durability: 'volatile' | 'transientLocal';
  /** Messages kept; the oldest goes first. */
  readonly depth: number;
}

/** Commands: each counts, and only the newest. */
export const COMMAND_QOS: QosProfile = { reliability: 'reliable', durability: 'volatile', depth: 1 };
/** State that we publish: fits every reader. */
export const STATE_QOS: QosProfile = { reliability: 'reliable', durability: 'volatile', depth: 1 };
/** State and sensors that we read: fits every writer; old ones are worth nothing. */
export const SENSOR_QOS: QosProfile = { reliability: 'bestEffort', durability: 'volatile', depth: 1 };
/** State that somebody who comes late must see too. */
export const LATCHED_QOS: QosProfile = { reliability: 'reliable', durability: 'transientLocal', depth: 1 };
/** Events: none may be lost while the event loop is busy for a moment. */
export const EVENT_QOS: QosProfile = { reliability: 'reliable', durability: 'volatile', depth: 100 };

/** Reason why a reader that asks for `requested` gets nothing from a writer that offers `offered`; `undefined` where it fits. */
export function qosMismatch(offered: QosProfile, requested: QosProfile): string | undefined {
  if (offered.reliability === 'bestEffort' && requested.reliability === 'reliable') {
    return 'the publisher is best effort, the subscriber asks for reliable';
  }
  if (offered.durability === 'volatile' && requested.durability === 'transientLocal') {
    return 'the publisher is volatile, the subscriber asks for transient local';
  }
  return undefined;
}
