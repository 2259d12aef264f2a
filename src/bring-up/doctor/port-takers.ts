/** System programs that take serial adapters for other devices, so that a port does not appear, or is held for a while. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { RULES_FILE } from '../../drivers/serial.ts';
import type { Finding } from '../finding.ts';

/** Folders in which the system shows its processes and its rules; replaced in tests. */
export interface SystemRoots {
  readonly processes: string;
  readonly rules: readonly string[];
}

const SYSTEM: SystemRoots = {
  processes: '/proc',
  rules: ['/usr/lib/udev/rules.d', '/lib/udev/rules.d', '/etc/udev/rules.d', '/run/udev/rules.d'],
};
/** Manufacturers of chips that serial adapters share with braille displays: WCH, Silicon Labs, FTDI. */
const ADAPTER_CHIPS = /1a86|10c4|0403/i;

/** Programs that may take a port of this machine; `paths` are the ports that exist. */
export function portTakers(paths: readonly string[], roots: SystemRoots = SYSTEM): readonly Finding[] {
  return [...brltty(paths, roots), ...modemManager(paths, roots)];
}

/** Screen reader for braille displays, which may have taken an adapter of the same chip if there is no port for it. */
function brltty(paths: readonly string[], roots: SystemRoots): readonly Finding[] {
  if (paths.some((path) => basename(path).startsWith('ttyUSB'))) return [];
  const rule = ruleOf(roots, 'brltty');
  const isRunning = runs(roots, 'brltty');
  if (rule === undefined && !isRunning) return [];
  const by = rule === undefined ? 'it is running' : `its rule is ${rule}`;
  return [
    {
      name: 'brltty',
      status: 'warn',
      detail: `takes serial adapters for braille displays, and their ports away: ${by}`,
      remedy: 'if no braille display is used: sudo apt remove brltty, then plug the adapter in again',
    },
  ];
}

/** Probes each new port for a modem, and holds it meanwhile. */
function modemManager(paths: readonly string[], roots: SystemRoots): readonly Finding[] {
  const asked = paths.filter((path) => basename(path).startsWith('ttyACM'));
  if (asked.length === 0 || !runs(roots, 'ModemManager')) return [];
  const rule = 'KERNEL=="ttyACM*", ENV{ID_MM_DEVICE_IGNORE}="1"';
  if (rulesOf(roots).some(({ text }) => text.includes('ID_MM_DEVICE_IGNORE') && text.includes('ttyACM'))) return [];
  return [
    {
      name: 'ModemManager',
      status: 'warn',
      detail: `asks ${asked.join(', ')} whether it is a modem, and holds it for some seconds after it was plugged in`,
      remedy: `echo '${rule}' | sudo tee -a ${RULES_FILE} && sudo udevadm control --reload, then plug the adapter in again`,
    },
  ];
}

/** Path of the rule of `program` that is about chips of serial adapters. */
function ruleOf(roots: SystemRoots, program: string): string | undefined {
  const found = rulesOf(roots).find(({ path, text }) => basename(path).includes(program) && ADAPTER_CHIPS.test(text));
  return found?.path;
}

/** Rules without lines that are commented out. */
function rulesOf({ rules }: SystemRoots): readonly { readonly path: string; readonly text: string }[] {
  return rules.flatMap((folder) =>
    namesIn(folder).flatMap((name) => {
      const path = join(folder, name);
      const text = textOf(path);
      const lines = text?.split('\n').filter((line) => !line.trimStart().startsWith('#'));
      return lines === undefined ? [] : [{ path, text: lines.join('\n') }];
    }),
  );
}

function runs({ processes }: SystemRoots, program: string): boolean {
  const pids = namesIn(processes).filter((name) => /^\d+$/.test(name));
  return pids.some((pid) => textOf(join(processes, pid, 'comm'))?.trim() === program);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The folder does not exist here.
    return [];
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The file is gone, or belongs to another user.
    return undefined;
  }
}
