/** Looks at the graph for what would fail in silence: ends whose quality of service does not fit, and doubled node names. */
import type { FaultDesk } from './fault-desk.ts';
import { type QosProfile, qosMismatch } from './qos.ts';
import type { RosEndpoint } from './ros-port.ts';

/** One of a port's own ends. */
export interface OwnEnd {
  /** Remapped. */
  readonly topic: string;
  readonly side: 'publishers' | 'subscribers';
  readonly typeName: string;
  readonly qos: QosProfile;
}

/** What it looks at. */
export interface WatchedGraph {
  readonly fullName: string;
  endpoints(topic: string, side: 'publishers' | 'subscribers'): readonly RosEndpoint[];
  nodeNames(): readonly string[];
}

const PERIOD_MS = 1000;

/** Tells each mismatch once, and again when it was gone and comes back. */
export class GraphWatch {
  readonly #graph: WatchedGraph;
  readonly #ends: readonly OwnEnd[];
  readonly #desk: FaultDesk;
  #told: ReadonlySet<string> = new Set();
  #timer: NodeJS.Timeout | undefined;

  constructor(graph: WatchedGraph, ends: readonly OwnEnd[], desk: FaultDesk) {
    this.#graph = graph;
    this.#ends = ends;
    this.#desk = desk;
  }

  /** Looks now, and once a second. */
  start(): void {
    const look = (): void => void this.#desk.run('graph', () => this.look());
    look();
    this.#timer = setInterval(look, PERIOD_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  look(): void {
    const wrong = new Map<string, () => void>();
    for (const end of this.#ends) this.#lookAt(end, wrong);
    const doubles = this.#graph.nodeNames().filter((name) => name === this.#graph.fullName).length;
    if (doubles > 1) {
      const message = `another node is called ${this.#graph.fullName} too; start it under another name or namespace`;
      wrong.set('double', () => this.#desk.report('duplicateNode', this.#graph.fullName, message));
    }
    for (const [cause, tell] of wrong) if (!this.#told.has(cause)) tell();
    this.#told = new Set(wrong.keys());
  }

  #lookAt(end: OwnEnd, wrong: Map<string, () => void>): void {
    const isReader = end.side === 'subscribers';
    for (const other of this.#graph.endpoints(end.topic, isReader ? 'publishers' : 'subscribers')) {
      const [writer, reader] = isReader ? [other.qos, end.qos] : [end.qos, other.qos];
      const why = other.typeName === end.typeName ? qosMismatch(writer, reader) : typesDiffer(isReader, end, other);
      if (why === undefined) continue;
      const [from, to] = isReader ? [other.node, this.#graph.fullName] : [this.#graph.fullName, other.node];
      const message = `${to} gets nothing from ${from} on ${end.topic}: ${why}`;
      wrong.set(message, () => this.#desk.report('qosMismatch', end.topic, message));
    }
  }
}

function typesDiffer(isReader: boolean, end: OwnEnd, other: RosEndpoint): string {
  const [writer, reader] = isReader ? [other.typeName, end.typeName] : [end.typeName, other.typeName];
  return `the publisher sends ${writer}, the subscriber asks for ${reader}`;
}
