/** Faults and messages of the run, and what runs where. */
import { events, notices, run } from './stream.ts';

export function Health() {
  const lines = [...events.value].reverse();
  return (
    <>
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
      <section>
        <h2>The run</h2>
        <dl>
          <dt>Rein</dt>
          <dd>{run.value?.version}</dd>
          <dt>folder</dt>
          <dd>{run.value?.folder}</dd>
          <dt>messages</dt>
          <dd>{notices.value.length}</dd>
        </dl>
      </section>
    </>
  );
}
