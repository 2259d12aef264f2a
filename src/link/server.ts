/**
 * The learner's end of the link: accepts robots, takes their transitions once and in order, acknowledges what the
 * learner has accepted, publishes weights. It never waits for a robot.
 */

import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Router, XPublisher } from 'zeromq';
import type { PolicyWeights } from '../model/index.ts';
import { WeightsPublisher } from './downlink.ts';
import {
  ACK_NOTHING_YET,
  ACK_REWIND,
  ackPayload,
  type Hello,
  jsonPayload,
  protocolRefusal,
  type Refusal,
  readBatch,
  readControl,
  readHello,
} from './messages.ts';
import { RECORD_VERSION } from './record.ts';
import {
  type OnTransition,
  quarantine,
  RobotPeer,
  refusalFor,
  type ServerCounters,
  type Watermark,
} from './robot-session.ts';
import { bindPair, HIGH_WATER_MARK, Outbox, receiveAll, SOCKET_OPTIONS } from './sockets.ts';
import { decodeFrame, encodeFrame, type Frame, type FrameFields, type LinkFault, robotIdHash } from './wire.ts';

/** Options of a learner's server. */
export interface LearnerServerOptions {
  /** `tcp://127.0.0.1:PORT`; port 0 takes a free one. Only loopback addresses are allowed. */
  readonly bind: string;
  /** Address on which weights are published; default the next port. */
  readonly weightsBind?: string;
  readonly runId: string;
  readonly schemaHash: string;
  /** Meaning of observations and actions, key by key: a robot that differs in any key is refused with that key. */
  readonly meaning?: Readonly<Record<string, unknown>>;
  readonly observationSize: number;
  readonly actionSize: number;
  /** Called once for each record, in journal order; on return or resolution it is acknowledged. The callee owns the transition. */
  readonly onTransition: OnTransition;
  readonly onControl?: (kind: string, body: Record<string, unknown>, robotId: string) => void;
  /** `watermarks()` of an earlier server, stored with the replay buffer. */
  readonly watermarks?: readonly Watermark[];
  /** Called with one sentence for every error that was handled. */
  readonly onFault?: (message: string) => void;
  /** Number of records that a robot may have in flight; default 2048. */
  readonly creditRecords?: number;
  /** Silence after which another robot may take over the id, ms; default 3000. */
  readonly liveMs?: number;
  /** Period of heartbeats and repetitions, ms; default 1000. */
  readonly heartbeatMs?: number;
}

/** Largest number of frames of one robot that wait for the learner's callback. */
const MAX_QUEUED_FRAMES = 512;

/** Starts a server. Rejects with `ReinError('link')` if the port is in use or the address may not be bound. */
export async function startLearnerServer(options: LearnerServerOptions): Promise<LearnerServer> {
  const router = new Router({
    ...SOCKET_OPTIONS,
    sendHighWaterMark: HIGH_WATER_MARK,
    receiveHighWaterMark: HIGH_WATER_MARK,
  });
  const publisher = new XPublisher({ ...SOCKET_OPTIONS, sendHighWaterMark: 8, verbosity: 'allSubs' });
  try {
    const addresses = await bindPair(router, publisher, options.bind, options.weightsBind);
    return new LearnerServer(options, router, publisher, addresses);
  } catch (error) {
    router.close();
    publisher.close();
    throw error;
  }
}

/** A running server. Created by `startLearnerServer`. */
export class LearnerServer {
  readonly address: string;
  readonly weightsAddress: string;
  readonly counters: ServerCounters = {
    received: 0,
    delivered: 0,
    repeated: 0,
    lost: 0,
    quarantined: {},
    flooded: 0,
    refused: {},
  };
  readonly #options: LearnerServerOptions;
  readonly #router: Router;
  readonly #publisherSocket: XPublisher;
  readonly #outbox: Outbox<[Buffer, Uint8Array]>;
  readonly #weights: WeightsPublisher;
  readonly #robots = new Map<string, RobotPeer>();
  readonly #byIdentity = new Map<string, RobotPeer>();
  readonly #known: Watermark[];
  /** Versions of other peers, each reported once: there are 255 at most. */
  readonly #reportedVersions = new Set<string>();
  readonly #instance = randomBytes(8).toString('hex');
  readonly #loops: Promise<void>[];
  readonly #timers: NodeJS.Timeout[];
  #isClosed = false;

  constructor(
    options: LearnerServerOptions,
    router: Router,
    publisher: XPublisher,
    addresses: { readonly address: string; readonly weightsAddress: string },
  ) {
    this.#options = options;
    this.address = addresses.address;
    this.weightsAddress = addresses.weightsAddress;
    this.#known = [...(options.watermarks ?? [])];
    this.#router = router;
    this.#publisherSocket = publisher;
    this.#outbox = new Outbox<[Buffer, Uint8Array]>(router, 4 * HIGH_WATER_MARK);
    this.#weights = new WeightsPublisher(publisher, (identity, frame) => this.#outbox.push([identity, frame]));
    this.#loops = [
      receiveAll(router, (parts) => this.#receive(parts)),
      receiveAll(publisher, ([message]) => {
        if (message?.[0] === 1) this.#weights.repeat(); // a new subscriber
      }),
    ];
    this.#timers = [
      setInterval(() => this.#beat(), options.heartbeatMs ?? 1000),
      setInterval(() => this.#weights.repeat(), 2 * (options.heartbeatMs ?? 1000)),
    ];
  }

  /** Sends weights to every subscriber. Throws `RangeError` if the version does not increase or the bundle is over 16 MiB. */
  publish(bundle: PolicyWeights): void {
    this.#weights.publish(bundle);
  }

  /** Sends a small message reliably and in order to one robot, or to all connected ones. */
  sendControl(kind: string, body: object, robotId?: string): void {
    for (const robot of this.#robots.values()) {
      if (robotId !== undefined && robot.robotId !== robotId) continue;
      if (robot.identity === undefined) continue;
      const first = robot.control.next;
      robot.control.push(kind, body);
      this.#sendWaitingControl(robot, first);
    }
  }

  /** Ids of the robots with recent messages. */
  robots(): string[] {
    return [...this.#robots.values()].filter((robot) => this.#isLive(robot)).map((robot) => robot.robotId);
  }

  /** Ids of all robots that have joined since the server was started. */
  joined(): string[] {
    return [...this.#robots.keys()];
  }

  /** Accepted part of every journal: to be stored together with the transitions, and passed to the next server. */
  watermarks(): Watermark[] {
    const current = [...this.#robots.values()].flatMap((robot) => robot.intake.watermark() ?? []);
    const isCurrent = (known: Watermark) =>
      [...this.#robots.values()].some(({ intake }) => isSameJournal(known, intake) && intake.newest !== null);
    return [...this.#known.filter((known) => !isCurrent(known)), ...current];
  }

  /** Stops listening. Records in flight stay with their robots. Never rejects. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.race([Promise.all([...this.#robots.values()].map((robot) => robot.settled())), delay(200)]);
    await Promise.race([this.#outbox.idle(), delay(200)]);
    this.#router.close();
    this.#publisherSocket.close();
    await Promise.all(this.#loops);
  }

  #receive([identity, bytes]: Buffer[]): void {
    if (identity === undefined || bytes === undefined || this.#isClosed) return;
    const frame = decodeFrame(bytes);
    if (!frame.ok) this.#unreadable(identity, frame.error);
    else if (frame.value.kind === 'hello') this.#welcome(identity, frame.value);
    else if (frame.value.kind === 'query') this.#introduce(identity);
    else if (frame.value.kind === 'weightsRequest') this.#weights.request(identity, frame.value.sequence);
    else this.#receiveInSession(identity, frame.value);
  }

  /** A peer of another version cannot read the answer, but its header tells it this version. */
  #unreadable(identity: Buffer, problem: LinkFault): void {
    quarantine(this.counters, problem);
    // An accepted peer has this version: a different one is damage.
    if (problem.reason !== 'bad-version' || this.#byIdentity.has(identity.toString('hex'))) return;
    this.#refuse(identity, protocolRefusal(problem));
    if (this.#reportedVersions.has(problem.message)) return;
    this.#reportedVersions.add(problem.message);
    this.#options.onFault?.(`a robot is refused: ${problem.message}`);
  }

  #receiveInSession(identity: Buffer, frame: Frame): void {
    const robot = this.#byIdentity.get(identity.toString('hex'));
    if (robot === undefined) {
      this.#refuse(identity, { code: 'no-session', message: 'send a hello first', remedy: '' });
      return;
    }
    robot.heardMs = performance.now();
    this.#receiveFrom(robot, frame);
  }

  #receiveFrom(robot: RobotPeer, frame: Frame): void {
    if (frame.robotHash !== robotIdHash(robot.robotId)) {
      quarantine(this.counters, { reason: 'wrong-robot', message: 'the frame is from another robot' });
    } else if (frame.kind === 'transitions' || frame.kind === 'control') {
      if (robot.queued >= MAX_QUEUED_FRAMES) this.counters.flooded++;
      else
        robot.enqueue(() =>
          frame.kind === 'control' ? this.#takeControl(robot, frame) : this.#takeBatch(robot, frame),
        );
    } else if (frame.kind === 'heartbeat') {
      robot.intake.reportLost(frame.sequence);
      this.#acknowledge(robot, 0);
    } else if (frame.kind === 'controlAck') {
      robot.control.acknowledged(frame.sequence);
    } else if (frame.kind === 'bye') {
      this.#disconnect(robot);
    }
  }

  /** Answers a robot's query for the run. */
  #introduce(identity: Buffer): void {
    const { runId, schemaHash, meaning } = this.#options;
    const known = { runId, weightsVersion: this.#weights.newest };
    const payload = jsonPayload(meaning === undefined ? known : { ...known, meaning });
    this.#outbox.push([identity, encodeFrame({ kind: 'about', schemaHash }, payload)]);
  }

  #welcome(identity: Buffer, frame: Frame): void {
    const hello = readHello(frame.payload);
    if (!hello.ok) {
      quarantine(this.counters, hello.error);
      return;
    }
    const robot = this.#robots.get(hello.value.robotId);
    const isBusy = robot !== undefined && this.#isLive(robot) && !robot.mayBeReplacedBy(hello.value);
    const refusal = refusalFor(hello.value, frame.schemaHash, this.#options, isBusy ? robot : undefined);
    if (refusal !== undefined) {
      this.#refuse(identity, refusal);
      return;
    }
    const peer = this.#admit(identity, hello.value, robot);
    peer.enqueue(async () => this.#acknowledgeHello(peer));
  }

  #admit(identity: Buffer, hello: Hello, before: RobotPeer | undefined): RobotPeer {
    if (before !== undefined) this.#disconnect(before);
    const isSame = before !== undefined && isSameJournal(before.intake, hello);
    if (before !== undefined && !isSame) {
      const done = before.intake.watermark();
      if (done !== undefined) this.#known.push(done);
    }
    const watermark = this.#known.findLast((known) => isSameJournal(known, hello));
    const peer = isSame
      ? before
      : new RobotPeer(hello, watermark, this.#options, this.counters, this.#options.onTransition);
    peer.connect(identity, hello);
    this.#robots.set(hello.robotId, peer);
    this.#byIdentity.set(identity.toString('hex'), peer);
    return peer;
  }

  #acknowledgeHello(peer: RobotPeer): void {
    const payload = jsonPayload({
      watermark: peer.intake.newest,
      delivered: peer.intake.delivered,
      creditRecords: this.#options.creditRecords ?? 2048,
      recordVersion: RECORD_VERSION,
      instance: this.#instance,
    });
    this.#send(peer, { kind: 'helloAck' }, payload);
    this.#sendWaitingControl(peer);
  }

  async #takeBatch(robot: RobotPeer, frame: Frame): Promise<void> {
    if (this.#isClosed) return;
    if (frame.schemaHash !== this.#options.schemaHash) {
      quarantine(this.counters, { reason: 'wrong-schema', message: 'the frame has another schema' });
      return;
    }
    const batch = readBatch(frame, this.#options);
    if (!batch.ok) {
      quarantine(this.counters, batch.error);
      return;
    }
    let isComplete = false;
    try {
      isComplete = await robot.intake.take(batch.value);
    } catch (error) {
      this.#options.onFault?.(`a transition of ${robot.robotId} was not accepted and will come again: ${error}`);
    }
    this.#acknowledge(robot, isComplete ? 0 : ACK_REWIND);
  }

  /** Sends the accepted part of the robot's journal, in answer to a batch or a heartbeat. */
  #acknowledge(robot: RobotPeer, rewind: number): void {
    const { newest, delivered } = robot.intake;
    const flags = rewind | (newest === null ? ACK_NOTHING_YET : 0);
    this.#send(
      robot,
      { kind: 'ack', flags, epoch: newest?.epoch ?? 0, sequence: newest?.seq ?? 0 },
      ackPayload(delivered),
    );
  }

  async #takeControl(robot: RobotPeer, frame: Frame): Promise<void> {
    if (this.#isClosed) return;
    const message = readControl(frame.payload);
    if (!message.ok) {
      quarantine(this.counters, message.error);
      return;
    }
    const { kind, body, base } = message.value;
    if (robot.control.accept(frame.sequence, base)) {
      try {
        this.#options.onControl?.(kind, body, robot.robotId);
      } catch (error) {
        this.#options.onFault?.(`the message "${kind}" of ${robot.robotId} could not be handled: ${error}`);
      }
    }
    this.#send(robot, { kind: 'controlAck', sequence: robot.control.expected });
  }

  #sendWaitingControl(robot: RobotPeer, from = 0): void {
    for (const { number, payload } of robot.control.outgoing(from)) {
      this.#send(robot, { kind: 'control', sequence: number }, payload);
    }
  }

  #refuse(identity: Buffer, refusal: Refusal): void {
    if (refusal.code !== 'no-session') {
      this.counters.refused[refusal.code] = (this.counters.refused[refusal.code] ?? 0) + 1;
    }
    this.#outbox.push([identity, encodeFrame({ kind: 'refuse' }, jsonPayload(refusal))]);
  }

  #send(robot: RobotPeer, fields: FrameFields, payload?: Uint8Array): void {
    if (robot.identity === undefined) return;
    const frame = encodeFrame(
      { ...fields, robotHash: robotIdHash(robot.robotId), monotonicNs: process.hrtime.bigint() },
      payload,
    );
    this.#outbox.push([robot.identity, frame]);
  }

  #disconnect(robot: RobotPeer): void {
    if (robot.identity !== undefined) this.#byIdentity.delete(robot.identity.toString('hex'));
    robot.identity = undefined;
  }

  #isLive(robot: RobotPeer): boolean {
    return robot.identity !== undefined && performance.now() - robot.heardMs < (this.#options.liveMs ?? 3000);
  }

  #beat(): void {
    for (const robot of this.#robots.values()) {
      this.#send(robot, { kind: 'heartbeat', sequence: this.#weights.newest });
      this.#sendWaitingControl(robot);
    }
  }
}

function isSameJournal(
  a: { readonly robotId: string; readonly journalId: string },
  b: { readonly robotId: string; readonly journalId: string },
): boolean {
  return a.robotId === b.robotId && a.journalId === b.journalId;
}
