/** Health view: present fault table, reported notices, and what runs where. */
import { BUS, type BusCounter, type LearnerView } from '../../rows/portable.ts';
import type { RunView } from '../../session/index.ts';
import { Scroll } from './scroll.tsx';
import { Sign } from './sign.tsx';
import { events, faultsSeen, glance, learner, notices, operators, processes, run, session, status } from './stream.ts';
import { many, timeOf, whole } from './times.ts';

export function Health() {
  // A learner has no guard, and so none of these faults.
  if (run.value?.command === 'learn') {
    return (
      <div class="health">
        <Machine />
      </div>
    );
  }
  return (
    <div class="health">
      <Machine />
      <Log />
      <Faults />
    </div>
  );
}

type FaultLine = RunView['faults'][number];

/** Faults seen before come first, most recent at the top. */
function Faults() {
  const lines = [...(run.value?.faults ?? [])].sort((a, b) => seenAt(b) - seenAt(a) || a.row - b.row);
  return (
    <section class="faults">
      <h2>Faults</h2>
      <p>Faults, the reaction to each, and whether it is present. Flags of the guard come with each frame.</p>
      <Scroll label="Table of faults">
        <table class="as-cards">
          <thead>
            <tr>
              <th>number</th>
              <th>now</th>
              <th>last seen</th>
              <th>fault</th>
              <th>what is done</th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line) => (
              <FaultRow key={line.row} line={line} />
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}

function FaultRow({ line }: { readonly line: FaultLine }) {
  const { row, fault, promise, signs } = line;
  const present = presentOf(line);
  const at = seenAt(line);
  return (
    <tr id={`fault-${row}`} data-present={String(present.length > 0)}>
      <td data-head="number">{row}</td>
      <td data-head="now">{nowOf(line, present.length > 0)}</td>
      <td data-head="last seen">{at === 0 ? '' : timeOf(at)}</td>
      <td data-head="fault">
        {fault}
        {present.map(({ name, remedy }) => (
          <p key={name} class="remedy">
            {remedy}
          </p>
        ))}
      </td>
      <td
        class="soft"
        data-head="what is done"
        title={signs.map(({ name, seenBy, action }) => `${name}: ${action}, seen by ${seenBy}`).join('\n')}
      >
        {promise}
      </td>
    </tr>
  );
}

function nowOf(line: FaultLine, isPresent: boolean) {
  if (isPresent) return <Sign kind="bad" word="present" />;
  // Faults reported as events have no end.
  if (seenAt(line) > 0) return <Sign kind="warn" word="was there" />;
  return <Sign kind="good" word="clear" />;
}

function presentOf({ signs }: FaultLine): FaultLine['signs'] {
  const flags = glance.value?.faultFlags ?? 0;
  return signs.filter(({ bit }) => (flags & bit) !== 0);
}

function seenAt({ signs }: FaultLine): number {
  return Math.max(0, ...signs.map(({ name }) => faultsSeen.value.get(name) ?? 0));
}

function Log() {
  const said = notices.value.map(({ line, atMs }) => ({ level: 'info', row: 0, message: line, remedy: '', atMs }));
  const lines = [...events.value, ...said].sort((a, b) => b.atMs - a.atMs);
  return (
    <section>
      <h2>What happened</h2>
      {lines.length === 0 ? <p class="empty">Nothing was reported.</p> : null}
      <ul class="log">
        {lines.map((event) => (
          <li key={event.atMs + event.message} class={event.level}>
            <time>{timeOf(event.atMs)}</time> {event.row > 0 ? <b>fault {event.row}</b> : null} {event.message}{' '}
            <span class="soft">{event.remedy}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

type Fact = readonly [name: string, value: string];

/** Driver, bus, processes, link and versions. */
function Machine() {
  const shown = run.value;
  if (shown === undefined) return null;
  const { folder, versions } = shown;
  const facts: readonly Fact[] = [
    ...(shown.command === 'learn' ? factsOfLearner(shown) : factsOfRobot(shown)),
    ['folder', folder],
    // The key `node` is a process of the robot here, so Node.js is spelled out.
    ...Object.entries(versions).map(([name, version]): Fact => [name === 'node' ? 'Node.js' : name, version]),
  ];
  return (
    <section class="machine">
      <h2>{shown.command === 'learn' ? 'Learner, link, versions' : 'Driver, bus, processes, link, versions'}</h2>
      <dl>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function factsOfRobot(shown: RunView): readonly Fact[] {
  const { robot, driver } = shown;
  const link = status.value?.link;
  return [
    ['robot', `${robot.name}, ${robot.joints.length} joints at ${robot.controlHz} Hz`],
    ['driver', `${driver.name}${shown.isSimulated ? ', simulated' : ''}`],
    ['bus', `${processes.value?.bus ?? 'no bus'}: ${readings()}`],
    ...factsOfBus(),
    ...factsOfProcesses(shown),
    ['learner', `${shown.learner}, ${session.value?.learner ?? 'no data yet'}`],
    [
      'link',
      link === undefined
        ? 'no data yet'
        : `${whole(link.acked)} of ${many(link.sent, 'step')} acknowledged, ${whole(link.pending)} waiting, ${whole(link.lost)} lost, ${whole(link.duplicated)} duplicated`,
    ],
  ];
}

/** Reading statistics reported by the driver. */
function readings(): string {
  const now = glance.value;
  if (now === undefined) return 'nothing read yet';
  const { readings, lateReadings, lostReadings, refusedWrites } = now;
  return `${many(readings, 'reading')}, ${whole(lateReadings)} late, ${whole(lostReadings)} lost, ${many(refusedWrites, 'reference')} refused`;
}

/** Counters of the bus itself; empty if it has none. */
function factsOfBus(): readonly Fact[] {
  const counters = glance.value?.busCounters;
  const of = (name: BusCounter): number => counters?.[BUS[name]] ?? Number.NaN;
  const count = (name: BusCounter): string => whole(of(name));
  if (!Number.isFinite(of('requests'))) return [];
  const wrong = `${many(of('checksumErrors'), 'wrong checksum')}, ${count('foreignReplies')} foreign replies, ${many(of('skippedBytes'), 'byte')} skipped`;
  const ms = (name: BusCounter): string => `${(1e3 * of(name)).toFixed(1)} ms`;
  return [
    [
      'requests',
      `${count('requests')}, ${count('replies')} answered, ${count('retries')} retried, ${count('timeouts')} timed out; ${wrong}`,
    ],
    ['bus time', `${ms('busyS')} of the last tick; oldest value ${ms('oldestS')}; ${count('quarantined')} left out`],
  ];
}

function factsOfProcesses({ command, process }: RunView): readonly Fact[] {
  const known = processes.value;
  const now = glance.value;
  const ticks =
    now === undefined
      ? 'no data yet'
      : `tick ${whole(now.tick)}, ${many(now.overruns, 'overrun')}, ${many(now.violations, 'limit')} broken`;
  const pages = pagesText();
  const node = `rein ${command}, process ${process.pid}, ${process.platform}`;
  if (known === undefined) {
    return [
      ['guard', `in process ${process.pid}, ${ticks}`],
      ['node', node],
      ['guardian', 'none: no bus'],
      ['monitor', `a thread of process ${process.pid}, ${pages}`],
    ];
  }
  const { pids, nodeRestarts, nodeRestartsMax, bus } = known;
  return [
    ['guard', `${nameOf(pids.guard)}, ${ticks}`],
    [
      'node',
      `${pids.node === undefined ? nameOf(undefined) : node}, started again ${nodeRestarts} of ${nodeRestartsMax} times`,
    ],
    ['guardian', bus === null ? 'none: no bus' : nameOf(pids.guardian)],
    ['monitor', `a thread of process ${pids.supervisor}, ${pages}`],
  ];
}

function pagesText(): string {
  return many(operators.value?.pages ?? 0, 'page');
}

function nameOf(pid: number | undefined): string {
  return pid === undefined ? 'does not run' : `process ${pid}`;
}

function factsOfLearner(shown: RunView): readonly Fact[] {
  const now = learner.value;
  const algorithm: Fact = ['algorithm', shown.learner];
  if (now === undefined) return [algorithm, ['learner', 'no data yet']];
  const { online, demonstrations, capacity, robots } = now;
  const filled = ((100 * online) / capacity).toFixed(1);
  return [
    algorithm,
    [
      'learner',
      `process ${now.pid}, ${shown.process.platform}, policy ${now.version === 0 ? 'untrained' : `version ${now.version}`}`,
    ],
    [
      'updates',
      `${whole(now.updates)}, ${now.updatesPerS.toFixed(0)} /s, UTD ${now.utd.toFixed(2)} of ${now.utdTarget}`,
    ],
    [
      'replay',
      `${whole(online)} of ${many(capacity, 'step')} (${filled} %), ${many(demonstrations, 'demonstration step')}`,
    ],
    ['robots', robots.length === 0 ? 'none has joined' : robots.map(robotText).join('; ')],
    [
      'link',
      `${now.address}, ${many(now.delivered, 'step')} received, ${whole(now.repeated)} sent again, ${whole(now.lost)} lost`,
    ],
    ['monitor', `a thread of process ${now.pid}, ${pagesText()}`],
  ];
}

function robotText({ name, steps, isHere }: LearnerView['robots'][number]): string {
  return `${name}: ${many(steps, 'step')}${isHere ? '' : ', away'}`;
}
