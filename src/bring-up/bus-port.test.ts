import { expect, it } from 'vitest';
import { handRig } from '../../tests/support/calibrated-by-hand.ts';
import type { SerialLine } from '../drivers/serial.ts';
import { busOn } from './bus-port.ts';
import { ServoAccess } from './servo-access.ts';

/** `line` on a machine that receives data late by `lateS`, s. */
function busyLine(line: SerialLine, lateS: number): SerialLine {
  let heardFromS = 0;
  return {
    path: line.path,
    baud: line.baud,
    clock: line.clock,
    write: (bytes, length) => {
      heardFromS = line.clock.nowS() + lateS;
      return line.write(bytes, length);
    },
    read: (into, at) => (line.clock.nowS() < heardFromS ? 0 : line.read(into, at)),
    wait: (untilS) => line.wait(untilS),
    close: () => line.close(),
  };
}

it('gives each answer of a servo 0.3 s, of a register that is asked for once and of one that is asked for again', async () => {
  const rig = handRig();
  const { motors, bus } = rig.arm;
  const port = await rig.open({ path: '/dev/memory', baud: rig.arm.driver.baud });
  const line = busyLine(port.line, 0.25);
  const { id, model } = motors[0]!;
  const servo = new ServoAccess(busOn({ ...port, line }, bus.family.protocolOf([model])), id, model);
  for (const tries of [1, 3]) expect(servo.read('presentPosition', tries)).toBe(2048);
  expect(servo.set('torqueEnable', 0)).toBe(true);
  rig.remove();
});
