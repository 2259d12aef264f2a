/** Wrapper around a driver: layers between guard and hardware override single members without repeating the others by hand. */
import type { Driver } from './driver.ts';

/** Every member of a driver, optional ones included: an object that lacks one does not compile. */
export type WholeDriver = { readonly [K in keyof Driver]-?: Driver[K] };

/** Names of the driver's functions. */
export type DriverAct = Exclude<keyof Driver, 'report' | 'scene'>;

/** Returns a function that calls `act` of `driver`. */
type Calling = <A extends DriverAct>(driver: Driver, act: A) => Driver[A];

/**
 * Returns each member of `driver`, to be spread into an object that overrides some. `calling` wraps its functions;
 * default: bound as they are now. Tick-safe if the driver's functions are.
 */
export function bound(driver: Driver, calling: Calling = directly): WholeDriver {
  return {
    report: driver.report,
    scene: driver.scene,
    open: calling(driver, 'open'),
    read: calling(driver, 'read'),
    write: calling(driver, 'write'),
    torque: calling(driver, 'torque'),
    service: calling(driver, 'service'),
    takeNotice: calling(driver, 'takeNotice'),
    close: calling(driver, 'close'),
  };
}

function directly<A extends DriverAct>(driver: Driver, act: A): Driver[A] {
  return (driver[act] as (...given: unknown[]) => unknown).bind(driver) as Driver[A];
}
