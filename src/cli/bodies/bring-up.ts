/** What `rein bring-up` does: the next rung, with a person at the terminal. */
import { join } from 'node:path';
import { climb, ladderLines, ladderRobotOf, openBusPort, TerminalGuide } from '../../bring-up/index.ts';
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
  return interruptibly(warn, 'what moves is brought to rest', async ({ signal, interrupt }) => {
    const guide = new TerminalGuide({
      input: process.stdin,
      output: process.stdout,
      isTerminal: process.stdout.isTTY === true,
      signal,
    });
    try {
      await climb({
        arm,
        file,
        port,
        minutes,
        out,
        seed,
        guide,
        open: openBusPort,
        version: packageVersions()['rein'] ?? '?',
        wallMs: () => Date.now(),
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
