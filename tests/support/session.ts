/** A session over a mock arm in this thread: time passes as fast as the machine allows, and timers get their turn. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { savePolicy } from '../../bench/policy/steady-policy.ts';
import { resolveConfig } from '../../src/config/index.ts';
import { createSetup, type RunSetup } from '../../src/config/setup.ts';
import { MockDriver } from '../../src/drivers/index.ts';
import type { MockDriverOptions } from '../../src/drivers/mock/options.ts';
import { Guard } from '../../src/guard/guard.ts';
import type { Asker } from '../../src/guard/link/link.ts';
import { MemoryGuardLink } from '../../src/guard/link/memory-link.ts';
import { LockStepClock, type RobotModel } from '../../src/model/index.ts';
import type { GuardAnswer, GuardRequest } from '../../src/rows/index.ts';
import { type LiveSession, openSession } from '../../src/session/index.ts';
import type { SessionOptions } from '../../src/session/open-session.ts';
import { PersonPanel } from '../../src/session/person-panel.ts';

/** Lets timers and other events in after each step's ticks. */
class TurningLink extends MemoryGuardLink {
  nodeIs: Asker = 'person';

  override request(request: GuardRequest, by: Asker = this.nodeIs): Promise<GuardAnswer> {
    return super.request(request, by);
  }

  override async advance(ticks: number): Promise<void> {
    await super.advance(ticks);
    await turn();
  }
}

export interface TestRobotOptions {
  /** What the guard knows beside the file of arm6. Default: nothing. */
  readonly model?: Partial<RobotModel>;
  /** Of the mock. Default: none. */
  readonly mock?: MockDriverOptions;
  /** Default: `insert`. */
  readonly task?: string;
}

export class TestRobot {
  readonly setup: RunSetup;
  readonly folder: string = mkdtempSync(join(tmpdir(), 'rein-session-'));
  readonly driver: MockDriver;
  readonly clock: LockStepClock;
  link: TurningLink | undefined;
  readonly #model: RobotModel;
  #session: LiveSession | undefined;

  constructor({ model, mock, task = 'insert' }: TestRobotOptions = {}) {
    this.setup = createSetup(resolveConfig({ task, seed: 0 }));
    const { robot } = this.setup.config;
    this.#model = { ...robot, ...model };
    this.driver = new MockDriver(robot, { signalNames: this.setup.task.signalNames, ...mock });
    this.clock = new LockStepClock(1 / robot.controlHz);
  }

  /** Ticks `n` times from outside, as a real guard does by itself. */
  async tick(n: number): Promise<void> {
    await this.link?.advance(n);
  }

  /** As a person at the terminal does. */
  async letGoOn(): Promise<void> {
    for (const kind of ['acknowledge', 'enable', 'permit'] as const) {
      await this.link?.request({ kind }, 'person');
      await this.tick(2);
    }
  }

  /** A policy that hardly moves. */
  policyFile(version = 7, name = 'policy'): Promise<string> {
    return savePolicy(join(this.folder, name), { setup: this.setup, version });
  }

  /** What a page asks of a session. */
  panel(): PersonPanel {
    const { setup, folder, clock } = this;
    return new PersonPanel({ action: setup.task.action, folder, clock, report: () => undefined });
  }

  async connect(): Promise<TurningLink> {
    const { config, task, actionSize } = this.setup;
    const facts = await this.driver.open();
    const clock = this.clock;
    const { driver } = this;
    const { robot } = config;
    const policyPeriodS = 1 / config.task.policyHz;
    const guard = { driver, facts, model: this.#model, action: task.action, policyPeriodS, clock };
    this.link = new TurningLink({
      nodeIs: 'person',
      shape: {
        joints: robot.joints.length,
        signals: task.signalNames.length,
        actions: actionSize,
        controlHz: robot.controlHz,
      },
      clock,
      createGuard: (port) => new Guard({ ...guard, port }),
    });
    return this.link;
  }

  async open(options: Partial<SessionOptions> = {}): Promise<LiveSession> {
    const guard = await this.connect();
    if (options.afterStop === 'askLeave') guard.nodeIs = 'program';
    this.#session = await openSession({
      setup: this.setup,
      folder: this.folder,
      runId: 'run-a',
      robotId: 'robot1',
      guard,
      clock: this.clock,
      afterStop: 'wait',
      ...options,
    });
    return this.#session;
  }

  /** The test has closed its session, which failed. */
  forget(): void {
    this.#session = undefined;
  }

  async close(): Promise<void> {
    await this.#session?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
