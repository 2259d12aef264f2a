/** A driver behind functions of one's own: what stands between guard and motors repeats no member by hand. */
import type { Driver } from './driver.ts';

/** Every member of a driver, those that may be absent too: an object that lacks one does not compile. */
export type WholeDriver = { readonly [K in keyof Driver]-?: Driver[K] };

/** Members that act. */
export type DriverAct = Exclude<keyof Driver, 'report' | 'scene'>;

/** Gives a function that calls `act` of `driver`. */
type Calling = <A extends DriverAct>(driver: Driver, act: A) => Driver[A];

/**
 * Each member of `driver`, to be spread into an object that replaces some. `calling`: how its functions are called; default: as they are now.
 * Tick-safe where they are.
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
