/**
 * Tests against a real ROS 2. They run where one is sourced and rclnodejs is built for it, and are skipped with a
 * printed reason elsewhere. Each test file gets a ROS domain of its own on the loopback interface, so that neither
 * another file nor a robot in the same room hears it.
 *
 *     describeRos('joint states', () => {
 *       it('arrive', async () => {
 *         const echo = await ros2(['topic', 'echo', '--once', '/joint_states'], { timeoutMs: 10_000 });
 *       });
 *     });
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe } from 'vitest';
import { rosEnvironment } from '../../src/ros/index.ts';

/** The top of the repository. */
export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url));

/** Why tests against a real ROS 2 cannot run here; `undefined` where they can. */
export const noRosBecause: string | undefined = whyNot();

/** A block of tests that needs a real ROS 2. Processes that tests started are ended after it. */
export function describeRos(name: string, body: () => void): void {
  if (noRosBecause !== undefined) {
    console.log(`skipped  ${name}: ${noRosBecause}`);
    describe.skip(`${name} (${noRosBecause})`, body);
    return;
  }
  joinPrivateDomain();
  describe(name, () => {
    afterAll(endRosLeftovers);
    body();
  });
}

function whyNot(): string | undefined {
  if (!process.env['AMENT_PREFIX_PATH']) return 'no ROS 2 is sourced (AMENT_PREFIX_PATH is empty)';
  const problem = rosEnvironment().problem;
  return problem === undefined ? undefined : `${problem.message}; ${problem.remedy}`;
}

/** Loopback only, without multicast, which containers lack; many nodes may join. */
const CYCLONE_ON_LOOPBACK = [
  '<CycloneDDS><Domain Id="any">',
  '<General><Interfaces><NetworkInterface name="lo" multicast="false"/></Interfaces><AllowMulticast>false</AllowMulticast></General>',
  '<Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>60</MaxAutoParticipantIndex>',
  '<Peers><Peer address="127.0.0.1"/></Peers></Discovery>',
  '</Domain></CycloneDDS>',
].join('');

let domain: number | undefined;

/** Takes a ROS domain that no other test process holds, for this process and its children. */
function joinPrivateDomain(): void {
  if (domain !== undefined) return;
  domain = claimDomain();
  process.env['ROS_DOMAIN_ID'] = String(domain);
  process.env['CYCLONEDDS_URI'] ||= CYCLONE_ON_LOOPBACK;
  process.env['PYTHONUNBUFFERED'] = '1';
}

/** Domains above 101 would use ports that Linux also hands out for other things. */
function claimDomain(): number {
  const folder = join(tmpdir(), 'rein-ros-domains');
  mkdirSync(folder, { recursive: true });
  for (let id = 1; id <= 60; id++) {
    const lock = join(folder, String(id));
    if (!take(lock) && !(isStale(lock) && take(lock))) continue;
    process.on('exit', () => rmSync(lock, { force: true }));
    return id;
  }
  throw new Error(`all ROS domains of ${folder} are taken`);
}

function take(lock: string): boolean {
  try {
    const file = openSync(lock, 'wx');
    writeSync(file, String(process.pid));
    closeSync(file);
    return true;
  } catch {
    return false;
  }
}

function isStale(lock: string): boolean {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return false;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') return false;
    rmSync(lock, { force: true });
    return true;
  }
}

const running = new Set<RosProcess>();
let isDaemonWarm = false;

/** Ends every process that tests started, and the daemon of the `ros2` command. */
export async function endRosLeftovers(): Promise<void> {
  await Promise.all([...running].map((child) => child.kill('SIGKILL')));
  if (!isDaemonWarm) return;
  isDaemonWarm = false;
  await ros2(['daemon', 'stop'], { timeoutMs: 10_000 });
  isDaemonWarm = false;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program with everything that it printed, in a process group of its own. */
export class RosProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = '';
  stderr = '';
  #isOver = false;

  constructor(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.child = spawn(command, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    running.add(this);
    this.child.stdin?.on('error', () => {});
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = new Promise((resolve, reject) => {
      this.child.once('error', reject);
      this.child.once('close', (code, signal) => {
        this.#isOver = true;
        running.delete(this);
        resolve({ code, signal, stdout: this.stdout, stderr: this.stderr });
      });
    });
    this.ended.catch(() => {});
  }

  /** What it printed, both streams. */
  get output(): string {
    return this.stdout + this.stderr;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Waits until it printed something like `pattern`; rejects with all that it printed when it ends or takes too long. */
  async printed(pattern: RegExp, timeoutMs = 20_000): Promise<RegExpExecArray> {
    const endMs = performance.now() + timeoutMs;
    for (;;) {
      const match = pattern.exec(this.output);
      if (match !== null) return match;
      if (this.#isOver) throw new Error(`it ended without printing ${pattern}:\n${this.output}`);
      if (performance.now() > endMs) throw new Error(`nothing like ${pattern} after ${timeoutMs} ms:\n${this.output}`);
      await delay(20);
    }
  }

  /** Sends `signal` to the program alone, as `ros2 launch` does. */
  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Sends `signal` to the program and everything that it started, and waits for the end. */
  async kill(signal: NodeJS.Signals = 'SIGINT'): Promise<Ended> {
    try {
      if (this.child.pid !== undefined) process.kill(-this.child.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
    return this.ended;
  }
}

export interface RunOptions {
  readonly timeoutMs: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program to its end; rejects with its output when it takes longer than `timeoutMs`. */
export async function runProgram(command: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  const program = new RosProcess(command, args, options.env);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void program.kill('SIGKILL');
  }, options.timeoutMs);
  try {
    const ended = await program.ended;
    if (isLate) {
      throw new Error(`${command} ${args.join(' ')} was not done after ${options.timeoutMs} ms:\n${program.output}`);
    }
    return ended;
  } finally {
    clearTimeout(timer);
  }
}

/** The `ros2` command, e.g. `ros2(['topic', 'list'], { timeoutMs: 10_000 })`. */
export function ros2(args: readonly string[], options: RunOptions): Promise<Ended> {
  isDaemonWarm = true;
  return runProgram('ros2', args, options);
}

/** The `ros2` command, left running, e.g. `ros2 launch` or `ros2 topic hz`. */
export function startRos2(args: readonly string[], env: Readonly<Record<string, string>> = {}): RosProcess {
  isDaemonWarm = true;
  return new RosProcess('ros2', args, env);
}

/** A Python program with rclpy, given as text; `args` become `sys.argv[1:]`. */
export function rclpy(script: string, args: readonly string[], options: RunOptions): Promise<Ended> {
  return runProgram(PYTHON, ['-c', script, ...args], options);
}

/** The same, left running. */
export function startRclpy(script: string, args: readonly string[] = []): RosProcess {
  return new RosProcess(PYTHON, ['-c', script, ...args]);
}

const PYTHON = process.env['REIN_PYTHON'] || 'python3';
