/**
 * The main thread's part of a guard behind ROS: two processes, the bridge and the ROS stopper, which can only stop. Neither shares
 * memory with the tick: measurements come through a pipe, are validated, and are copied into the tick's ring.
 */
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ROS_CONDITION,
  ROS_FOLDER_PREFIX,
  ROS_MESSAGE,
  type RosDriverOptions,
  type RosProcessConfig,
  STATE,
  stateNumbers,
} from '../../drivers/index.ts';
import { parseObject, type RobotModel } from '../../model/index.ts';
import type { GuardNotice } from '../../rows/index.ts';
import { makePipes } from '../guardian/guardian.ts';
import { parseNotice, readNumbers } from '../link/messages.ts';
import { createSharedRingMemory, SharedRingWriter } from '../shared-ring.ts';
import { ROS_WORDS, type RosMemory, TEXT_BYTES, writeText } from './ros-memory.ts';
import { RosProcess } from './ros-process.ts';

const STATE_SLOTS = 8;
/** Longest time for which the robot may move without the ROS stopper. */
const UNGUARDED_MS = 1000;
/** Name of the condition while the ROS stopper is away. */
const STOPPER = 'stopper';

export interface RosHalfOptions {
  readonly model: RobotModel;
  readonly options: RosDriverOptions;
  /** Compiled modules: of the bridge, and of the ROS stopper. */
  readonly bridgeModule: string;
  readonly stopperModule: string;
  readonly rosArguments: readonly string[];
  readonly onNotice: (notice: GuardNotice) => void;
  /** Called a second after the ROS stopper died, and every second until it is back. */
  readonly onUnguarded: () => void;
}

export class RosHalf {
  readonly memory: RosMemory;
  readonly #folder: string;
  readonly #words: Int32Array;
  readonly #states: SharedRingWriter;
  readonly #row: Float64Array;
  readonly #bridge: RosProcess;
  readonly #stopper: RosProcess;
  readonly #onNotice: (notice: GuardNotice) => void;
  readonly #onUnguarded: () => void;
  #unguarded: NodeJS.Timeout | undefined;
  #hasBeenReady = false;
  #hasStopperDied = false;

  /** Starts both processes. Throws `ReinError` if the pipes cannot be created. */
  constructor({ model, options, bridgeModule, stopperModule, rosArguments, onNotice, onUnguarded }: RosHalfOptions) {
    this.#folder = mkdtempSync(join(tmpdir(), ROS_FOLDER_PREFIX));
    const bridgeInbox = join(this.#folder, 'commands');
    const stopperInbox = join(this.#folder, 'pulse');
    this.memory = {
      state: createSharedRingMemory(stateNumbers(options), STATE_SLOTS),
      words: new SharedArrayBuffer(4 * ROS_WORDS.words),
      text: new SharedArrayBuffer(TEXT_BYTES),
      commandFd: openPipe(bridgeInbox),
      pulseFd: openPipe(stopperInbox),
    };
    this.#words = new Int32Array(this.memory.words);
    this.#words[ROS_WORDS.generation] = -1;
    this.#states = new SharedRingWriter(this.memory.state);
    this.#row = new Float64Array(this.memory.state.rowNumbers);
    this.#onNotice = onNotice;
    this.#onUnguarded = onUnguarded;
    const configOf = (name: string, inbox: string): string => {
      const path = join(this.#folder, `${name}.json`);
      const config: RosProcessConfig = { model, options, rosArguments, inbox };
      writeFileSync(path, JSON.stringify(config));
      return path;
    };
    this.#stopper = new RosProcess(stopperModule, [configOf('stopper', stopperInbox)], {
      onMessage: (_generation, kind, payload) => this.#receiveFromStopper(kind, payload),
      onDeath: (_generation, how) => this.#stopperDied(how),
    });
    this.#bridge = new RosProcess(bridgeModule, [configOf('bridge', bridgeInbox)], {
      onMessage: (generation, kind, payload) => this.#receive(generation, kind, payload),
      onDeath: (_generation, how) => this.#bridgeDied(how),
    });
  }

  get pids(): { readonly bridge: number | undefined; readonly stopper: number | undefined } {
    return { bridge: this.#bridge.pid, stopper: this.#stopper.pid };
  }

  /** Ends both processes and removes the pipes. Only after the tick's thread, which writes into them, has ended. */
  async close(): Promise<void> {
    Atomics.store(this.#words, ROS_WORDS.generation, -1);
    Atomics.store(this.#words, ROS_WORDS.stopper, 0);
    clearInterval(this.#unguarded);
    await Promise.all([this.#bridge.end(), this.#stopper.end()]);
    closeSync(this.memory.commandFd);
    closeSync(this.memory.pulseFd);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #receive(generation: number, kind: number, payload: Uint8Array): void {
    if (kind === ROS_MESSAGE.state) this.#receiveState(generation, payload);
    else if (kind === ROS_MESSAGE.ready) {
      this.#bridge.succeeded();
      Atomics.store(this.#words, ROS_WORDS.generation, generation);
      if (this.#hasBeenReady)
        this.#onNotice({
          row: 25,
          level: 'info',
          condition: ROS_CONDITION.bridge,
          isOver: true,
          message: 'The ROS bridge is back, in standby.',
          remedy: 'Acknowledge, then enable.',
        });
      this.#hasBeenReady = true;
    } else if (kind === ROS_MESSAGE.answer) this.#receiveAnswer(payload);
    else this.#receiveWords(kind, payload);
  }

  #receiveFromStopper(kind: number, payload: Uint8Array): void {
    if (kind === ROS_MESSAGE.ready) {
      this.#stopper.succeeded();
      clearInterval(this.#unguarded);
      this.#unguarded = undefined;
      Atomics.store(this.#words, ROS_WORDS.stopper, 1);
      if (this.#hasStopperDied) {
        const message = 'The ROS stopper is back.';
        this.#onNotice({ row: 25, level: 'info', message, remedy: '', condition: STOPPER, isOver: true });
      }
      this.#hasStopperDied = false;
    } else if (kind === ROS_MESSAGE.acted) Atomics.add(this.#words, ROS_WORDS.stopsPast, 1);
    else this.#receiveWords(kind, payload);
  }

  #receiveState(generation: number, payload: Uint8Array): void {
    if (!readNumbers(this.#row, payload) || this.#row[STATE.generation] !== generation) return;
    this.#states.rows.set(this.#row, this.#states.offset());
    this.#states.publish();
  }

  #receiveAnswer(payload: Uint8Array): void {
    const { id, ok, reason } = parseObject(payload) ?? {};
    if (!Number.isSafeInteger(id)) return;
    if (ok !== true) writeText(this.memory, typeof reason === 'string' ? reason : 'refused without a reason');
    Atomics.store(this.#words, ROS_WORDS.answerOk, ok === true ? 1 : 0);
    Atomics.store(this.#words, ROS_WORDS.answered, id as number);
    // Only the tick's thread waits here, and only while nothing moves.
    Atomics.notify(this.#words, ROS_WORDS.answered);
  }

  #receiveWords(kind: number, payload: Uint8Array): void {
    const notice = parseNotice(payload);
    if (notice === undefined) return;
    if (kind === ROS_MESSAGE.notice) this.#onNotice(notice);
    else if (kind === ROS_MESSAGE.failed) {
      if (this.#hasBeenReady) this.#onNotice(notice);
      else this.#fail(notice.message, notice.remedy);
    }
  }

  #bridgeDied(how: string): void {
    Atomics.store(this.#words, ROS_WORDS.generation, -1);
    // The tick detects it as well, up to a period later.
    this.#stopper.nudge();
    if (!this.#hasBeenReady) this.#fail(`The ROS bridge ended at once (${how}).`, 'Run `npm run ros:doctor`.');
    this.#onNotice({
      row: 25,
      level: 'error',
      condition: ROS_CONDITION.bridge,
      message: `The ROS bridge died (${how}); the robot is stopped.`,
      remedy: 'It is started again. Acknowledge, then enable.',
    });
  }

  #stopperDied(how: string): void {
    Atomics.store(this.#words, ROS_WORDS.stopper, 0);
    // Since its first death: a process that dies again at each start counts as away throughout.
    this.#unguarded ??= setInterval(this.#onUnguarded, UNGUARDED_MS);
    if (!this.#hasBeenReady) this.#fail(`The ROS stopper ended at once (${how}).`, 'Run `npm run ros:doctor`.');
    this.#hasStopperDied = true;
    this.#onNotice({
      row: 25,
      level: 'warn',
      condition: STOPPER,
      message: `The ROS stopper died (${how}).`,
      remedy: 'It is started again; the robot cannot be enabled before.',
    });
  }

  /** The first reason is kept: later ones are its consequences. */
  #fail(message: string, remedy: string): void {
    if (Atomics.load(this.#words, ROS_WORDS.failed) === 1) return;
    writeText(this.memory, `${message}\n${remedy}`);
    Atomics.store(this.#words, ROS_WORDS.failed, 1);
  }
}

/** Opens a named pipe of this user for both directions, non-blocking: it never reaches its end and never blocks. */
function openPipe(path: string): number {
  makePipes('The guard', path);
  return openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
}
