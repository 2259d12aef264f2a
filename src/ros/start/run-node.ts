/**
 * The supervisor of a ROS node: settles what the node shall be, looks whether ROS can be used, then starts guard and node
 * side by side and decides the order in which they end. It loads no ROS, so nothing in ROS can end it.
 */
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSetup } from '../../config/index.ts';
import { ReinError, refuseDebugger } from '../../core/index.ts';
import { GUARD_NODE_FLAGS } from '../../guard/index.ts';
import {
  busStopped,
  explainedBy,
  GUARD_LOG,
  guardConfigOf,
  guardStopMs,
  makeScratchFolder,
  prepareWaitingRun,
  Supervisor,
  type SupervisorEvent,
} from '../../session/index.ts';
import { rosEnvironment } from '../rclnodejs/environment.ts';
import type { NodeChildConfig, NodeChildMessage } from './child-config.ts';
import { leaveMark } from './ghost.ts';
import { nodeHelp } from './help.ts';
import { rosArgumentsOf } from './ros-arguments.ts';
import { type NodeSettings, resolveSettings } from './settings.ts';

const SOCKET_FILE = 'guard.sock';
/** A node that dies more often than this is not started again. */
const NODE_RESTARTS = 5;
/** The whole end takes a second at most: the arm brakes meanwhile. */
const NODE_STOP_MS = 600;
const GUARD_STOP_MS = 3000;
/** Interface packages beyond the usual ones. */
const INTERFACES: readonly string[] = ['rein'];

/** Runs until it is asked to end. Resolves to the exit code; never rejects. */
export async function runNode(argv: readonly string[]): Promise<number> {
  if (argv.includes('--help') || argv.includes('-h')) {
    process.stdout.write(nodeHelp());
    return 0;
  }
  try {
    const settings = resolveSettings(argv);
    const { problem } = rosEnvironment(INTERFACES);
    if (problem !== undefined) throw problem;
    return await supervise(settings, argv);
  } catch (error) {
    process.stderr.write(sentence(error));
    return 1;
  }
}

async function supervise(settings: NodeSettings, argv: readonly string[]): Promise<number> {
  refuseDebugger();
  const setup = createSetup(settings.config, rosArgumentsOf(settings));
  const folder = await prepareWaitingRun(settings, setup);
  let joined: string | undefined;
  const scratch = makeScratchFolder(SOCKET_FILE);
  const guardLog = join(folder.path, GUARD_LOG);
  const errorsTo = openSync(guardLog, 'a');
  const mark = leaveMark(settings.identity.fullName, process.env['ROS_DOMAIN_ID'] ?? '0');
  try {
    const socketPath = join(scratch, SOCKET_FILE);
    const guardFile = join(scratch, 'guard.json');
    writeFileSync(guardFile, JSON.stringify(guardConfigOf(setup, socketPath, 'node')));
    const watch = new Watch(settings.identity.fullName);
    const supervisor = new Supervisor({
      guard: {
        ...{ modulePath: program('../../guard/guard-process.js'), args: [guardFile], errorsTo },
        nodeFlags: GUARD_NODE_FLAGS,
      },
      node: (restart) => {
        const run = { folder: folder.path, configFile: folder.configFile, runId: joined ?? folder.runId };
        const child = { hasJoined: joined !== undefined, socketPath, restart, hasGhost: mark.hasGhost };
        const config = childConfig(settings, argv, { ...run, ...child });
        return { modulePath: program('../node/node-process.js'), args: [JSON.stringify(config)] };
      },
      ...{ nodeStarts: 'besideGuard', maxNodeRestarts: NODE_RESTARTS },
      ...{ nodeStopLimitMs: NODE_STOP_MS, stopLimitMs: guardStopMs(setup.config.robot, GUARD_STOP_MS) },
      onEvent: (event) => watch.see(event),
      onNodeMessage: (given) => {
        const message = given as NodeChildMessage;
        if (message.kind === 'joined') {
          joined = message.runId;
          return;
        }
        watch.failed(message.error);
        supervisor.stop();
      },
    });
    const release = supervisor.forwardSignals();
    const code = await supervisor.run().finally(release);
    if (watch.failure !== undefined) throw watch.failure;
    return code;
  } catch (error) {
    throw explainedBy(guardLog, error);
  } finally {
    mark.clear();
    closeSync(errorsTo);
    rmSync(scratch, { recursive: true, force: true });
  }
}

type OfThisRun = Pick<
  NodeChildConfig,
  'folder' | 'configFile' | 'runId' | 'hasJoined' | 'socketPath' | 'restart' | 'hasGhost'
>;

function childConfig(settings: NodeSettings, argv: readonly string[], run: OfThisRun): NodeChildConfig {
  const { robotId, learner, policy, operator, pad, teleopLeaseS } = settings;
  return {
    ...{ argv, robotId, operator, pad, teleopLeaseS, ...run },
    printsFrom: severityOf(settings.arguments.logLevels),
    ...(learner === undefined ? {} : { learner }),
    ...(policy === undefined ? {} : { policy }),
  };
}

const SEVERITIES: Readonly<Record<string, number>> = { debug: 10, info: 20, warn: 30, error: 40, fatal: 50 };

/** The level for all loggers that was given last; `info` where none was. */
function severityOf(levels: readonly string[]): number {
  const level = levels.findLast((candidate) => !candidate.includes(':='));
  return SEVERITIES[level?.toLowerCase() ?? 'info'] ?? SEVERITIES['info'] ?? 20;
}

/** Tells people what happens to the processes, and remembers why a node gave up. */
class Watch {
  readonly #name: string;
  failure: ReinError | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  see(event: SupervisorEvent): void {
    if (event.kind === 'restarting') {
      this.#say(`the node is started again (${event.restart} of ${NODE_RESTARTS}); it comes up inactive`);
      return;
    }
    if (event.kind === 'busStopped') this.#say(busStopped(event));
    if (event.kind !== 'ended' || event.isExpected || this.failure !== undefined) return;
    if (event.process === 'guardian') this.#say(`the guardian ended (${event.how}): the robot holds until it is back`);
    else if (event.process === 'node')
      this.#say(`the node ended (${event.how}): the guard brakes the robot and holds it`);
    else this.failure = new ReinError('driver', `The guard ended (${event.how}): nothing can move the robot any more.`);
  }

  /** The node gives up: it would fail in the same way again. */
  failed(error: (NodeChildMessage & { kind: 'failed' })['error']): void {
    this.failure ??= new ReinError(
      error.kind,
      error.message,
      error.remedy === undefined ? {} : { remedy: error.remedy },
    );
  }

  #say(text: string): void {
    process.stderr.write(`rein node: ${this.#name}: ${text}\n`);
  }
}

function program(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

function sentence(error: unknown): string {
  if (!(error instanceof ReinError)) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return `rein node: this is a mistake in Rein, please report it with the lines below\n${text}\n`;
  }
  const remedy = error.remedy === undefined ? '' : `  → ${error.remedy}\n`;
  return `rein node: ${error.message}\n${remedy}`;
}
