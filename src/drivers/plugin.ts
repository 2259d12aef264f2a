/** Drivers of others: the plugin contract of the kind `driver`, and what a robot's file says of one. */
import { z } from 'zod';
import { checkGiven, messageOf, openPlugin, type PluginBase, ReinError, type RobotModel } from '../core/index.ts';
import { type Configured, pluginKeys } from '../schema/index.ts';
import { bound } from './bound-driver.ts';
import { createDriverReport, type Driver, type DriverFacts, type Scene } from './driver.ts';
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
    const refuse = checkGiven('driver', plugin.name, driver);
    return namedDriver(driver as Driver, context, refuse, fail);
  },
};

/** Says of which function what was thrown came, and whose it is. */
type Fail = (within: string, cause: unknown) => never;

/** Refuses the driver for what the clause says of it. */
type Refuse = (clause: string) => never;

/**
 * `driver`, untouched, behind functions whose failures `fail` names: an object of others may be sealed, or full of accessors. Facts and
 * answers are checked before the guard acts on them.
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

/** Refuses a report that the guard could not read in each tick. */
function checkReport(report: unknown, refuse: Refuse): void {
  const given = Object(report) as Record<string, unknown>;
  for (const [key, wanted] of Object.entries(createDriverReport())) {
    const found = given[key];
    const isAsMade =
      wanted instanceof Float64Array
        ? found instanceof Float64Array && found.length === wanted.length
        : typeof found === typeof wanted;
    if (!isAsMade) refuse(`its report has no ${key} as createDriverReport() of rein makes it`);
  }
}

/** What `open` of a plugin gave, as plain data, where the guard can use it. */
function checkFacts(given: unknown, { robot, signalNames }: DriverPluginContext, refuse: Refuse): DriverFacts {
  if (typeof given !== 'object' || given === null) return refuse('open() gave no facts');
  const facts = plainFacts(given as Partial<DriverFacts>, refuse);
  const joints = robot.joints.map((joint) => joint.name);
  if (!isSameList(facts.jointNames, joints))
    return refuse(`its jointNames are ${shownList(facts.jointNames)}, the robot's file has ${shownList(joints)}`);
  if (!isSameList(facts.signalNames, signalNames))
    return refuse(`its signalNames are ${shownList(facts.signalNames)}, the task needs ${shownList(signalNames)}`);
  return facts;
}

/** A copy that shares nothing with the plugin, and crosses threads. */
function plainFacts(given: Partial<DriverFacts>, refuse: Refuse): DriverFacts {
  try {
    return structuredClone(given) as DriverFacts;
  } catch {
    return refuse('the facts that open() gave are no plain data');
  }
}

function isSameList(given: unknown, wanted: readonly string[]): boolean {
  return Array.isArray(given) && given.length === wanted.length && wanted.every((name, i) => given[i] === name);
}

function shownList(names: unknown): string {
  if (!Array.isArray(names)) return 'no list';
  return names.length === 0 ? 'empty' : names.map(String).join(', ');
}
