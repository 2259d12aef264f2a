/** Drivers of others: the plugin contract of the kind `driver`, and what a robot's file says of one. */
import { z } from 'zod';
import { checkGiven, messageOf, openPlugin, type PluginBase, ReinError, type RobotModel } from '../core/index.ts';
import { type Configured, pluginKeys } from '../schema/index.ts';
import type { Driver, Scene } from './driver.ts';
import type { DriverKind } from './driver-kind.ts';

/** What a driver of others is made for. */
export interface DriverPluginContext<O = unknown> {
  /** The robot's file, checked: joints in the order of every vector, limits, rates. */
  readonly robot: RobotModel;
  /** Names that `RobotState.signals` must have, in this order. */
  readonly signalNames: readonly string[];
  /** `driver.options` of the robot's file, as the plugin's own check gives them. */
  readonly options: O;
}

/** A driver of others. Its module is loaded where its guard runs: in the guard's process, or in the program that simulates the robot. */
export interface DriverPlugin<O = unknown> extends PluginBase<O> {
  /** Makes the driver; opens nothing yet and never moves. Called in the guard's tick thread, which has no event loop while it ticks. */
  create(context: DriverPluginContext<O>): Driver | Promise<Driver>;
}

const pluginSchema = z
  .strictObject({ kind: z.literal('plugin').meta({ description: 'A driver of your own.' }), ...pluginKeys('driver') })
  .meta({ title: 'Driver: a plugin', description: "A driver of one's own, loaded where its guard runs." });

const createOptions = z.strictObject({
  signalNames: z.array(z.string()),
  module: z.string(),
  options: z.record(z.string(), z.unknown()).optional(),
});

/** A plugin as a kind of driver. */
export const pluginKind: DriverKind<Configured<typeof pluginSchema>, Configured<typeof createOptions>> = {
  kind: 'plugin',
  schema: pluginSchema,
  options: createOptions,
  // Until it is made it may be anything, so it counts as what can hurt.
  world: () => 'real',
  optionsOf: ({ kind: _, ...options }, { signalNames }) => ({ signalNames, ...options }),
  create: async ({ signalNames, ...reference }, { model: robot }) => {
    const { plugin, options } = openPlugin<DriverPlugin>('driver', reference);
    const context = { robot, signalNames, options };
    const fail = (within: string, cause: unknown): never => {
      if (cause instanceof ReinError) throw cause;
      throw new ReinError('driver', `The driver ${plugin.name} failed in ${within}: ${messageOf(cause)}.`, {
        remedy: `See to what it needs, and to its module ${reference.module}.`,
        cause,
      });
    };
    const driver: unknown = await (async () => plugin.create(context))().catch((cause) => fail('create', cause));
    checkDriver(driver, plugin.name, context);
    return namedDriver(driver, fail);
  },
};

/** Says of which function what was thrown came, and whose it is. */
type Fail = (within: string, cause: unknown) => never;

/**
 * `driver`, untouched, behind functions whose failures `fail` names: an object of others may be sealed, or full of accessors. What it
 * has is asked for anew each time, as if nothing stood between.
 */
function namedDriver(driver: Driver, fail: Fail): Driver {
  const { name, jointNames, signalNames } = driver;
  const prepare = naming(driver, 'prepare', fail);
  const limitTorque = naming(driver, 'limitTorque', fail);
  const endCommands = naming(driver, 'endCommands', fail);
  const recover = naming(driver, 'recover', fail);
  const takeNotice = naming(driver, 'takeNotice', fail);
  const passFirstMotion = naming(driver, 'passFirstMotion', fail);
  let scene: { readonly own: Scene; readonly named: Scene } | undefined;
  const named: { readonly [K in keyof Driver]-?: Driver[K] | undefined } = {
    name,
    jointNames,
    signalNames,
    get isEmergencyStopPressed() {
      return driver.isEmergencyStopPressed;
    },
    get isSimulated() {
      return driver.isSimulated;
    },
    get keepsTorque() {
      return driver.keepsTorque;
    },
    get torqueCapNm() {
      return driver.torqueCapNm;
    },
    get measuresTorque() {
      return driver.measuresTorque;
    },
    get meanWrench() {
      return driver.meanWrench;
    },
    get hardwareFaults() {
      return driver.hardwareFaults;
    },
    get busCounters() {
      return driver.busCounters;
    },
    get distance() {
      return driver.distance;
    },
    get unmeasuredJoints() {
      return driver.unmeasuredJoints;
    },
    get needsFirstMotion() {
      return driver.needsFirstMotion;
    },
    get recover() {
      return driver.recover && recover;
    },
    get takeNotice() {
      return driver.takeNotice && takeNotice;
    },
    get passFirstMotion() {
      return driver.passFirstMotion && passFirstMotion;
    },
    get bus() {
      return driver.bus;
    },
    get scene() {
      const own = driver.scene;
      if (own === undefined) return undefined;
      if (scene?.own !== own) scene = { own, named: namedScene(own, fail) };
      return scene.named;
    },
    get prepare() {
      return driver.prepare && prepare;
    },
    get limitTorque() {
      return driver.limitTorque && limitTorque;
    },
    get endCommands() {
      return driver.endCommands && endCommands;
    },
    open: naming(driver, 'open', fail),
    enable: naming(driver, 'enable', fail),
    disable: naming(driver, 'disable', fail),
    read: naming(driver, 'read', fail),
    write: naming(driver, 'write', fail),
    close: naming(driver, 'close', fail),
  };
  return named as Driver;
}

function namedScene(scene: Scene, fail: Fail): Scene {
  return {
    get geoms() {
      return scene.geoms;
    },
    reset: naming(scene, 'reset', fail, 'scene.reset'),
    geomPoses: naming(scene, 'geomPoses', fail, 'scene.geomPoses'),
  };
}

/** Calls `key` of `owner`, which is `within` where it fails. Allocates nothing then. */
function naming<T extends object, K extends keyof T & string>(
  owner: T,
  key: K,
  fail: Fail,
  within: string = key,
): T[K] {
  const functions = owner as Record<string, (given: unknown) => unknown>;
  const call = (given: unknown): unknown => {
    try {
      const result = functions[key]!(given);
      return result instanceof Promise ? result.catch((cause: unknown) => fail(within, cause)) : result;
    } catch (cause) {
      return fail(within, cause);
    }
  };
  return call as T[K];
}

/** Refuses what a plugin called `name` gave for a driver where the guard could not use it. Throws `ReinError('driver')`. */
function checkDriver(
  driver: unknown,
  name: string,
  { robot, signalNames }: DriverPluginContext,
): asserts driver is Driver {
  const refuse = checkGiven('driver', name, driver);
  const given = driver as Partial<Driver>;
  const joints = robot.joints.map((joint) => joint.name);
  if (!isSameList(given.jointNames, joints))
    return refuse(`its jointNames are ${shownList(given.jointNames)}, the robot's file has ${shownList(joints)}`);
  if (!isSameList(given.signalNames, signalNames))
    return refuse(`its signalNames are ${shownList(given.signalNames)}, the task needs ${shownList(signalNames)}`);
}

function isSameList(given: unknown, wanted: readonly string[]): boolean {
  return Array.isArray(given) && given.length === wanted.length && wanted.every((name, i) => given[i] === name);
}

function shownList(names: unknown): string {
  if (!Array.isArray(names)) return 'no list';
  return names.length === 0 ? 'empty' : names.map(String).join(', ');
}
