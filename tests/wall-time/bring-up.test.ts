/** Bringing up as a person does it, on an emulated arm at a serial port and on a simulated one: in real time, in processes that may be killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadRobotFile } from '../../src/config/index.ts';
import { calibrationText, feetechFamily, readCalibration } from '../../src/drivers/serial.ts';
import { readRungs } from '../../src/record/index.ts';
import { Emulated } from '../support/emulated.ts';
import { freshCalibration, servoOptionsOf } from '../support/emulated-servos.ts';
import { REIN } from '../support/rein.ts';
import { burnIn } from '../support/rungs.ts';

const config = join(import.meta.dirname, '..', '..', 'config', 'robots');
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

/** The robot's file with another driver. */
function robotFile(driver: readonly string[]): string {
  const text = readFileSync(join(config, 'so101.yaml'), 'utf8');
  const path = join(folder, 'my-arm.yaml');
  const model = `  model: ${join(config, 'models', 'so101.xml')}`;
  const rest = text.slice(text.indexOf('\n  motors:'));
  const motors = driver.includes('  kind: feetech') ? rest : '\n';
  writeFileSync(
    path,
    `${text.slice(0, text.indexOf('\ndriver:'))}\ndriver:\n${[...driver, model].join('\n')}${motors}`,
  );
  return path;
}

/** A command that is answered when it asks. */
class Asked {
  readonly child: ChildProcess;
  readonly said: string[] = [];
  readonly ended: Promise<number | null>;

  constructor(args: readonly string[], answer: (line: string, asked: Asked) => Promise<string | undefined>) {
    const env = { ...process.env, REIN_CONFIG: join(folder, 'config'), REIN_STATE: join(folder, 'state') };
    this.child = spawn(process.execPath, [REIN, ...args], { stdio: ['pipe', 'pipe', 'inherit'], env });
    this.ended = new Promise((done) => this.child.once('close', (code) => done(code)));
    let before = Promise.resolve();
    createInterface({ input: this.child.stdout! }).on('line', (line) => {
      this.said.push(line);
      before = before.then(async () => {
        const typed = await answer(line, this);
        if (typed !== undefined && this.child.exitCode === null) this.child.stdin!.write(`${typed}\n`);
      });
    });
    // It may end, or be ended, with an answer under way.
    this.child.stdin!.on('error', () => undefined);
  }
}

describe('rein calibrate at an emulated arm', () => {
  it('loses at most the joint at hand when it is killed, and goes on behind the others', async () => {
    arm = new Emulated(['feetech']);
    await arm.next('ready');
    const file = robotFile(['  kind: feetech', `  port: ${arm.link}`]);
    const { type } = arm;
    const moved = async (...targetsRad: readonly number[]): Promise<string> => {
      for (const target of targetsRad) {
        await type.call(arm, `move 1 ${target}`);
        // A hand takes its time: 2 rad a second, on a machine that may be busy.
        await new Promise((done) => setTimeout(done, 3000));
      }
      return '';
    };
    const asks = ['calibrate', '--robot', file];
    const first = new Asked(asks, async (line, { child }) => {
      if (line.startsWith('2/6')) child.kill('SIGKILL');
      if (line.includes('Put it at')) return moved(0);
      if (line.includes('its angle rises')) return moved(0.5);
      if (line.includes('to one stop')) return moved(-1.92, 1.92);
      return line.includes('press Enter') ? '' : undefined;
    });
    expect(await first.ended).toBe(null);
    const out = join(folder, 'config', 'calibration', 'so101.json');
    expect(existsSync(out)).toBe(false);
    const { joints, adapter } = readCalibration(`${out}.partial`, 'so101');
    expect(Object.keys(joints)).toEqual(['shoulder_pan']);
    expect(adapter).toBe('TEST42');
    expect(joints['shoulder_pan']!.direction).toBe(1);
    const second = new Asked(asks, async (line, { child }) => {
      if (line.startsWith('2/6')) child.kill('SIGTERM');
      return line.includes('press Enter') || line.includes('[Y/n]') ? '' : undefined;
    });
    expect(await second.ended).toBe(130);
    expect(second.said).toContain('Begun before: shoulder_pan is done.');
    expect(second.said.some((line) => line.startsWith('1/6'))).toBe(false);
  });

  it('refuses a port that somebody has open, and says who', async () => {
    arm = new Emulated(['feetech']);
    await arm.next('ready');
    const file = robotFile(['  kind: feetech', `  port: ${arm.link}`]);
    // As programs do that take a port for themselves.
    const holder = spawn('flock', [arm.link, '-c', 'echo held; sleep 60']);
    await new Promise((held) => holder.stdout.once('data', held));
    try {
      const doctor = new Asked(['doctor', '--robot', file, '--json'], async () => undefined);
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

describe('rein bring-up at an emulated arm', () => {
  it('climbs from the doctor to full speed, and records each rung with what it has shown', async () => {
    arm = new Emulated(['feetech']);
    await arm.next('ready');
    const { type } = arm;
    const hand = async (line: string, takesMs: number): Promise<void> => {
      await type.call(arm, line);
      // A hand takes its time: 2 rad a second, on a machine that may be busy.
      await new Promise((done) => setTimeout(done, takesMs));
    };
    const file = robotFile(['  kind: feetech', `  port: ${arm.link}`, '  answerMs: 15']);
    // Three ticks in which the emulator is held up are 100 ms.
    writeFileSync(file, readFileSync(file, 'utf8').replace('controlHz: 50', 'controlHz: 30'));
    const { robot } = loadRobotFile(file);
    const jointNames = robot.joints.map(({ name }) => name);
    const fresh = freshCalibration(robot, servoOptionsOf(robot), feetechFamily, '3.10', 'TEST42');
    mkdirSync(join(folder, 'config', 'calibration'), { recursive: true });
    writeFileSync(join(folder, 'config', 'calibration', 'so101.json'), calibrationText(fresh));
    const answer = async (line: string): Promise<string | undefined> => {
      const joint = jointNames.indexOf(/^(\w+): .*has to rise/.exec(line)?.[1] ?? '');
      if (joint >= 0) await hand(`move ${joint + 1} ${robot.homeRad[joint]! + (joint === 3 ? 0.3 : 0.5)}`, 800);
      if (joint >= 0 || line.includes('press Enter')) return '';
      // Without torque it has fallen.
      if (line.includes('[y/N]')) await hand('hold', 1500);
      return line.includes('[y/N]') ? 'y' : undefined;
    };
    const said: string[] = [];
    let passed = 0;
    // What a machine that is too busy has spoilt is repeated, as the refusal says.
    for (let command = 0; passed < 5 && command < 8; command++) {
      const out = join(folder, `run-${command}`);
      const asked = new Asked(['bring-up', '--robot', file, '--minutes', '0.1', '--out', out], answer);
      if ((await asked.ended) === 0) passed++;
      said.push(...asked.said);
    }
    expect(passed, said.join('\n')).toBe(5);
    const { robot: name, adapter } = fresh;
    const records = readRungs(join(folder, 'state', 'bring-up', `${name}-${adapter}.jsonl`));
    expect(records.map(({ rung }) => rung)).toEqual(['doctor', 'mirror', 'slow', 'burn-in', 'full']);
    expect(records[2]!.proved).toMatch(
      /^26 s of joint after joint at 10 % .* each joint moved by \d+° or more, 0 faults/,
    );
    expect(records[3]!.proved).toMatch(
      /^6 s of random motion .* at 25 % .* each joint moved by \d+° or more, 0 faults/,
    );
    expect(said.at(-1)).toBe('At the top: it goes at the limits of its file.');
  }, 240_000);
});

describe('rein bring-up at an emulated car', () => {
  it('passes its mirror rung with a hand that turns the wheels', async () => {
    arm = new Emulated(['vesc']);
    await arm.next('ready');
    const { type } = arm;
    expect(await type.call(arm, 'turn', 'refused')).toMatchObject({ remedy: 'e.g. turn 0.5' });
    const file = join(folder, 'my-car.yaml');
    const shipped = readFileSync(join(config, 'race-car-vesc.yaml'), 'utf8');
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
    const doctor = new Asked(['doctor', '--robot', file], answer);
    expect(await doctor.ended).toBe(1);
    expect(doctor.said).toContain('1 failed: race-car will not run here.');
    await type.call(arm, 'heal 0');
    const said: string[] = [];
    for (let rung = 0; rung < 2; rung++) {
      const asked = new Asked(['bring-up', '--robot', file], answer);
      expect(await asked.ended).toBe(0);
      said.push(...asked.said);
    }
    expect(said).toContain('Passed: the wheels were turned ahead by hand, and 0.50 m ahead were counted.');
  });
});

describe('a rung that drives', () => {
  it('moves a simulated arm in a small box, and says what it has shown', async () => {
    const file = robotFile(['  kind: mujoco']);
    const { robot } = loadRobotFile(file);
    const proved = await burnIn(robot, file, join(folder, 'run'));
    expect(proved).toMatch(
      /^6 s of random motion in a box of ±7° at 25 % of its speed: \d+ steps, each joint moved by \d+° or more, 0 faults, 0 violations$/,
    );
  });
});
