/**
 * A guard process over a mock arm, with the test as its node: what its frames say, tick by tick. Process, thread, socket and pipes are
 * real; time is the test's, which lets ticks pass, unless it asks for real time.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { MockDriverOptions } from '../../src/drivers/mock/options.ts';
import { connectGuardLink, createActionCommand, type GuardConfig, type GuardLink } from '../../src/guard/index.ts';
import { type ActionSpec, type Clock, LockStepClock, type RobotModel, SystemClock } from '../../src/model/index.ts';
import type { Decider, GuardFrame, GuardRequest, SafetyStateName } from '../../src/rows/index.ts';
import { faultsOf } from '../../src/safety/index.ts';
import { guardReady } from './guard-ready.ts';

/** How long anything is waited for: in real time, or of the time that the test lets pass. */
const LIMIT_S = 20;
const COMMAND_S = 0.04;
const TRIES = 5;
const guardModule = fileURLToPath(new URL('../../dist/guard/guard-process.js', import.meta.url));

/** One tick, as the guard told it. */
export interface SeenTick {
  readonly tick: number;
  readonly atS: number;
  /** How late it began, s; 0 in lock-step. */
  readonly lateS: number;
  readonly state: SafetyStateName;
  readonly decider: Decider;
  readonly commandSeq: number;
  readonly bits: number;
  readonly flags: number;
  readonly referenceRad: readonly number[];
  readonly measuredRad: readonly number[];
  readonly tcp: readonly number[];
  readonly violations: number;
}

export interface ProcessGuardOptions {
  readonly model: RobotModel;
  readonly action: ActionSpec;
  /** Of the mock that is driven. Default: none. */
  readonly mock?: MockDriverOptions;
  /** Node's flags for the guard's process. */
  readonly nodeFlags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Who may let the robot go on. Default `node`: the test. */
  readonly authority?: GuardConfig['authority'];
  /** Default `lock-step`. */
  readonly timing?: 'lock-step' | 'real-time';
}

/** Noise as small as no tank notices, rad: a guard's file takes none of 0. */
const NO_NOISE_RAD = 1e-9;

/** As a guard's file has it: without the driver that a robot's file has beside it. */
function asWritten(model: RobotModel): RobotModel {
  const { driver: _, ...bare } = model as RobotModel & { driver?: unknown };
  const joints = model.joints.map(({ encoderNoiseRad, ...joint }) =>
    encoderNoiseRad === undefined ? joint : { ...joint, encoderNoiseRad: Math.max(NO_NOISE_RAD, encoderNoiseRad) },
  );
  return { ...bare, joints };
}

export class ProcessGuard {
  readonly model: RobotModel;
  readonly child: ChildProcess;
  readonly link: GuardLink;
  readonly socketPath: string;
  readonly clock: Clock;
  /** All ticks since `look`. */
  readonly ticks: SeenTick[] = [];
  /** When each command was issued, by its number, s. */
  readonly issuedAtS: Map<number, number> = new Map();
  readonly #folder: string;
  readonly #command: ReturnType<typeof createActionCommand>;
  readonly #isStepped: boolean;
  readonly #commandTicks: number;
  /** Sends the next command while the test drives, and when it is due. */
  #send: (() => void) | undefined;
  #dueTick = 0;
  #driving: NodeJS.Timeout | undefined;

  private constructor(model: RobotModel, folder: string, child: ChildProcess, link: GuardLink, socketPath: string) {
    this.model = model;
    this.child = child;
    this.link = link;
    this.socketPath = socketPath;
    this.#folder = folder;
    this.#command = createActionCommand(link.shape.actions);
    this.#commandTicks = Math.max(1, Math.round(COMMAND_S * model.controlHz));
    this.#isStepped = link.shape.timing === 'lock-step';
    const steps = new LockStepClock(1 / model.controlHz);
    this.clock = this.#isStepped ? steps : new SystemClock();
    link.onFrame((frame) => {
      steps.step();
      this.ticks.push(seen(frame));
    });
  }

  static async start({
    model,
    action,
    mock = {},
    nodeFlags = [],
    env = {},
    authority = 'node',
    timing = 'lock-step',
  }: ProcessGuardOptions): Promise<ProcessGuard> {
    const folder = mkdtempSync(join(tmpdir(), 'rein-process-'));
    const socketPath = join(folder, 'guard.sock');
    const driver = { name: 'mock', options: mock } as const;
    const config: GuardConfig = {
      model: asWritten(model),
      action,
      policyPeriodS: 0.1,
      driver,
      socketPath,
      authority,
      realTimePriority: timing === 'real-time' ? 'try' : 'no',
      ...(timing === 'real-time' ? { warmUp: true } : { timing }),
    };
    writeFileSync(join(folder, 'guard.json'), JSON.stringify(config));
    const child = fork(guardModule, [join(folder, 'guard.json')], {
      env: { ...process.env, REIN_LOG: 'error', ...env },
      execArgv: [...nodeFlags],
    });
    await guardReady(child);
    return new ProcessGuard(model, folder, child, await connectGuardLink(socketPath), socketPath);
  }

  async close(): Promise<void> {
    this.rest();
    this.link.close();
    const closed = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await closed;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** At rest at `jointsRad` (home by default), active, and whatever was wrong acknowledged. `fault` happens 40 ticks later. */
  async active(
    fault?: readonly [name: string, ticks: number],
    jointsRad: readonly number[] = this.model.homeRad,
  ): Promise<void> {
    this.rest();
    // In real time, a machine that is held up may stop the robot between the two.
    for (let tries = this.#isStepped ? TRIES : 1; ; tries++) {
      await this.ready(fault, jointsRad);
      const answer = await this.link.request({ kind: 'activate' });
      if (answer.ok) break;
      if (tries === TRIES) throw new Error(`activate: ${answer.reason}`);
    }
    this.look();
  }

  /** As `active`, but not activated. */
  async ready(
    fault?: readonly [name: string, ticks: number],
    jointsRad: readonly number[] = this.model.homeRad,
  ): Promise<void> {
    await this.link.request({ kind: 'hold' });
    await this.until(() => !['stopping', 'active.policy', 'active.human'].includes(this.link.latest.state), 'rest');
    const signals = fault === undefined ? {} : { [`fault ${fault[0]}`]: fault[1] };
    const isOver = this.#limit();
    for (;;) {
      await this.link.request({ kind: 'acknowledge' });
      await this.pass(2);
      if (this.link.latest.state === 'standby') await this.link.request({ kind: 'enable' });
      // Refused as long as what the last test did to the robot lasts.
      const answer = await this.link.request({ kind: 'resetScene', layout: { jointsRad, objects: {}, signals } });
      await this.pass(1);
      if (answer.ok && this.link.latest.state === 'ready') return;
      if (isOver()) throw new Error(`not ready: ${answer.ok ? this.link.latest.state : answer.reason}`);
    }
  }

  /** Forgets the ticks seen so far. */
  look(): void {
    this.ticks.length = 0;
  }

  async ask(request: GuardRequest): Promise<void> {
    const answer = await this.link.request(request);
    if (!answer.ok) throw new Error(`${request.kind}: ${answer.reason}`);
  }

  /** Sends one command: all of `value`, or each of them. Gives its number. */
  push(value: number | ((dimension: number) => number), more: CommandChoice = {}): number {
    const command = this.#command;
    command.seq++;
    command.decider = more.decider ?? 'policy';
    command.policyVersion = more.version ?? 0;
    command.leaseS = more.leaseS ?? 0.2;
    command.issuedAtS = this.clock.nowS() - (more.ageS ?? 0);
    for (let k = 0; k < command.action.length; k++) command.action[k] = typeof value === 'number' ? value : value(k);
    this.issuedAtS.set(command.seq, command.issuedAtS);
    this.link.send(command);
    return command.seq;
  }

  /** Sends commands again and again until `rest`. */
  drive(value: (step: number, dimension: number) => number, more: CommandChoice = {}): void {
    let step = 0;
    this.rest();
    this.#send = () => {
      this.push((k) => value(step, k), more);
      step++;
    };
    this.#send();
    this.#dueTick = this.link.latest.tick + this.#commandTicks;
    if (!this.#isStepped) this.#driving = setInterval(this.#send, 1e3 * COMMAND_S);
  }

  /** Lets `ticks` pass; meanwhile the test drives as it said. */
  async pass(ticks: number): Promise<void> {
    if (!this.#isStepped || this.#send === undefined) return this.link.advance(ticks);
    for (let left = ticks; left > 0; ) {
      if (this.link.latest.tick >= this.#dueTick) {
        this.#send?.();
        this.#dueTick = this.link.latest.tick + this.#commandTicks;
      }
      const next = Math.min(left, this.#dueTick - this.link.latest.tick);
      await this.link.advance(next);
      left -= next;
    }
  }

  /** Lets `ticks` pass, and goes on wherever a machine that is held up, or a wild command, has stopped the robot. */
  async movesFor(ticks: number): Promise<void> {
    for (let passed = 0; passed < ticks; passed += 5) {
      await this.pass(5);
      if (this.link.latest.state.startsWith('active')) continue;
      for (const kind of ['acknowledge', 'enable', 'activate'] as const) await this.link.request({ kind });
    }
  }

  rest(): void {
    clearInterval(this.#driving);
    this.#send = undefined;
  }

  /** Waits, tick by tick, for a tick since `look` that `matches`. */
  async seen(matches: (tick: SeenTick) => boolean, what: string): Promise<SeenTick> {
    let found: SeenTick | undefined;
    let looked = 0;
    await this.until(() => {
      for (; looked < this.ticks.length && found === undefined; looked++) {
        if (matches(this.ticks[looked]!)) found = this.ticks[looked]!;
      }
      return found !== undefined;
    }, what);
    return found!;
  }

  async until(condition: () => boolean, what: string): Promise<void> {
    const isOver = this.#limit();
    while (!condition()) {
      if (isOver()) {
        const { state, faultFlags } = this.link.latest;
        const rows = faultsOf(faultFlags).map(({ row }) => row);
        throw new Error(`${what} was not seen; state ${state}, rows ${rows.join(' ')}`);
      }
      await this.pass(1);
    }
  }

  /** Whether all the time for something is over, that begins now. */
  #limit(): () => boolean {
    const nowS = (): number => (this.#isStepped ? this.clock.nowS() : performance.now() / 1e3);
    const endS = nowS() + LIMIT_S;
    return () => nowS() > endS;
  }
}

export interface CommandChoice {
  readonly decider?: Decider;
  readonly version?: number;
  readonly leaseS?: number;
  /** How long ago it was issued, s. */
  readonly ageS?: number;
}

/** The largest step of a joint between two ticks, as a share of what its highest speed goes in the time between, at least half a period. */
export function speedShare({ controlHz, joints }: RobotModel, a: SeenTick, b: SeenTick): number {
  const dtS = Math.min(Math.max(b.atS - a.atS, 0.5 / controlHz), 2 / controlHz);
  return Math.max(
    ...joints.map((joint, i) => Math.abs(b.referenceRad[i]! - a.referenceRad[i]!) / (dtS * joint.velocityMaxRadPerS)),
  );
}

/** From tick `from` on the reference never gets faster, and stands in the end. */
export function expectBrakes({ model, ticks }: ProcessGuard, from: SeenTick): void {
  const after = ticks.filter(({ tick }) => tick >= from.tick);
  const shares = after.slice(1).map((each, i) => speedShare(model, after[i]!, each));
  expect(Math.max(...shares)).toBeLessThan(0.5);
  expect(shares.at(-1)).toBe(0);
}

/** Rows whose flags are set in a tick. */
export function rowsOf({ flags }: SeenTick): readonly number[] {
  return faultsOf(flags).map(({ row }) => row);
}

function seen(frame: GuardFrame): SeenTick {
  const { tick, state, decider, commandSeq, filterBits, faultFlags, violations } = frame;
  return {
    tick,
    state,
    decider,
    commandSeq,
    violations,
    bits: filterBits,
    flags: faultFlags,
    atS: frame.robot.measuredAtS,
    lateS: frame.tickLateS,
    referenceRad: Array.from(frame.referenceRad),
    measuredRad: Array.from(frame.robot.positionRad),
    tcp: Array.from(frame.referenceTcp),
  };
}
