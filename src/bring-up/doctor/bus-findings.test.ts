import { afterEach, describe, expect, it } from 'vitest';
import { HandGuide, type HandRig, handRig, MOUNTINGS } from '../../../tests/support/calibrated-by-hand.ts';
import { ReinError } from '../../model/index.ts';
import { calibrateArm } from '../calibrate/calibrate-arm.ts';
import type { ServoArm } from '../families.ts';
import { type BusInspection, inspectBus } from './bus-findings.ts';
import { type PortState, portFinding } from './port-findings.ts';

const rigs: HandRig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.remove();
});

function rigOf(options: Parameters<typeof handRig>[0] = {}): HandRig {
  const rig = handRig(options);
  rigs.push(rig);
  return rig;
}

/** The arm with its calibration at the rig's path. */
function armOf({ arm, out }: HandRig): ServoArm {
  return { ...arm, calibration: out };
}

const inspect = (rig: HandRig): Promise<BusInspection> => inspectBus({ arm: armOf(rig), open: rig.open });
const failures = ({ findings }: BusInspection) => findings.filter(({ status }) => status === 'fail');

describe('rein doctor on a bus', () => {
  it('shows every servo, and writes to none', async () => {
    const rig = rigOf();
    for (const { registers } of rig.servos) registers.set('torqueEnable', 1);
    const before = rig.servos.map(({ registers }) => registers.bytes.slice(0, 56));
    const { findings, next } = await inspect(rig);
    expect(rig.servos.map(({ registers }) => registers.bytes.slice(0, 56))).toEqual(before);
    expect(findings.slice(0, 2)).toEqual([
      { name: 'bus', status: 'ok', detail: '6 feetech servos at 1000000 bit/s on /dev/memory' },
      {
        name: 'servo 1',
        status: 'ok',
        detail: expect.stringMatching(/^shoulder_pan: sts3215, firmware 3\.10, \d\.\d V, 25 °C, torque on, at \d+$/),
      },
    ]);
    expect(findings.at(-1)).toMatchObject({ name: 'calibration', status: 'warn' });
    expect(next).toBe('rein calibrate --robot so101');
  });

  it('leads to the ladder once the arm is calibrated', async () => {
    const rig = rigOf();
    const { arm, out, open } = rig;
    const guide = new HandGuide(rig);
    const rest = { port: undefined, only: [], firmware: 'ask', ranges: 'file' } as const;
    await calibrateArm({ arm, out, open, guide, wallMs: 0, ...rest });
    rig.body.positionRad.fill(0);
    const found = await inspect(rig);
    expect(failures(found)).toEqual([]);
    expect(found.next).toBe('rein bring-up --robot so101');
    // Like `rein run`, which does not take over servos with torque on.
    rig.servos[2]!.registers.set('torqueEnable', 1);
    const left = await inspect(rig);
    expect(failures(left)).toMatchObject([
      { name: 'servo 3', detail: expect.stringMatching(/torque on, at \d+; a program that is gone left it/) },
    ]);
    expect(left.next).toContain('switch the supply of its servos off and on');
    rig.servos[2]!.registers.set('torqueEnable', 0);
    rig.bus.faultsOf(4)!.isDead = true;
    const { next } = await inspect(rig);
    expect(next).toContain('Others that come after it answer');
    rig.bus.faultsOf(5)!.isDead = true;
    rig.bus.faultsOf(6)!.isDead = true;
    expect((await inspect(rig)).next).toContain('all behind the first gap');
  });

  it('finds the speed at which they answer, and says what to write', async () => {
    const rig = rigOf({ busBaud: 115_200 });
    const found = await inspect(rig);
    expect(rig.opened).toEqual([1_000_000, 500_000, 250_000, 128_000, 115_200, 115_200]);
    expect(failures(found)).toMatchObject([
      { name: 'bus', detail: expect.stringContaining("at 115200 bit/s on /dev/memory; the robot's file says 1000000") },
    ]);
    expect(found.next).toBe("Write baud: 115200 under driver in the robot's file.");
  });

  it('takes what comes back of its own requests for no answer, and says that it does', async () => {
    const [plain, echoing] = [rigOf(), rigOf({ isEchoing: true })];
    const [wanted, found] = [await inspect(plain), await inspect(echoing)];
    expect(found.findings[0]!.detail).toBe(
      `${wanted.findings[0]!.detail}; what is sent comes back on it, and is left out`,
    );
    expect(found.findings.slice(1, -1)).toEqual(wanted.findings.slice(1, -1));
  });

  it.each([false, true])(
    'knows a servo with a voltage error, whose answer to a ping is the ping itself: echo %s',
    async (isEchoing) => {
      const rig = rigOf({ isEchoing });
      rig.bus.supplyV = 9;
      const found = await inspect(rig);
      expect(found.findings.filter(({ name }) => name.startsWith('servo')).map(({ detail }) => detail)).toEqual(
        Array.from({ length: 6 }, () => expect.stringContaining('it reports voltage')),
      );
    },
  );

  it('says of a wrong supply what it has and takes, and nothing of heat', async () => {
    for (const [volts, remedy] of [
      [
        12,
        /^Switch its supply off now: it has 1[12]\.\d V, and takes 4\.0 V to 8\.0 V\. Use another supply\. If the servos are made for it: write model: sts3215_12v/,
      ],
      [3.6, /^Its supply is too low: it has 3\.[56] V, and takes 4\.0 V to 8\.0 V\. Check the supply/],
    ] as const) {
      const rig = rigOf();
      rig.bus.supplyV = volts;
      const { findings } = await inspect(rig);
      const first = findings.find(({ name }) => name === 'servo 1')!;
      expect(first).toMatchObject({ status: 'fail', remedy: expect.stringMatching(remedy) });
      expect(first.remedy).not.toMatch(/cool|heat/);
    }
  });

  it('finds no servo without any supply', async () => {
    const rig = rigOf();
    const { line } = await rig.open({ path: undefined, baud: 1_000_000 });
    rig.bus.supplyV = 0;
    line.wait(rig.clock.nowS() + 0.1);
    const found = await inspect(rig);
    expect(failures(found)).toMatchObject([
      { name: 'bus', remedy: expect.stringContaining('whether the servos have power') },
    ]);
    rig.bus.supplyV = 7.4;
    line.wait(rig.clock.nowS() + 0.1);
    expect(failures(await inspect(rig))).toEqual([]);
  });

  it('finds none on a line that echoes without servos', async () => {
    const found = await inspect(rigOf({ mountings: [], isEchoing: true }));
    expect(failures(found)).toMatchObject([{ name: 'bus', detail: expect.stringContaining('no servo answers') }]);
  });

  it('looks for all ids at all speeds in a minute where nobody answers, and says that it does', async () => {
    const rig = rigOf({ mountings: [] });
    const said: string[] = [];
    const startS = rig.clock.nowS();
    const found = await inspectBus({ arm: armOf(rig), open: rig.open, say: (line) => said.push(line) });
    expect(failures(found)).toMatchObject([{ name: 'bus' }]);
    expect(said).toEqual([expect.stringMatching(/^No servo answers to a usual id/)]);
    expect(rig.clock.nowS() - startS).toBeLessThan(60);
  });

  it('asks again who answered too late, and takes its answer for nobody else', async () => {
    const rig = rigOf();
    const held: number[] = [];
    let isHeld = true;
    const open: typeof rig.open = async (settings) => {
      const port = await rig.open(settings);
      let asked = 0;
      const { line } = port;
      const read: typeof line.read = (into, at) => {
        const got = line.read(into, at);
        if (!isHeld) return got;
        // The answer of servo 5 comes when servo 6 is asked.
        if (asked === 6 && held.length > 0) {
          isHeld = false;
          into.set(held, at);
          return held.length;
        }
        if (asked === 5) held.push(...into.subarray(at, at + got));
        return asked === 5 ? 0 : got;
      };
      const write: typeof line.write = (bytes, length) => {
        asked = bytes[2]!;
        return line.write(bytes, length);
      };
      const late = { path: line.path, baud: line.baud, clock: line.clock, wait: line.wait.bind(line), close: () => {} };
      return { ...port, line: { ...late, read, write } };
    };
    const { findings } = await inspectBus({ arm: armOf(rig), open });
    expect(isHeld).toBe(false);
    expect(findings.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'bus ok',
      ...[1, 2, 3, 4, 5, 6].map((id) => `servo ${id} ok`),
      'calibration warn',
    ]);
  });

  it('finds two servos with one id, one that is missing, and one that no joint has', async () => {
    const [first] = rigOf().servos;
    const twin = { ...first!.spec, id: 3, joint: undefined, signal: 'none', zeroCounts: 777 };
    const mountings = MOUNTINGS.map((each, i) => (i === 4 ? { ...each, id: 30 } : each));
    const found = await inspect(rigOf({ mountings, more: [twin] }));
    expect(failures(found)).toMatchObject([
      { name: 'servo 3', detail: expect.stringMatching(/^More than one servo has the id 3: their answers collide/) },
      { name: 'servo 5', detail: 'Servo 5 (wrist_roll) does not answer; 30 answers, and no joint has that id' },
    ]);
    expect(found.findings).toContainEqual(
      expect.objectContaining({ name: 'servo 30', detail: expect.stringContaining('no joint with this id') }),
    );
  });

  it('says first that two servos have one id, for the one that is missing is one of them', async () => {
    const mountings = MOUNTINGS.map((each, i) => (i === 4 ? { ...each, id: 6 } : each));
    const found = await inspect(rigOf({ mountings }));
    expect(failures(found)).toMatchObject([
      { name: 'servo 6', detail: expect.stringMatching(/^More than one servo has the id 6/) },
      { name: 'servo 5', remedy: 'It may be one of those with the id 6: resolve those first.' },
    ]);
    expect(found.next).toMatch(/^Unplug all but one of them, .* rein doctor --robot so101$/);
  });

  it('finds the second servo of an id also where it answers behind the first', async () => {
    const [first] = rigOf().servos;
    const twin = { ...first!.spec, id: 3, joint: undefined, signal: 'none', registers: { returnDelay: 200 } };
    const mountings = MOUNTINGS.map((each) => ({ ...each, registers: { returnDelay: 0 } }));
    expect(failures(await inspect(rigOf({ mountings, more: [twin] })))).toMatchObject([
      { name: 'servo 3', detail: expect.stringMatching(/^More than one servo has the id 3/) },
    ]);
  });

  it('calls a bus on which every answer is garbled what it is', async () => {
    const [first] = rigOf().servos;
    const twins = MOUNTINGS.map((_, i) => ({
      ...first!.spec,
      id: i + 1,
      joint: undefined,
      signal: 'none',
      zeroCounts: 700 + i,
    }));
    expect((await inspect(rigOf({ more: twins }))).next).toContain('Look at cables');
  });

  it('finds errors, an unknown model, and firmware that nobody knows', async () => {
    const rig = rigOf({
      mountings: MOUNTINGS.map((each, i) => (i === 1 ? { ...each, registers: { firmwareMajor: 9 } } : each)),
    });
    rig.servos[0]!.faults.errorBits = 32;
    rig.servos[3]!.registers.set('modelNumber', 4242);
    const found = await inspect(rig);
    expect(found.findings).toContainEqual(
      expect.objectContaining({ name: 'servo 1', detail: expect.stringContaining('it reports overload') }),
    );
    expect(found.findings).toContainEqual(
      expect.objectContaining({ name: 'servo 2', status: 'warn', detail: expect.stringContaining('firmware 9.10') }),
    );
    expect(found.findings).toContainEqual(
      expect.objectContaining({
        name: 'servo 4',
        detail: expect.stringContaining('model 4242, firmware 3.10: unknown'),
      }),
    );
  });

  it('tells an arm of 12 V from one of 7.4 V, whose servos say the same of themselves', async () => {
    const rig = rigOf();
    for (const { registers } of rig.servos) registers.set('voltageMax', 140);
    rig.bus.supplyV = 12;
    rig.clock.passTo(rig.clock.nowS() + 0.1);
    const found = await inspect(rig);
    expect(found.findings).toContainEqual(
      expect.objectContaining({
        name: 'servo 1',
        status: 'fail',
        detail: expect.stringContaining('its supply is outside 4.5 to 8.5 V'),
        remedy: expect.stringMatching(
          /^Switch its supply off now: it has 1[12]\.\d V, and takes 4\.5 V to 8\.5 V\. Use another supply\. If the servos are made for it: write model: sts3215_12v, its torqueMaxNm \(2\.94 at a stall\) and voltageMaxV into the robot's file\.$/,
        ),
      }),
    );
    expect(found.next).toContain('write model: sts3215_12v');
  });

  it('looks at a port without a robot, at every speed, and says when nobody answers', async () => {
    const rig = rigOf({ busBaud: 57_600 });
    const found = await inspectBus({ port: '/dev/memory', open: rig.open });
    expect(found.findings).toHaveLength(7);
    expect(found.next).toContain("name these servos in a robot's file with driver.port: /dev/memory");
    const silent = await inspectBus({ port: '/dev/memory', open: rigOf({ mountings: [] }).open });
    expect(silent.findings).toMatchObject([
      { name: 'bus', status: 'fail', detail: expect.stringContaining('speeds of feetech, dynamixel') },
    ]);
  });

  it('passes on why a port cannot be opened', async () => {
    const refusal = new ReinError('driver', '/dev/ttyUSB0 is in use by cat (process 7).', { remedy: 'End it: kill 7' });
    const found = await inspectBus({ port: '/dev/ttyUSB0', open: () => Promise.reject(refusal) });
    expect(found).toEqual({
      findings: [{ name: 'bus', status: 'fail', detail: refusal.message, remedy: 'End it: kill 7' }],
      next: 'End it: kill 7',
    });
  });
});

describe('a serial port', () => {
  const state: PortState = {
    info: { path: '/dev/ttyUSB0', manufacturer: 'FTDI', stableId: undefined, serialNumber: 'FT4', adapter: 'FT4' },
    link: '/dev/serial/by-id/usb-FTDI_X_FT4-if00-port0',
    users: [],
    mayOpen: true,
    rights: { group: 'dialout', mode: 0o20660 },
    latencyMs: 1,
  };

  it('that is well is shown with the name that stays', () => {
    expect(portFinding(state)).toEqual({
      name: 'port ttyUSB0',
      status: 'ok',
      detail: '/dev/ttyUSB0 (FTDI), adapter FT4, best named /dev/serial/by-id/usb-FTDI_X_FT4-if00-port0',
    });
  });

  it.each([
    [{ mayOpen: false }, 'Permission denied: /dev/ttyUSB0', 'sudo usermod -aG dialout $USER'],
    [{ users: [{ pid: 12, program: 'python3' }] }, 'in use by python3 (process 12)', 'kill 12'],
    [{ latencyMs: 16 }, 'buffers bytes for 16 ms', '/sys/class/tty/ttyUSB0/device/latency_timer'],
  ] as const)('is a warning with its command: %o', (change, detail, remedy) => {
    const found = portFinding({ ...state, ...change });
    expect(found).toMatchObject({ status: 'warn' });
    expect(found.detail).toContain(detail);
    expect(found.remedy).toContain(remedy);
  });

  it('of an adapter without serial number is named by its socket', () => {
    const adapter = 'socket:pci-0000:00:14.0-usb-0:2:1.0-port0';
    const info = { ...state.info, manufacturer: undefined, serialNumber: undefined, adapter };
    const link = '/dev/serial/by-path/pci-0000:00:14.0-usb-0:2:1.0-port0';
    expect(portFinding({ ...state, info, link }).detail).toBe(
      `/dev/ttyUSB0, without a serial number, known by its socket alone, best named ${link}`,
    );
  });

  it('without a link gets a rule for one', () => {
    expect(portFinding({ ...state, link: undefined }).remedy).toContain('ATTRS{serial}=="FT4"');
  });
});
