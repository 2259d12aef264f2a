/** The tick thread's end of the two rings to the main thread. */
import type { ActionCommand, GuardFrame } from '../rows/index.ts';
import { packFrame, unpackCommand } from './link/frames.ts';
import type { GuardPort } from './link/link.ts';
import { type SharedRingMemory, SharedRingReader, SharedRingWriter } from './shared-ring.ts';

export function createRingPort(memory: {
  readonly frames: SharedRingMemory;
  readonly commands: SharedRingMemory;
}): GuardPort {
  const frames = new SharedRingWriter(memory.frames);
  const commands = new SharedRingReader(memory.commands);
  const row = new Float64Array(memory.commands.rowNumbers);
  return {
    latestCommand: (out: ActionCommand): boolean => commands.takeNewest(row) && unpackCommand(out, row, 0),
    publish: (frame: GuardFrame): void => {
      packFrame(frames.rows, frames.offset(), frame);
      frames.publish();
    },
  };
}
