/** Quality-of-service profiles by kind of topic, and their compatibility. */

export interface QosProfile {
  readonly reliability: 'reliable' | 'bestEffort';
  readonly durability: 'volatile' | 'transientLocal';
  /** History depth; the oldest message is dropped first. */
  readonly depth: number;
}

/** Commands: reliable, and only the newest. */
export const COMMAND_QOS: QosProfile = { reliability: 'reliable', durability: 'volatile', depth: 1 };
/** Published state: compatible with every reader. */
export const STATE_QOS: QosProfile = { reliability: 'reliable', durability: 'volatile', depth: 1 };
/** State and sensors that are read: compatible with every writer; old messages are worthless. */
export const SENSOR_QOS: QosProfile = { reliability: 'bestEffort', durability: 'volatile', depth: 1 };
/** State that late joiners must receive too. */
export const LATCHED_QOS: QosProfile = { reliability: 'reliable', durability: 'transientLocal', depth: 1 };
/** Events: none may be lost while the event loop is briefly busy. */
export const EVENT_QOS: QosProfile = { reliability: 'reliable', durability: 'volatile', depth: 100 };

/** Reason why a reader with `requested` receives nothing from a writer with `offered`; `undefined` if compatible. */
export function qosMismatch(offered: QosProfile, requested: QosProfile): string | undefined {
  if (offered.reliability === 'bestEffort' && requested.reliability === 'reliable') {
    return 'the publisher is best effort, the subscriber asks for reliable';
  }
  if (offered.durability === 'volatile' && requested.durability === 'transientLocal') {
    return 'the publisher is volatile, the subscriber asks for transient local';
  }
  return undefined;
}
