/** A port that writes down what is registered on it, with the names as the code has them: `~/state`, not `/rein/state`. */
import type { QosProfile, RosPort } from '../port/index.ts';

export type RegistrationKind = 'publishes' | 'subscribes' | 'serves' | 'calls' | 'offers';

/** One end of a topic (`publishes`, `subscribes`), a service (`serves`, `calls`) or an action (`offers`). */
export interface Registration {
  readonly kind: RegistrationKind;
  readonly name: string;
  readonly typeName: string;
  readonly qos?: QosProfile;
}

const METHODS: Readonly<Record<string, RegistrationKind>> = {
  advertise: 'publishes',
  subscribe: 'subscribes',
  serve: 'serves',
  client: 'calls',
  serveAction: 'offers',
};

/** `port` with a witness: whatever is registered on the result is registered on `port`, and told to `note`. */
export function recorded(port: RosPort, note: (registration: Registration) => void): RosPort {
  return new Proxy(port, {
    get(target, key): unknown {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== 'function') return member;
      const kind = METHODS[String(key)];
      return (...args: unknown[]): unknown => {
        if (kind !== undefined) note(registration(kind, args));
        return member.apply(target, args) as unknown;
      };
    },
  });
}

function registration(kind: RegistrationKind, [type, name, qos]: readonly unknown[]): Registration {
  const typeName = (type as { readonly name: string }).name;
  const isTopic = kind === 'publishes' || kind === 'subscribes';
  return { kind, name: String(name), typeName, ...(isTopic ? { qos: qos as QosProfile } : {}) };
}
