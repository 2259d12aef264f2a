import { describe, expect, it } from 'vitest';
import { faultRow } from '../../../tests/support/fault-row.ts';
import { times } from '../../../tests/support/times.ts';
import type { ActionCommand } from '../../rows/index.ts';
import { ACTION_CLAMPED, COMMAND_LENGTH, COMMAND_NOT_FINITE, COMMAND_STALE, STOP_LATCHED } from '../bits.ts';
import { Sanitizer } from './sanitize.ts';

function command(change: Partial<ActionCommand> = {}): ActionCommand {
  const action = Float64Array.of(0.5, -0.5);
  return { seq: 1, decider: 'policy', issuedAtS: 10, leaseS: 0.1, policyVersion: 0, policyRun: 0, action, ...change };
}

describe('sanitize', () => {
  it('passes a good command as it is, and knows it again', () => {
    const gate = new Sanitizer(2);
    expect(gate.check(command(), times(0.02, 10.02))).toBe(0);
    expect([gate.isValid, gate.isNew, ...gate.action]).toEqual([true, true, 0.5, -0.5]);
    expect(gate.check(command(), times(0.02, 10.04))).toBe(0);
    expect([gate.isValid, gate.isNew]).toEqual([true, false]);
  });

  it('takes silence and hold for no command, without a complaint', () => {
    const gate = new Sanitizer(2);
    for (const none of [null, command({ decider: 'hold' })]) {
      expect(gate.check(none, times(0.02, 10))).toBe(0);
      expect(gate.isValid).toBe(false);
    }
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('rejects %d wherever it stands', (bad) => {
    const broken = [{ action: Float64Array.of(0, bad) }, { seq: bad }, { issuedAtS: bad }, { leaseS: bad }];
    for (const change of broken) {
      const gate = new Sanitizer(2);
      expect(gate.check(command(change), times(0.02, 10))).toBe(COMMAND_NOT_FINITE);
      expect(gate.isValid).toBe(false);
    }
  });

  it('rejects the wrong number of values', () => {
    const gate = new Sanitizer(2);
    expect(gate.check(command({ action: new Float64Array(3) }), times(0.02, 10))).toBe(COMMAND_LENGTH);
    expect(gate.isValid).toBe(false);
  });

  it('cuts an action to [−1, 1] and says so', () => {
    const gate = new Sanitizer(2);
    expect(gate.check(command({ action: Float64Array.of(1e308, -1.0001) }), times(0.02, 10))).toBe(ACTION_CLAMPED);
    expect([...gate.action]).toEqual([1, -1]);
  });

  it('rejects a command past its lease, from the future, or at an unknown time', () => {
    const gate = new Sanitizer(2);
    for (const nowS of [10.1001, 9.98, Number.NaN]) {
      expect(gate.check(command(), times(0.02, nowS))).toBe(COMMAND_STALE);
      expect(gate.isValid).toBe(false);
    }
    expect(gate.check(command({ leaseS: -1 }), times(0.02, 10))).toBe(COMMAND_STALE);
  });

  faultRow(2, 'fake', 'grants nobody a lease of more than half a second', () => {
    const gate = new Sanitizer(2);
    expect(gate.check(command({ leaseS: 3600 }), times(0.02, 10.49))).toBe(0);
    expect(gate.check(command({ leaseS: 3600 }), times(0.02, 10.51))).toBe(COMMAND_STALE);
  });

  faultRow(1, 'fake', 'latches a stop at the third broken command within a second, and not later ones', () => {
    const gate = new Sanitizer(2);
    const broken = (seq: number): ActionCommand => command({ seq, action: Float64Array.of(Number.NaN, 0) });
    gate.check(broken(1), times(0.02, 10));
    gate.check(broken(1), times(0.02, 10.1)); // the same one again does not count
    gate.check(broken(2), times(0.02, 10.2));
    expect(gate.check(broken(3), times(0.02, 11.1))).toBe(COMMAND_NOT_FINITE);
    expect(gate.check(broken(4), times(0.02, 11.15))).toBe(COMMAND_NOT_FINITE | STOP_LATCHED);
    expect(gate.isLatched).toBe(true);
    expect(gate.check(command({ seq: 5, issuedAtS: 20 }), times(0.02, 20))).toBe(STOP_LATCHED);
    expect(gate.isValid).toBe(false);
    gate.reset();
    expect(gate.check(command({ seq: 6, issuedAtS: 20 }), times(0.02, 20))).toBe(0);
  });
});
