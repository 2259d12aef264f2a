/**
 * ROS node: a session of one robot behind lifecycle, topics, services and actions. Activating permits motion and starts
 * none; deactivating stops the robot, which holds. A failed callback stops the robot, and every fault of the ROS
 * interface is reported.
 */
import type { RunSetup } from '../../config/setup.ts';
import { isRos, ROS_CONDITION, worldOf } from '../../drivers/index.ts';
import type { Clock } from '../../model/index.ts';
import type { LearnerWait, LiveSession, SessionEvent, SessionListener } from '../../session/index.ts';
import type { RunWatcher } from '../../session/person-request.ts';
import type { TeleopSource } from '../../teleop/index.ts';
import { OtherRobot } from '../observations/other-robot.ts';
import { jumpText } from '../port/port-clock.ts';
import type { LifecycleHooks, LifecycleResult, RosFault, RosPort } from '../port/ros-port.ts';
import { Diagnostics, type PartStatus } from './diagnostics.ts';
import { offerActions, offerServices, type Permission, withLeave } from './requests.ts';
import { asReinError, SessionHolder } from './session-holder.ts';
import { asParameters, type NodeRequest } from './settings.ts';
import { Teleop } from './teleop.ts';
import { Publications } from './topics.ts';

export interface RobotNodeOptions extends Pick<NodeRequest, 'robotId' | 'operator' | 'pad' | 'teleopLeaseS'> {
  /** Created and not started. The node registers everything on it; its creator starts and closes it. */
  readonly port: RosPort;
  readonly setup: RunSetup;
  /** Folder of the run. */
  readonly folder: string;
  /** 0: every guard frame; `undefined`: the robot is a ROS robot, and publishes its joints itself. */
  readonly jointStatesHz: number | undefined;
  /** Waits for the learner that a session needs before it can be opened. Rejects on `signal`. */
  readonly beforeOpening?: (signal: AbortSignal, onWait: (wait: LearnerWait) => void) => Promise<void>;
  /** Opens a session with these operators and this listener, shown to `watcher`. Nothing moves. */
  readonly openSession: (
    operators: readonly TeleopSource[],
    listener: SessionListener,
    watcher: RunWatcher | undefined,
  ) => Promise<LiveSession>;
  /** Shows each session elsewhere, and passes on operator requests from there. Absent: none. */
  readonly watcher?: RunWatcher | undefined;
  /** Number of dead nodes of the same name that the graph still shows. */
  readonly staleNodes?: () => number;
  /** Status of further parts, e.g. observation topics. */
  readonly others?: () => readonly PartStatus[];
  /** The machine's clock. */
  readonly clock: Clock;
  /** Time after the port's start in which existing publishers are discovered, s. Default 1. */
  readonly discoveryS?: number;
  /** Called when the lifecycle has ended: the process may end. */
  readonly onShutdown: () => void;
  /** Every event, for the console. */
  readonly onEvent?: (event: SessionEvent) => void;
}

/** DDS discovery completes within this time. */
const DISCOVERY_S = 1;
/** Modes of a session in which an episode may be in progress. */
const EPISODE_MODES: readonly string[] = ['episode', 'running', 'evaluating'];
const STATE_MS = 100;
/** State messages per period of the once-a-second topics. */
const STATES_PER_SECOND = 10;

const ROS_EVENTS: Readonly<Record<RosFault['kind'], { readonly row: number; readonly remedy: string }>> = {
  callback: { row: 0, remedy: 'This is a defect: report it. Then reset.' },
  malformed: { row: 11, remedy: 'Check its publisher.' },
  qosMismatch: { row: 33, remedy: 'Give both ends a fitting quality of service.' },
  duplicateNode: { row: 29, remedy: 'Give one of them another name or namespace.' },
  timeJump: { row: 22, remedy: 'Nothing, if a simulation or a recording was set to another time.' },
  graph: { row: 0, remedy: '' },
  refused: { row: 0, remedy: 'Look at its state first: ros2 lifecycle get.' },
};

/** Rows of the guard's notices about the ROS graph. */
const GRAPH_NOTICES: Readonly<Record<number, RosFault['kind']>> = { 29: 'duplicateNode', 33: 'qosMismatch' };

export class RobotNode {
  readonly #options: RobotNodeOptions;
  readonly #publications: Publications;
  readonly #diagnostics: Diagnostics;
  readonly #teleop: Teleop;
  readonly #holder: SessionHolder;
  readonly #permission: Permission & { isActive: boolean };
  /** Simulator of the robot by its file; `undefined`: none. */
  readonly #simulator: string | undefined;
  /** A simulation publishes the joints of a robot that its file calls real. */
  #isRehearsal = false;
  /** Lasting findings of bridge and stopper, by condition. */
  readonly #found = new Map<string, SessionEvent>();
  /** Set for a simulated robot that publishes its joints. */
  readonly #otherRobot: OtherRobot | undefined;
  #areJointsWithheld: boolean;
  #isToldOfRobot = false;
  #isGoingBack = false;
  #discoveredAtS = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #beats = 0;
  /** The robot was stopped only by deactivating: activating may undo it. */
  #isParked = false;
  #isEnding = false;

  constructor(options: RobotNodeOptions) {
    const { port, setup } = options;
    const { robot } = setup.config;
    this.#options = options;
    this.#simulator = simulatorOf(robot.driver);
    const publishesJoints = options.jointStatesHz !== undefined && this.#simulator !== undefined;
    const names = robot.joints.map(({ name }) => name);
    this.#otherRobot = publishesJoints ? new OtherRobot(port, 'joint_states', names) : undefined;
    this.#publications = new Publications({
      port,
      controlHz: robot.controlHz,
      jointStatesHz: options.jointStatesHz,
      joints: robot.joints,
      isSimulated: () => this.#simulatedBy !== undefined,
      areJointsWithheld: () => this.#areJointsWithheld,
    });
    this.#holder = new SessionHolder({
      open: async (signal, wait) => {
        await options.beforeOpening?.(signal, wait);
        // Lasting findings are reported to each session anew.
        this.#isRehearsal = false;
        this.#found.clear();
        return options.openSession(this.#teleop.create(), this.#listener(), watcher);
      },
      onWait: (wait) => this.#waits(wait),
      onOpen: (session) => this.#opened(session),
      onFailure: (error) => this.#openFailed(error.message, error.remedy),
    });
    this.#teleop = this.#createTeleop(options);
    // Until discovery has found the other nodes.
    this.#areJointsWithheld = this.#otherRobot !== undefined;
    this.#diagnostics = this.#createDiagnostics(options);
    this.#permission = { holder: this.#holder, isActive: false, fullName: port.fullName };
    const leave = { permission: this.#permission, onFailure: (error: unknown) => this.#activityFailed(error) };
    offerServices({ port, ...leave });
    const watcher = options.watcher && withLeave(leave, options.watcher);
    offerActions(port, this.#permission, (message) =>
      this.event({ level: 'warn', name: 'goalRefused', row: 0, message, remedy: '' }),
    );
    port.onLifecycle(this.#hooks());
    port.clock.onJump((byNs) => this.#timeJumped(byNs));
  }

  #createTeleop({ port, setup, folder, clock, operator, pad, teleopLeaseS }: RobotNodeOptions): Teleop {
    return new Teleop({
      port,
      setup,
      folder,
      clock,
      operator,
      pad,
      leaseS: teleopLeaseS,
      onEvent: (event) => this.event(event),
      onMark: (mark) => void this.#holder.session?.mark(mark, ''),
    });
  }

  #createDiagnostics({ port, setup, clock, robotId, others }: RobotNodeOptions): Diagnostics {
    return new Diagnostics({
      port,
      robotId,
      holder: this.#holder,
      nowS: () => clock.nowS(),
      joints: setup.config.robot.joints,
      simulatedBy: () => this.#simulatedBy,
      lasting: () => port.graphFaults.filter((fault) => !this.#isStale(fault)),
      others: () => [this.#teleop.status(), ...(others?.() ?? [])],
    });
  }

  /** Simulator of the robot; `undefined`: it is real. */
  get #simulatedBy(): string | undefined {
    return this.#simulator ?? (this.#isRehearsal ? 'behind its topics' : undefined);
  }

  /** Open session, for users beyond ROS. */
  get session(): LiveSession | undefined {
    return this.#holder.session;
  }

  /** Begins to open the session, so that `configure` finds it open, and to publish once the port is started. */
  start(): void {
    this.#holder.open();
    this.#timer = setInterval(() => this.#beat(), STATE_MS);
  }

  /** The port was started: discovery begins. */
  listens(): void {
    this.#discoveredAtS = this.#options.clock.nowS() + (this.#options.discoveryS ?? DISCOVERY_S);
  }

  setJointStatesHz(hz: number): void {
    this.#publications.setJointStatesHz(hz);
  }

  /** Resolves when the session is open, or could not be opened. */
  opened(): Promise<void> {
    return this.#holder.settled();
  }

  /** Resolves when the session is open, could not be opened, or waits for its learner. */
  openedOrWaiting(): Promise<void> {
    return this.#holder.settledOrWaiting();
  }

  /** Brakes, closes the session and stops publishing. Never rejects. */
  async close(): Promise<void> {
    this.#isEnding = true;
    clearInterval(this.#timer);
    this.#permission.isActive = false;
    await this.#holder.close();
  }

  /** Takes a fault of the ROS interface. A callback that threw stops the robot: its work is in an unknown state. */
  rosFault(fault: RosFault): void {
    if (this.#isStale(fault)) return;
    this.#diagnostics.rosFault(fault);
    if (fault.kind === 'timeJump') return; // reported with its effect on the episode
    const { row, remedy } = ROS_EVENTS[fault.kind];
    const isDefect = fault.kind === 'callback';
    const message = `${fault.where}: ${fault.message}`;
    this.event({ level: isDefect ? 'error' : 'warn', name: fault.kind, row, message, remedy });
    if (isDefect) this.#stop('a callback failed');
  }

  #isStale({ kind }: RosFault): boolean {
    return kind === 'duplicateNode' && (this.#options.staleNodes?.() ?? 0) > 0;
  }

  event(given: SessionEvent): void {
    const found = given.name === 'driverLost' ? this.#withCause(given) : given;
    const event = { ...found, remedy: asParameters(found.remedy) };
    this.#publications.publish('event', event);
    this.#noteCondition(event);
    // Findings of the robot's own processes in the graph are reported by the guard.
    const kind = event.name === 'guardNotice' ? GRAPH_NOTICES[event.row] : undefined;
    if (kind !== undefined) this.#diagnostics.rosFault({ kind, where: 'robot', message: event.message });
    this.#options.onEvent?.(event);
  }

  /** Records the bridge's findings while they last; the death of the bridge clears them. */
  #noteCondition(event: SessionEvent): void {
    const { condition, isOver, level } = event;
    if (condition === undefined) return;
    if (condition === ROS_CONDITION.bridge) {
      this.#isRehearsal = false;
      this.#found.clear();
    }
    if (condition === ROS_CONDITION.simulated) this.#isRehearsal = isOver !== true;
    this.#found.delete(condition);
    if (level === 'error' && isOver !== true && condition.startsWith(ROS_CONDITION.bridge)) {
      this.#found.set(condition, event);
    }
  }

  /** Replaces a lost driver's message by the known cause, so that the operator need not check cables. */
  #withCause(event: SessionEvent): SessionEvent {
    if (this.#isEnding) return endedToo(event);
    const found = [...this.#found.values()].at(-1);
    return found === undefined ? event : { ...event, message: found.message, remedy: found.remedy };
  }

  #listener(): SessionListener {
    return {
      frame: (frame) => this.#publications.publish('frame', frame),
      state: () => this.#publishState(),
      intervention: (report) => this.#publications.publish('intervention', report),
      event: (event) => this.event(event),
    };
  }

  #hooks(): LifecycleHooks {
    return {
      configure: () => this.#configure(),
      activate: () => this.#activate(),
      deactivate: () => this.#deactivate(),
      cleanup: () => this.#cleanup(),
      shutdown: () => {
        this.#cleanup();
        void this.#holder.settled().then(() => this.#options.onShutdown());
        return 'success';
      },
      error: () => this.#cleanup(),
    };
  }

  #configure(): LifecycleResult {
    const { port, staleNodes } = this.#options;
    const doubles = port.nodeNames().filter((name) => name === port.fullName).length - 1;
    if (doubles > (staleNodes?.() ?? 0)) {
      this.event({
        level: 'error',
        name: 'duplicateNode',
        row: 29,
        message: `Another node is called ${port.fullName}: this one does not begin.`,
        remedy: 'Give one of them another name or namespace. One that died is forgotten within 10 s.',
      });
      return 'failure';
    }
    if (this.#isBesideRobot()) return 'failure';
    const hasFailed = this.#holder.state === 'failed';
    if (hasFailed) this.#openFailed(this.#holder.failure?.message ?? '', this.#holder.failure?.remedy);
    // The next attempt may succeed.
    this.#holder.open();
    return hasFailed ? 'failure' : 'success';
  }

  /** A simulation beside the real robot of the same names would be mistaken for it: it is neither published nor moved. */
  #isBesideRobot(): boolean {
    const nowS = this.#options.clock.nowS();
    const heard = this.#otherRobot?.heard(nowS);
    const isNews = heard !== undefined && !this.#isToldOfRobot;
    this.#isToldOfRobot = heard !== undefined;
    this.#areJointsWithheld = heard !== undefined || nowS < this.#discoveredAtS;
    if (isNews) {
      const { name } = this.#options.setup.config.robot;
      const message = `${heard}, and ${name} of this node is simulated (${this.#simulatedBy}): it publishes no joints and does not begin.`;
      const remedy = `For the robot itself its file needs driver: { kind: ros, … } (docs/your-ros-robot.md); to simulate it beside the robot, start this node with namespace:=sim.`;
      this.event({ level: 'error', name: 'simulatedBesideRobot', row: 29, message, remedy });
    }
    return heard !== undefined;
  }

  /** Permits motion, starts none. */
  #activate(): LifecycleResult {
    const { session } = this.#holder;
    if (session?.isLost === true) return 'error';
    if (this.#holder.state === 'failed') return 'failure';
    this.#permission.isActive = true;
    if (this.#isParked && session !== undefined && session.frame.faultFlags === 0) {
      session.reset().catch((error: unknown) => this.#activityFailed(error));
    }
    this.#isParked = false;
    return 'success';
  }

  #deactivate(): LifecycleResult {
    this.#permission.isActive = false;
    this.#isParked = this.#holder.session?.refusal === undefined;
    this.#stop('the node was deactivated');
    return 'success';
  }

  #cleanup(): LifecycleResult {
    this.#permission.isActive = false;
    this.#isParked = false;
    void this.#holder.close();
    return 'success';
  }

  #waits({ state, message, remedy }: LearnerWait): void {
    const isRefused = state === 'refused';
    const name = isRefused ? 'learnerRefused' : 'learnerAwaited';
    this.event({ level: isRefused ? 'error' : 'warn', name, row: 0, message, remedy });
  }

  #opened(session: LiveSession): void {
    const { config } = this.#options.setup;
    this.event({
      level: 'info',
      name: 'opened',
      row: 0,
      remedy: '',
      message: `${config.robot.name}${this.#simulatedBy === undefined ? '' : `, simulated (${this.#simulatedBy}),`} is ready for ${config.task.name}; files in ${session.folder}.`,
    });
    this.#publications.publish('second', session);
  }

  /** Reverts the lifecycle, which had advanced before the failure was known. */
  #openFailed(message: string, remedy: string | undefined): void {
    this.event({ level: 'error', name: 'openFailed', row: 0, message, remedy: remedy ?? '' });
    this.#goBack();
  }

  /** Returns to `unconfigured`. */
  #goBack(): void {
    if (this.#isGoingBack) return;
    this.#isGoingBack = true;
    const { port } = this.#options;
    const back = async (): Promise<void> => {
      if (port.lifecycleState === 'active') await port.transition('deactivate');
      if (port.lifecycleState === 'inactive') await port.transition('cleanup');
    };
    back()
      .catch((error: unknown) => this.#activityFailed(error))
      .finally(() => {
        this.#isGoingBack = false;
      });
  }

  #activityFailed(error: unknown): void {
    const { message, remedy } = asReinError(error);
    this.event({ level: 'error', name: 'failed', row: 0, message, remedy: remedy ?? '' });
  }

  /** Stamps from before a backward jump lie in the future: the episode ends. */
  #timeJumped(byNs: bigint): void {
    const said = jumpText(byNs);
    const { session } = this.#holder;
    const isCut = byNs < 0n && session !== undefined && EPISODE_MODES.includes(session.state.mode);
    const message = `${said}${isCut ? '; the episode is truncated' : ''}.`;
    const { row, remedy } = ROS_EVENTS.timeJump;
    this.event({ level: 'warn', name: 'timeJump', row, message, remedy });
    this.#diagnostics.rosFault({ kind: 'timeJump', where: '/clock', message });
    if (byNs < 0n) session?.cutEpisode(said);
  }

  #stop(reason: string): void {
    // A lost guard brakes by itself, and its loss has been reported.
    this.#holder.session?.stop(reason).catch(() => undefined);
  }

  #publishState(): void {
    if (this.#holder.session !== undefined) this.#publications.publish('state', this.#holder.session);
  }

  #beat(): void {
    this.#publishState();
    if (this.#isBesideRobot()) this.#goBack();
    if (this.#beats++ % STATES_PER_SECOND !== 0) return;
    this.#diagnostics.publish();
    if (this.#holder.session !== undefined) this.#publications.publish('second', this.#holder.session);
  }
}

/** Simulator behind `driver`; `undefined`: a real robot. */
function simulatorOf(driver: RunSetup['config']['robot']['driver']): string | undefined {
  if (worldOf(driver) !== 'real') return driver.kind;
  // Surroundings that a service can reset are a simulator's.
  return isRos(driver) && driver.scene !== undefined ? `behind ${driver.scene.service}` : undefined;
}

/** Ctrl+C also ends the launch's driver, often first. */
function endedToo(event: SessionEvent): SessionEvent {
  const message = 'The robot ceased to answer while this node was ending: its driver ended, too, or is lost.';
  return { ...event, level: 'warn', message, remedy: '' };
}
