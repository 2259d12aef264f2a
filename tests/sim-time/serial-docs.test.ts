/** What `README.md` and `docs/your-so101.md` say to copy does what it says, as far as that costs nothing. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireServoArm } from '../../src/bring-up/index.ts';
import { loadRobotFile } from '../../src/config/index.ts';
import { serialNumberOf } from '../../src/drivers/serial.ts';

const root = join(import.meta.dirname, '..', '..');
const pages = {
  'docs/your-so101.md': readFileSync(join(root, 'docs', 'your-so101.md'), 'utf8'),
  'README.md': readFileSync(join(root, 'README.md'), 'utf8').split('## A robot on a cable\n')[1]!.split('\n## ')[0]!,
};
const commandsOf = (page: string): readonly string[] =>
  [...page.matchAll(/^```sh\n(.*?)^```/gms)].flatMap((match) => match[1]!.split('\n'));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-docs-'));
  mkdirSync(join(folder, 'config'));
  cpSync(join(root, 'config', 'robots'), join(folder, 'config', 'robots'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.each(Object.entries(pages))('%s', (_, page) => {
  it('makes a robot file of its own with the port of the emulator that it starts', () => {
    const [link] = /--link (\S+)/.exec(page)!.slice(1);
    const lines = commandsOf(page).filter((line) => /^(PORT=|sed )/.test(line));
    execFileSync('bash', ['-ec', lines.join('\n')], { cwd: folder });
    const { robot } = loadRobotFile(join(folder, 'config', 'robots', 'my-arm.yaml'));
    const { driver } = requireServoArm(robot, 'calibrate');
    expect(robot.name).toBe('my-arm');
    expect(driver.port).toBe(link);
    expect(serialNumberOf(link!)).toBe('EMU0001');
    expect(driver.model).toBe(join(folder, 'config', 'robots', 'models', 'so101.xml'));
  });

  it('speaks of the robot file that it makes in every command behind that', () => {
    const commands = commandsOf(page).filter((line) => line.startsWith('npm run rein -- '));
    expect(commands.length).toBeGreaterThan(3);
    const named = commands.filter((line) => /(calibrate|bring-up|teleop|doctor --robot)/.test(line));
    expect(named.length).toBeGreaterThan(2);
    expect(named.every((line) => line.includes('--robot my-arm'))).toBe(true);
  });
});
