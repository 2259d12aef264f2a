/** Calibrating and asking the doctor as a person does it, at emulated robots at a serial port: in real time, in processes that may be killed. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readCalibration } from '../../src/drivers/serial.ts';
import { Asked, emulatedArmFile, ROBOTS } from '../support/asked.ts';
import { Emulated } from '../support/emulated.ts';
import { IS_LONG } from '../support/long.ts';

let folder: string;
let arm: Emulated | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-bring-up-'));
});
afterEach(async () => {
  await arm?.end();
  arm = undefined;
  rmSync(folder, { recursive: true, force: true });
});

describe('rein calibrate and rein doctor at an emulated arm', () => {
  it('loses at most the joint at hand when it is killed, and goes on behind the others', async () => {
    const emulated = new Emulated(['feetech']);
    arm = emulated;
    await emulated.next('ready');
    const file = emulatedArmFile(folder, emulated.link);
    const moved = async (...targetsRad: readonly number[]): Promise<string> => {
      for (const target of targetsRad) {
        await emulated.type(`move 1 ${target}`);
        await emulated.standsStill();
      }
      return '';
    };
    const asks = ['calibrate', '--robot', file];
    const first = new Asked(folder, asks, async (line, { child }) => {
      if (line.startsWith('2/6')) child.kill('SIGKILL');
      if (line.includes('Put it at')) return moved(0);
      if (line.includes('its angle rises')) return moved(0.5);
      if (line.includes('to one stop')) return moved(-1.92, 1.92);
      return line.includes('press Enter') ? '' : undefined;
    });
    expect(await first.ended, first.said.join('\n')).toBe(null);
    const out = join(folder, 'config', 'calibration', 'so101.json');
    expect(existsSync(out)).toBe(false);
    const { joints, adapter } = readCalibration(`${out}.partial`, 'so101');
    expect(Object.keys(joints)).toEqual(['shoulder_pan']);
    expect(adapter).toBe('TEST42');
    expect(joints['shoulder_pan']!.direction).toBe(1);
    const second = new Asked(folder, asks, async (line, { child }) => {
      if (line.startsWith('2/6')) child.kill('SIGTERM');
      return line.includes('press Enter') || line.includes('[Y/n]') ? '' : undefined;
    });
    expect(await second.ended, second.said.join('\n')).toBe(130);
    expect(second.said).toContain('Begun before: shoulder_pan is done.');
    expect(second.said.some((line) => line.startsWith('1/6'))).toBe(false);
  });

  it.runIf(IS_LONG)('refuses a port that somebody has open, and says who', async () => {
    arm = new Emulated(['feetech']);
    await arm.next('ready');
    const file = emulatedArmFile(folder, arm.link);
    // As programs do that take a port for themselves.
    const holder = spawn('flock', [arm.link, '-c', 'echo held; sleep 60']);
    await new Promise((held) => holder.stdout.once('data', held));
    try {
      const doctor = new Asked(folder, ['doctor', '--robot', file, '--json'], async () => undefined);
      expect(await doctor.ended).toBe(1);
      const { checks, next } = JSON.parse(doctor.said.join('\n')) as {
        checks: { name: string; detail: string }[];
        next: string;
      };
      expect(checks.find(({ name }) => name === 'bus')?.detail).toMatch(/is in use by flock \(process \d+\)/);
      expect(next).toContain(`${holder.pid}`);
    } finally {
      holder.kill();
    }
  });
});

describe('rein bring-up at an emulated car', () => {
  it.runIf(IS_LONG)('passes its mirror rung with a hand that turns the wheels', async () => {
    arm = new Emulated(['vesc']);
    await arm.next('ready');
    const { type } = arm;
    expect(await type.call(arm, 'turn', 'refused')).toMatchObject({ remedy: 'e.g. turn 0.5' });
    const file = join(folder, 'my-car.yaml');
    const shipped = readFileSync(join(ROBOTS, 'race-car-vesc.yaml'), 'utf8');
    writeFileSync(file, shipped.replace(/^( {2}port:) .*$/m, `$1 ${arm.link}`));
    const answer = async (line: string): Promise<string | undefined> => {
      if (line.startsWith('Turn the driven wheels')) {
        await type.call(arm, 'turn 0.5');
        // A hand takes its time: 0.5 m a second, on a machine that may be busy.
        await new Promise((done) => setTimeout(done, 2000));
        return '';
      }
      return line.includes('press Enter') ? '' : undefined;
    };
    await type.call(arm, 'error 0 5');
    const doctor = new Asked(folder, ['doctor', '--robot', file], answer);
    expect(await doctor.ended).toBe(1);
    expect(doctor.said).toContain('1 failed: race-car will not run here.');
    await type.call(arm, 'heal 0');
    const said: string[] = [];
    for (let rung = 0; rung < 2; rung++) {
      const asked = new Asked(folder, ['bring-up', '--robot', file], answer);
      expect(await asked.ended).toBe(0);
      said.push(...asked.said);
    }
    expect(said).toContain('Passed: the wheels were turned ahead by hand, and 0.50 m ahead were counted.');
  });
});
