/** A gamepad of the kernel's own making, through the device files that a real one has. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../src/model/index.ts';
import {
  DeviceFile,
  EvdevPadParser,
  findInputDevice,
  type InputDevice,
  JOY_PADS,
  JoydevParser,
  LocalPad,
  listInputDevices,
  mappingOf,
  withRange,
} from '../../src/teleop/index.ts';
import { mockAction } from '../support/mock-guard.ts';

const NAME = `Rein test pad ${process.pid}`;
const [BTN_TL, ABS_Y] = [310, 1];
/** The sticks of `uinput_pad.py`; no driver tells of it. */
const RANGE = [-32_767, 32_767] as const;
const STICKS = [0, 1, 3, 4];

/** The pad by the way that is asked for, once udev has made its node. */
function find(by: 'joydev' | 'evdev'): InputDevice | undefined {
  if (by === 'joydev') return listInputDevices().find(({ name, evdev }) => name === NAME && evdev === undefined);
  const nodes = readdirSync('/sys/class/input').filter((node) => node.startsWith('event'));
  const node = nodes.find((each) => readFileSync(`/sys/class/input/${each}/device/name`, 'utf8').trim() === NAME);
  return node === undefined || !readdirSync('/dev/input').includes(node)
    ? undefined
    : findInputDevice('gamepad', `/dev/input/${node}`);
}

/** Why no such device can be made on this machine. */
function whyNot(): string | undefined {
  try {
    accessSync('/dev/uinput', constants.W_OK);
  } catch (error) {
    return `/dev/uinput cannot be written (${(error as NodeJS.ErrnoException).code})`;
  }
  return spawnSync('python3', ['--version']).status === 0 ? undefined : 'python3 is not installed';
}

const why = whyNot();
if (why !== undefined) console.log(`skipped: a gamepad by uinput: ${why}`);

describe.skipIf(why !== undefined)('a gamepad by uinput', () => {
  it.for(['joydev', 'evdev'] as const)(
    'is found with the mapping that suits it, moves by its stick, and drops out when it is unplugged, by %s',
    { timeout: 30_000 },
    async (by, test) => {
      const script = fileURLToPath(new URL('../python/uinput_pad.py', import.meta.url));
      const kernel = spawn('python3', [script, NAME], { stdio: ['pipe', 'pipe', 'inherit'] });
      const lines = createInterface({ input: kernel.stdout })[Symbol.asyncIterator]();
      const does = async (line: string): Promise<void> => {
        kernel.stdin.write(`${line}\n`);
        await lines.next();
      };
      try {
        if ((await lines.next()).value !== 'there') test.skip('uinput refused the device');
        for (let looks = 0; looks < 100 && find(by)?.isReadable !== true; looks++) await sleep(20);
        const device = find(by);
        if (device?.isReadable !== true) test.skip(`no node of ${by} came of it: is its module loaded?`);
        expect(device!.pad).toBe('xbox');
        const clock = new SystemClock();
        const pad = new LocalPad({
          action: mockAction,
          clock,
          mapping: mappingOf(JOY_PADS.xbox, mockAction),
          port: new DeviceFile(device!.path, () => clock.nowS()),
          parser: by === 'joydev' ? new JoydevParser() : new EvdevPadParser(withRange(device!.evdev!, RANGE)),
          device: { name: 'gamepad', subject: 'gamepad' },
          enabling: 'hold',
          hint: '',
          speed: 1,
        });
        const out = {
          active: false,
          action: new Float32Array(mockAction.dimensions.length),
          phase: 'correct' as const,
        };
        const poll = () => {
          pad.poll(new Float32Array(0), 0, out);
          return [out.active, pad.isStopRequested, out.action.some((value) => value !== 0)];
        };
        expect(poll()).toEqual([false, false, false]);
        await does(`key ${BTN_TL} 1`);
        expect(poll()).toEqual([true, false, false]);
        // By evdev each stick has to be moved before it is known where it is.
        for (const value of [9000, 0]) {
          for (const axis of STICKS) await does(`abs ${axis} ${value}`);
          poll();
        }
        await does(`abs ${ABS_Y} -32767`);
        expect(poll()).toEqual([true, false, true]);
        expect(Math.max(...out.action)).toBeCloseTo(1, 2);
        kernel.stdin.end();
        await once(kernel, 'exit');
        expect(poll()).toEqual([true, true, false]);
        pad.close();
      } finally {
        kernel.kill();
      }
    },
  );
});
