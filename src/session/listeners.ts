/** Everybody who watches a session, called one after the other. */
import type { SessionListener } from './session-types.ts';

type Kind = keyof SessionListener;
type Argument<K extends Kind> = Parameters<NonNullable<SessionListener[K]>>[0];

export class SessionListeners {
  #all: readonly SessionListener[] = [];

  /** The result takes it off again. */
  add(listener: SessionListener): () => void {
    this.#all = [...this.#all, listener];
    return () => {
      this.#all = this.#all.filter((other) => other !== listener);
    };
  }

  emit<K extends Kind>(kind: K, argument: Argument<K>): void {
    for (const listener of this.#all) (listener[kind] as ((argument: Argument<K>) => void) | undefined)?.(argument);
  }
}
