/** Frames and commands as rows of doubles: the one layout that shared memory and the socket use. Their tables: `src/core/guard-frame.ts`. */
import { type ActionCommand, COMMANDS, emptyFrame, FRAMES, type GuardFrame } from '../../core/index.ts';
import { STAGES } from '../../safety/chain-report.ts';
import type { LinkShape } from './link.ts';

/** A frame with all arrays allocated; `tick` is −1. */
export function createGuardFrame(joints: number, signals: number, actions: number): GuardFrame {
  return emptyFrame(joints, signals, actions, STAGES.length);
}

/** A command with its array allocated, that asks for nothing. */
export function createActionCommand(actions: number): ActionCommand {
  return COMMANDS.create({ actions });
}

/** How many doubles a frame takes. */
export function frameNumbers({ joints, signals, actions }: LinkShape): number {
  return FRAMES.size({ joints, signals, actions, stages: STAGES.length });
}

/** How many doubles a command takes. */
export function commandNumbers({ actions }: LinkShape): number {
  return COMMANDS.size({ actions });
}

/** Of `RowCodec`. */
export const { copy: copyGuardFrame, pack: packFrame, unpack: unpackFrame } = FRAMES;
export const { copy: copyActionCommand, pack: packCommand, unpack: unpackCommand, isRow: isCommand } = COMMANDS;
