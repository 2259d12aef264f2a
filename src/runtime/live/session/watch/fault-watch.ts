/** Turns the fault flags of guard frames into events: one when a fault appears, one when it is gone. */
import { type Fault, faultsOf, isAtLeast } from '../../../../safety/index.ts';
import type { SessionEvent } from '../session-types.ts';

/** A warning that comes and goes is told so often at most, s. */
const WARNING_PAUSE_S = 5;

export class FaultWatch {
  readonly #emit: (event: SessionEvent) => void;
  readonly #toldAtS = new Map<number, number>();
  #flags = 0;

  constructor(emit: (event: SessionEvent) => void) {
    this.#emit = emit;
  }

  /** Takes a frame's flags. Cheap while they do not change. */
  see(flags: number, nowS: number): void {
    if (flags === this.#flags) return;
    const before = this.#flags;
    this.#flags = flags;
    for (const fault of faultsOf(flags & ~before)) this.#appeared(fault, nowS);
    for (const fault of faultsOf(before & ~flags)) this.#cleared(fault);
  }

  #appeared(fault: Fault, nowS: number): void {
    const { row, flag, bit, sentence, remedy } = fault;
    if (!isStop(fault)) {
      const toldAtS = this.#toldAtS.get(bit);
      if (toldAtS !== undefined && nowS - toldAtS < WARNING_PAUSE_S) return;
      this.#toldAtS.set(bit, nowS);
    }
    this.#emit({ level: isStop(fault) ? 'error' : 'warn', name: flag, row, message: sentence, remedy });
  }

  /** Warnings go as they came; the end of a stop is worth a word. */
  #cleared(fault: Fault): void {
    if (!isStop(fault)) return;
    const { row, flag, sentence } = fault;
    this.#emit({ level: 'info', name: `${flag}Cleared`, row, message: `No more: ${sentence}`, remedy: '' });
  }
}

function isStop(fault: Fault): boolean {
  return isAtLeast(fault.action, 'cat2');
}
