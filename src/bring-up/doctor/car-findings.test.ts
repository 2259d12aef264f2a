import { describe, expect, it } from 'vitest';
import { MemoryLine } from '../../../packages/emulate/src/memory-line.ts';
import { type CarRig, type CarRigOptions, carRig } from '../../../tests/support/emulated-car.ts';
import type { OpenBusPort } from '../bus-port.ts';
import { carOf } from '../car.ts';
import { inspectPort } from './inspect.ts';

function opening({ faults, line }: CarRig): OpenBusPort {
  return async ({ baud: hostBaud }) => {
    const opened = new MemoryLine(faults, { baud: line.baud, hostBaud });
    return { line: opened, adapter: '', answerS: 0.004, warning: undefined, close: async () => opened.close() };
  };
}

async function inspect(options: CarRigOptions = {}, change: (rig: CarRig) => void = () => undefined) {
  const rig = carRig(options);
  change(rig);
  const { robot } = rig;
  const inspection = (await inspectPort({ robot, open: opening(rig) }))!;
  const failed = inspection.findings.filter(({ status }) => status !== 'ok');
  return { ...inspection, rig, failed };
}

describe('rein doctor on a car', () => {
  it('shows who the VESC is and how it is, leads to the ladder, and moves nothing', async () => {
    const { findings, next, rig } = await inspect();
    expect(Object.fromEntries(findings.map(({ name, detail }) => [name, detail]))).toEqual({
      VESC: 'EMULATED, firmware 6.05, uuid 456d756c6174656420636172, at 115200 bit/s on memory',
      'fault code': 'none',
      supply: '12.2 V, 4.07 V a cell',
      temperature: '25 °C in the VESC',
      timeout: 'the firmware stops the motor by itself within 200 ms (fault 46)',
      odometry: "the tachometer is at 0; 461 counts are 1 m by the robot's file",
      steering: expect.stringMatching(/^not measured: .*checked by eye/),
    });
    expect(findings.every(({ status }) => status === 'ok')).toBe(true);
    expect(next).toBe('rein bring-up --robot race-car-vesc');
    expect(rig.bus.servo).toBe(0.5);
    expect(rig.bus.command).toEqual({ kind: 'current', value: 0 });
    expect(carOf(rig.robot)?.robot).toBe(rig.robot);
  });

  it('names what is not well, worst first in what is to be done', async () => {
    const slow = await inspect({ vesc: { timeoutS: 1 } });
    expect(slow.failed).toEqual([expect.objectContaining({ name: 'timeout', status: 'fail' })]);
    expect(slow.next).toMatch(/set Timeout to 100 ms.* and write it\.$/);
    const low = await inspect({ vesc: { supplyV: 10.6 } });
    expect(low.failed).toEqual([
      expect.objectContaining({ name: 'supply', status: 'warn', detail: '10.6 V, 3.53 V a cell, below 3.6' }),
    ]);
    const other = await inspect({ vesc: { supplyV: 16 } });
    expect(other.next).toMatch(/cells that the battery has/);
    const broken = await inspect({}, ({ bus }) => {
      bus.faults.errorBits = 4;
    });
    expect(broken.failed).toEqual([expect.objectContaining({ name: 'fault code', detail: '4 (ABS_OVER_CURRENT)' })]);
    const hot = await inspect({}, ({ bus }) => {
      bus.faults.isOverloaded = true;
    });
    expect(hot.failed.map(({ name }) => name)).toEqual(['fault code', 'temperature']);
  });

  it('finds the speed at which it answers, and says what to write', async () => {
    const rig = carRig();
    const line = new MemoryLine(rig.faults, { baud: 921_600 });
    const { findings, next } = (await inspectPort({ robot: rig.robot, open: opening({ ...rig, line }) }))!;
    expect(findings[0]).toMatchObject({
      status: 'fail',
      detail: expect.stringMatching(/at 921600 .*file says 115200/),
    });
    expect(next).toBe("Write baud: 921600 under driver in the robot's file.");
  });

  it('says that nobody answers, at any speed, and where to look', async () => {
    const { findings, next } = await inspect({}, ({ bus }) => {
      bus.faults.isDead = true;
    });
    expect(findings).toHaveLength(1);
    expect(findings[0]!.detail).toMatch(/^No VESC answers on .* at 115200 bit\/s; nor at 921600, .*9600$/);
    expect(next).toMatch(/APP to Use is UART/);
  });

  it('finds a VESC at a port of which nothing is known', async () => {
    const rig = carRig();
    const { findings, next } = (await inspectPort({ port: '/dev/ttyACM3', open: opening(rig) }))!;
    expect(findings[0]).toMatchObject({ name: 'VESC', status: 'ok' });
    expect(next).toContain('driver.port: /dev/ttyACM3');
  });
});
