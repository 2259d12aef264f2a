/** One robot in real time: guard and node as processes of their own. */
export { LIVE_COMMAND } from './live-folder.ts';
export { GUARD_LOG, type RobotRun, type RunRobotRequest, runRobot } from './run-robot.ts';
export * from './session/index.ts';
