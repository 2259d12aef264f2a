/**
 * Frames and commands between node and guard, compared with recorded bytes. A difference requires a new version of the
 * link: increment it, and run `UPDATE_GOLDEN=1 npx vitest run src/guard/link/golden` to record new ones.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { crc32c } from '../../rows/index.ts';
import {
  commandNumbers,
  createActionCommand,
  createGuardFrame,
  frameNumbers,
  packCommand,
  packFrame,
} from './frames.ts';
import type { LinkShape } from './link.ts';
import { encodeNumbers, MESSAGE } from './wire.ts';

const SHAPE: LinkShape = { joints: 3, signals: 2, actions: 4, controlHz: 100, timing: 'real-time' };
const FOLDER = fileURLToPath(new URL('../../../tests/golden/guard/', import.meta.url));

/** Fills `row` with distinct numbers, derived from field name and array index. */
function fill(row: object): void {
  for (const [name, value] of Object.entries(row)) {
    const start = crc32c(Buffer.from(name)) / 256;
    if (typeof value === 'number') Object.assign(row, { [name]: start });
    else if (value instanceof Float64Array) for (let i = 0; i < value.length; i++) value[i] = start + i;
    else if (typeof value === 'object') fill(value);
  }
}

function frameMessage(): Uint8Array {
  const frame = createGuardFrame(SHAPE.joints, SHAPE.signals, SHAPE.actions);
  fill(frame);
  frame.state = 'active.human';
  frame.decider = 'script';
  const row = new Float64Array(frameNumbers(SHAPE));
  packFrame(row, 0, frame);
  return encodeNumbers(MESSAGE.frame, row);
}

function commandMessage(): Uint8Array {
  const command = createActionCommand(SHAPE.actions);
  fill(command);
  command.decider = 'human';
  const row = new Float64Array(commandNumbers(SHAPE));
  packCommand(row, 0, command);
  return encodeNumbers(MESSAGE.command, row);
}

const emptyFrame = new Float64Array(frameNumbers(SHAPE));
packFrame(emptyFrame, 0, createGuardFrame(SHAPE.joints, SHAPE.signals, SHAPE.actions));
const FILES: Record<string, Uint8Array> = {
  'frame.message': frameMessage(),
  'empty-frame.message': encodeNumbers(MESSAGE.frame, emptyFrame),
  'command.message': commandMessage(),
};

if (process.env['UPDATE_GOLDEN'] === '1') {
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, bytes] of Object.entries(FILES)) writeFileSync(FOLDER + name, bytes);
}

describe('messages between node and guard', () => {
  it.each(Object.keys(FILES))('%s is still written byte for byte as before', (name) => {
    expect(Buffer.from(FILES[name]!).toString('hex')).toBe(readFileSync(FOLDER + name).toString('hex'));
  });
});
