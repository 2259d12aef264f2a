/** One robot in real time: guard and node as processes of their own. */
export { GoOn } from './go-on.ts';
export { explainedBy, GUARD_LOG } from './guard-log.ts';
export { awaitLearner, type JoinOptions, type LearnerWait, runToJoin } from './learner-of.ts';
export { LIVE_COMMAND } from './live-folder.ts';
export { endFailed, type FailedMessage, tellParent } from './parent-channel.ts';
export { isInForeground, PersonTerminal } from './person-terminal.ts';
export { guardConfigOf, prepareRun, prepareWaitingRun } from './prepare-run.ts';
export { type RobotRun, type RunRobotRequest, runRobot } from './run-robot.ts';
export { makeScratchFolder } from './scratch-folder.ts';
export * from './session/index.ts';
