/** Past packets of a run, for pages that connect later: the newest of each state, and the last of each kind of event. */
import { isState, kindOf, type PacketKind } from '../../rows/index.ts';

const KEPT_PACKETS = 100;
/** Kinds of events that are replayed to later pages. */
const KEPT_KINDS: readonly PacketKind[] = ['event', 'episode', 'intervention', 'notice'];

export class Past {
  readonly #packets = new Map<PacketKind, Uint8Array[]>();

  put(packet: Uint8Array): void {
    const kind = kindOf(packet);
    if (kind === undefined) return;
    if (isState(kind) || kind === 'run') this.#packets.set(kind, [packet]);
    if (!KEPT_KINDS.includes(kind)) return;
    const kept = this.of(kind);
    this.#packets.set(kind, [...kept.slice(kept.length < KEPT_PACKETS ? 0 : 1), packet]);
  }

  /** Packets of a kind, oldest first. */
  of(kind: PacketKind): readonly Uint8Array[] {
    return this.#packets.get(kind) ?? [];
  }

  /** All packets, the run's description first. */
  get packets(): readonly Uint8Array[] {
    return [...new Set<PacketKind>(['run', ...KEPT_KINDS, ...this.#packets.keys()])].flatMap((kind) => this.of(kind));
  }
}
