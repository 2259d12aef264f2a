/** Watches the graph for silent failures: endpoints with incompatible quality of service, and duplicate node names. */
import type { FaultReporter } from './fault-reporter.ts';
import { type QosProfile, qosMismatch } from './qos.ts';
import type { RosEndpoint, RosFault } from './ros-port.ts';

/** Endpoint of the port itself. */
export interface OwnEnd {
  /** Remapped. */
  readonly topic: string;
  readonly side: 'publishers' | 'subscribers';
  readonly typeName: string;
  readonly qos: QosProfile;
}

/** Graph as seen by a port. */
export interface WatchedGraph {
  readonly fullName: string;
  endpoints(topic: string, side: 'publishers' | 'subscribers'): readonly RosEndpoint[];
  nodeNames(): readonly string[];
}

const PERIOD_MS = 1000;

/** Reports each mismatch once, and again if it disappears and returns. */
export class GraphWatch {
  readonly #graph: WatchedGraph;
  readonly #ends: readonly OwnEnd[];
  readonly #faults: FaultReporter;
  #standing: ReadonlyMap<string, RosFault> = new Map();
  #timer: NodeJS.Timeout | undefined;

  constructor(graph: WatchedGraph, ends: readonly OwnEnd[], faults: FaultReporter) {
    this.#graph = graph;
    this.#ends = ends;
    this.#faults = faults;
  }

  /** Checks now, and once a second. */
  start(): void {
    const look = (): void => void this.#faults.run('graph', () => this.look());
    look();
    this.#timer = setInterval(look, PERIOD_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Faults found by the last check. */
  get standing(): readonly RosFault[] {
    return [...this.#standing.values()];
  }

  look(): void {
    const wrong = new Map<string, RosFault>();
    for (const end of this.#ends) this.#lookAt(end, wrong);
    const doubles = this.#graph.nodeNames().filter((name) => name === this.#graph.fullName).length;
    if (doubles > 1) {
      const message = `another node is called ${this.#graph.fullName} too; start it under another name or namespace`;
      wrong.set('double', { kind: 'duplicateNode', where: this.#graph.fullName, message });
    }
    for (const [cause, { kind, where, message }] of wrong) {
      if (!this.#standing.has(cause)) this.#faults.report(kind, where, message);
    }
    this.#standing = wrong;
  }

  #lookAt(end: OwnEnd, wrong: Map<string, RosFault>): void {
    const isReader = end.side === 'subscribers';
    for (const other of this.#graph.endpoints(end.topic, isReader ? 'publishers' : 'subscribers')) {
      const [writer, reader] = isReader ? [other.qos, end.qos] : [end.qos, other.qos];
      const why = other.typeName === end.typeName ? qosMismatch(writer, reader) : typesDiffer(isReader, end, other);
      if (why === undefined) continue;
      const [from, to] = isReader ? [other.node, this.#graph.fullName] : [this.#graph.fullName, other.node];
      const message = `${to} receives nothing from ${from} on ${end.topic}: ${why}`;
      wrong.set(message, { kind: 'qosMismatch', where: end.topic, message });
    }
  }
}

function typesDiffer(isReader: boolean, end: OwnEnd, other: RosEndpoint): string {
  const [writer, reader] = isReader ? [other.typeName, end.typeName] : [end.typeName, other.typeName];
  return `the publisher sends ${writer}, the subscriber asks for ${reader}`;
}
