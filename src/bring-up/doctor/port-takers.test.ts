import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { portTakers } from './port-takers.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Machine with `rules` by name, and running `programs`. */
function machine(rules: Readonly<Record<string, string>> = {}, programs: readonly string[] = []) {
  const root = mkdtempSync(join(tmpdir(), 'rein-root-'));
  folders.push(root);
  const [processes, udev] = [join(root, 'proc'), join(root, 'rules.d')];
  mkdirSync(udev);
  for (const [name, text] of Object.entries(rules)) writeFileSync(join(udev, name), text);
  for (const [i, program] of programs.entries()) {
    mkdirSync(join(processes, `${100 + i}`), { recursive: true });
    writeFileSync(join(processes, `${100 + i}`, 'comm'), `${program}\n`);
  }
  return { udev, roots: { processes, rules: [join(root, 'none'), udev] } };
}

const CH340 = 'ENV{PRODUCT}=="1a86/7523/*", ENV{BRLTTY_BRAILLE_DRIVER}="bm", GOTO="brltty_usb_run"\n';

describe('brltty', () => {
  it('is named by its rule, or as it runs, where no port of an adapter is there', () => {
    const { udev, roots } = machine({ '85-brltty.rules': CH340 });
    expect(portTakers([], roots)).toEqual([
      {
        name: 'brltty',
        status: 'warn',
        detail: `takes serial adapters for braille displays, and their ports away: its rule is ${udev}/85-brltty.rules`,
        remedy: 'if no braille display is used: sudo apt remove brltty, then plug the adapter in again',
      },
    ]);
    expect(portTakers([], machine({}, ['bash', 'brltty']).roots)).toMatchObject([
      { name: 'brltty', detail: expect.stringMatching(/it is running$/) },
    ]);
  });

  it('is not named where a port is there, its rule is commented out, or it is not there', () => {
    const { roots } = machine({ '85-brltty.rules': CH340 });
    expect(portTakers(['/dev/ttyUSB0'], roots)).toEqual([]);
    expect(portTakers([], machine({ '85-brltty.rules': `# ${CH340}`, '60-other.rules': CH340 }).roots)).toEqual([]);
    expect(portTakers([], machine({}, ['bash']).roots)).toEqual([]);
  });
});

describe('ModemManager', () => {
  it('is named beside a port that it asks, with the rule that keeps it away', () => {
    const { roots } = machine({}, ['ModemManager']);
    expect(portTakers(['/dev/ttyACM0', '/dev/ttyUSB0'], roots)).toMatchObject([
      {
        name: 'ModemManager',
        detail: expect.stringContaining('/dev/ttyACM0'),
        remedy: expect.stringContaining('KERNEL=="ttyACM*", ENV{ID_MM_DEVICE_IGNORE}="1"'),
      },
    ]);
    expect(portTakers(['/dev/ttyUSB0'], roots)).toEqual([]);
    const ruled = machine({ '99-rein-serial.rules': 'KERNEL=="ttyACM*", ENV{ID_MM_DEVICE_IGNORE}="1"' }, [
      'ModemManager',
    ]);
    expect(portTakers(['/dev/ttyACM0'], ruled.roots)).toEqual([]);
  });
});
