/** A ROS graph inside this process: nodes find each other's topics, services and actions on it. */
import { type QosProfile, qosMismatch } from '../../../src/ros/port/qos.ts';
import type { RosEndpoint } from '../../../src/ros/port/ros-port.ts';

export interface WriterEnd {
  readonly node: string;
  readonly topic: string;
  readonly typeName: string;
  readonly qos: QosProfile;
  /** The newest messages, for readers that come late; empty where it is volatile. */
  readonly kept: Uint8Array[];
}

export interface ReaderEnd {
  readonly node: string;
  readonly topic: string;
  readonly typeName: string;
  readonly qos: QosProfile;
  /** Takes a copy of a message; never throws, delivers later. */
  receive(bytes: Uint8Array): void;
}

/** Answers a service or an action goal; the request is already a copy. */
export interface Server {
  readonly typeName: string;
  readonly isRunning: () => boolean;
  readonly handle: (request: unknown) => unknown;
}

export class MemoryGraph {
  readonly #nodes: string[] = [];
  readonly #writers = new Set<WriterEnd>();
  readonly #readers = new Set<ReaderEnd>();
  readonly #servers = new Map<string, Server>();

  /** Takes a node onto the graph; the result takes it off. */
  join(fullName: string): () => void {
    this.#nodes.push(fullName);
    return () => {
      const at = this.#nodes.indexOf(fullName);
      if (at >= 0) this.#nodes.splice(at, 1);
    };
  }

  nodeNames(): readonly string[] {
    return [...this.#nodes];
  }

  addWriter(end: WriterEnd): () => void {
    this.#writers.add(end);
    return () => void this.#writers.delete(end);
  }

  addReader(end: ReaderEnd): () => void {
    this.#readers.add(end);
    if (end.qos.durability === 'transientLocal') {
      for (const writer of this.#writers) {
        if (fits(writer, end)) for (const bytes of writer.kept) end.receive(bytes);
      }
    }
    return () => void this.#readers.delete(end);
  }

  /** Hands a copy of `bytes` to every reader that fits. */
  send(writer: WriterEnd, bytes: Uint8Array): void {
    const copy = Uint8Array.from(bytes);
    if (writer.qos.durability === 'transientLocal') {
      writer.kept.push(copy);
      if (writer.kept.length > writer.qos.depth) writer.kept.shift();
    }
    for (const reader of this.#readers) if (fits(writer, reader)) reader.receive(copy);
  }

  /** How many ends on the other side are connected. */
  matched(end: WriterEnd | ReaderEnd): number {
    const isWriter = 'kept' in end;
    const others = isWriter ? [...this.#readers] : [...this.#writers];
    return others.filter((other) =>
      isWriter ? fits(end, other as ReaderEnd) : fits(other as WriterEnd, end as ReaderEnd),
    ).length;
  }

  endpoints(topic: string, side: 'publishers' | 'subscribers'): readonly RosEndpoint[] {
    const ends = side === 'publishers' ? this.#writers : this.#readers;
    return [...ends].filter((end) => end.topic === topic).map(({ node, typeName, qos }) => ({ node, typeName, qos }));
  }

  /** The first server of a name answers, as long as it is there. */
  addServer(name: string, server: Server): () => void {
    if (!this.#servers.has(name)) this.#servers.set(name, server);
    return () => {
      if (this.#servers.get(name) === server) this.#servers.delete(name);
    };
  }

  /** The running server of `name`, if it speaks `typeName`. */
  server(name: string, typeName: string): Server | undefined {
    const server = this.#servers.get(name);
    return server?.typeName === typeName && server.isRunning() ? server : undefined;
  }
}

function fits(writer: WriterEnd, reader: ReaderEnd): boolean {
  return (
    writer.topic === reader.topic &&
    writer.typeName === reader.typeName &&
    qosMismatch(writer.qos, reader.qos) === undefined
  );
}
