/** Body of `rein calibrate`: an open port, a person at the terminal, a calibration file. */
import { readFileSync, statSync } from 'node:fs';
import {
  calibrateArm,
  checkServoCalibration,
  openBusPort,
  rebindCalibration,
  requireServoArm,
  TerminalGuide,
} from '../../bring-up/index.ts';
import { loadRobotFile, shownPath } from '../../config/index.ts';
import { ReinError } from '../../model/index.ts';
import type { CalibrateOptions } from '../calibrate.ts';
import { exitCodeOf, tableOf } from '../doctor/check.ts';
import { interruptibly } from './interrupt.ts';
import { warn } from './terminal.ts';

/** Resolves to the exit code. */
export async function calibrateBody(options: CalibrateOptions): Promise<number> {
  const { robot } = loadRobotFile(options.robot);
  const arm = requireServoArm(robot, 'calibrate');
  const { port, mode, from } = options;
  const out = options.out ?? arm.calibration;
  if (mode === 'check') {
    const findings = await checkServoCalibration({ arm, port, path: out, open: openBusPort, say: warn });
    process.stdout.write(tableOf(findings, 'the arm'));
    return exitCodeOf(findings);
  }
  if (!options.rebind) checkReplaceable(out, options.out === undefined ? '' : ', or give --out another name');
  return interruptibly(warn, 'joints that are done are kept; the same command goes on', async ({ signal }) => {
    const guide = new TerminalGuide({
      input: process.stdin,
      output: process.stdout,
      isTerminal: process.stdout.isTTY === true,
      signal,
    });
    try {
      if (options.rebind) {
        const bound = await rebindCalibration({ arm, port, path: out, open: openBusPort, say: warn, guide });
        process.stdout.write(`${out} is bound to ${bound}.\nNext: rein bring-up --robot ${arm.named}\n`);
        return 0;
      }
      const { path, problems } = await calibrateArm({
        arm,
        port,
        out,
        from,
        only: options.joints,
        firmware: options.acceptFirmware ? 'accept' : 'ask',
        ranges: options.storeRanges ? 'servos' : 'file',
        guide,
        open: openBusPort,
        wallMs: Date.now(),
      });
      const next = `Next: rein bring-up --robot ${arm.named}`;
      const change = problems.length === 0 ? [] : ['Before it drives:', ...problems.map((line) => `  ${line}`)];
      process.stdout.write(`${[`${path} is written.`, ...change, next].join('\n')}\n`);
      return 0;
    } finally {
      guide.close();
    }
  });
}

/** Start of every calibration file, without white space. */
const HEAD = '{"kind":"rein-calibration"';

/** Throws `ReinError('config')` unless `path` is absent or a calibration, whole or damaged (truncated, or zeros of a power cut). */
function checkReplaceable(path: string, orElse: string): void {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return;
  const text = readFileSync(path, 'utf8').replaceAll('\0', '').replaceAll(/\s/g, '');
  if (HEAD.startsWith(text) || text.includes('rein-calibration')) return;
  throw new ReinError('config', `${shownPath(path)} is not a calibration file`, { remedy: `move it away${orElse}` });
}
