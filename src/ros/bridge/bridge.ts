/**
 * ROS side of the guard: passes measurements to the guard and the guard's commands to the robot's controller. It
 * decides nothing. Commands that are old, meant for another life, or come after a stop are dropped: nothing is queued,
 * nothing is repeated.
 */

import {
  COMMAND,
  COMMAND_KIND,
  commandNumbers,
  ROS_MESSAGE,
  type RosAnswer,
  type RosProcessConfig,
  type RosRequest,
  STATE,
  stateLayout,
  stateNumbers,
} from '../../drivers/index.ts';
import { parseRequest as parseGuardRequest, readNumbers } from '../../guard/index.ts';
import { asObject, type Clock, messageOf, parseObject } from '../../model/index.ts';
import { GROUND_TRUTH } from '../observations/other-robot.ts';
import type { RosFault, RosPort } from '../port/ros-port.ts';
import { advertiseCommand, type CommandPublisher } from './command-publisher.ts';
import { type Controllers, controllersOf } from './controllers.ts';
import type { ToGuard } from './guard-pipes.ts';
import { Notices } from './notices.ts';
import { RobotReadings } from './robot-readings.ts';
import { SceneClient } from './scene-client.ts';
import { Sources } from './sources.ts';
import { StopSequence } from './stop-sequence.ts';

/** Commands older than this are not published. */
const COMMAND_MAX_AGE_S = 0.05;
/** Period of heartbeats between measurements. */
const ALIVE_MS = 10;
/** Time for which a stop is repeated: a command in transit may arrive after the first stop. */
const STOP_REPEAT_MS = 30;
/** Longest wait of `prepare` for a stop to end. */
const SETTLE_MS = 300;
/** Longest wait of `prepare` for a first fresh measurement, and for the controller's subscription to be discovered. */
const DISCOVERY_MS = 1000;
/** Polling period of the controllers' state while they receive commands: a deactivated one must be noticed within a second. */
const CONTROLLERS_MS = 500;
/** Consecutive measurements that must arrive within their freshness. */
const STEADY = 2;

/** Dependencies of bridge and stopper. */
export interface RoleParts {
  readonly port: RosPort;
  readonly config: RosProcessConfig;
  /** Life of this process, as named in commands. */
  readonly generation: number;
  readonly toGuard: ToGuard;
  readonly clock: Clock;
}

export class Bridge {
  readonly #parts: RoleParts;
  readonly #readings: RobotReadings;
  readonly #publisher: CommandPublisher;
  readonly #controllers: Controllers | undefined;
  readonly #scene: SceneClient | undefined;
  readonly #stop: StopSequence;
  readonly #notices: Notices;
  readonly #sources: Sources;
  readonly #row: Float64Array;
  readonly #command: Float64Array;
  /** Last published command; valid since `prepare` if `#hasCommanded`. */
  readonly #published: Float64Array;
  #hasCommanded = false;
  #isStopped = true;
  #lastSeq = -1;
  #stoppedSeq = 0;
  #sentAtS = 0;
  #isUnfit = false;
  /** The controllers were deactivated since they were prepared. */
  #isTaken = false;
  /** Number of times the robot was prepared. */
  #prepared = 0;
  #timer: NodeJS.Timeout | undefined;
  #controllersTimer: NodeJS.Timeout | undefined;

  /** Registers everything on the port. The caller starts and closes it. */
  constructor(parts: RoleParts) {
    const { port, config, toGuard, clock } = parts;
    const { options, model } = config;
    this.#parts = parts;
    this.#publisher = advertiseCommand(port, options, 1 / model.controlHz);
    this.#readings = new RobotReadings(port, model, options, () => this.#sendState());
    this.#readings.subscribeSensors(port);
    this.#controllers = controllersOf(port, options);
    this.#scene = options.scene && new SceneClient(port, options.scene.service, this.#readings);
    this.#sources = new Sources({
      readings: this.#readings,
      publishers: () => this.#publishersOf(this.#readings.subscription.topic),
      clock,
    });
    this.#notices = new Notices({
      options,
      readings: this.#readings,
      clock,
      isSimulated: () => this.#isSimulated(),
      commanders: () => this.#publishersOf(this.#publisher.topic),
      contradiction: () => this.#sources.contradiction(),
      graphFaults: () => port.graphFaults,
      say: (notice) => toGuard.notice(notice),
    });
    this.#stop = new StopSequence({
      model,
      options,
      publisher: this.#publisher,
      readings: this.#readings,
      controllers: this.#controllers,
      nowS: () => clock.nowS(),
      repeatForMs: STOP_REPEAT_MS,
      lastCommand: () => (this.#hasCommanded ? this.#published : undefined),
      onTrouble: (message) => this.#notices.trouble(message),
    });
    this.#row = new Float64Array(stateNumbers(options));
    this.#command = new Float64Array(commandNumbers(options));
    this.#published = new Float64Array(this.#command.length - COMMAND.scalars);
  }

  /** Starts the heartbeat. After the port's `start`. */
  start(): void {
    this.#parts.toGuard.ready();
    this.#sendState();
    this.#timer = setInterval(() => {
      const isUnfit = this.#isTaken || this.#sources.contradiction() !== undefined;
      const isNews = isUnfit !== this.#isUnfit;
      this.#isUnfit = isUnfit;
      // The reason is reported before the guard reacts.
      if (isNews) this.#notices.lookAtSources();
      if (isNews || this.#parts.clock.nowS() - this.#sentAtS >= ALIVE_MS * 1e-3 * 0.9) this.#sendState();
      this.#notices.look();
    }, ALIVE_MS);
    if (this.#controllers === undefined) return;
    this.#controllersTimer = setInterval(() => void this.#lookAtControllers(), CONTROLLERS_MS);
  }

  close(): void {
    clearInterval(this.#timer);
    clearInterval(this.#controllersTimer);
  }

  /** A controller that is reactivated later must not receive an old command: the guard is notified, and publishing stops. */
  async #lookAtControllers(): Promise<void> {
    if (this.#isStopped) return;
    const enabling = this.#prepared;
    const taken = await this.#controllers?.taken();
    if (taken === undefined || this.#isStopped || enabling !== this.#prepared) return;
    this.#isStopped = true;
    this.#isTaken = true;
    this.#notices.controllersTaken(taken);
  }

  /** The guard is gone: no more commands; the stopper stops the robot. A stop in progress is completed. */
  async guardGone(): Promise<void> {
    this.#isStopped = true;
    await this.#stop.settled();
  }

  /** Takes a fault found by the port. */
  fault(fault: RosFault): void {
    this.#notices.fault(fault);
  }

  /** Takes one message from the guard's tick. */
  receive(kind: number, payload: Uint8Array): void {
    try {
      if (kind === ROS_MESSAGE.command) this.#receiveCommand(payload);
      else if (kind === ROS_MESSAGE.request) this.#receiveRequest(payload);
    } catch (error) {
      this.#notices.trouble(`A command could not be published: ${messageOf(error)}`);
    }
  }

  #receiveCommand(payload: Uint8Array): void {
    const command = this.#command;
    if (!readNumbers(command, payload)) return;
    if (command[COMMAND.generation] !== this.#parts.generation) return;
    // An older command is never published after a newer one, whatever the pipe did.
    if (!(command[COMMAND.seq]! > this.#lastSeq)) return;
    this.#lastSeq = command[COMMAND.seq]!;
    if (command[COMMAND.kind] === COMMAND_KIND.stop) {
      this.#isStopped = true;
      this.#stop.keepSteering(command[COMMAND.scalars + 1] ?? 0);
      void this.#stop.run();
      this.#stoppedSeq = this.#lastSeq;
      this.#sendState();
      return;
    }
    const ageS = this.#parts.clock.nowS() - command[COMMAND.issuedAtS]!;
    if (command[COMMAND.kind] !== COMMAND_KIND.drive || this.#isStopped || ageS > COMMAND_MAX_AGE_S) return;
    for (let i = COMMAND.scalars; i < command.length; i++) if (!Number.isFinite(command[i])) return;
    this.#publisher.publish(command, COMMAND.scalars);
    for (let i = 0; i < this.#published.length; i++) this.#published[i] = command[COMMAND.scalars + i]!;
    this.#hasCommanded = true;
  }

  #receiveRequest(payload: Uint8Array): void {
    const message = parseRequest(payload);
    if (message === undefined || message.generation !== this.#parts.generation) return;
    const answer = message.request.kind === 'prepare' ? this.#prepare() : this.#resetScene(message.request.layout);
    answer
      .catch((error: unknown): RosAnswer => ({ ok: false, reason: messageOf(error) }))
      .then((said) => this.#parts.toGuard.answer(message.id, said));
  }

  async #resetScene(layout: Parameters<SceneClient['reset']>[0]): Promise<RosAnswer> {
    if (this.#scene === undefined)
      return { ok: false, reason: 'this robot has no service that resets its surroundings' };
    const answer = await this.#scene.reset(layout);
    if (answer.ok) this.#readings.sceneWasReset(this.#parts.clock.nowS());
    // The guard's next reading was measured after the reset.
    this.#sendState();
    return answer;
  }

  async #prepare(): Promise<RosAnswer> {
    // The rest of a stop, or a pending deactivation, must not interfere with the next commands.
    if (!(await this.#isSettled())) return { ok: false, reason: 'The last stop has not ended yet: try again.' };
    const wrong =
      this.#contradiction() ??
      (await this.#controllers?.prepare()) ??
      (await this.#discovered()) ??
      (await this.#comesSteadily()) ??
      this.#contradiction();
    if (wrong !== undefined) return { ok: false, reason: wrong };
    if (this.#controllers?.isOrderKnown === false) this.#notices.orderUnknown();
    this.#hasCommanded = false;
    this.#isStopped = false;
    this.#isTaken = this.#isUnfit = false;
    this.#prepared++;
    this.#notices.controllersBack();
    // The guard's next reading is fit for use.
    this.#sendState();
    return { ok: true };
  }

  #contradiction(): string | undefined {
    const contradiction = this.#sources.contradiction();
    return contradiction && `${contradiction} Stop the one that is not the robot.`;
  }

  #isSettled(): Promise<boolean> {
    const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), SETTLE_MS));
    return Promise.race([this.#stop.settled().then(() => true), late]);
  }

  /** Waits briefly for discovery. */
  async #discovered(): Promise<string | undefined> {
    const limitMs = performance.now() + DISCOVERY_MS;
    for (;;) {
      const wrong = this.#missing();
      if (wrong === undefined || performance.now() > limitMs) return wrong;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /**
   * Services and discovery delay messages briefly, and the guard counts from its next tick on: waits for consecutive
   * measurements made after that, each within its freshness of the previous one.
   */
  async #comesSteadily(): Promise<string | undefined> {
    const { freshnessMs } = this.#parts.config.options;
    const limitMs = performance.now() + DISCOVERY_MS;
    let { measurements, measuredAtS } = this.#readings;
    let comes = 0;
    while (comes < STEADY) {
      if (performance.now() > limitMs) {
        const { topic } = this.#readings.subscription;
        return `${topic} is not published every ${freshnessMs} ms, as freshnessMs of the robot's file requires.`;
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (this.#readings.measurements === measurements) continue;
      comes = this.#readings.measuredAtS - measuredAtS <= freshnessMs * 1e-3 ? comes + 1 : 0;
      ({ measurements, measuredAtS } = this.#readings);
    }
    return undefined;
  }

  #missing(): string | undefined {
    const { clock, port, config } = this.#parts;
    const { measuredAtS } = this.#readings;
    const doubles = port.nodeNames().filter((name) => name === port.fullName).length;
    if (doubles > 1) return `Another node is called ${port.fullName}: two guards may not drive one robot.`;
    const silence = this.#notices.whySilent();
    if (silence !== undefined) return silence;
    if (clock.nowS() - measuredAtS > 2 * config.options.freshnessMs * 1e-3) return 'The measurements have stopped.';
    const sensor = this.#readings.silentSensor;
    if (sensor !== undefined) return `No message on ${sensor}, which the robot's file names.`;
    if (this.#publisher.subscriberCount === 0) {
      return `No subscriber on ${this.#publisher.topic}: the controller is not active, or its topic has another name.`;
    }
    return undefined;
  }

  /** Joint states carry it in their frame_id. */
  #isSimulated(): boolean {
    if (this.#parts.config.options.state.kind === 'jointStates') return this.#readings.isSimulated;
    const knowing = this.#publishersOf(GROUND_TRUTH).nodes;
    return this.#publishersOf(this.#readings.subscription.topic).nodes.some((node) => knowing.includes(node));
  }

  #publishersOf(topic: string): { topic: string; nodes: readonly string[] } {
    return { topic, nodes: this.#parts.port.endpoints(topic, 'publishers').map(({ node }) => node) };
  }

  #sendState(): void {
    const { generation, toGuard, clock, config } = this.#parts;
    const { state, measuredAtS, measurements, wrenchAtS } = this.#readings;
    const row = this.#row;
    const layout = stateLayout(state.positionRad.length, config.options.signals.length);
    this.#sentAtS = clock.nowS();
    row[STATE.generation] = generation;
    row[STATE.sentAtS] = this.#sentAtS;
    row[STATE.measuredAtS] = measuredAtS;
    row[STATE.measurements] = measurements;
    row[STATE.wrenchAtS] = wrenchAtS;
    row[STATE.signalsValidUntilS] = this.#readings.signalsValidUntilS;
    row[STATE.stoppedSeq] = this.#stoppedSeq;
    row[STATE.unfit] = this.#isUnfit ? 1 : 0;
    row[STATE.distanceAtS] = this.#readings.distanceAtS;
    row.set(state.positionRad, layout.positionRad);
    row.set(state.velocityRadPerS, layout.velocityRadPerS);
    row.set(state.torqueNm, layout.torqueNm);
    row.set(state.wrench, layout.wrench);
    row.set(state.signals, layout.signals);
    toGuard.state(row);
  }
}

interface NumberedRosRequest {
  readonly id: number;
  readonly generation: number;
  readonly request: RosRequest;
}

/** Request of the guard in a JSON payload; `undefined` for anything else. Never throws. */
function parseRequest(payload: Uint8Array): NumberedRosRequest | undefined {
  const { id, generation, request } = parseObject(payload) ?? {};
  if (!Number.isSafeInteger(id) || !Number.isSafeInteger(generation)) return undefined;
  const numbers = { id: id as number, generation: generation as number };
  if (asObject(request)?.['kind'] === 'prepare') return { ...numbers, request: { kind: 'prepare' } };
  const guards = parseGuardRequest(payload)?.request;
  return guards?.kind === 'resetScene' ? { ...numbers, request: guards } : undefined;
}
