/** The health view: the fault table as it is now, what was reported, and what runs where. */
import type { RunView } from '../../session/index.ts';
import { Sign } from './sign.tsx';
import { events, faultsSeen, glance, operators, run, session, status } from './stream.ts';

export function Health() {
  return (
    <div class="health">
      <Machine />
      <Log />
      <Faults />
    </div>
  );
}

type FaultLine = RunView['faults'][number];

/** What has been there comes first: the newest of it at the top. */
function Faults() {
  const lines = [...(run.value?.faults ?? [])].sort((a, b) => seenAt(b) - seenAt(a) || a.row - b.row);
  return (
    <section class="faults">
      <h2>Faults</h2>
      <p>What can go wrong, what is then done, and whether it is there. Flags of the guard come with each frame.</p>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th>row</th>
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
      </div>
    </section>
  );
}

function FaultRow({ line }: { readonly line: FaultLine }) {
  const { row, fault, promise, signs } = line;
  const present = presentOf(line);
  const at = seenAt(line);
  return (
    <tr id={`fault-${row}`} data-present={String(present.length > 0)}>
      <td>{row}</td>
      <td>{nowOf(line, present.length > 0)}</td>
      <td>{at === 0 ? '' : new Date(at).toLocaleTimeString()}</td>
      <td>
        {fault}
        {present.map(({ name, remedy }) => (
          <p key={name} class="remedy">
            {remedy}
          </p>
        ))}
      </td>
      <td
        class="soft"
        title={signs.map(({ name, seenBy, action }) => `${name}: ${action}, seen by ${seenBy}`).join('\n')}
      >
        {promise}
      </td>
    </tr>
  );
}

function nowOf(line: FaultLine, isPresent: boolean) {
  if (isPresent) return <Sign kind="bad" word="present" />;
  // What comes as an event has no end of its own.
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
  const lines = [...events.value].reverse();
  return (
    <section>
      <h2>What happened</h2>
      {lines.length === 0 ? <p class="empty">Nothing was reported.</p> : null}
      <ul class="log">
        {lines.map((event) => (
          <li key={event.atMs + event.message} class={event.level}>
            <time>{new Date(event.atMs).toLocaleTimeString()}</time> {event.row > 0 ? <b>row {event.row}</b> : null}{' '}
            {event.message} <span class="soft">{event.remedy}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Driver, processes, link and versions. */
function Machine() {
  const shown = run.value;
  if (shown === undefined) return null;
  const { robot, driver, command, folder, versions, process } = shown;
  const now = glance.value;
  const link = status.value?.link;
  const facts: readonly (readonly [name: string, value: string])[] = [
    ['robot', `${robot.name}, ${robot.joints.length} joints at ${robot.controlHz} Hz`],
    ['driver', `${driver.name}${shown.isSimulated ? ', simulated' : ''}`],
    [
      'guard',
      now === undefined
        ? 'not heard of'
        : `tick ${now.tick}, ${now.overruns} overruns, ${now.violations} limits broken`,
    ],
    ['session', `rein ${command}, process ${process.pid}, ${process.platform}`],
    ['learner', `${shown.learner}, ${session.value?.learner ?? 'not heard of'}`],
    [
      'link',
      link === undefined
        ? 'not heard of'
        : `${link.acked} of ${link.sent} steps acknowledged, ${link.pending} waiting, ${link.lost} lost, ${link.duplicated} twice`,
    ],
    ['pages', `${operators.value?.pages ?? 0} open`],
    ['folder', folder],
    ...Object.entries(versions).map(([name, version]) => [name, version] as const),
  ];
  return (
    <section class="machine">
      <h2>Driver, processes, link, versions</h2>
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
