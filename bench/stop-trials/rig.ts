/** One supervised arm for trials: guard, guardian, node and supervisor as in `rein run`, and a listener on the bus. */
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { GUARD_NODE_FLAGS, type GuardConfig } from '../../src/guard/index.ts';
import { ReinError, type RobotModel } from '../../src/model/index.ts';
import { Supervisor } from '../../src/session/supervision.ts';
import type { ProcessName } from '../../src/session/supervisor.ts';
import { isAtFullSpeed } from './analysis.ts';
import { BusListener } from './bus-listener.ts';
import type { TrialOrder } from './trial-orders.ts';
import { LEASE_S, POLICY_PERIOD_S, trialAction } from './trial-robot.ts';

const PATIENCE_MS = 60_000;
const LOG_LINES = 12;
/** Trials may kill any number of nodes. */
const NODE_RESTARTS = 1e6;

type FromNode =
  | { readonly kind: 'here' }
  /** A valid command was sent, or an ordered fault begins. */
  | { readonly kind: 'sent' | 'begun'; readonly atMs: number }
  /** A flood has ended, however the guard reacted. */
  | { readonly kind: 'over'; readonly lastCommandMs: number };

export class TrialRig {
  readonly listener: BusListener;
  readonly model: RobotModel;
  readonly #folder: string;
  readonly #server: Server;
  readonly #errorsTo: number;
  #supervisor: Supervisor | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #node: Socket | undefined;
  #heard: (message: FromNode) => void = () => undefined;
  #sentMs = 0;
  #lastOfFloodMs: number | undefined;
  /** Number of times that a node has connected to the guard; and that number at the start of the last trial. */
  #heres = 0;
  #heresBefore = 0;

  private constructor(folder: string, model: RobotModel, listener: BusListener, server: Server) {
    this.#folder = folder;
    this.model = model;
    this.listener = listener;
    this.#server = server;
    this.#errorsTo = openSync(join(folder, 'guard.log'), 'a');
    server.on('connection', (socket) => this.#accept(socket));
  }

  /** Opens a bus and listens to it. Nothing runs on it yet. */
  static async open(model: RobotModel): Promise<TrialRig> {
    const folder = mkdtempSync(join(tmpdir(), 'rein-trials-'));
    const server = createServer();
    server.listen(join(folder, 'control'));
    await once(server, 'listening');
    return new TrialRig(folder, model, await BusListener.start(join(folder, 'bus')), server);
  }

  /** Starts guard, guardian and node. Resolves once the node is connected. */
  async start(): Promise<void> {
    const file = (name: string): string => join(this.#folder, name);
    const config: GuardConfig = {
      model: this.model,
      action: trialAction(),
      policyPeriodS: POLICY_PERIOD_S,
      driver: { name: 'mock', options: { busPath: file('bus') } },
      socketPath: file('guard'),
      authority: 'node',
      realTimePriority: 'try',
      warmUp: true,
    };
    writeFileSync(file('guard.json'), JSON.stringify(config));
    const nodeArguments = [file('guard'), file('control'), String(this.model.homeRad[0]), String(LEASE_S)];
    this.#heresBefore = this.#heres;
    this.#supervisor = new Supervisor({
      guard: {
        modulePath: program('../../guard/guard-process.js'),
        args: [file('guard.json')],
        nodeFlags: GUARD_NODE_FLAGS,
        errorsTo: this.#errorsTo,
      },
      node: { modulePath: program('./trial-node-process.js'), args: nodeArguments, errorsTo: this.#errorsTo },
      maxNodeRestarts: NODE_RESTARTS,
      startLimitMs: PATIENCE_MS,
      onEvent: () => undefined,
    });
    this.#running = this.#supervisor.run();
    await Promise.race([this.nodeIsHere(), this.#running]);
  }

  /** Ends everything on the bus. */
  async stop(): Promise<void> {
    this.#supervisor?.stop();
    await this.#running;
    this.#supervisor = undefined;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.listener.close();
    this.#node?.destroy();
    this.#server.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Last log lines of guard, guardian and node. */
  log(): string {
    return readFileSync(join(this.#folder, 'guard.log'), 'utf8').split('\n').slice(-LOG_LINES).join('\n');
  }

  /** Resolves when everything on the bus has ended by itself. */
  async ended(): Promise<void> {
    await this.#running;
  }

  /** Sends signal `name` to a process. */
  kill(process_: ProcessName, name: NodeJS.Signals): void {
    const pid = this.#supervisor?.pids[process_];
    if (pid === undefined) throw new ReinError('environment', `There is no ${process_} to be sent ${name}.`);
    process.kill(pid, name);
  }

  order(order: TrialOrder): void {
    this.#node?.write(`${order}\n`);
  }

  /** Resolves when a node has connected to the guard since the trial began. */
  async nodeIsHere(): Promise<void> {
    const { promise, resolve } = signal<void>();
    const look = (): void => {
      if (this.#heres > this.#heresBefore) resolve();
    };
    this.#heard = look;
    look();
    await promise;
  }

  /** Orders the node to do `order` from now on. Resolves to its reported time of beginning, ms. */
  async begin(order: TrialOrder): Promise<number> {
    const { promise, resolve } = signal<number>();
    this.#lastOfFloodMs = undefined;
    this.#heard = (message) => {
      if (message.kind === 'begun') resolve(message.atMs);
    };
    this.order(order);
    return promise;
  }

  /** Reported time of the newest command of a driving node, ms. */
  get sentMs(): number {
    return this.#sentMs;
  }

  /** Resolves when a flood is over, to the time of the last command over its first connection, ms. */
  async floodIsOver(): Promise<number> {
    const { promise, resolve } = signal<number>();
    const look = (): void => {
      if (this.#lastOfFloodMs !== undefined) resolve(this.#lastOfFloodMs);
    };
    this.#heard = look;
    look();
    return promise;
  }

  /** Drives the arm, and resolves `afterMs` after it reached full speed. Frames from before its start are discarded. */
  async atFullSpeed(afterMs: number): Promise<void> {
    this.listener.forget();
    this.#heresBefore = this.#heres;
    this.order('drive');
    const limit = this.model.joints[0]!.velocityMaxRadPerS;
    const isFast = (): boolean => isAtFullSpeed(this.listener.frames, limit);
    do {
      await this.listener.until(isFast, 'full speed');
      await delay(afterMs);
    } while (!isFast());
  }

  #accept(socket: Socket): void {
    this.#node = socket;
    socket.on('error', () => socket.destroy());
    createInterface({ input: socket }).on('line', (line) => {
      const message = JSON.parse(line) as FromNode;
      if (message.kind === 'here') this.#heres++;
      else if (message.kind === 'sent') this.#sentMs = message.atMs;
      else if (message.kind === 'over') this.#lastOfFloodMs = message.lastCommandMs;
      this.#heard(message);
    });
  }
}

/** Returns a promise with its resolver; rejects after a long time. */
function signal<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let settle: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new ReinError('environment', `No message from the node of the trial for ${PATIENCE_MS / 1000} s.`));
    }, PATIENCE_MS);
    settle = (value) => {
      clearTimeout(timer);
      resolve(value);
    };
  });
  return { promise, resolve: (value) => settle(value) };
}

function program(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
