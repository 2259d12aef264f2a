import { describe, expect, it } from 'vitest';
import { servoRig } from '../../../tests/support/emulated-servos.ts';
import { ruleOf, servoDecoder, vescDecoder, WriteRecorder } from '../../../tests/support/write-recorder.ts';
import { createRobotState } from '../../rows/index.ts';
import { dynamixelFamily, feetechFamily, type ServoFamily, VESC_WRITES, vesc } from '../serial.ts';
import { writeRpm, writeServo } from '../vesc/protocol.ts';

const FAMILIES = [feetechFamily, dynamixelFamily] as const;
const isRegisterOf = (family: ServoFamily, what: string): boolean =>
  Object.values(family.models).some(({ registers }) => registers[what] !== undefined);

describe.each(FAMILIES)('what servos do when they are written to ($name)', (family) => {
  it('names registers that they have, and where that is said', () => {
    for (const { what, does, source } of family.writes) {
      expect([what, what === 'REBOOT' || isRegisterOf(family, what)]).toEqual([what, true]);
      expect(does.length * source.length, what).toBeGreaterThan(0);
    }
  });

  it('lets nothing that may move a joint be written to one that is limp or away', () => {
    for (const state of ['limp', 'away'] as const) {
      expect(ruleOf(family.writes, 'goalPosition', 0)!.allowed).not.toContain(state);
      expect(ruleOf(family.writes, 'torqueEnable', 1)!.allowed).not.toContain(state);
      expect(ruleOf(family.writes, 'torqueEnable', 0)!.allowed).toContain(state);
    }
  });
});

describe('a line that holds a driver to that', () => {
  it('refuses a goal to a servo that is limp or came back from a dip, and what is not in the table', async () => {
    const { driver, bus, line, robot, endOfTick, remove } = servoRig({ robot: 'so101', family: feetechFamily });
    const model = feetechFamily.models['sts3215']!;
    const recorder = new WriteRecorder(
      feetechFamily.writes,
      servoDecoder(feetechFamily, () => model),
      bus,
    );
    recorder.watch(driver);
    const held = recorder.line(line);
    const out = new Uint8Array(32);
    const { write } = feetechFamily.protocolOf([model]);
    const send = (id: number, address: number): unknown =>
      held.write(out, write(out, id, address, Uint8Array.of(0, 8), 0, 2));
    const goalAt = model.registers['goalPosition']!.address;
    const state = createRobotState(robot.joints.length, 0);
    const tick = (): void => {
      endOfTick();
      driver.read(state);
      driver.write(state.positionRad);
    };
    try {
      await driver.open();
      driver.read(state);
      expect(() => send(2, goalAt)).toThrow('goalPosition 2048 was written to device 2 that is limp');
      driver.torque(1);
      tick();
      expect(send(2, goalAt)).toBe('ok');
      bus.faultsOf(2)!.unpoweredS = 0.03;
      for (let k = 0; k < 4; k++) tick();
      expect(() => send(2, goalAt)).toThrow('that is away');
      expect(send(3, goalAt)).toBe('ok');
      expect(() => send(3, model.registers['speedGainP']!.address)).toThrow('not in the table');
    } finally {
      await driver.close();
      remove();
    }
  });

  it('knows what a VESC is told', () => {
    const decode = vescDecoder();
    const out = new Uint8Array(64);
    const seen = decode(out, writeServo(out, writeRpm(out, 0, 3000), 0.5));
    expect(seen.map(({ what }) => what)).toEqual(['setRpm', 'setServo']);
    for (const what of Object.keys(vesc.COMMAND).filter((name) => name.startsWith('set'))) {
      expect(ruleOf(VESC_WRITES, what, 1)?.what).toBe(what);
    }
  });
});
