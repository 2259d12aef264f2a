/** MCAP files as the format's own library reads them. */
import { readFileSync } from 'node:fs';
import { McapIndexedReader, McapStreamReader } from '@mcap/core';

export interface ReadMcap {
  /** Schema of each topic. */
  readonly schemas: ReadonlyMap<string, string>;
  /** Messages of each topic, in their order. */
  readonly messages: ReadonlyMap<string, readonly Record<string, unknown>[]>;
}

const parsed = (data: Uint8Array): Record<string, unknown> => JSON.parse(new TextDecoder().decode(data));

/** All of a file that was closed, by its index; throws for one that lacks it, or whose index says something else. */
export async function readMcap(path: string): Promise<ReadMcap> {
  const bytes = readFileSync(path);
  const reader = await McapIndexedReader.Initialize({
    readable: {
      size: async () => BigInt(bytes.length),
      read: async (offset, size) => new Uint8Array(bytes.subarray(Number(offset), Number(offset + size))),
    },
  });
  const messages = new Map<string, Record<string, unknown>[]>();
  for await (const { channelId, data } of reader.readMessages()) {
    const { topic } = reader.channelsById.get(channelId)!;
    messages.set(topic, [...(messages.get(topic) ?? []), parsed(data)]);
  }
  const count = [...messages.values()].flat().length;
  if (reader.statistics?.messageCount !== BigInt(count))
    throw new Error(`${path} holds ${count} messages, its index says others`);
  const channels = [...reader.channelsById.values()];
  const schemas = new Map(channels.map(({ topic, schemaId }) => [topic, reader.schemasById.get(schemaId)!.name]));
  return { schemas, messages };
}

/** What a file that was cut holds up to there, topic by topic: how many messages. */
export function countCutMcap(path: string): ReadonlyMap<string, number> {
  const reader = new McapStreamReader();
  reader.append(readFileSync(path));
  const topics = new Map<number, string>();
  const counts = new Map<string, number>();
  for (let record = reader.nextRecord(); record !== undefined; record = reader.nextRecord()) {
    if (record.type === 'Channel') topics.set(record.id, record.topic);
    if (record.type !== 'Message') continue;
    const topic = topics.get(record.channelId)!;
    counts.set(topic, (counts.get(topic) ?? 0) + 1);
  }
  return counts;
}
