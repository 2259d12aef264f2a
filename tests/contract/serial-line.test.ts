import { afterAll, afterEach } from 'vitest';
import { FeetechBus } from '../../packages/emulate/src/feetech/feetech-bus.ts';
import { FeetechServo } from '../../packages/emulate/src/feetech/feetech-servo.ts';
import { SimpleBody } from '../../packages/emulate/src/index.ts';
import { MemoryLine } from '../../packages/emulate/src/memory-line.ts';
import { DescriptorLine, FEETECH_MODELS, feetech } from '../../src/drivers/serial.ts';
import { Rng, SystemClock } from '../../src/model/index.ts';
import { Emulated } from '../support/emulated.ts';
import { describeSerialLine } from './serial-line.contract.ts';

/** A ping of servo 1, and what it says to it. */
const request = Uint8Array.of(0xff, 0xff, 0x01, 0x02, 0x01, 0xfb);
const reply = new Uint8Array(6);
feetech.writeStatus(reply, 1, 0, reply, 0, 0);

/** One for all tests: it is plugged in again after each that pulled it out. */
const arm = new Emulated(['feetech']);
let isPlugged = true;
const ready = arm.next('ready');
afterEach(async () => {
  if (!isPlugged) await arm.type('plug');
  isPlugged = true;
});
afterAll(() => arm.end());

describeSerialLine('memory', async () => {
  const servo = new FeetechServo({
    id: 1,
    model: FEETECH_MODELS['sts3215']!,
    joint: 0,
    zeroCounts: 2048,
    countsPerUnit: 4096 / (2 * Math.PI),
  });
  const body = new SimpleBody([{}]);
  const bus = new FeetechBus({ servos: [servo], body, baud: 1_000_000, rng: new Rng(1) });
  const line = new MemoryLine(bus, { baud: 1_000_000 });
  return { line, request, reply, unplug: () => line.unplug() };
});

describeSerialLine("descriptor's", async () => {
  const { link, baud } = await ready;
  const line = new DescriptorLine({ path: link as string, baud: baud as number }, new SystemClock());
  const unplug = async (): Promise<void> => {
    await arm.type('unplug');
    isPlugged = false;
  };
  return { line, request, reply, unplug };
});
