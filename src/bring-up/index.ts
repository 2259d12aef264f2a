/** From a cable on the desk to an arm that drives: findings on the bus, calibration, and the ladder of proofs. */
export { openBusPort } from './bus-port.ts';
export { calibrateArm } from './calibrate/calibrate-arm.ts';
export { checkServoCalibration, rebindCalibration } from './calibrate/check-calibration.ts';
export { inspectPort } from './doctor/inspect.ts';
export { portFindings } from './doctor/port-findings.ts';
export { requireServoArm } from './families.ts';
export { TerminalGuide } from './guide.ts';
export { climb, ladderLines, ladderRobotOf } from './ladder/climb.ts';
export { measureStops } from './ladder/measure-stops.ts';
export { stopsFinding } from './ladder/stop-lines.ts';
