/** The learner's picture of one connected robot, and the reasons to refuse one. */

import { ControlChannel } from './control-channel.ts';
import { type Hello, type Refusal, versionRefusal } from './messages.ts';
import { RECORD_VERSION, type RecordSizes } from './record.ts';
import { JournalIntake, type OnTransition, type ServerCounters, type Watermark } from './robot-session.ts';

/** A robot of one journal; survives reconnections. */
export class RobotPeer {
  readonly robotId: string;
  readonly intake: JournalIntake;
  readonly control: ControlChannel = new ControlChannel();
  /** ZeroMQ's name of the connection; undefined while there is none. */
  identity: Buffer | undefined;
  heardMs = 0;
  /** Frames waiting for the learner's callback. */
  queued = 0;
  #hello: Hello;
  #queue: Promise<void> = Promise.resolve();

  constructor(
    hello: Hello,
    watermark: Watermark | undefined,
    sizes: RecordSizes,
    counters: ServerCounters,
    onTransition: OnTransition,
  ) {
    this.robotId = hello.robotId;
    this.#hello = hello;
    this.intake = new JournalIntake({ ...hello, watermark }, sizes, counters, onTransition);
  }

  /** Takes over a connection. A new process gets no messages that were meant for the one before. */
  connect(identity: Buffer, hello: Hello): void {
    if (hello.instance !== this.#hello.instance) this.control.discard();
    this.control.meetPeer(hello.instance);
    this.identity = identity;
    this.heardMs = performance.now();
    this.#hello = hello;
  }

  /** True for the same process, and for a later start on the same journal: its lock proves that this one is gone. */
  mayBeReplacedBy(hello: Hello): boolean {
    const isLater = hello.journalId === this.#hello.journalId && hello.epoch > this.#hello.epoch;
    return hello.instance === this.#hello.instance || isLater;
  }

  get process(): string {
    return `process ${this.#hello.pid} on ${this.#hello.host}`;
  }

  /** Runs `work` after everything enqueued before. `work` must not reject. */
  enqueue(work: () => void | Promise<void>): void {
    this.queued++;
    this.#queue = this.#queue.then(work).finally(() => {
      this.queued--;
    });
  }

  settled(): Promise<void> {
    return this.#queue;
  }
}

/** Why `hello` is not welcome, or undefined. `live` is the robot that holds its id. */
export function refusalFor(
  hello: Hello,
  schemaHash: string,
  own: RecordSizes & {
    readonly runId: string;
    readonly schemaHash: string;
    readonly meaning?: Readonly<Record<string, unknown>>;
  },
  live: RobotPeer | undefined,
): Refusal | undefined {
  if (hello.recordVersion !== RECORD_VERSION) return versionRefusal(hello.recordVersion, RECORD_VERSION);
  if (hello.runId !== own.runId) {
    const sentence = `the learner is for run ${own.runId}, the robot ${hello.robotId} is in run ${hello.runId}`;
    return { code: 'wrong-run', sentence, remedy: 'give both the same run directory or run id' };
  }
  const isSameShape = hello.observationSize === own.observationSize && hello.actionSize === own.actionSize;
  if (schemaHash !== own.schemaHash || !isSameShape) {
    const sentence = `the learner was started for schema ${own.schemaHash}, the robot ${hello.robotId} has ${schemaHash}`;
    return { code: 'wrong-schema', sentence, remedy: 'give both the same robot and task configuration' };
  }
  const differing = own.meaning === undefined ? undefined : firstDifference(hello.meaning ?? {}, own.meaning);
  if (differing !== undefined) {
    const [key, theirs, ours] = differing;
    const sentence = `${key} is ${theirs} at the robot ${hello.robotId} and ${ours} at the learner`;
    return { code: 'wrong-schema', sentence, remedy: 'give both the same robot and task configuration' };
  }
  if (live !== undefined) {
    const sentence = `a robot with the id ${hello.robotId} is already connected (${live.process})`;
    return { code: 'robot-busy', sentence, remedy: 'stop it, or give this robot another id' };
  }
  return undefined;
}

/** The first key whose values differ, and both of them as text. */
export function firstDifference(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
): readonly [string, string, string] | undefined {
  for (const key of new Set([...Object.keys(b), ...Object.keys(a)])) {
    const [left, right] = [JSON.stringify(a[key]) ?? 'absent', JSON.stringify(b[key]) ?? 'absent'];
    if (left !== right) return [key, left, right];
  }
  return undefined;
}
