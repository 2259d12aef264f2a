import { describe, expect, it } from 'vitest';
import { arm6Setup } from '../../tests/support/arm6.ts';
import { createGuardFrame } from '../guard/link/frames.ts';
import type { GuardFrame } from '../rows/index.ts';
import { MotionRecord } from './motion-record.ts';

const model = arm6Setup().config.robot;
const PERIOD_S = 0.01;
/** Frames arrive a while after they were made, unevenly; the driver's clock has another origin. */
const DRIVER_CLOCK_S = -4000;

/**
 * Returns the frame of `tick`, whose reading and reference contain its number. `stampS`: the driver's stamp, one period
 * per tick by default.
 */
function frameOf(tick: number, stampS = DRIVER_CLOCK_S + tick * PERIOD_S): GuardFrame {
  const frame = createGuardFrame(6, 0, 6);
  frame.tick = tick;
  frame.stampS = stampS;
  frame.robot.measuredAtS = tick * PERIOD_S + 0.004 * Math.sin(tick);
  frame.robot.positionRad.fill(tick);
  frame.referenceRad.fill(100 + tick);
  return frame;
}

function recorded(...frames: readonly GuardFrame[]): MotionRecord {
  const record = new MotionRecord(model);
  for (const frame of frames) record.add(frame);
  return record;
}

const ticks = ({ states }: MotionRecord): readonly number[] => states.map(({ positionRad }) => positionRad[0]!);
const range = (from: number, to: number): GuardFrame[] =>
  Array.from({ length: to - from + 1 }, (_, k) => frameOf(from + k));

describe('a record of motion', () => {
  it('has a row for each new reading, with the reference that led to it and the time by the driver’s stamps', () => {
    const record = recorded(...range(0, 4));
    expect(ticks(record)).toEqual([1, 2, 3, 4]);
    expect(record.sentRad.map((sent) => sent[0])).toEqual([100, 101, 102, 103]);
    for (const dtS of record.dtS) expect(dtS).toBeCloseTo(PERIOD_S, 9);
    expect(record.pieceRow).toEqual([0, 1, 2, 3]);
    expect([record.lost, record.repeated]).toEqual([0, 0]);
  });

  it('takes a frame that comes twice once', () => {
    const doubled = range(0, 4).flatMap((frame) => [frame, frame]);
    const record = recorded(...doubled);
    expect(ticks(record)).toEqual([1, 2, 3, 4]);
    expect(record.pieceRow).toEqual([0, 1, 2, 3]);
    expect([record.lost, record.repeated]).toEqual([0, 5]);
  });

  it('counts frames that never came, and begins a new piece after them, whose first frame only begins it', () => {
    const record = recorded(...range(0, 3), ...range(6, 8), ...range(10, 12));
    expect(record.lost).toBe(3);
    expect(ticks(record)).toEqual([1, 2, 3, 7, 8, 11, 12]);
    expect(record.sentRad.map((sent) => sent[0])).toEqual([100, 101, 102, 106, 107, 110, 111]);
    expect(record.pieceRow).toEqual([0, 1, 2, 0, 1, 0, 1]);
    for (const dtS of record.dtS) expect(dtS).toBeCloseTo(PERIOD_S, 9);
  });

  it('counts those that never came at its beginning and its end', () => {
    const record = new MotionRecord(model);
    record.begin(3);
    for (const frame of range(6, 8)) record.add(frame);
    expect(record.lost).toBe(2);
    record.end(8);
    expect(record.lost).toBe(2);
    record.end(11);
    expect(record.lost).toBe(5);
    expect(ticks(record)).toEqual([7, 8]);
  });

  it('leaves out what comes after a later frame: what it held counts as lost', () => {
    const [zero, one, two, three, four] = range(0, 4);
    const record = recorded(zero!, one!, three!, two!, four!);
    expect(ticks(record)).toEqual([1, 4]);
    expect([record.lost, record.repeated]).toEqual([1, 1]);
  });

  it('minds no frame that comes late, for the driver says when the arm was read', () => {
    const late = range(0, 4);
    for (const frame of late.slice(2)) frame.robot.measuredAtS += 0.5;
    expect(recorded(...late).dtS).toEqual(recorded(...range(0, 4)).dtS);
  });

  it('takes a reading that the driver hands out again for no new one, and the newest reference for what led to the next', () => {
    const again = frameOf(2, frameOf(1).stampS);
    const record = recorded(frameOf(0), frameOf(1), again, frameOf(3));
    expect(ticks(record)).toEqual([1, 3]);
    expect(record.dtS[1]).toBeCloseTo(2 * PERIOD_S, 9);
    expect(record.sentRad.map((sent) => sent[0])).toEqual([100, 102]);
  });

  it('knows whether the driver gives the mean of what touches the tool', () => {
    const frames = range(0, 1);
    expect(recorded(...frames).givesMeanWrench).toBe(false);
    for (const frame of frames) frame.meanWrench.fill(0);
    expect(recorded(...frames).givesMeanWrench).toBe(true);
  });
});
