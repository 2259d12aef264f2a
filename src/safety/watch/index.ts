export { ContactMonitor } from './contact.ts';
export { FollowingWatchdog } from './following.ts';
export { hermite, hermiteMean } from './hermite.ts';
export {
  BROKEN_ACCEL,
  BROKEN_COLLISION,
  BROKEN_NOT_FINITE,
  BROKEN_POSITION,
  BROKEN_VELOCITY,
  BROKEN_WORKSPACE,
  LimitMonitor,
} from './limit-monitor.ts';
export { MeasuredClearance } from './measured-clearance.ts';
export { OVERLOAD_SPEED_RATIO, OverloadWatchdog } from './overload.ts';
export { TankWatch } from './tank-watch.ts';
export { TorqueObserver } from './torque-observer.ts';
export { CommandWatchdog, checkTick, isMeasuredAtRest, MeasurementWatchdog, RestDetector } from './watchdog.ts';
