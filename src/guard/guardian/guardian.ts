/** The guardian, seen from its supervisor: started, restarted when it dies, and its reports. */
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { howEnded } from '../../host/index.ts';
import { messageOf, ReinError } from '../../model/index.ts';
import { Restarts } from '../restarts.ts';
import type { BusMessage, FromGuardian, GuardianConfig, GuardianMessage, StopCause } from './protocol.ts';
import { type RelayState, relayOf } from './relay.ts';
import { joinFrames, openBus, writeStopFrames } from './stop-bus.ts';

/** Wait before the first restart, ms. */
const FIRST_WAIT_MS = 50;
/** Time after the guard's end within which its guardian must have reported a stop or ended, ms; otherwise it did not see the end. */
const END_MS = 1000;
/** Its heap holds a byte, and V8's work runs on its main thread: see `GUARD_NODE_FLAGS`. */
const NODE_FLAGS: readonly string[] = ['--single-threaded', '--max-old-space-size=32'];

export type GuardianEvent =
  | { readonly kind: 'started'; readonly pid: number }
  /** The relay of the actuators' power did not switch as commanded. */
  | { readonly kind: 'relayFailed'; readonly wanted: RelayState }
  /** The guardian died while the guard lives; it is restarted. */
  | { readonly kind: 'ended'; readonly how: string }
  /** `by`: the guardian; or the supervisor itself, if there was no guardian. */
  | {
      readonly kind: 'stopped';
      readonly by: 'guardian' | 'supervisor';
      readonly cause: StopCause;
      readonly repeats: number;
      readonly tookMs: number;
    };

export interface GuardianOptions {
  readonly onEvent: (event: GuardianEvent) => void;
  /** Called when the first guardian has the bus open, with the guard's pipes. */
  readonly onReady: (message: GuardianMessage) => void;
  /** File descriptor of this process for the guardian's standard error. Default: this process's own. */
  readonly errorsTo?: number | undefined;
}

const busMessage = z.strictObject({
  kind: z.literal('bus'),
  bus: z.strictObject({
    path: z.string().min(1),
    stopFrames: z.array(z.string().regex(/^(?:[0-9a-f]{2})+$/)).min(1),
  }),
  relay: z
    .strictObject({
      kind: z.enum(['file', 'serial']),
      path: z.string().min(1),
      closed: z.string().min(1),
      open: z.string().min(1),
    })
    .optional(),
  watch: z.strictObject({
    silenceMs: z.number().positive(),
    missedMs: z.number().positive(),
    tickThread: z.string().optional(),
    realTimePriority: z.enum(['try', 'no']),
  }),
});

/** Validates a guard's bus report; `undefined` if `value` is none. Never throws. */
export function readBusMessage(value: unknown): BusMessage | undefined {
  return busMessage.safeParse(value).data;
}

export class Guardian {
  readonly #options: GuardianOptions;
  readonly #folder: string;
  readonly #config: Omit<GuardianConfig, 'isSuccessor'>;
  #child: ChildProcess | undefined;
  /** Resolves when the newest process has ended and its messages are read. */
  #left: Promise<unknown> = Promise.resolve();
  readonly #restarts: Restarts = new Restarts(FIRST_WAIT_MS, () => this.#start());
  #hasBeenReady = false;
  /** The newest process has the bus and the guard's pipe open. */
  #isReady = false;
  #hasStopped = false;
  #ending: Promise<void> | undefined;

  /** Starts the guardian. Throws `ReinError` if the pipes cannot be created, leaving nothing behind. */
  constructor({ bus, relay, watch }: BusMessage, options: GuardianOptions) {
    this.#options = options;
    this.#folder = makeFolder();
    const pulse = join(this.#folder, 'pulse');
    const answers = join(this.#folder, 'answers');
    try {
      makePipes('The supervisor', pulse, answers);
    } catch (error) {
      rmSync(this.#folder, { recursive: true, force: true });
      throw error;
    }
    this.#config = { bus, relay, pulse, answers, watch };
    this.#start();
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /**
   * Called when the guard has ended. `isOrderly`: on request. Idempotent; waits until the guardian is done; if no guardian could
   * have seen the end, the bus is stopped here at once.
   */
  end(isOrderly: boolean): Promise<void> {
    this.#ending ??= this.#end(isOrderly);
    return this.#ending;
  }

  async #end(isOrderly: boolean): Promise<void> {
    this.#restarts.end();
    // A guardian that has not opened the guard's pipe yet cannot see its end.
    if (!isOrderly && !this.#isReady) this.#stopBus();
    // Its actions are known once it has ended and its messages have been read.
    await this.#ended();
    if (!isOrderly && !this.#hasStopped) this.#stopBus();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #start(): void {
    const config: GuardianConfig = { ...this.#config, isSuccessor: this.#hasBeenReady };
    const child = fork(fileURLToPath(new URL('./guardian-process.js', import.meta.url)), [JSON.stringify(config)], {
      stdio: ['ignore', 'ignore', this.#options.errorsTo ?? 'inherit', 'ipc'],
      execArgv: [...NODE_FLAGS],
      // In its own process group: signals of a terminal or shell to the group do not reach it.
      detached: true,
    });
    this.#child = child;
    this.#isReady = false;
    const hasGone = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
    this.#left = Promise.all([hasGone, new Promise((resolve) => child.once('disconnect', resolve))]);
    this.#options.onEvent({ kind: 'started', pid: child.pid ?? -1 });
    child.on('message', (message: FromGuardian) => this.#receive(message));
    child.on('error', (error) => this.#died(child, error.message));
    child.once('exit', (code, signal) => this.#exited(child, code, signal));
  }

  #receive(message: FromGuardian): void {
    if (message.kind === 'ready') {
      this.#restarts.succeeded();
      if (!this.#hasBeenReady)
        this.#options.onReady({ kind: 'guardian', pulse: this.#config.pulse, answers: this.#config.answers });
      this.#hasBeenReady = true;
      this.#isReady = true;
      return;
    }
    if (message.kind === 'relayFailed') {
      this.#options.onEvent(message);
      return;
    }
    const { cause, repeats, tookMs } = message;
    if (cause === 'guardDied' && repeats > 0) this.#hasStopped = true;
    this.#options.onEvent({ kind: 'stopped', by: 'guardian', cause, repeats, tookMs });
  }

  #exited(child: ChildProcess, code: number | null, signal: NodeJS.Signals | null): void {
    // Code 0 is the end of the guard's pipe, for whatever reason: there is nothing left to watch.
    if (code !== 0) this.#died(child, howEnded(code, signal));
    else if (this.#child === child) this.#child = undefined;
  }

  #died(child: ChildProcess, how: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#isReady = false;
    if (this.#ending !== undefined) return;
    this.#options.onEvent({ kind: 'ended', how });
    this.#restarts.died();
  }

  async #ended(): Promise<void> {
    const child = this.#child;
    // It ends with its guard, and ignores other signals.
    const timer = setTimeout(() => child?.kill('SIGKILL'), END_MS);
    await this.#left;
    clearTimeout(timer);
  }

  #stopBus(): void {
    this.#hasStopped = true;
    const knewAtMs = performance.now();
    const repeats = writeOnce(this.#config);
    const tookMs = performance.now() - knewAtMs;
    this.#options.onEvent({ kind: 'stopped', by: 'supervisor', cause: 'guardDied', repeats, tookMs });
  }
}

function makeFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'rein-guardian-'));
  } catch (cause) {
    const remedy = 'Make room, or set TMPDIR to a folder that you may write to.';
    throw new ReinError('storage', `There is no place for the guardian's pipes: ${messageOf(cause)}.`, {
      remedy,
      cause,
    });
  }
}

function writeOnce({ bus, relay }: Pick<GuardianConfig, 'bus' | 'relay'>): number {
  // Power goes off after the frames: an unpowered bus takes none.
  try {
    return writeToBus(bus);
  } finally {
    if (relay !== undefined) relayOf(relay).set('open');
  }
}

function writeToBus(bus: BusMessage['bus']): number {
  try {
    const fd = openBus(bus.path);
    try {
      return writeStopFrames(fd, joinFrames(bus.stopFrames));
    } finally {
      closeSync(fd);
    }
  } catch {
    return 0; // The bus is gone too: reported in the event.
  }
}

/** Creates named pipes of this user; `who` is named in errors. Throws `ReinError`. */
export function makePipes(who: string, ...paths: readonly string[]): void {
  const made = spawnSync('mkfifo', ['-m', '600', ...paths], { encoding: 'utf8' });
  if (made.status === 0) return;
  const why = made.error?.message ?? made.stderr;
  throw new ReinError('environment', `${who} cannot make pipes at ${paths.join(', ')}: ${why}`, {
    remedy: '`mkfifo` comes with the coreutils of every Linux.',
  });
}
