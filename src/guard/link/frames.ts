/** Frames and commands as rows of doubles: the common layout of shared memory and the socket. Their tables: `src/rows/guard-frame.ts`. */
import { type ActionCommand, COMMANDS, emptyFrame, FRAMES, type GuardFrame } from '../../rows/index.ts';
import { STAGES } from '../../safety/chain-report.ts';
import type { LinkShape } from './link.ts';

/** A frame with all arrays allocated; `tick` is −1. */
export function createGuardFrame(joints: number, signals: number, actions: number): GuardFrame {
  return emptyFrame(joints, signals, actions, STAGES.length);
}

/** Returns a neutral command with its array allocated. */
export function createActionCommand(actions: number): ActionCommand {
  return COMMANDS.create({ actions });
}

/** Number of doubles in a frame. */
export function frameNumbers({ joints, signals, actions }: LinkShape): number {
  return FRAMES.size({ joints, signals, actions, stages: STAGES.length });
}

/** Number of doubles in a command. */
export function commandNumbers({ actions }: LinkShape): number {
  return COMMANDS.size({ actions });
}

/** See `RowCodec`. */
export const { copy: copyGuardFrame, pack: packFrame, unpack: unpackFrame } = FRAMES;
export const { copy: copyActionCommand, pack: packCommand, unpack: unpackCommand, isRow: isCommand } = COMMANDS;
