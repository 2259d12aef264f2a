/** All message types that Rein speaks, by the name that ROS gives them. */
import { editDistance, ReinError } from '../../core/index.ts';
import * as definitions from './definitions/index.ts';
import type { MessageType } from './message-type.ts';

/** Sorted by name. */
export const MESSAGE_TYPES: readonly MessageType<unknown>[] = Object.values<MessageType<unknown>>(definitions).sort(
  (a, b) => (a.name < b.name ? -1 : 1),
);

const byName: ReadonlyMap<string, MessageType<unknown>> = new Map(MESSAGE_TYPES.map((type) => [type.name, type]));

/** Edits up to which another name is taken for what was meant. */
const NEAR = 4;

/** The type called `name`, such as `sensor_msgs/msg/Imu`. Throws `ReinError('config', …)` that says what there is. */
export function messageType(name: string): MessageType<unknown> {
  const type = byName.get(name);
  if (type !== undefined) return type;
  const nearest = nearestName(name);
  throw new ReinError('config', `The ROS message type ${JSON.stringify(name)} is not known here.`, {
    remedy:
      (nearest === undefined ? '' : `Did you mean ${nearest}? `) +
      `Known are ${MESSAGE_TYPES.map((known) => known.name).join(', ')}.`,
  });
}

/** The same type without `/msg/`, in other case, or with a few letters wrong. */
function nearestName(name: string): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replace('/msg/', '/');
  const wanted = plain(name);
  let nearest: string | undefined;
  let least = NEAR + 1;
  for (const known of byName.keys()) {
    const full = plain(known);
    // Somebody may have left the package out.
    const distance = Math.min(editDistance(wanted, full), editDistance(wanted, full.slice(full.indexOf('/') + 1)));
    if (distance < least) {
      least = distance;
      nearest = known;
    }
  }
  return nearest;
}
