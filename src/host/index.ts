/** A process and its machine: files that survive a crash, locks, plugins, child processes, workers, closing in order. */
import './no-telemetry.ts';

export { busyText, type MachineLoad, machineLoad, patientMs, remedyForLate } from './busy-machine.ts';
export { type Close, closeAll, closedAfter, openedOrClosed } from './closing.ts';
export { endsWith, isRunning } from './ends-with.ts';
export {
  checkGiven,
  findPlugin,
  type InstalledPlugin,
  installedPlugins,
  loadPlugin,
  openPlugin,
} from './load-plugin.ts';
export { acquireLock, type DirectoryLock, lockHolder } from './lock.ts';
export { makeFolder } from './make-folder.ts';
export { refuseDebugger } from './no-debugger.ts';
export {
  answerOfChild,
  closeParentChannel,
  endFailed,
  failureIn,
  howEnded,
  onParentGone,
  openParentChannel,
  type ParentChannel,
  sendToChild,
  sendToParent,
} from './parent-channel.ts';
export { markPlugin, type PluginBase, type PluginKind, type PluginMark, type PluginReference } from './plugin.ts';
export { readTrouble } from './read-trouble.ts';
export { replaceFile, replaceFileSync } from './replace-file.ts';
export { serveJobs, WorkerPool } from './worker-pool.ts';
export { storage, WriteError, writeErrorOf } from './write-error.ts';
