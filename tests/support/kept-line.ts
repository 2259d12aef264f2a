import type { MemoryLine } from '../../packages/emulate/src/memory-line.ts';
import type { SerialLine } from '../../src/drivers/serial.ts';

/** `line` as a driver opens it: the wire stays when that closes it, and may be opened again. */
export function keptLine(line: MemoryLine): SerialLine {
  return {
    path: line.path,
    baud: line.baud,
    clock: line.clock,
    warning: (line as SerialLine).warning,
    write: (bytes, length) => line.write(bytes, length),
    read: (into, at) => line.read(into, at),
    wait: (untilS) => line.wait(untilS),
    close: () => undefined,
  };
}
