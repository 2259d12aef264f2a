/** What a run told, for those that come later: of states the newest, of what happened the last packets of each kind. */
import { isState, kindOf, type PacketKind } from '../../core/index.ts';

const KEPT_PACKETS = 100;
/** What is told to others than those that were there when it happened. */
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

  /** The oldest first. */
  of(kind: PacketKind): readonly Uint8Array[] {
    return this.#packets.get(kind) ?? [];
  }

  /** All: what the run is first. */
  get packets(): readonly Uint8Array[] {
    return [...new Set<PacketKind>(['run', ...KEPT_KINDS, ...this.#packets.keys()])].flatMap((kind) => this.of(kind));
  }
}
