/** What tests of launch files share: starting them, watching the node's lifecycle, and looking for what is left over. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { noRosBecause, type RosProcess, startRclpy, startRos2 } from './ros.ts';

/** Why launch files cannot be tested here; `undefined` where Rein's package is sourced. */
export const noPackageBecause: string | undefined = (process.env['AMENT_PREFIX_PATH'] ?? '')
  .split(':')
  .some((prefix) => existsSync(join(prefix, 'share', 'rein', 'launch')))
  ? undefined
  : "Rein's package is not sourced (colcon build, then source install/setup.bash)";

if (noPackageBecause !== undefined && noRosBecause === undefined) {
  console.log(`skipped  tests of launch files and the installed package: ${noPackageBecause}`);
}

const MARK = 'REIN_LAUNCH_TEST';
let launches = 0;

/** A launch, with a mark that everything it starts inherits. */
export interface Launch extends RosProcess {
  readonly mark: string;
}

/** `ros2 launch rein …`. */
export function launch(file: string, args: Readonly<Record<string, string>>, prefix = ''): Launch {
  const mark = `${process.pid}-${++launches}`;
  const env = { [MARK]: mark, ...(prefix === '' ? {} : withPrefix(prefix)) };
  const given = Object.entries(args).map(([name, value]) => `${name}:=${value}`);
  return Object.assign(startRos2(['launch', 'rein', file, ...given], env), { mark });
}

function withPrefix(prefix: string): Record<string, string> {
  return { AMENT_PREFIX_PATH: `${prefix}:${process.env['AMENT_PREFIX_PATH'] ?? ''}` };
}

/** Command lines of all living processes that the launch started, by process id. */
export function startedBy({ mark }: Launch): Map<number, string> {
  const found = new Map<number, string>();
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${entry}/environ`, 'utf8').split('\0').includes(`${MARK}=${mark}`)) continue;
      found.set(Number(entry), readFileSync(`/proc/${entry}/cmdline`, 'utf8').replaceAll('\0', ' ').trim());
    } catch {
      // It has ended meanwhile, or is somebody else's.
    }
  }
  return found;
}

const WATCH = `
import sys
import rclpy
from lifecycle_msgs.msg import TransitionEvent
from rclpy.qos import QoSProfile

rclpy.init()
node = rclpy.create_node('watch')
for name in sys.argv[1:]:
    node.create_subscription(TransitionEvent, name + '/transition_event', lambda event, name=name: print(
        f'{name}: {event.start_state.label} -> {event.goal_state.label}', flush=True), QoSProfile(depth=10))
print('watching', flush=True)
rclpy.spin(node)
`;

/** Waits until `watch` has printed `pattern`; says what the launch printed where that does not happen. */
export async function reaches(watch: RosProcess, pattern: RegExp, robot: Launch, timeoutMs = 30_000): Promise<void> {
  try {
    await watch.printed(pattern, timeoutMs);
  } catch (error) {
    throw new Error(`${(error as Error).message}\nThe launch printed:\n${robot.output}`, { cause: error });
  }
}

/** Prints each transition of the nodes, e.g. `/rein: configuring -> inactive`. */
export async function watchLifecycle(...nodes: readonly string[]): Promise<RosProcess> {
  const watch = startRclpy(WATCH, nodes);
  await watch.printed(/watching/);
  return watch;
}

const MOTION = `
import sys
import rclpy
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState

rclpy.init()
node = rclpy.create_node('motion')
first = {}
def take(message):
    if not first: print('seen', flush=True)
    for name, position in zip(message.name, message.position): first.setdefault(name, position)
    moved = max(abs(position - first[name]) for name, position in zip(message.name, message.position))
    speed = max((abs(v) for v in message.velocity), default=0.0)
    print(f'moved {moved:.5f} speed {speed:.5f}', flush=True)
node.create_subscription(JointState, sys.argv[1], take, qos_profile_sensor_data)
rclpy.spin(node)
`;

/** What a bystander sees of the joints. */
export class MotionWatch {
  readonly #process: RosProcess;

  constructor(topic: string) {
    this.#process = startRclpy(MOTION, [topic]);
  }

  /** Resolves when the first message has come. */
  async seen(timeoutMs = 30_000): Promise<void> {
    await this.#process.printed(/seen/, timeoutMs);
  }

  /** Largest distance of a joint from where it was first, rad; fastest joint, rad/s: both of the last message. */
  get last(): { readonly movedRad: number; readonly speedRadPerS: number; readonly messages: number } {
    const lines = [...this.#process.stdout.matchAll(/^moved (\S+) speed (\S+)$/gm)];
    const line = lines.at(-1);
    return { movedRad: Number(line?.[1]), speedRadPerS: Number(line?.[2]), messages: lines.length };
  }

  /** The furthest that any joint has been from where it was first, rad. */
  get furthestRad(): number {
    const moves = [...this.#process.stdout.matchAll(/^moved (\S+) /gm)].map((line) => Number(line[1]));
    return Math.max(...moves);
  }

  async end(): Promise<void> {
    await this.#process.kill();
  }
}
