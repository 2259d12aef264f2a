/**
 * Stream of a run for Foxglove and Lichtblick: their WebSocket protocol
 * (https://github.com/foxglove/ws-protocol/blob/main/docs/spec.md) with the channels of the trace. Read-only: nothing
 * that a client sends reaches the robot. Channels without subscribers are not encoded, a slow client gets the newest of
 * each state, and all clients share one bandwidth limit: pages come first.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket, WebSocketServer } from 'ws';
import { asObject, parseJson, SystemClock } from '../../model/index.ts';
import { type Channel, Translation } from '../../record/trace.ts';
import { isState, kindOf, type PacketKind } from '../../rows/index.ts';
import { Allowance } from './allowance.ts';
import type { Past } from './past.ts';
import { Peer, Peers } from './peers.ts';
import { createSocketServer } from './sockets.ts';

/** Two names of the same protocol; newer clients use the first. */
const PROTOCOLS = ['foxglove.sdk.v1', 'foxglove.websocket.v1'] as const;
/** Client messages are lists of numbers. */
const LONGEST_MESSAGE_BYTES = 16 * 1024;
const MOST_CLIENTS = 8;
/** Cost of a subscription, in messages: it sends the past of its channel. */
const SUBSCRIPTION_WEIGHT = 5;
/** Bandwidth of all clients together: eight that view everything of a six-joint arm use a quarter of it. */
const SENT = { perS: 8 * 2 ** 20, most: 2 ** 20 } as const;
const MESSAGE_DATA = 1;
/** Opcode, subscription id, time. */
const HEAD_BYTES = 13;
const WARNING = 1;

type Subscriber = Pick<Client, 'outbox' | 'subscriptions'>;

class Client extends Peer {
  /** Subscription id by index in `Translation.channels`, one each. */
  readonly subscriptions = new Map<number, number>();
}

export class FoxgloveServer {
  readonly #sockets: WebSocketServer;
  readonly #clients = new Peers<Client>();
  readonly #translation: Translation = new Translation();
  readonly #sent: Allowance = new Allowance(SENT);
  readonly #clock: SystemClock = new SystemClock();
  readonly #past: Past;
  /** Newest packet of each kind of state that is not sent yet. */
  readonly #late = new Map<PacketKind, Uint8Array>();

  constructor(past: Past) {
    this.#past = past;
    this.#sockets = createSocketServer({
      maxPayload: LONGEST_MESSAGE_BYTES,
      handleProtocols: (offered) => PROTOCOLS.find((name) => offered.has(name)) ?? false,
    });
  }

  /** Bytes queued for clients here. */
  get waitingBytes(): number {
    return this.#clients.waitingBytes;
  }

  /** Reason to refuse a client; `undefined` if it is admitted. */
  refusalOf({ headers }: IncomingMessage): string | undefined {
    const offered = String(headers['sec-websocket-protocol'] ?? '').split(/\s*,\s*/);
    if (!PROTOCOLS.some((name) => offered.includes(name))) return `This speaks ${PROTOCOLS.join(' or ')} only.`;
    return this.#clients.size < MOST_CLIENTS ? undefined : 'Too many clients are connected.';
  }

  /** Serves a client that may see the robot. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#sockets.handleUpgrade(request, socket, head, (ws) => this.#admit(ws));
  }

  /** Sends to all subscribers; beyond the bandwidth limit the newest state is sent later. */
  publish(packet: Uint8Array): void {
    const kind = kindOf(packet);
    if (this.#clients.size === 0 || kind === undefined) return;
    if (kind === 'run') this.#advertiseNew(packet);
    const isLate = isState(kind) && !this.#sent.take(this.#clock.nowS(), 0);
    if (isLate) this.#late.set(kind, packet);
    else this.#late.delete(kind);
    this.#tellAll(packet, isLate ? 'nothing' : 'what is wanted');
  }

  /** A new run has other cameras. */
  #advertiseNew(packet: Uint8Array): void {
    const before = this.#translation.channels.length;
    this.#translation.messages(packet, () => false);
    const { channels } = this.#translation;
    if (channels.length === before) return;
    for (const { socket } of this.#clients) socket.send(advertised(channels));
  }

  flush(): void {
    for (const [kind, packet] of this.#late) {
      if (!this.#sent.take(this.#clock.nowS(), 0)) break;
      this.#late.delete(kind);
      this.#tellAll(packet, 'what is wanted');
    }
    this.#clients.flush();
  }

  eachSecond(): void {
    this.#clients.eachSecond();
  }

  /** Ends clients that have not answered since the last call. */
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
    socket.send(advertised(this.#translation.channels));
  }

  /** Without clients nothing was translated: feeds the robot's description and clock. */
  #catchUp(): void {
    for (const kind of ['run', 'frame'] as const) {
      for (const packet of this.#past.of(kind)) this.#translation.messages(packet, () => false);
    }
  }

  /** `nothing`: only updates the state of the translation. */
  #tellAll(packet: Uint8Array, what: 'nothing' | 'what is wanted'): void {
    const readers = [...this.#clients];
    const wanted = new Set(what === 'nothing' ? [] : readers.flatMap(({ subscriptions }) => [...subscriptions.keys()]));
    this.#tell(packet, readers, (channel) => wanted.has(channel));
  }

  #tell(packet: Uint8Array, clients: readonly Subscriber[], isWanted: (channel: number) => boolean): void {
    for (const { channel, atMs, message } of this.#translation.messages(packet, isWanted)) {
      const json = new TextEncoder().encode(JSON.stringify(message));
      const timeNs = BigInt(Math.round(atMs * 1e3)) * 1000n;
      const { kinds } = this.#translation.channels[channel]!;
      for (const { outbox, subscriptions } of clients) {
        const id = subscriptions.get(channel);
        if (id === undefined) continue;
        // A scene replaces the previous one, as states do.
        const replaces = kinds.every((kind) => isState(kind) || kind === 'run') ? String(id) : undefined;
        outbox.offer(messageData(id, timeNs, json), replaces);
        this.#sent.charge(HEAD_BYTES + json.length);
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
      const { subscriptions } = client;
      for (const [channel, id] of subscriptions)
        if (Array.isArray(ids) && ids.includes(id)) subscriptions.delete(channel);
    } else warn(client, 'This endpoint only shows the robot: it accepts subscriptions, and nothing else.');
  }

  #subscribe(client: Client, asked: unknown): void {
    for (const each of Array.isArray(asked) ? asked : []) {
      if (!client.mayGoOn(SUBSCRIPTION_WEIGHT)) {
        this.#clients.delete(client);
        return;
      }
      const { id, channelId } = asObject(each) ?? {};
      const refusal = refusalOf(client, id, this.#translation.channels[Number(channelId)] && Number(channelId));
      if (refusal !== undefined) {
        warn(client, refusal);
        continue;
      }
      const channel = Number(channelId);
      client.subscriptions.set(channel, Number(id));
      const only = { outbox: client.outbox, subscriptions: new Map([[channel, Number(id)]]) };
      for (const kind of this.#translation.channels[channel]!.kinds) {
        for (const packet of this.#past.of(kind)) this.#tell(packet, [only], (wanted) => wanted === channel);
      }
    }
  }
}

/** Reason to refuse a subscription to `channel`, `undefined` if it does not exist; `undefined` if it is granted. */
function refusalOf({ subscriptions }: Client, id: unknown, channel: number | undefined): string | undefined {
  const isOne = Number.isInteger(id) && Number(id) >= 0 && Number(id) < 2 ** 32;
  if (!isOne || channel === undefined) return 'There is no such channel or number.';
  if (subscriptions.has(channel)) return 'A client has one subscription for each channel.';
  return [...subscriptions.values()].includes(id as number) ? 'This number is in use.' : undefined;
}

function advertised(channels: readonly Channel[]): string {
  const told = channels.map(({ topic, schemaName, schema }, id) => {
    return { id, topic, encoding: 'json', schemaName, schemaEncoding: 'jsonschema', schema: JSON.stringify(schema) };
  });
  return JSON.stringify({ op: 'advertise', channels: told });
}

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
  // A client that reads nothing is sent no warning.
  if (waitingBytes === 0) socket.send(JSON.stringify({ op: 'status', level: WARNING, message }));
}
