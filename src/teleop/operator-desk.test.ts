import { describe, expect, it } from 'vitest';
import { faultRow } from '../../tests/support/fault-row.ts';
import { arbitrate } from './arbiter.ts';
import { Enabling } from './enabling.ts';
import { OperatorLease } from './lease.ts';
import { OperatorDesk } from './operator-desk.ts';
import type { TeleopCommand, TeleopSource } from './teleop-source.ts';

class Puppet implements TeleopSource {
  readonly name: string;
  readonly decidedBy: 'human' | 'scripted';
  readonly #value: number;
  isActive = false;
  isStopRequested = false;
  lostTo = '';

  constructor(name: string, decidedBy: 'human' | 'scripted', value: number) {
    this.name = name;
    this.decidedBy = decidedBy;
    this.#value = value;
  }

  poll(_observation: Float32Array, _nowS: number, out: TeleopCommand): void {
    out.active = this.isActive;
    out.phase = 'recover';
    out.action.fill(this.#value);
  }

  onControlLost(by: string): void {
    this.lostTo = by;
  }

  reset(): void {}
  close(): void {}
}

describe('arbitrate', () => {
  it('puts stop before person before policy before nobody, in all eight cases', () => {
    const table = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) =>
      arbitrate({
        isStopRequested: (bits & 4) !== 0,
        isOperatorInControl: (bits & 2) !== 0,
        isPolicyReady: (bits & 1) !== 0,
      }),
    );
    expect(table).toEqual(['hold', 'policy', 'operator', 'operator', 'stop', 'stop', 'stop', 'stop']);
  });
});

describe('OperatorLease', () => {
  faultRow(21, 'fake', 'has one holder, tells who lost it, and lets only the holder give back', () => {
    const lease = new OperatorLease();
    expect(lease.takeOver('ann', 1)).toBeUndefined();
    expect(lease.takeOver('bob', 2)).toBe('ann');
    expect(lease.giveBack('ann')).toBe(false);
    expect(lease.heldForS(5)).toBe(3);
    expect(lease.giveBack('bob')).toBe(true);
    expect([lease.holder, lease.heldForS(9)]).toEqual([undefined, 0]);
  });
});

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

describe('OperatorDesk', () => {
  const script = (): Puppet => new Puppet('script', 'scripted', 0.1);
  const person = (): Puppet => new Puppet('keyboard', 'human', 0.2);
  const out = (): TeleopCommand => ({ active: false, action: new Float32Array(1), phase: 'correct' });

  function step(desk: OperatorDesk, nowS = 0): string {
    const command = out();
    desk.poll(new Float32Array(0), nowS, command);
    return command.active ? `${desk.decidedBy} ${command.action[0]?.toFixed(1)}` : 'policy';
  }

  it('lets a person take over from a script, and the policy follow when the person gives back', () => {
    const [s, p] = [script(), person()];
    const desk = new OperatorDesk([p, s], 1);
    expect(step(desk)).toBe('policy');
    s.isActive = true;
    expect(step(desk)).toBe('scripted 0.1');
    p.isActive = true;
    expect(step(desk)).toBe('human 0.2');
    expect(s.lostTo).toBe('keyboard');
    p.isActive = false;
    expect(step(desk)).toBe('policy');
    s.isActive = false;
    step(desk);
    s.isActive = true;
    expect(step(desk)).toBe('scripted 0.1');
  });

  it('lets no script take over from a person', () => {
    const [s, p] = [script(), person()];
    const desk = new OperatorDesk([s, p], 1);
    p.isActive = true;
    step(desk);
    s.isActive = true;
    expect(step(desk)).toBe('human 0.2');
    expect(p.lostTo).toBe('');
  });

  it('gives control to the last of two people who took it, and tells the other', () => {
    const [a, b] = [new Puppet('ann', 'human', 0.3), new Puppet('bob', 'human', 0.4)];
    const desk = new OperatorDesk([a, b], 1);
    a.isActive = true;
    step(desk);
    b.isActive = true;
    expect(step(desk)).toBe('human 0.4');
    expect(a.lostTo).toBe('bob');
  });

  it('holds still on a stop from anyone, whoever has control', () => {
    const [s, p] = [script(), person()];
    const desk = new OperatorDesk([p, s], 1);
    s.isActive = true;
    step(desk);
    p.isStopRequested = true;
    expect(step(desk)).toBe('human 0.0');
    expect(desk.state.authority).toBe('stop');
    p.isStopRequested = false;
    expect(step(desk)).toBe('scripted 0.1');
  });

  it('publishes who has control and since when', () => {
    const p = person();
    const desk = new OperatorDesk([p], 1);
    const seen: string[] = [];
    desk.state$.subscribe((state) => seen.push(`${state.authority} ${state.holder ?? '-'} ${state.sinceS}`));
    p.isActive = true;
    step(desk, 4);
    step(desk, 5);
    p.isActive = false;
    step(desk, 6);
    expect(seen).toEqual(['policy - 0', 'operator keyboard 4', 'policy - 6']);
  });

  it('refuses two operators of one name', () => {
    expect(() => new OperatorDesk([person(), person()], 1)).toThrow(RangeError);
  });
});
