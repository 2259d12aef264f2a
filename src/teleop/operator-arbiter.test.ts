import { describe, expect, it } from 'vitest';
import { faultRow } from '../../tests/support/fault-row.ts';
import { Enabling } from './enabling.ts';
import { OperatorArbiter } from './operator-arbiter.ts';
import type { TeleopCommand, TeleopSource } from './teleop-source.ts';

class Puppet implements TeleopSource {
  readonly name: string;
  readonly decidedBy: 'human' | 'scripted';
  readonly #value: number;
  isActive = false;
  isStopRequested = false;
  lostTo = '';
  onPoll: () => void = () => undefined;

  constructor(name: string, decidedBy: 'human' | 'scripted', value: number) {
    this.name = name;
    this.decidedBy = decidedBy;
    this.#value = value;
  }

  poll(_observation: Float32Array, _nowS: number, out: TeleopCommand): void {
    this.onPoll();
    out.active = this.isActive;
    out.phase = 'recover';
    out.action.fill(this.#value);
  }

  onControlLost(by: string): void {
    this.lostTo = by;
  }

  giveBack(): void {}
  reset(): void {}
  close(): void {}
}

describe('Enabling', () => {
  const still = new Float32Array(2);
  const moving = Float32Array.of(0.5, 0);

  it('passes motion only after neutral was seen with the switch held', () => {
    const enabling = new Enabling();
    expect(enabling.update('held', moving, 0)).toBe(false);
    expect(enabling.update('held', still, 0.1)).toBe(true);
    expect(enabling.update('held', moving, 0.2)).toBe(true);
    expect(enabling.update('released', moving, 0.3)).toBe(false);
    expect(enabling.update('held', moving, 0.4)).toBe(false);
  });

  it('passes nothing that is not finite', () => {
    const enabling = new Enabling();
    enabling.update('held', still, 0);
    expect(enabling.update('held', Float32Array.of(Number.NaN, 0), 0.1)).toBe(false);
  });

  it('passes a motion that keeps changing for as long as it does', () => {
    const enabling = new Enabling();
    enabling.update('held', still, 0);
    for (let s = 0.1; s < 30; s += 0.1) expect(enabling.update('held', Float32Array.of(s / 30, 0), s)).toBe(true);
  });
});

describe('OperatorArbiter', () => {
  const script = (): Puppet => new Puppet('script', 'scripted', 0.1);
  const person = (): Puppet => new Puppet('keyboard', 'human', 0.2);
  const out = (): TeleopCommand => ({ active: false, action: new Float32Array(1), phase: 'correct' });

  function step(arbiter: OperatorArbiter, nowS = 0): string {
    const command = out();
    arbiter.poll(new Float32Array(0), nowS, command);
    return command.active ? `${arbiter.decidedBy} ${command.action[0]?.toFixed(1)}` : 'policy';
  }

  it('lets a person take over from a script, and the policy follow when the person gives back', () => {
    const [s, p] = [script(), person()];
    const arbiter = new OperatorArbiter([p, s], 1);
    expect(step(arbiter)).toBe('policy');
    s.isActive = true;
    expect(step(arbiter)).toBe('scripted 0.1');
    p.isActive = true;
    expect(step(arbiter)).toBe('human 0.2');
    expect(s.lostTo).toBe('keyboard');
    p.isActive = false;
    expect(step(arbiter)).toBe('policy');
    s.isActive = false;
    step(arbiter);
    s.isActive = true;
    expect(step(arbiter)).toBe('scripted 0.1');
  });

  it('lets no script take over from a person', () => {
    const [s, p] = [script(), person()];
    const arbiter = new OperatorArbiter([s, p], 1);
    p.isActive = true;
    step(arbiter);
    s.isActive = true;
    expect(step(arbiter)).toBe('human 0.2');
    expect(p.lostTo).toBe('');
  });

  it('gives control to the last of two people who took it, and tells the other', () => {
    const [a, b] = [new Puppet('ann', 'human', 0.3), new Puppet('bob', 'human', 0.4)];
    const arbiter = new OperatorArbiter([a, b], 1);
    a.isActive = true;
    step(arbiter);
    b.isActive = true;
    expect(step(arbiter)).toBe('human 0.4');
    expect(a.lostTo).toBe('bob');
  });

  it('sees a person who lost control and took it again between two polls', () => {
    const [a, b] = [new Puppet('ann', 'human', 0.3), new Puppet('bob', 'human', 0.4)];
    const seen = Object.assign(b, { isInControl: true });
    const arbiter = new OperatorArbiter([a, b], 1);
    b.isActive = true;
    step(arbiter);
    a.isActive = true;
    // Notified of Ann's take-over, Bob lets go, and has taken over again by the time that he is polled.
    b.onControlLost = () => {
      seen.isInControl = false;
    };
    b.onPoll = () => {
      seen.isInControl = true;
    };
    expect(step(arbiter)).toBe('human 0.4');
    expect(a.lostTo).toBe('bob');
  });

  it('follows nobody who gave back while others were polled', () => {
    const [a, b] = [new Puppet('ann', 'human', 0.3), new Puppet('bob', 'human', 0.4)];
    const seen = Object.assign(a, { isInControl: true });
    const arbiter = new OperatorArbiter([a, b], 1);
    a.isActive = true;
    expect(step(arbiter)).toBe('human 0.3');
    // Like a pedal that is read once more for a pad.
    b.onPoll = () => {
      seen.isInControl = false;
    };
    expect(step(arbiter)).toBe('policy');
    // A take-over before the next poll counts as a new one.
    b.onPoll = () => undefined;
    seen.isInControl = true;
    expect(step(arbiter)).toBe('human 0.3');
  });

  it('lets a script begin in the poll in which a person gave back', () => {
    const [a, b, s] = [new Puppet('ann', 'human', 0.3), new Puppet('bob', 'human', 0.4), script()];
    const seen = Object.assign(a, { isInControl: true });
    const arbiter = new OperatorArbiter([a, b, s], 1);
    a.isActive = true;
    step(arbiter);
    s.isActive = true;
    b.onPoll = () => {
      seen.isInControl = false;
    };
    expect(step(arbiter)).toBe('scripted 0.1');
  });

  it('follows a source that is active and never says that it is in control', () => {
    const b = Object.assign(new Puppet('bob', 'human', 0.4), { isInControl: false });
    const arbiter = new OperatorArbiter([b], 1);
    b.isActive = true;
    expect([step(arbiter), step(arbiter)]).toEqual(['human 0.4', 'human 0.4']);
  });

  it('holds still on a stop from anyone, whoever has control', () => {
    const [s, p] = [script(), person()];
    const arbiter = new OperatorArbiter([p, s], 1);
    s.isActive = true;
    step(arbiter);
    p.isStopRequested = true;
    expect(step(arbiter)).toBe('human 0.0');
    expect(arbiter.decider).toBe('keyboard');
    p.isStopRequested = false;
    expect(step(arbiter)).toBe('scripted 0.1');
  });

  it('sees a person who lost control while they stopped the robot, and takes it once their stop is lifted', () => {
    const [a, b] = [new Puppet('ann', 'human', 0.3), new Puppet('bob', 'human', 0.4)];
    const seen = Object.assign(a, { isInControl: true, isStopRequested: true });
    const arbiter = new OperatorArbiter([a, b], 1);
    a.isStopRequested = false;
    a.isActive = true;
    step(arbiter);
    a.isStopRequested = true;
    b.isActive = true;
    step(arbiter);
    // Lifting Ann's stop gives back; before the next poll she has taken over again.
    a.giveBack = () => {
      a.isStopRequested = false;
      seen.isInControl = false;
    };
    arbiter.liftStop();
    seen.isInControl = true;
    expect(step(arbiter)).toBe('human 0.3');
    expect(b.lostTo).toBe('ann');
  });

  it('has whoever had control go on after the stop of another, who never had it', () => {
    const [a, b] = [new Puppet('ann', 'human', 0.3), new Puppet('bob', 'human', 0.4)];
    const arbiter = new OperatorArbiter([a, b], 1);
    a.isActive = true;
    step(arbiter);
    // A source that requests a stop is active for as long as it does.
    b.isStopRequested = b.isActive = true;
    b.giveBack = () => {
      b.isStopRequested = b.isActive = false;
    };
    expect([step(arbiter), a.lostTo]).toEqual(['human 0.0', '']);
    arbiter.liftStop();
    expect([step(arbiter), arbiter.decider]).toEqual(['human 0.3', 'ann']);
  });

  it('puts a stop before a person before the policy, whether or not there is one', () => {
    const p = person();
    const arbiter = new OperatorArbiter([p], 1);
    const found = [0, 1, 2, 3].map((bits) => {
      p.isStopRequested = (bits & 2) !== 0;
      p.isActive = (bits & 1) !== 0;
      return `${step(arbiter)}, by ${arbiter.decider ?? 'nobody'}`;
    });
    const stopped = 'human 0.0, by keyboard';
    expect(found).toEqual(['policy, by nobody', 'human 0.2, by keyboard', stopped, stopped]);
  });

  faultRow(21, 'fake', 'has one operator in control, tells who lost it, and lets only that one give back', () => {
    const [a, b] = [new Puppet('ann', 'human', 0.3), new Puppet('bob', 'human', 0.4)];
    const arbiter = new OperatorArbiter([a, b], 1);
    a.isActive = true;
    step(arbiter);
    expect([arbiter.decider, a.lostTo, b.lostTo]).toEqual(['ann', '', '']);
    b.isActive = true;
    step(arbiter);
    expect([arbiter.decider, a.lostTo, b.lostTo]).toEqual(['bob', 'bob', '']);
    a.isActive = false;
    step(arbiter);
    expect(arbiter.decider).toBe('bob');
    b.isActive = false;
    step(arbiter);
    expect(arbiter.decider).toBeUndefined();
  });

  it('refuses two operators of one name', () => {
    expect(() => new OperatorArbiter([person(), person()], 1)).toThrow(RangeError);
  });
});
