/** Emulated robot under a supervised guard, driven by this process as its node. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { RobotConfig } from '../../src/config/index.ts';
import { driverSpec } from '../../src/config/setup.ts';
import { calibrationText, dynamixelFamily, feetechFamily, type ServoConfig } from '../../src/drivers/serial.ts';
import {
  connectGuardLink,
  createActionCommand,
  GUARD_NODE_FLAGS,
  type GuardConfig,
  type GuardLink,
} from '../../src/guard/index.ts';
import { type ActionSpec, clamp, ReinError, type RobotModel, SystemClock } from '../../src/model/index.ts';
import type { GuardFrame, GuardNotice, GuardRequest } from '../../src/rows/index.ts';
import { Supervisor, type SupervisorEvent } from '../../src/session/supervisor.ts';
import type { ArmSample, EmulatorAnswer, EmulatorOrder } from './emulator-process.ts';
import { LEASE_S, POLICY_PERIOD_S, type TrialRobot, trialAction, trialRobot } from './trial-robots.ts';

const PATIENCE_S = 60;
const COMMAND_MS = 40;
/** Angular frequency of its swing, rad/s. */
const SWING_RAD_PER_S = 4;
const HOMING_PER_RAD = 1;
const LOG_LINES = 20;
const SERIAL_NUMBER = 'TRIALS';
const MIDDLE = { zeroCounts: 2048, minCounts: 0, maxCounts: 4095, homingOffsetCounts: 0 } as const;
/** Servo families of arms by driver kind, and the firmware of their emulated servos. */
const FAMILIES = {
  feetech: { family: feetechFamily, firmware: '3.10' },
  dynamixel: { family: dynamixelFamily, firmware: '46' },
} as const;

/** Frame of the guard, as far as trials use it. */
export interface SeenFrame {
  readonly tick: number;
  readonly atS: number;
  readonly state: GuardFrame['state'];
  readonly flags: number;
  /** Readings of the driver since the guard started. */
  readonly readings: number;
}

export interface SeenEvent {
  readonly atS: number;
  readonly event: SupervisorEvent;
}

export class BusRig {
  readonly model: RobotModel;
  /** Since the last fault. */
  frames: SeenFrame[] = [];
  events: SeenEvent[] = [];
  notices: GuardNotice[] = [];
  readonly #action: ActionSpec;
  readonly #folder: string;
  readonly #emulator: ChildProcess;
  /** Rejects when the emulator ends. */
  readonly #ended: Promise<never>;
  readonly #config: GuardConfig;
  readonly #errorsTo: number;
  readonly #clock: SystemClock = new SystemClock();
  #supervisor: Supervisor | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #link: GuardLink | undefined;
  #driving: NodeJS.Timeout | undefined;
  #seq = 0;
  #refusal = '';

  /** Starts the emulator. */
  static async open(robot: TrialRobot = 'so101'): Promise<BusRig> {
    const folder = mkdtempSync(join(tmpdir(), 'rein-bus-trials-'));
    const port = join(folder, `usb-Emulated_${robot}_${SERIAL_NUMBER}-if00`);
    const emulator = fork(program('./emulator-process.js'), [port, robot], {
      execArgv: [...GUARD_NODE_FLAGS],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    await once(emulator, 'message');
    return new BusRig(folder, port, emulator, robot);
  }

  private constructor(folder: string, port: string, emulator: ChildProcess, robot: TrialRobot) {
    this.#folder = folder;
    this.#emulator = emulator;
    this.#ended = once(emulator, 'exit').then(() => fail('its emulator has ended'));
    // At the end the rejection is expected.
    this.#ended.catch(() => undefined);
    this.#errorsTo = openSync(join(folder, 'guard.log'), 'a');
    const config = trialRobot(robot);
    const { driver, ...model } = config;
    this.model = model;
    this.#action = trialAction(config);
    const written = { ...model, driver: { ...driver, port, ...this.#calibration(driver) } };
    this.#config = {
      model,
      action: this.#action,
      policyPeriodS: POLICY_PERIOD_S,
      driver: driverSpec(
        written,
        { name: 'trials', signalNames: [] },
        { scene: () => fail(), surroundings: undefined },
      ),
      socketPath: join(folder, 'guard.sock'),
      authority: 'node',
      realTimePriority: 'try',
    };
    writeFileSync(join(folder, 'guard.json'), JSON.stringify(this.#config));
  }

  /** Starts guard and guardian, and connects. */
  async start(): Promise<void> {
    this.#supervisor = new Supervisor({
      guard: {
        modulePath: program('../../guard/guard-process.js'),
        args: [join(this.#folder, 'guard.json')],
        nodeFlags: GUARD_NODE_FLAGS,
        errorsTo: this.#errorsTo,
      },
      node: { modulePath: program('./idle-process.js'), args: [] },
      maxNodeRestarts: 0,
      onEvent: (event) => this.events.push({ atS: this.#clock.nowS(), event }),
    });
    this.#running = this.#supervisor.run();
    this.#link = await Promise.race([this.#connect(), this.#running.then(() => fail())]);
    this.#link.onNotice((notice) => this.notices.push(notice));
    this.#link.onFrame(({ tick, state, faultFlags, readings }) =>
      this.frames.push({ tick, atS: this.#clock.nowS(), state, flags: faultFlags, readings }),
    );
  }

  async stop(): Promise<void> {
    clearInterval(this.#driving);
    this.#supervisor?.stop();
    await this.#running;
    this.#supervisor = undefined;
  }

  async close(): Promise<void> {
    await this.stop();
    this.#emulator.disconnect();
    await once(this.#emulator, 'exit');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Last lines of the guard's log. */
  log(): string {
    return readFileSync(join(this.#folder, 'guard.log'), 'utf8').split('\n').slice(-LOG_LINES).join('\n');
  }

  /** Frame of the newest tick. Its arrays are reused. */
  newest(): GuardFrame {
    return this.#link!.latest;
  }

  get guardPid(): number {
    return this.#supervisor?.pids.guard ?? fail('there is no guard');
  }

  forget(): void {
    [this.frames, this.events, this.notices] = [[], [], []];
  }

  nowS(): number {
    return this.#clock.nowS();
  }

  /** Acknowledges, enables and activates until the robot swings. */
  async drive(): Promise<void> {
    clearInterval(this.#driving);
    const link = this.#link!;
    const command = createActionCommand(link.shape.actions);
    command.decider = 'policy';
    command.leaseS = LEASE_S;
    const untilS = this.nowS() + PATIENCE_S;
    while (link.latest.state !== 'active.policy') {
      if (this.nowS() > untilS)
        fail(`it did not come to move: ${link.latest.state}, faults ${link.latest.faultFlags}, ${this.#refusal}`);
      await this.getMoving();
    }
    const startS = this.nowS();
    const driven = this.#action.dimensions.map(({ name }) => this.model.joints.findIndex((each) => each.name === name));
    this.#driving = setInterval(() => {
      const phase = SWING_RAD_PER_S * (this.nowS() - startS);
      command.seq = this.#seq++;
      command.issuedAtS = this.nowS();
      for (const [i, joint] of driven.entries()) {
        // Back and forth about home, wherever the last trial has left the joint.
        const awayRad = link.latest.robot.positionRad[joint]! - this.model.homeRad[joint]!;
        command.action[i] = clamp(Math.cos(phase + i) - HOMING_PER_RAD * awayRad, -1, 1);
      }
      link.send(command);
    }, COMMAND_MS);
  }

  rest(): void {
    clearInterval(this.#driving);
  }

  /** Injects faults, separated by semicolons; resolves to the time of injection, s. Earlier frames, events and notices are discarded. */
  async fault(fault: string): Promise<number> {
    this.forget();
    const answer = await this.#order({ fault });
    return 'doneAtS' in answer ? answer.doneAtS : fail();
  }

  /** Puts the arm, which has no torque, back home at once. */
  async putHome(): Promise<void> {
    await this.#order({ home: true });
  }

  /** Samples of the arm since the last fault. */
  async samples(): Promise<readonly ArmSample[]> {
    const answer = await this.#order({ report: true });
    return 'samples' in answer ? answer.samples : fail();
  }

  kill(name: NodeJS.Signals): number {
    this.forget();
    const pid = this.#supervisor?.pids.guard;
    if (pid === undefined) fail('there is no guard');
    process.kill(pid!, name);
    return this.nowS();
  }

  /** For an arm: writes the calibration that its driver reads. */
  #calibration(driver: RobotConfig['driver']): { readonly calibration?: string } {
    if (!(driver.kind in FAMILIES)) return {};
    const calibration = join(this.#folder, 'calibration.json');
    writeFileSync(calibration, calibrationOf(this.model, driver as ServoConfig));
    return { calibration };
  }

  async #order(order: EmulatorOrder): Promise<EmulatorAnswer> {
    const answer = once(this.#emulator, 'message');
    this.#emulator.send(order);
    const [said] = await Promise.race([answer, this.#ended]);
    return said as EmulatorAnswer;
  }

  /** Makes the next request on the way to motion, once: acknowledge, enable or activate. */
  async getMoving(): Promise<void> {
    const link = this.#link!;
    const { state, faultFlags } = link.latest;
    if (state === 'stopped' || state === 'fault' || faultFlags !== 0) await this.ask('acknowledge');
    else if (state === 'standby') await this.ask('enable');
    else if (state === 'ready') await this.ask('activate');
    await link.advance(2);
  }

  async ask(kind: 'acknowledge' | 'enable' | 'activate'): Promise<void> {
    const answer = await this.#link!.request({ kind } as GuardRequest);
    this.#refusal = answer.ok ? '' : `${kind} refused: ${answer.reason}`;
  }

  async #connect(): Promise<GuardLink> {
    const untilS = this.nowS() + PATIENCE_S;
    for (;;) {
      try {
        return await connectGuardLink(this.#config.socketPath);
      } catch (error) {
        if (this.nowS() > untilS) throw error;
        await delay(50);
      }
    }
  }
}

function calibrationOf(model: RobotModel, { kind, motors }: ServoConfig): string {
  const { family, firmware } = FAMILIES[kind as keyof typeof FAMILIES];
  const joints = model.joints.map(({ name }) => {
    const { id, model: servo } = motors[name]!;
    const { modelNumber } = family.models[servo]!;
    return [name, { id, model: servo, modelNumber, firmware, direction: 1 as const, ...MIDDLE }];
  });
  return calibrationText({
    kind: 'rein-calibration',
    version: 1,
    robot: model.name,
    family: family.name,
    adapter: SERIAL_NUMBER,
    calibratedAt: new Date(0).toISOString(),
    joints: Object.fromEntries(joints),
  });
}

function program(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

function fail(why = 'the trials are wrong'): never {
  throw new ReinError('environment', `The rig of the bus trials failed: ${why}.`);
}
