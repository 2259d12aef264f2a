/**
 * The stream of a run for Foxglove and Lichtblick: their WebSocket protocol (https://github.com/foxglove/ws-protocol/blob/main/docs/spec.md)
 * with the channels of the trace. Shows only: nothing that a client sends reaches the robot. What nobody subscribes to is not even made,
 * and a client that is slow gets of states the newest.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket, WebSocketServer } from 'ws';
import { asObject, isState, parseJson } from '../../core/index.ts';
import { CHANNELS, Translation } from '../../record/trace.ts';
import type { Past } from './past.ts';
import { Peer, Peers } from './peers.ts';
import { createSocketServer } from './sockets.ts';

/** The same messages by two names: the first is what newer clients say. */
const PROTOCOLS = ['foxglove.sdk.v1', 'foxglove.websocket.v1'] as const;
/** Messages of a client are lists of numbers. */
const LONGEST_MESSAGE_BYTES = 16 * 1024;
const MOST_CLIENTS = 16;
const MOST_SUBSCRIPTIONS = 256;
const MESSAGE_DATA = 1;
/** Opcode, number of the subscription, time. */
const HEAD_BYTES = 13;
const WARNING = 1;

type Subscriber = Pick<Client, 'outbox' | 'subscriptions'>;

class Client extends Peer {
  /** Place in `CHANNELS` of each subscription. */
  readonly subscriptions = new Map<number, number>();
}

export class FoxgloveServer {
  readonly #sockets: WebSocketServer;
  readonly #clients = new Peers<Client>();
  readonly #translation: Translation = new Translation();
  readonly #past: Past;

  constructor(past: Past) {
    this.#past = past;
    this.#sockets = createSocketServer({
      maxPayload: LONGEST_MESSAGE_BYTES,
      handleProtocols: (offered) => PROTOCOLS.find((name) => offered.has(name)) ?? false,
    });
  }

  /** Bytes that wait for clients here. */
  get waitingBytes(): number {
    return this.#clients.waitingBytes;
  }

  /** Why a client is not served; `undefined` where it is. */
  refusalOf({ headers }: IncomingMessage): string | undefined {
    const offered = String(headers['sec-websocket-protocol'] ?? '').split(/\s*,\s*/);
    if (!PROTOCOLS.some((name) => offered.includes(name))) return `This speaks ${PROTOCOLS.join(' or ')} only.`;
    return this.#clients.size < MOST_CLIENTS ? undefined : 'Too many clients are connected.';
  }

  /** Serves a client that may see the robot. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#sockets.handleUpgrade(request, socket, head, (ws) => this.#admit(ws));
  }

  /** Tells all who subscribed. */
  publish(packet: Uint8Array): void {
    if (this.#clients.size === 0) return;
    const readers = [...this.#clients];
    const wanted = new Set(readers.flatMap(({ subscriptions }) => [...subscriptions.values()]));
    this.#tell(packet, readers, (channel) => wanted.has(channel));
  }

  flush(): void {
    this.#clients.flush();
  }

  eachSecond(): void {
    this.#clients.eachSecond();
  }

  /** Ends clients that did not answer since it was called last. */
  ping(): void {
    this.#clients.ping();
  }

  close(): void {
    this.#clients.close();
    this.#clients.terminate();
  }

  #admit(socket: WebSocket): void {
    const client = new Client(socket);
    if (this.#clients.size === 0) this.#catchUp();
    this.#clients.add(client);
    socket.on('error', () => socket.terminate());
    socket.on('close', () => this.#clients.delete(client));
    socket.on('message', (data, isBinary) => this.#onMessage(client, isBinary ? undefined : data));
    socket.send(JSON.stringify({ op: 'serverInfo', name: 'rein', capabilities: [], supportedEncodings: [] }));
    socket.send(JSON.stringify({ op: 'advertise', channels: ADVERTISED }));
  }

  /** While nobody looked nothing was translated: which robot it is, and what its clock says. */
  #catchUp(): void {
    for (const kind of ['run', 'frame'] as const) {
      for (const packet of this.#past.of(kind)) this.#translation.messages(packet, () => false);
    }
  }

  #tell(packet: Uint8Array, clients: readonly Subscriber[], isWanted: (channel: number) => boolean): void {
    for (const { channel, atMs, message } of this.#translation.messages(packet, isWanted)) {
      const json = new TextEncoder().encode(JSON.stringify(message));
      const timeNs = BigInt(Math.round(atMs * 1e3)) * 1000n;
      const { kinds } = CHANNELS[channel]!;
      for (const { outbox, subscriptions } of clients) {
        for (const [id, of] of subscriptions) {
          // A scene replaces the one before, as states do.
          const replaces = kinds.every((kind) => isState(kind) || kind === 'run') ? String(id) : undefined;
          if (of === channel) outbox.offer(messageData(id, timeNs, json), replaces);
        }
      }
    }
  }

  #onMessage(client: Client, data: RawData | undefined): void {
    if (!client.mayGoOn()) {
      this.#clients.delete(client);
      return;
    }
    const message = data === undefined ? undefined : asObject(parseJson(String(data)));
    if (message?.['op'] === 'subscribe') this.#subscribe(client, message['subscriptions']);
    else if (message?.['op'] === 'unsubscribe') {
      const ids = message['subscriptionIds'];
      for (const id of Array.isArray(ids) ? ids : []) client.subscriptions.delete(Number(id));
    } else warn(client, 'This shows the robot only: it takes subscriptions, and nothing else.');
  }

  #subscribe(client: Client, asked: unknown): void {
    for (const each of Array.isArray(asked) ? asked : []) {
      // Each is told what happened before: so many in a second are work for nobody's eyes.
      if (!client.mayGoOn()) {
        this.#clients.delete(client);
        return;
      }
      const { id, channelId } = asObject(each) ?? {};
      const channel = CHANNELS[Number(channelId)];
      const isOne = Number.isInteger(id) && Number(id) >= 0 && Number(id) < 2 ** 32;
      if (channel === undefined || !isOne || client.subscriptions.size >= MOST_SUBSCRIPTIONS) {
        warn(client, 'There is no such channel, or too many subscriptions.');
        continue;
      }
      client.subscriptions.set(Number(id), Number(channelId));
      const only = { outbox: client.outbox, subscriptions: new Map([[Number(id), Number(channelId)]]) };
      for (const kind of channel.kinds) {
        for (const packet of this.#past.of(kind)) this.#tell(packet, [only], (wanted) => wanted === channelId);
      }
    }
  }
}

const ADVERTISED = CHANNELS.map(({ topic, schemaName, schema }, id) => {
  return { id, topic, encoding: 'json', schemaName, schemaEncoding: 'jsonschema', schema: JSON.stringify(schema) };
});

function messageData(id: number, timeNs: bigint, json: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES + json.length);
  const head = new DataView(bytes.buffer);
  head.setUint8(0, MESSAGE_DATA);
  head.setUint32(1, id, true);
  head.setBigUint64(5, timeNs, true);
  bytes.set(json, HEAD_BYTES);
  return bytes;
}

function warn({ socket, waitingBytes }: Client, message: string): void {
  // One that reads nothing is told nothing.
  if (waitingBytes === 0) socket.send(JSON.stringify({ op: 'status', level: WARNING, message }));
}
