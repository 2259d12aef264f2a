import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jointSpec } from '../../tests/support/adversary.ts';
import { ur5eLike } from '../../tests/support/robot-models.ts';
import { MockDriver } from '../drivers/index.ts';
import { LockStepClock } from '../model/index.ts';
import type { GuardRequest } from '../rows/index.ts';
import { FAULTS } from '../safety/faults.ts';
import { Authority } from './authority.ts';
import { createActionCommand } from './link/frames.ts';
import type { Asker } from './link/link.ts';
import type { MemoryGuardLink } from './link/memory-link.ts';
import { lockStepGuard } from './lock-step-guard.ts';

const action = jointSpec(ur5eLike, 0.02);
const KINDS = ['enable', 'activate', 'hold', 'stop', 'acknowledge', 'disable', 'permit'] as const;
const FAULTS_TRIED = ['lost', 'late', 'nan', 'contact', 'emergencyStop', 'jump'] as const;

class Rig {
  readonly clock = new LockStepClock(1 / ur5eLike.controlHz);
  readonly driver = new MockDriver(ur5eLike);
  readonly link: MemoryGuardLink;
  readonly #command = createActionCommand(ur5eLike.joints.length);

  constructor(kind: 'real' | 'simulated') {
    const { clock, driver } = this;
    const facts = { ...driver.facts, isSimulated: kind === 'simulated' };
    this.link = lockStepGuard({ nodeIs: 'person', driver, facts, model: ur5eLike, action, policyPeriodS: 0.1, clock });
  }

  static async open(kind: 'real' | 'simulated'): Promise<Rig> {
    const rig = new Rig(kind);
    await rig.driver.open();
    await rig.link.advance(2);
    return rig;
  }

  /** True if all were granted. */
  async ask(by: Asker, ...kinds: GuardRequest['kind'][]): Promise<boolean> {
    let areGranted = true;
    for (const kind of kinds) {
      const answer = await this.link.request({ kind } as GuardRequest, by);
      areGranted &&= answer.ok;
      await this.link.advance(1);
    }
    return areGranted;
  }

  push(value: number): void {
    const { clock, link } = this;
    const command = this.#command;
    Object.assign(command, { seq: command.seq + 1, decider: 'policy', issuedAtS: clock.nowS(), leaseS: 0.2 });
    command.action.fill(value);
    link.send(command);
  }

  get isActive(): boolean {
    return this.link.latest.state.startsWith('active');
  }
}

describe('a program that runs a policy', () => {
  it('never brings a real robot from standing to motion by itself, whatever it asks for and whatever happens', async () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...KINDS).map((ask) => ({ ask })) },
      { weight: 2, arbitrary: fc.integer({ min: 1, max: 140 }).map((ticks) => ({ ticks })) },
      { weight: 1, arbitrary: fc.constantFrom(...FAULTS_TRIED).map((fault) => ({ fault })) },
      { weight: 2, arbitrary: fc.constantFrom(0, 0.5, Number.NaN).map((push) => ({ push })) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.boolean(), async (steps, wasLed) => {
        const rig = await Rig.open('real');
        if (wasLed) expect(await rig.ask('person', 'enable', 'permit')).toBe(true);
        // Permission ends once the robot has stopped for a reason other than the end of an episode.
        let mayMove = wasLed;
        rig.link.onFrame(({ state }) => {
          if (!state.startsWith('active') && state !== 'ready') mayMove = false;
          if (state.startsWith('active')) expect(mayMove).toBe(true);
        });
        for (const each of steps) {
          if ('ask' in each) {
            const answer = await rig.link.request({ kind: each.ask }, 'program');
            if (each.ask === 'acknowledge' || each.ask === 'enable' || each.ask === 'permit') {
              expect(answer).toMatchObject({ ok: false, needs: 'person' });
            }
          } else if ('ticks' in each) await rig.link.advance(each.ticks);
          else if ('fault' in each) rig.driver.inject(each.fault, 4);
          else rig.push(each.push);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('begins one episode after the other with the leave that a person gave', async () => {
    const rig = await Rig.open('real');
    expect(await rig.ask('program', 'activate')).toBe(false);
    expect(await rig.ask('person', 'enable', 'permit')).toBe(true);
    for (let episode = 0; episode < 3; episode++) expect(await rig.ask('program', 'activate', 'hold')).toBe(true);
    expect(await rig.ask('program', 'stop')).toBe(true);
    await rig.link.advance(20);
    expect(await rig.ask('program', 'acknowledge')).toBe(false);
    expect(await rig.ask('person', 'acknowledge', 'permit')).toBe(true);
    expect(await rig.ask('program', 'activate')).toBe(true);
  });

  it('has no leave any more once the robot has stood for a fault, although a person acknowledged it', async () => {
    const rig = await Rig.open('real');
    expect(await rig.ask('person', 'enable', 'permit')).toBe(true);
    expect(await rig.ask('program', 'activate')).toBe(true);
    rig.driver.inject('contact', 4);
    await rig.link.advance(140);
    expect(rig.link.latest.state).toBe('stopped');
    expect(await rig.ask('person', 'acknowledge')).toBe(true);
    expect(rig.link.latest.state).toBe('ready');
    expect(await rig.ask('program', 'activate')).toBe(false);
    expect(await rig.ask('person', 'permit')).toBe(true);
    expect(await rig.ask('program', 'activate')).toBe(true);
  });

  it('has no leave any more where its node is gone, or a person holds', async () => {
    for (const kind of ['real', 'simulated'] as const) {
      const rig = await Rig.open(kind);
      await rig.ask('person', 'enable', 'permit');
      expect(await rig.ask('program', 'activate')).toBe(true);
      expect(await rig.ask('person', 'hold')).toBe(true);
      expect(await rig.ask('program', 'activate')).toBe(false);
      expect(rig.isActive).toBe(false);
    }
  });
});

describe('a simulated robot', () => {
  it('goes on by itself after what is no category 1, and after nothing else', () => {
    for (const { flag, bit, action: category } of FAULTS) {
      const isServed = new Authority(true).refusal('acknowledge', 'program', bit) === undefined;
      expect(isServed, flag).toBe(category !== 'cat1' && category !== 'cat0');
      expect(new Authority(false).refusal('acknowledge', 'program', bit), flag).toBeDefined();
      expect(new Authority(false).refusal('acknowledge', 'person', bit), flag).toBeUndefined();
    }
  });

  it('stands after a stop that somebody asked for, until somebody lets it go on', async () => {
    const rig = await Rig.open('simulated');
    expect(await rig.ask('program', 'enable', 'activate')).toBe(true);
    await rig.ask('person', 'stop');
    await rig.link.advance(20);
    expect(rig.link.latest.state).toBe('stopped');
    expect(await rig.ask('program', 'acknowledge')).toBe(false);
    // An acknowledgement alone permits no motion.
    expect(await rig.ask('person', 'acknowledge', 'enable')).toBe(true);
    expect(await rig.ask('program', 'activate')).toBe(false);
    expect(await rig.ask('person', 'permit')).toBe(true);
    expect(await rig.ask('program', 'activate')).toBe(true);
  });

  it('holds where somebody asked for it, whatever they acknowledge, until they let it go on', async () => {
    const rig = await Rig.open('simulated');
    expect(await rig.ask('program', 'enable', 'activate')).toBe(true);
    await rig.ask('person', 'hold', 'acknowledge', 'enable');
    expect(await rig.ask('program', 'activate')).toBe(false);
    expect(await rig.ask('person', 'permit')).toBe(true);
    expect(await rig.ask('program', 'activate')).toBe(true);
  });
});
