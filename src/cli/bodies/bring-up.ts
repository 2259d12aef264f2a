/** Body of `rein bring-up`: the next rung of the ladder, with a person at the terminal. */
import { join } from 'node:path';
import {
  climb,
  ladderLines,
  ladderRobotOf,
  measureStops,
  openBusPort,
  requireServoArm,
  TerminalGuide,
} from '../../bring-up/index.ts';
import { loadRobotFile, packageVersions } from '../../config/index.ts';
import type { BringUpOptions } from '../bring-up.ts';
import { tableOf } from '../doctor/check.ts';
import { interruptibly } from './interrupt.ts';
import { warn } from './terminal.ts';

/** Resolves to the exit code. */
export async function bringUpBody(options: BringUpOptions): Promise<number> {
  const { robot, file } = loadRobotFile(options.robot);
  const arm = ladderRobotOf(robot);
  const { port, minutes, seed } = options;
  const show = (): void => void process.stdout.write(`${ladderLines(arm).join('\n')}\n`);
  if (options.mode === 'status') {
    show();
    return 0;
  }
  const out = options.out ?? join('runs', `bring-up-${new Date().toISOString().replace(/[:.]/g, '-')}`);
  const version = packageVersions()['rein'] ?? '?';
  const shared = { file, minutes, out, seed, version, wallMs: () => Date.now() };
  return interruptibly(warn, 'what moves is brought to rest', async ({ signal, interrupt }) => {
    const guide = new TerminalGuide({
      input: process.stdin,
      output: process.stdout,
      isTerminal: process.stdout.isTTY === true,
      signal,
    });
    try {
      if (options.stops) {
        await measureStops({
          ...shared,
          arm: requireServoArm(robot, 'measure the stops of'),
          loadKg: options.loadKg ?? 0,
          guide,
          signal,
          onInterrupt: interrupt,
        });
        show();
        return 0;
      }
      await climb({
        ...shared,
        arm,
        port,
        guide,
        open: openBusPort,
        signal,
        onInterrupt: interrupt,
        showFindings: (findings) =>
          void process.stdout.write(tableOf(findings, robot.base === undefined ? 'the arm' : 'the car')),
      });
      show();
      return 0;
    } finally {
      guide.close();
    }
  });
}
