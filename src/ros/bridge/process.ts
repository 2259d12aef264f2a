/** Main program of bridge and stopper: they read their configuration, create a port, end with the guard, and never die silently. */
import { readFileSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { ROS_FOLDER_PREFIX, type RosProcessConfig, stateNumbers } from '../../drivers/index.ts';
import { refuseDebugger } from '../../host/index.ts';
import { ReinError, SystemClock } from '../../model/index.ts';
import type { RosFault, RosPortFactory } from '../port/ros-port.ts';
import { Bridge, type RoleParts } from './bridge.ts';
import { openInbox, openToGuard, type ToGuard, watchGuard } from './guard-pipes.ts';
import { Stopper } from './stopper.ts';

/** Work of a process, given the port. */
interface Role {
  start(): void;
  receive(kind: number, payload: Uint8Array): void;
  fault(fault: RosFault): void;
  /** Called when another process died, which the guard's main thread sees before its tick does. */
  nudge?(): void;
  /** The guard is gone: resolves when the process may end. `drained`: everything written before has been received. */
  guardGone(drained: Promise<void>): Promise<void>;
  close(): void;
}

/** A guard that ends in order keeps its pipes until this process has ended: after this time its writes have arrived. */
const DRAIN_MS = 30;

/** Runs the bridge in this process. */
export function runBridge(createPort: RosPortFactory): Promise<void> {
  return runProcess({
    nodeName: 'rein_bridge',
    createPort,
    stateNumbers: ({ options }) => stateNumbers(options),
    createRole: (parts) => new Bridge(parts),
  });
}

/** Runs the stopper in this process. */
export function runStopper(createPort: RosPortFactory): Promise<void> {
  return runProcess({
    nodeName: 'rein_stopper',
    createPort,
    stateNumbers: () => 0,
    createRole: (parts) => new Stopper(parts),
  });
}

interface ProcessParts {
  readonly nodeName: string;
  readonly createPort: RosPortFactory;
  /** Doubles in a row of measurements; 0 for a role that sends none. */
  readonly stateNumbers: (config: RosProcessConfig) => number;
  readonly createRole: (parts: RoleParts) => Role;
}

/** Runs a role in this process: its arguments are the configuration's path and the life's number. */
async function runProcess(parts: ProcessParts): Promise<void> {
  refuseDebugger();
  const config = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as RosProcessConfig;
  const toGuard = openToGuard(parts.stateNumbers(config));
  try {
    await run(config, toGuard, parts);
  } catch (error) {
    const { message, remedy } = error instanceof ReinError ? error : new ReinError('driver', String(error));
    toGuard.failed(message, remedy ?? '');
    process.exitCode = 1;
    // The message must be flushed first.
    setTimeout(() => process.exit(), 100);
  }
}

async function run(config: RosProcessConfig, toGuard: ToGuard, parts: ProcessParts): Promise<void> {
  const early: RosFault[] = [];
  let role: Role | undefined;
  const port = await parts.createPort({
    nodeName: parts.nodeName,
    argv: config.rosArguments,
    onFault: (fault) => (role === undefined ? early.push(fault) : role.fault(fault)),
  });
  role = parts.createRole({
    port,
    config,
    generation: Number(process.argv[3] ?? 0),
    toGuard,
    clock: new SystemClock(),
  });
  const made = role;
  for (const fault of early) made.fault(fault);
  let isEnding = false;
  const end = async (): Promise<void> => {
    if (isEnding) return;
    isEnding = true;
    await made.guardGone(Promise.race([inboxEnd, new Promise<void>((resolve) => setTimeout(resolve, DRAIN_MS))]));
    made.close();
    forgetFolder(config);
    await port.close();
    process.exit();
  };
  const endNow = (): void => void end().catch(() => process.exit(1));
  port.start();
  const inboxEnd = openInbox(config.inbox, (kind, payload) => made.receive(kind, payload));
  void inboxEnd.then(endNow);
  watchGuard(() => made.nudge?.(), endNow);
  // Terminals and service managers signal all processes; the guard decides when this one ends, by closing its standard input.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, () => undefined);
  made.start();
}

/** Removes the folder of the pipes, which a killed guard leaves behind. Nothing but such a folder is removed. */
function forgetFolder({ inbox }: RosProcessConfig): void {
  const folder = dirname(inbox);
  if (!basename(folder).startsWith(ROS_FOLDER_PREFIX)) return;
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Harmless: no reason not to end.
  }
}
