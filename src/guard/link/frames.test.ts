import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DECIDERS, SAFETY_STATES } from '../../rows/index.ts';
import {
  commandNumbers,
  copyGuardFrame,
  createActionCommand,
  createGuardFrame,
  frameNumbers,
  packCommand,
  packFrame,
  unpackCommand,
  unpackFrame,
} from './frames.ts';
import type { LinkShape } from './link.ts';

const shape: LinkShape = { joints: 3, signals: 2, actions: 4, controlHz: 100, timing: 'real-time' };

describe('rows of doubles', () => {
  it('carry a frame without loss, whatever its numbers, as a copy does', () => {
    const numbers = fc.float64Array({ minLength: frameNumbers(shape), maxLength: frameNumbers(shape) });
    fc.assert(
      fc.property(numbers, fc.nat(7), fc.nat(2), (row, state, decider) => {
        row[1] = state;
        row[2] = decider;
        const frame = createGuardFrame(shape.joints, shape.signals, shape.actions);
        expect(unpackFrame(frame, row, 0)).toBe(true);
        expect(frame.state).toBe(SAFETY_STATES[state]);
        expect(frame.decider).toBe(DECIDERS[decider]);
        const again = new Float64Array(row.length + 1);
        packFrame(again, 1, frame);
        expect(Array.from(again.subarray(1))).toEqual(Array.from(row));
        const copy = createGuardFrame(shape.joints, shape.signals, shape.actions);
        copyGuardFrame(copy, frame);
        expect(copy).toEqual(frame);
      }),
    );
  });

  it('carry a command without loss, a NaN in it included', () => {
    const command = { ...createActionCommand(4), seq: 5, issuedAtS: 1.25, leaseS: 0.1, policyVersion: 9, policyRun: 2 };
    command.decider = 'human';
    command.action.set([1, -1, Number.NaN, 0.5]);
    const row = new Float64Array(commandNumbers(shape));
    packCommand(row, 0, command);
    const read = createActionCommand(4);
    expect(unpackCommand(read, row, 0)).toBe(true);
    expect(read).toEqual(command);
  });

  it('refuse a code that nobody knows and change nothing', () => {
    const frame = createGuardFrame(shape.joints, shape.signals, shape.actions);
    const row = new Float64Array(frameNumbers(shape)).fill(99);
    expect(unpackFrame(frame, row, 0)).toBe(false);
    expect(frame).toEqual(createGuardFrame(shape.joints, shape.signals, shape.actions));
    expect(unpackCommand(createActionCommand(4), row, 0)).toBe(false);
  });
});
