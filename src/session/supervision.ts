/** Supervision of a robot's processes, without the code that runs in them: a process that may let a robot go on loads no inference. */
export { checkDevices, operatorsOf, pluggedIn } from './operator-devices.ts';
export { isInForeground, PersonTerminal } from './run/person-terminal.ts';
export { guardConfigOf, prepareRun } from './run/prepare-run.ts';
export { GUARD_LOG, guardEnded, RobotProcesses } from './run/robot-processes.ts';
export { type RobotRun, runRobot } from './run/run-robot.ts';
export { ladderSubject } from './run/rung-limit.ts';
export { askedSpeedMode, type SpeedMode, speedModeLine } from './run/speed-mode.ts';
export { LIVE_COMMAND } from './run-folder.ts';
export { type RunObserver, SILENT_OBSERVER } from './run-log.ts';
export type { RecordingPlan } from './session-types.ts';
export { guardStopMs, Supervisor } from './supervisor.ts';
export { checkDriver } from './who-drives.ts';
