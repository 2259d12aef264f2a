/** ROS registrations of each program: its registration code is run on a graph inside this process, in every variant. */

import { Simulator } from '../../packages/emulate/src/ros/simulator.ts';
import { type ResolvedConfig, resolveConfig } from '../../src/config/index.ts';
import { createSetup } from '../../src/config/setup.ts';
import {
  COMMAND_INTERFACES,
  type RosDriverOptions,
  type RosProcessConfig,
  rosOptions,
} from '../../src/drivers/index.ts';
import { SystemClock } from '../../src/model/index.ts';
import { Bridge, type RoleParts } from '../../src/ros/bridge/bridge.ts';
import type { ToGuard } from '../../src/ros/bridge/guard-pipes.ts';
import { Stopper } from '../../src/ros/bridge/stopper.ts';
import { RobotNode } from '../../src/ros/node/robot-node.ts';
import type { QosProfile } from '../../src/ros/port/qos.ts';
import type { RosPort } from '../../src/ros/port/ros-port.ts';
import { MemoryGraph } from '../../tests/support/ros-memory/memory-graph.ts';
import { memoryPorts } from '../../tests/support/ros-memory/memory-port.ts';

export type RegistrationKind = 'publishes' | 'subscribes' | 'serves' | 'calls' | 'offers';

/** One end of a topic (`publishes`, `subscribes`), a service (`serves`, `calls`) or an action (`offers`). */
export interface Registration {
  readonly kind: RegistrationKind;
  readonly name: string;
  readonly typeName: string;
  readonly qos?: QosProfile;
}

/** Returns the configuration of a task, optionally with another robot. */
export function configOf(task: string, robot?: string): ResolvedConfig {
  const overrides = robot === undefined ? [] : [{ option: 'robot', path: ['task', 'robot'] as const, value: robot }];
  return resolveConfig({ task, seed: 0, overrides });
}

/** All variants of the node: robots with and without ROS, operators. */
export function nodeSurface(): Promise<readonly Registration[]> {
  const clock = new SystemClock();
  const inside = createSetup(configOf('insert'));
  const behindRos = createSetup(configOf('insert', 'arm6-ros'));
  const variants = [
    { setup: inside, operator: 'joy', jointStatesHz: 0 },
    { setup: behindRos, operator: 'twist', jointStatesHz: undefined },
  ] as const;
  return collect(
    variants.map((variant) => async (port: RosPort): Promise<void> => {
      new RobotNode({
        ...variant,
        port,
        folder: '',
        robotId: 'robot1',
        pad: 'xbox',
        teleopLeaseS: 0.1,
        clock,
        openSession: () => Promise.reject(new Error('nothing is opened to write a page')),
        onShutdown: () => undefined,
      });
    }),
  );
}

/** Names that stand for values of the robot's file. */
export const FROM_FILE: Readonly<Record<string, string>> = {
  command_topic: 'driver.command.topic',
  joint_states_topic: 'driver.jointStates.topic',
  odometry_topic: 'driver.odometry.topic',
  wrench_topic: 'driver.wrench.topic',
  signal_topic: 'driver.signals[].topic',
  'controller_manager_name/list_controllers': 'driver.controllerManager.name + /list_controllers',
  'controller_manager_name/switch_controller': 'driver.controllerManager.name + /switch_controller',
  scene_service: 'driver.scene.service',
};

export function bridgeSurface(): Promise<readonly Registration[]> {
  return guardHalf((parts) => void new Bridge(parts));
}

export function stopperSurface(): Promise<readonly Registration[]> {
  return guardHalf((parts) => void new Stopper(parts));
}

/** The simulated arm, and each kind of base. */
export function simSurface(): Promise<readonly Registration[]> {
  const variants = [
    ['controller:=position', 'publish_clock:=true'],
    ['controller:=differential', 'publish_clock:=false'],
    ['controller:=differential', 'stamped_twist:=true'],
    ['controller:=ackermann', 'publish_clock:=false'],
  ];
  return collect(
    variants.map(() => async (port: RosPort): Promise<void> => {
      const simulator = await Simulator.open({ port, clock: new SystemClock(), say: () => undefined });
      await simulator.close();
    }),
    variants.map((given) => ['--ros-args', ...given.flatMap((rule) => ['-p', rule])]),
  );
}

/** Every kind of command, with everything else that a robot's file can request. */
function guardHalf(make: (parts: RoleParts) => void): Promise<readonly Registration[]> {
  const { driver, config } = createSetup(configOf('insert', 'arm6-ros'));
  const clock = new SystemClock();
  const silent = { ready() {}, state() {}, answer() {}, notice() {}, failed() {} } as unknown as ToGuard;
  return collect(
    COMMAND_INTERFACES.map((kind) => async (port: RosPort): Promise<void> => {
      const isBase = kind === 'twist' || kind === 'twistStamped' || kind === 'ackermann';
      const options = rosOptions.parse(driver.options);
      const [signal] = options.signals;
      const named: RosDriverOptions = {
        ...options,
        command: { ...options.command, interface: kind, topic: 'command_topic' },
        state: isBase
          ? { kind: 'odometry', topic: 'odometry_topic' }
          : { kind: 'jointStates', topic: 'joint_states_topic' },
        wrench: { topic: 'wrench_topic', frame: 'base', tareAtEnable: false },
        signals: signal === undefined ? [] : [{ ...signal, topic: 'signal_topic' }],
        controllerManager: {
          name: 'controller_manager_name',
          controllers: ['any'],
          activateOnEnable: true,
          deactivate: [],
          deactivateOnStop: true,
        },
        scene: { service: 'scene_service' },
      };
      const process: RosProcessConfig = { model: config.robot, options: named, rosArguments: [], inbox: '' };
      make({ port, config: process, generation: 0, toGuard: silent, clock });
    }),
  );
}

type Register = (port: RosPort) => Promise<void>;

/** Runs each on its own graph; registrations shared by several are returned once. */
async function collect(
  variants: readonly Register[],
  argv: readonly (readonly string[])[] = [],
): Promise<readonly Registration[]> {
  const found = new Map<string, Registration>();
  for (const [at, register] of variants.entries()) {
    const open = memoryPorts(new MemoryGraph());
    const port = await open({ nodeName: 'rein', kind: 'lifecycle', argv: argv[at] ?? [], onFault: () => undefined });
    await register(
      recorded(port, (registration) => {
        found.set(`${registration.kind} ${registration.name} ${registration.typeName}`, registration);
      }),
    );
    await port.close();
  }
  return [...found.values()];
}

const METHODS: Readonly<Record<string, RegistrationKind>> = {
  advertise: 'publishes',
  subscribe: 'subscribes',
  serve: 'serves',
  client: 'calls',
  serveAction: 'offers',
};

/** Returns a proxy of `port`: everything registered on it is registered on `port`, and noted with its name as in the code. */
function recorded(port: RosPort, note: (registration: Registration) => void): RosPort {
  return new Proxy(port, {
    get(target, key): unknown {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== 'function') return member;
      const kind = METHODS[String(key)];
      return (...args: unknown[]): unknown => {
        if (kind !== undefined) note(registration(kind, args));
        return member.apply(target, args) as unknown;
      };
    },
  });
}

function registration(kind: RegistrationKind, [type, name, qos]: readonly unknown[]): Registration {
  const typeName = (type as { readonly name: string }).name;
  const isTopic = kind === 'publishes' || kind === 'subscribes';
  return { kind, name: String(name), typeName, ...(isTopic ? { qos: qos as QosProfile } : {}) };
}
