/** Third-party drivers: plugin contract of the kind `driver`, and schema of its robot file section. */
import { z } from 'zod';
import { checkGiven, openPlugin, type PluginBase } from '../host/index.ts';
import { messageOf, ReinError, type RobotModel } from '../model/index.ts';
import { type Configured, pluginKeys } from '../schema/index.ts';
import { bound } from './bound-driver.ts';
import { createDriverReport, type Driver, type DriverFacts, type Scene } from './driver.ts';
import type { DriverKind } from './driver-kind.ts';

/** Context passed to `create` of a driver plugin. */
export interface DriverPluginContext<O = unknown> {
  /** Validated robot file: joints in the order of every vector, limits, rates. */
  readonly robot: RobotModel;
  /** Names that `RobotState.signals` must have, in this order. */
  readonly signalNames: readonly string[];
  /** `driver.options` of the robot file, as parsed by the plugin's own schema. */
  readonly options: O;
}

/** Third-party driver. Its module is loaded where its guard runs: in the guard process, or in the program that simulates the robot. */
export interface DriverPlugin<O = unknown> extends PluginBase<O> {
  /** Creates the driver without opening it; never moves. Called in the guard's tick thread, which has no event loop while it ticks. */
  create(context: DriverPluginContext<O>): Driver | Promise<Driver>;
}

const pluginSchema = z
  .strictObject({ kind: z.literal('plugin').meta({ description: 'A custom driver.' }), ...pluginKeys('driver') })
  .meta({ title: 'Driver: a plugin', description: 'A custom driver, loaded in the process of its guard.' });

const createOptions = z.strictObject({
  signalNames: z.array(z.string()),
  module: z.string(),
  options: z.record(z.string(), z.unknown()).optional(),
});

/** Driver kind for plugins. */
export const pluginKind: DriverKind<Configured<typeof pluginSchema>, Configured<typeof createOptions>> = {
  kind: 'plugin',
  schema: pluginSchema,
  options: createOptions,
  // A plugin may move anything, so it counts as real.
  world: () => 'real',
  optionsOf: ({ kind: _, ...options }, { signalNames }) => ({ signalNames, ...options }),
  create: async ({ signalNames, ...reference }, { model: robot }) => {
    const { plugin, options } = openPlugin<DriverPlugin>('driver', reference);
    const context = { robot, signalNames, options };
    const fail = (within: string, cause: unknown): never => {
      if (cause instanceof ReinError) throw cause;
      throw new ReinError('driver', `The driver ${plugin.name} failed in ${within}: ${messageOf(cause)}.`, {
        remedy: `Check its dependencies, and its module ${reference.module}.`,
        cause,
      });
    };
    const driver: unknown = await (async () => plugin.create(context))().catch((cause) => fail('create', cause));
    const refuse = checkGiven('driver', plugin.name, driver);
    return namedDriver(driver as Driver, context, refuse, fail);
  },
};

/** Rethrows `cause` as an error that names the driver, its module and the function `within`. */
type Fail = (within: string, cause: unknown) => never;

/** Throws an error that refuses the driver; `clause` gives the reason. */
type Refuse = (clause: string) => never;

/**
 * Wraps `driver`, unmodified, so that failures are reported through `fail`: a third-party object may be sealed or full
 * of accessors. Facts and answers are checked before the guard acts on them.
 */
function namedDriver(driver: Driver, context: DriverPluginContext, refuse: Refuse, fail: Fail): Driver {
  checkReport(driver.report, refuse);
  const named = bound(driver, (of, act) => naming(of, act, fail));
  return {
    ...named,
    scene: named.scene && namedScene(named.scene, fail),
    open: async () => checkFacts(await named.open(), context, refuse),
    service: (request) => {
      const answer: unknown = named.service(request);
      if (answer === 'done' || answer === 'nothing') return answer;
      const refusal = (answer as { readonly refusal?: unknown } | undefined)?.refusal;
      return { refusal: typeof refusal === 'string' ? refusal : `its driver has no answer to ${request}` };
    },
  };
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

/** Returns a function that calls `key` of `owner`; failures are reported as `within`. Calls do not allocate. */
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

/** Refuses a report that the guard could not read in each tick. */
function checkReport(report: unknown, refuse: Refuse): void {
  const given = Object(report) as Record<string, unknown>;
  for (const [key, wanted] of Object.entries(createDriverReport())) {
    const found = given[key];
    const isAsMade =
      wanted instanceof Float64Array
        ? found instanceof Float64Array && found.length === wanted.length
        : typeof found === typeof wanted;
    if (!isAsMade) refuse(`its report has no ${key} as created by createDriverReport() of rein`);
  }
}

/** Returns the facts of a plugin's `open` as plain data. Refuses facts that the guard cannot use. */
function checkFacts(given: unknown, { robot, signalNames }: DriverPluginContext, refuse: Refuse): DriverFacts {
  if (typeof given !== 'object' || given === null) return refuse('open() returned no facts');
  const facts = plainFacts(given as Partial<DriverFacts>, refuse);
  const joints = robot.joints.map((joint) => joint.name);
  if (!isSameList(facts.jointNames, joints))
    return refuse(`its jointNames are ${shownList(facts.jointNames)}, the robot's file has ${shownList(joints)}`);
  if (!isSameList(facts.signalNames, signalNames))
    return refuse(`its signalNames are ${shownList(facts.signalNames)}, the task needs ${shownList(signalNames)}`);
  return facts;
}

/** Returns a copy that shares nothing with the plugin and can be passed between threads. */
function plainFacts(given: Partial<DriverFacts>, refuse: Refuse): DriverFacts {
  try {
    return structuredClone(given) as DriverFacts;
  } catch {
    return refuse('the facts that open() returned are not plain data');
  }
}

function isSameList(given: unknown, wanted: readonly string[]): boolean {
  return Array.isArray(given) && given.length === wanted.length && wanted.every((name, i) => given[i] === name);
}

function shownList(names: unknown): string {
  if (!Array.isArray(names)) return 'no list';
  return names.length === 0 ? 'empty' : names.map(String).join(', ');
}
