/** The simulator as a program: opens the port, keeps real time, ends in order when it is asked to. */
import { ReinError, SystemClock } from '../../core/index.ts';
import { parseRosArgs } from '../parameters/ros-args.ts';
import type { RosFault, RosPort, RosPortFactory } from '../port/ros-port.ts';
import { simHelp } from './help.ts';
import { keepPace } from './pace.ts';
import { Simulator } from './simulator.ts';

export interface SimProgram {
  /** Without node and script. */
  readonly argv: readonly string[];
  readonly ports: RosPortFactory;
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Asks for the end. */
  readonly signal: AbortSignal;
}

const MISUSE = 2;

/** Runs until it is asked to end. Resolves to the exit code; never rejects. */
export async function runSim(program: SimProgram): Promise<number> {
  const { argv, out, error } = program;
  if (argv.includes('--help') || argv.includes('-h')) {
    out(simHelp());
    return 0;
  }
  try {
    const { rest } = parseRosArgs(argv);
    if (rest.length > 0) {
      error(`rein sim: "${rest[0]}" is not understood.\n  → parameters follow --ros-args; --help names them\n`);
      return MISUSE;
    }
    await simulate(program);
    return 0;
  } catch (caught) {
    error(sentence(caught));
    return 1;
  }
}

async function simulate({ argv, ports, error, signal }: SimProgram): Promise<void> {
  const say = (text: string): void => error(`rein sim: ${text}\n`);
  const onFault = (fault: RosFault): void => say(`${fault.where}: ${fault.message}`);
  const port = await ports({ nodeName: 'rein_sim', argv, onFault });
  try {
    const clock = new SystemClock();
    const simulator = await Simulator.open({ port, clock, say });
    try {
      port.start();
      say(`${simulator.title}, as ${port.fullName}. Ctrl+C ends it.`);
      const pace = keepPace(simulator.periodS, clock, (deadlineS) => simulator.tick(deadlineS));
      await aborted(signal);
      pace.stop();
      if (pace.lostPeriods > 0) say(`the machine was too slow: ${pace.lostPeriods} periods were left out`);
    } finally {
      await simulator.close();
    }
  } finally {
    await closeQuietly(port);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function closeQuietly(port: RosPort): Promise<void> {
  // What kept the simulator from coming up is worth more than what happens while it is taken down.
  await port.close().catch(() => undefined);
}

function sentence(error: unknown): string {
  if (!(error instanceof ReinError)) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return `rein sim: this is a mistake in Rein, please report it with the lines below\n${text}\n`;
  }
  const remedy = error.remedy === undefined ? '' : `  → ${error.remedy}\n`;
  return `rein sim: ${error.message}\n${remedy}`;
}
