/** The link to a guard whose tick runs in a thread of this process. */
import { closeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { driverKind, rosOptions } from '../drivers/index.ts';
import { ReinError, unpackError } from '../model/index.ts';
import type { ActionCommand, GuardAnswer, GuardRequest } from '../rows/index.ts';
import { WORKING_STATES } from './authority.ts';
import { driverTitle, type GuardConfig } from './guard-config.ts';
import type { PulsePipes } from './guardian/guard-pulse.ts';
import { commandNumbers, frameNumbers, packCommand } from './link/frames.ts';
import type { Asker, LinkShape, NoticeListener, ServedLink } from './link/link.ts';
import { RemoteEnd } from './link/remote.ts';
import { RosHalf } from './ros/ros-half.ts';
import type { LatenessSummary } from './scheduler.ts';
import { SerialPorts } from './serial-ports.ts';
import { createSharedRingMemory, SharedRingReader, SharedRingWriter } from './shared-ring.ts';
import {
  CONTROL,
  type FromWorker,
  type ReadyMessage,
  STOP,
  type ToWorker,
  type WorkerStart,
} from './worker-messages.ts';

/** Frames by which the main thread may lag before it loses some: more than half a second at 100 Hz. */
const FRAME_SLOTS = 64;
const COMMAND_SLOTS = 8;
/** Poll interval for new frames, ms: the node sees a tick at most this much later. */
const POLL_MS = 2;
/** Lock-step ticks requested at once: all of their frames fit into the ring. */
const TICKS_AT_ONCE = FRAME_SLOTS / 2;
const ENDED =
  'Check what the driver does while it loads and opens: it ends its thread, or awaits a promise that never settles.';

/**
 * Starts a tick's thread. Resolves when its driver is open and it ticks; rejects with the driver's `ReinError`. `onOpening` is
 * called just before the driver is loaded and opened.
 */
export async function startWorkerGuard(config: GuardConfig, onOpening?: () => void): Promise<WorkerGuardLink> {
  const link = new WorkerGuardLink(config, {
    joints: config.model.joints.length,
    signals: config.driver.options.signalNames?.length ?? 0,
    actions: config.action.dimensions.length,
    controlHz: config.model.controlHz,
    timing: config.timing ?? 'real-time',
  });
  try {
    await link.begin(onOpening);
    return link;
  } catch (error) {
    await link.close();
    throw error;
  }
}

/** Created by `startWorkerGuard`. */
export class WorkerGuardLink extends RemoteEnd implements ServedLink {
  /** First message of the thread. */
  ready!: ReadyMessage;
  readonly #driver: string;
  readonly #worker: Worker;
  readonly #frames: SharedRingReader;
  readonly #frameRow: Float64Array;
  readonly #commands: SharedRingWriter;
  readonly #control: Int32Array;
  readonly #exited: Promise<void>;
  readonly #ros: RosHalf | undefined;
  readonly #serial: SerialPorts | undefined;
  #lateness: LatenessSummary | undefined;
  #polling: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;
  /** In lock-step: settles when the ticks requested last have run. */
  #advanced: Promise<void> = Promise.resolve();

  constructor(config: GuardConfig, shape: LinkShape) {
    super(shape);
    this.#driver = driverTitle(config);
    this.#ros = createRosHalf(
      config,
      (notice) => {
        this.notify(notice);
        // The tick reports faults that stop the robot, together with what the ROS processes have found.
        this.#post({ said: notice });
      },
      () => void this.#stopUnguarded(),
    );
    this.#serial = driverKind(config.driver.name).needs === 'serial' ? new SerialPorts() : undefined;
    const serial = this.#serial?.memory;
    const start: WorkerStart = {
      config,
      shape,
      frames: createSharedRingMemory(frameNumbers(shape), FRAME_SLOTS),
      commands: createSharedRingMemory(commandNumbers(shape), COMMAND_SLOTS),
      control: new SharedArrayBuffer(4 * CONTROL.words),
      ros: this.#ros?.memory,
      serial,
    };
    this.#frames = new SharedRingReader(start.frames);
    this.#frameRow = new Float64Array(start.frames.rowNumbers);
    this.#commands = new SharedRingWriter(start.commands);
    this.#control = new Int32Array(start.control);
    this.#worker = new Worker(new URL('./guard-worker.js', import.meta.url), {
      workerData: start,
      transferList: serial === undefined ? [] : [serial.port],
    });
    this.#exited = new Promise((resolve) => this.#worker.once('exit', () => resolve()));
  }

  /** ROS processes of this guard; `undefined` for other robots. */
  get rosPids(): RosHalf['pids'] | undefined {
    return this.#ros?.pids;
  }

  /** True if a guardian watches the bus now. */
  get isWatched(): boolean {
    return Atomics.load(this.#control, CONTROL.watched) === 1;
  }

  /** Passes the guardian's pipes to the tick. Closes them when the tick's thread has ended, for whatever reason. Call once. */
  watchBy({ pulseFd, answersFd }: PulsePipes): void {
    void this.#exited.then(() => {
      closeSync(pulseFd);
      closeSync(answersFd);
    });
    Atomics.store(this.#control, CONTROL.answersFd, answersFd);
    Atomics.store(this.#control, CONTROL.pulseFd, pulseFd);
  }

  /** Lateness statistics of the ticks; available once the link is closed. */
  get lateness(): LatenessSummary | undefined {
    return this.#lateness;
  }

  send(command: ActionCommand): void {
    if (this.lostReason !== undefined) return;
    packCommand(this.#commands.rows, this.#commands.offset(), command);
    this.#commands.publish();
  }

  sendRow(row: Float64Array): void {
    if (this.lostReason !== undefined) return;
    this.#commands.rows.set(row, this.#commands.offset());
    this.#commands.publish();
  }

  async request(request: GuardRequest, by: Asker = 'person'): Promise<GuardAnswer> {
    const answer = await this.ask((id) => this.#post({ id, request, by }));
    if (request.kind === 'acknowledge' && answer.ok) this.forgetNews();
    return answer;
  }

  #post(message: ToWorker): void {
    this.#worker.postMessage(message);
    Atomics.add(this.#control, CONTROL.requests, 1);
    this.#wake();
  }

  async advance(ticks: number): Promise<void> {
    if (this.shape.timing === 'real-time') return this.wait(ticks);
    this.#advanced = this.#advanced.then(() => this.#askFor(ticks));
    return this.#advanced;
  }

  async #askFor(ticks: number): Promise<void> {
    for (let left = ticks; left > 0; left -= TICKS_AT_ONCE) {
      const next = Math.min(left, TICKS_AT_ONCE);
      const passed = this.wait(next);
      Atomics.add(this.#control, CONTROL.ticks, next);
      this.#wake();
      await passed;
    }
  }

  /** Wakes the thread in lock-step, where it waits for requests; in real time it does not wait. */
  #wake(): void {
    if (this.shape.timing === 'lock-step') Atomics.notify(this.#control, CONTROL.ticks);
  }

  /** Brakes the robot, waits until it stands, closes the driver and ends the thread. */
  async close(): Promise<void> {
    this.lose('the link was closed');
    Atomics.compareExchange(this.#control, CONTROL.stop, STOP.no, STOP.braked);
    await this.#exited;
    // Braking and standing are logged, although no requests are accepted any more.
    this.#forwardFrames();
    this.#closing ??= Promise.all([this.#ros?.close(), this.#serial?.close()]).then(() => undefined);
    await this.#closing;
  }

  /** Stops waiting for the robot to stand: closes the driver after the running tick. */
  hurry(): void {
    Atomics.store(this.#control, CONTROL.stop, STOP.now);
  }

  /** Resolves when the thread ticks. Rejects with its failure. Call once. */
  begin(onOpening?: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#worker.on('message', (message: FromWorker) => {
        if (message.kind === 'opening') onOpening?.();
        else if (message.kind === 'ticked') this.#forwardFrames();
        else if (message.kind === 'ready') {
          this.ready = message;
          this.#polling = setInterval(() => this.#forwardFrames(), POLL_MS);
          resolve();
        } else if (message.kind === 'notice') {
          this.notify(message.notice);
        } else if (message.kind === 'answer') {
          // Frames before the answer may be unread; a later wait has to start after them.
          this.#forwardFrames();
          this.takeAnswer(message.id, message.answer);
        } else if (message.kind === 'ended') {
          this.#lateness = message.lateness;
        } else {
          reject(unpackError(message.error));
          this.lose(message.error.message);
        }
      });
      const fail = (reason: string): void => {
        // Has no effect once the thread ticks.
        reject(
          new ReinError('driver', `The guard's thread ended while it opened ${this.#driver}: ${reason}.`, {
            remedy: ENDED,
          }),
        );
        this.lose(reason);
      };
      this.#worker.once('error', (error) => fail(error.message));
      this.#worker.once('exit', () => fail("the tick's thread ended"));
    });
  }

  /** Brakes and holds a robot that has lost its independent stop; one without torque refuses, which needs no report. */
  async #stopUnguarded(): Promise<void> {
    if (this.lostReason !== undefined || !WORKING_STATES.includes(this.latest.state)) return;
    const answer = await this.request({ kind: 'stop' }).catch(() => undefined);
    if (answer?.ok !== true) return;
    this.notify({
      row: 25,
      level: 'error',
      message: 'The ROS stopper has been gone for a second: the robot brakes and holds.',
      remedy: 'It is started again. When it is back, acknowledge.',
    });
  }

  #forwardFrames(): void {
    while (this.#frames.takeNext(this.#frameRow)) this.takeFrame(this.#frameRow);
  }

  protected override lose(reason: string): void {
    clearInterval(this.#polling);
    super.lose(reason);
  }
}

function createRosHalf(
  { model, driver }: GuardConfig,
  onNotice: NoticeListener,
  onUnguarded: () => void,
): RosHalf | undefined {
  if (driverKind(driver.name).needs !== 'ros') return undefined;
  if (driver.processes === undefined)
    throw new ReinError('config', 'A robot behind ROS 2 needs the ROS bridge and the ROS stopper.');
  const options = rosOptions.parse(driver.options);
  return new RosHalf({ model, options, ...driver.processes, onNotice, onUnguarded });
}
